//! A file of reports: which survey they belong to, and what they add up to.
//!
//! Reports stand one a line, below the lines `# …` that say how they were made. Files with the same lines may
//! have been put together. Reading is total: a line that is no report is counted, and its text goes nowhere.

use std::io::BufRead;

use crate::{AnyCollector, Domain, Lines, LocalError, StreamError, Survey};

/// All reports of one survey.
#[derive(Clone, Debug)]
pub struct ReportsFile {
    /// The survey.
    pub survey: Survey,
    /// What the reports add up to.
    pub collector: AnyCollector,
    /// How many lines are no reports.
    pub bad_lines: u64,
    /// The number of the first of them, and what is wrong with it.
    pub first_bad: Option<(u64, LocalError)>,
}

impl ReportsFile {
    /// Reads all reports. The lines on top say how they were made, or `setting` does. The caller's answers go
    /// before those on top.
    pub fn read(
        input: impl BufRead,
        setting: Option<&str>,
        answers: Option<Domain>,
    ) -> Result<Self, StreamError> {
        let mut top = Top::default();
        if let Some(line) = setting {
            top.set_up(line)?;
        }
        let mut lines = Lines::new(input);
        let mut collector = top.collector();
        let (mut bad_lines, mut first_bad) = (0, None);
        while lines.advance().map_err(StreamError::Input)? {
            let text = lines.text_or_mark();
            if let Some(public) = text.strip_prefix('#') {
                let line = lines.number();
                top.read(public.trim()).map_err(|source| StreamError::Line { line, source })?;
                collector = collector.or_else(|| top.collector());
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let collector = collector.as_mut().ok_or(LocalError::UnknownSurvey)?;
            if let Err(error) = collector.absorb_line(text) {
                bad_lines += 1;
                first_bad.get_or_insert((lines.number(), error));
            }
        }
        let (Some(survey), Some(collector)) = (top.survey, collector) else {
            return Err(LocalError::UnknownSurvey.into());
        };
        let survey = match answers.or(top.answers) {
            Some(answers) => Survey::new(survey.protocol().clone(), Some(answers))?,
            None => survey,
        };
        Ok(Self { survey, collector, bad_lines, first_bad })
    }

    /// How many reports there are.
    pub fn reports(&self) -> u64 {
        self.collector.reports()
    }

    /// The same, if every line is a report.
    pub fn without_bad_lines(self) -> Result<Self, LocalError> {
        match &self.first_bad {
            None => Ok(self),
            Some((first, source)) => Err(LocalError::BadLines {
                bad_lines: self.bad_lines,
                lines: self.bad_lines + self.reports(),
                first: *first,
                source: Box::new(source.clone()),
            }),
        }
    }
}

/// The public lines on top of reports.
#[derive(Default)]
struct Top {
    survey: Option<Survey>,
    answers: Option<Domain>,
    /// Lines that were read and understood: files that are put together repeat them.
    known: Vec<String>,
}

impl Top {
    fn collector(&self) -> Option<AnyCollector> {
        self.survey.as_ref().map(|survey| AnyCollector::new(survey.protocol().clone()))
    }

    fn read(&mut self, line: &str) -> Result<(), LocalError> {
        if self.known.iter().any(|known| known == line) {
            return Ok(());
        }
        match Domain::parse_header(line) {
            None => self.set_up(line)?,
            Some(_) if self.answers.is_some() => {
                return Err(LocalError::refused(
                    "this list of answers differs from the first",
                    "estimate each survey by itself",
                ));
            }
            Some(answers) => self.answers = Some(answers?),
        }
        self.known.push(line.to_owned());
        Ok(())
    }

    fn set_up(&mut self, line: &str) -> Result<(), LocalError> {
        let survey = Survey::parse(line, None)?;
        match &self.survey {
            Some(first) if first.to_string() != survey.to_string() => Err(LocalError::refused(
                "these reports were made in another way than the first",
                "estimate each survey by itself",
            )),
            _ => {
                self.survey = Some(survey);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: &str = "# k-ary-response values=4 epsilon=1\n";

    fn read(text: &str) -> Result<ReportsFile, StreamError> {
        ReportsFile::read(text.as_bytes(), None, None)
    }

    #[test]
    fn lines_that_are_no_reports_are_counted_and_not_repeated() {
        let file = read(&format!("{FOUR}3\n1\nseven\n\n4\n2\n\u{fffd}\n")).unwrap();
        assert_eq!((file.reports(), file.bad_lines), (3, 3));
        assert_eq!(file.first_bad.as_ref().unwrap().0, 4);
        let refused = file.without_bad_lines().unwrap_err().to_string();
        assert!(refused.contains("3 of 6 lines") && refused.contains("line 4 "), "{refused}");
        assert!(!refused.contains("seven"), "{refused}");
        assert!(read(&format!("{FOUR}3\n")).unwrap().without_bad_lines().is_ok());
    }

    #[test]
    fn files_of_one_survey_may_be_put_together() {
        let one = format!("{FOUR}# answers [\"a\",\"b\",\"c\",\"d\"]\n0\n1\n");
        let file = read(&format!("{one}{one}")).unwrap();
        assert_eq!((file.reports(), file.survey.label(3)), (4, "d".to_owned()));
        let names = Domain::parse_list("w,x,y,z", false).unwrap();
        let named = ReportsFile::read(one.as_bytes(), None, Some(names)).unwrap();
        assert_eq!(named.survey.label(3), "z", "the caller's answers go first");
    }

    #[test]
    fn a_survey_is_needed_and_no_second_one_is_taken() {
        for (text, line) in [
            (format!("{FOUR}1\n# k-ary-response values=5 epsilon=1\n1\n"), Some(3)),
            (format!("{FOUR}# answers [\"a\"]\n1\n"), Some(2)),
            (
                format!(
                    "{FOUR}# answers [\"a\",\"b\",\"c\",\"d\"]\n# answers [\"b\",\"a\",\"c\",\"d\"]\n1\n"
                ),
                Some(3),
            ),
            ("# \n1\n".to_owned(), Some(1)),
            ("# magic values=4 epsilon=1\n1\n".to_owned(), Some(1)),
            (format!("{FOUR}# answers [\"a\",\"b\"]\n1\n"), None),
            ("1\n2\n".to_owned(), None),
            (String::new(), None),
        ] {
            let found = match read(&text).unwrap_err() {
                StreamError::Line { line, .. } => Some(line),
                StreamError::Refused(_) => None,
                other => panic!("{other}"),
            };
            assert_eq!(found, line, "{text}");
        }
        let set = ReportsFile::read(&b"1\n2\n"[..], Some("k-ary-response values=4 epsilon=1"), None).unwrap();
        assert_eq!(set.reports(), 2);
    }
}
