//! Reports as they come in: which survey they belong to, and what they add up to.

use pointillist_local::{Collector, LocalError, MeanCollector, TreeCollector};

use super::answers::Answers;
use super::lines::Lines;
use super::survey::Survey;
use crate::failure::Failure;

/// All reports of one survey.
pub struct Collected {
    /// The survey.
    pub survey: Survey,
    /// What the reports add up to.
    pub tally: Tally,
    /// How many lines are no reports.
    pub bad_lines: u64,
    /// The number of the first of them, and what is wrong with it.
    pub first_bad: Option<(u64, LocalError)>,
}

/// The counters of a survey.
#[allow(clippy::large_enum_variant, reason = "there is one of them in a program")]
pub enum Tally {
    /// For every value.
    Shares(Collector),
    /// Of a mean.
    Mean(MeanCollector),
    /// The reports themselves, until they are searched.
    Words(TreeCollector),
}

impl Tally {
    fn new(survey: &Survey) -> Self {
        match survey {
            Survey::Shares { oracle, .. } => Self::Shares(Collector::new(oracle.clone())),
            Survey::Mean(oracle) => Self::Mean(MeanCollector::new(oracle.clone())),
            Survey::Words(tree) => Self::Words(TreeCollector::new(tree.clone())),
        }
    }

    #[inline]
    fn absorb(&mut self, line: &str) -> Result<(), LocalError> {
        match self {
            Self::Shares(collector) => collector.absorb_line(line),
            Self::Mean(collector) => collector.absorb_line(line),
            Self::Words(collector) => collector.absorb_line(line),
        }
    }

    /// How many reports there are.
    pub fn reports(&self) -> u64 {
        match self {
            Self::Shares(collector) => collector.reports(),
            Self::Mean(collector) => collector.reports(),
            Self::Words(collector) => collector.reports(),
        }
    }
}

impl Collected {
    /// Reads all reports. The lines on top say how they were made, or the caller does; files with the same
    /// lines may have been put together. The caller's answers go before those on top.
    pub fn read(mut lines: Lines, setting: Option<&str>, answers: Option<Answers>) -> Result<Self, Failure> {
        let mut top = Top::default();
        if let Some(line) = setting {
            top.set_up(line)?;
        }
        let mut tally = top.survey.as_ref().map(Tally::new);
        let (mut bad_lines, mut first_bad) = (0, None);
        while lines.advance()? {
            let text = lines.text().unwrap_or("\u{fffd}");
            if let Some(public) = text.strip_prefix('#') {
                let placed = |failure| match failure {
                    Failure::Request(text) => Failure::Request(format!("line {}: {text}", lines.number())),
                    failure => failure,
                };
                top.read(public.trim()).map_err(placed)?;
                tally = tally.or_else(|| top.survey.as_ref().map(Tally::new));
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let Some(tally) = &mut tally else {
                return Err(unknown());
            };
            if let Err(error) = tally.absorb(text) {
                bad_lines += 1;
                first_bad.get_or_insert((lines.number(), error));
            }
        }
        let (Some(survey), Some(tally)) = (top.survey, tally) else {
            return Err(unknown());
        };
        let survey = match answers.or(top.answers) {
            Some(answers) => survey.with_answers(answers)?,
            None => survey,
        };
        Ok(Self { survey, tally, bad_lines, first_bad })
    }

    /// The same, if every line is a report.
    pub fn without_bad_lines(self) -> Result<Self, Failure> {
        match &self.first_bad {
            None => Ok(self),
            Some((number, error)) => Err(Failure::Request(format!(
                "{} of {} lines are no reports; line {number} is the first: {error}; \
                 --skip-bad leaves such lines out and says how many",
                self.bad_lines,
                self.bad_lines + self.tally.reports()
            ))),
        }
    }
}

/// The public lines on top of reports.
#[derive(Default)]
struct Top {
    survey: Option<Survey>,
    answers: Option<Answers>,
    /// Lines that were read and understood: files that are put together repeat them.
    known: Vec<String>,
}

impl Top {
    fn read(&mut self, line: &str) -> Result<(), Failure> {
        if self.known.iter().any(|known| known == line) {
            return Ok(());
        }
        match Answers::of_header(line) {
            None => self.set_up(line)?,
            Some(_) if self.answers.is_some() => {
                return Err(Failure::Request(
                    "this list of answers differs from the first\nhint: estimate each survey by itself"
                        .to_owned(),
                ));
            }
            Some(answers) => self.answers = Some(answers?),
        }
        self.known.push(line.to_owned());
        Ok(())
    }

    fn set_up(&mut self, line: &str) -> Result<(), Failure> {
        let survey = Survey::of_line(line, None)?;
        match &self.survey {
            Some(first) if first.line() != survey.line() => Err(Failure::Request(
                "these reports were made in another way than the first\nhint: estimate each survey by itself"
                    .to_owned(),
            )),
            _ => {
                self.survey = Some(survey);
                Ok(())
            }
        }
    }
}

fn unknown() -> Failure {
    Failure::Request(
        "nothing says how these reports were made\n\
         hint: keep the line `# …` that `local randomize` prints first, or give it with --setting"
            .to_owned(),
    )
}
