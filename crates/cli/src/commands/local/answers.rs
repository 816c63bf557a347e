//! The public list of answers: at the command line, in a file, or on top of reports.

use std::path::PathBuf;

use pointillist_local::{Domain, LocalError};

use super::lines::Lines;
use crate::failure::Failure;
use crate::terminal::Json;

/// Before a list without, and with, a last value for every other answer.
const LISTED: &str = "answers ";
const LISTED_OR_OTHER: &str = "answers-or-other ";
/// Longer lists do not travel with the reports.
const HEADER_MAX: usize = 1 << 16;

/// Which answers there are.
#[derive(clap::Args)]
pub struct AnswerArguments {
    /// The possible answers, with commas between them
    #[arg(long, value_name = "A,B,…", allow_hyphen_values = true, conflicts_with = "answers_file")]
    answers: Option<String>,
    /// A file of the possible answers, one a line
    #[arg(long, value_name = "PATH")]
    answers_file: Option<PathBuf>,
    /// Count every answer that is not listed as one more value
    #[arg(long)]
    other: bool,
}

impl AnswerArguments {
    /// The list, if one is given.
    pub fn list(&self) -> Result<Option<Answers>, Failure> {
        let labels: Vec<String> = match (&self.answers, &self.answers_file) {
            (Some(answers), _) => answers.split(',').map(|answer| answer.trim().to_owned()).collect(),
            (None, Some(path)) => {
                let mut lines = Lines::of_file(path)?;
                let mut labels = Vec::new();
                while lines.advance()? {
                    let label = lines.text().ok_or_else(|| {
                        let number = lines.number();
                        Failure::Request(format!(
                            "line {number} of {} is not text\nhint: write one answer a line, in UTF-8",
                            path.display()
                        ))
                    })?;
                    labels.push(label.to_owned());
                }
                labels
            }
            (None, None) if self.other => {
                return Err(Failure::Request(
                    "--other needs a list to be other than\nhint: give --answers or --answers-file"
                        .to_owned(),
                ));
            }
            (None, None) => return Ok(None),
        };
        if labels.iter().any(String::is_empty) {
            return Err(Failure::Request(
                "one of the answers is empty\nhint: name every answer, and use --other for all the rest"
                    .to_owned(),
            ));
        }
        Ok(Some(Answers::listed(labels, self.other)?))
    }
}

/// The answers of a question, in the order of their values.
pub struct Answers {
    domain: Domain,
    is_list: bool,
    /// The line that travels with the reports; `None` where answers are numbers, or too many.
    header: Option<String>,
}

impl Answers {
    /// The numbers 0, 1, … below `values`.
    pub fn numbers(values: u64) -> Result<Self, LocalError> {
        Ok(Self { domain: Domain::numbers(values)?, is_list: false, header: None })
    }

    /// These answers, and perhaps all others as one more.
    fn listed(labels: Vec<String>, other: bool) -> Result<Self, LocalError> {
        let keyword = if other { LISTED_OR_OTHER } else { LISTED };
        let header = format!("{keyword}{}", Json(&serde_json::Value::from(labels.clone())));
        let header = (header.len() <= HEADER_MAX).then_some(header);
        let domain = if other { Domain::labels_and_other(labels)? } else { Domain::labels(labels)? };
        Ok(Self { domain, is_list: true, header })
    }

    /// Reads the line that travels with reports; `None` for any other line.
    pub fn of_header(line: &str) -> Option<Result<Self, Failure>> {
        let listed = line.strip_prefix(LISTED).map(|list| (list, false));
        let (list, other) = listed.or_else(|| line.strip_prefix(LISTED_OR_OTHER).map(|list| (list, true)))?;
        let unreadable = || {
            Failure::Request(
                "the list of answers on top of the reports cannot be read\n\
                 hint: leave the line out and give --answers"
                    .to_owned(),
            )
        };
        let labels = serde_json::from_str(list).map_err(|_| unreadable());
        Some(labels.and_then(|labels| Ok(Self::listed(labels, other)?)))
    }

    /// The line that travels with the reports.
    pub fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// How many values there are.
    pub fn values(&self) -> u64 {
        self.domain.values()
    }

    /// The value of an answer. The error does not repeat it.
    pub fn value(&self, answer: &str) -> Result<u64, LocalError> {
        self.domain.value(answer).map_err(|error| match error {
            LocalError::Answer { .. } if self.is_list => LocalError::Answer {
                what: "the answer is not in the list".to_owned(),
                hint: "count all such answers as one value with --other".to_owned(),
            },
            error => error,
        })
    }

    /// The answer of a value.
    pub fn label(&self, value: u64) -> String {
        self.domain.label(value).unwrap_or_else(|| value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_travel_as_one_line() {
        let labels = ["a, b", "\"quoted\"", "zwei\nZeilen", "東京"].map(str::to_owned);
        for other in [false, true] {
            let answers = Answers::listed(labels.to_vec(), other).unwrap();
            let header = answers.header().unwrap();
            assert!(!header.contains('\n'));
            let read = Answers::of_header(header).unwrap().unwrap();
            assert_eq!(read.values(), 4 + u64::from(other));
            for (value, label) in labels.iter().enumerate() {
                assert_eq!((read.value(label).unwrap(), &read.label(value as u64)), (value as u64, label));
            }
            assert_eq!(read.value("else").is_ok(), other);
        }
        let many = (0..100_000).map(|answer| answer.to_string()).collect();
        assert_eq!(Answers::listed(many, false).unwrap().header(), None);
    }

    #[test]
    fn lists_that_cannot_be_read_are_refused() {
        assert!(Answers::of_header("k-ary-response values=4 epsilon=1").is_none());
        for list in ["answers ", "answers [1]", "answers [\"a\"]", "answers [\"a\",\"a\"]", "answers {}"] {
            let Some(Err(Failure::Request(text))) = Answers::of_header(list) else { panic!("{list}") };
            assert!(text.contains("\nhint: "), "{text}");
        }
    }
}
