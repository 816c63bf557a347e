//! From the words people answer with to the numbers that methods randomize, and the line in which the list of
//! words travels with reports.
//!
//! The line is `answers ["no","yes"]`, or `answers-or-other […]` where one last value stands for every answer
//! that is not listed; the list is JSON. It holds no character that a terminal would obey, whatever the words.

use std::collections::HashMap;
use std::fmt::Write;
use std::io::BufRead;

use crate::oracle::{checked_values, no_value};
use crate::report::parse_number;
use crate::{Lines, LocalError, StreamError};

/// Before a list without, and with, a last value for every other answer.
const LISTED: &str = "answers ";
const LISTED_OR_OTHER: &str = "answers-or-other ";
/// Longer lists do not travel with the reports.
const HEADER_MAX: usize = 1 << 16;

/// The public list of possible answers. It is fixed before anybody is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Numbers(u64),
    Labels { labels: Vec<String>, places: HashMap<String, u64>, other: bool },
}

impl Domain {
    /// The answers `0`, `1`, … below a number.
    pub fn numbers(values: u64) -> Result<Self, LocalError> {
        Ok(Self { kind: Kind::Numbers(checked_values(values)?) })
    }

    /// These answers and no others.
    pub fn labels(labels: Vec<String>) -> Result<Self, LocalError> {
        Self::of(labels, false)
    }

    /// These answers, and one last value that stands for every other: nobody has to be refused, and a refusal
    /// would tell.
    pub fn labels_and_other(labels: Vec<String>) -> Result<Self, LocalError> {
        Self::of(labels, true)
    }

    fn of(labels: Vec<String>, other: bool) -> Result<Self, LocalError> {
        checked_values(labels.len() as u64 + u64::from(other))?;
        let places: HashMap<String, u64> = labels.iter().cloned().zip(0..).collect();
        if places.len() < labels.len() {
            return Err(LocalError::refused("two answers are the same", "list every answer once"));
        }
        Ok(Self { kind: Kind::Labels { labels, places, other } })
    }

    /// The answers of a text with commas between them; blanks around them do not count. With `other`, one more
    /// value stands for every answer that is not listed.
    pub fn parse_list(text: &str, other: bool) -> Result<Self, LocalError> {
        let labels = text.split(',').map(|answer| answer.trim().to_owned()).collect();
        Self::without_empty(labels, other)
    }

    /// The answers of a file, one a line; with `other`, one more value stands for every other answer.
    pub fn read_list(input: impl BufRead, other: bool) -> Result<Self, StreamError> {
        let mut lines = Lines::new(input);
        let mut labels = Vec::new();
        while lines.advance().map_err(StreamError::Input)? {
            let label = lines.text().ok_or(StreamError::NotText { line: lines.number() })?;
            labels.push(label.to_owned());
        }
        Ok(Self::without_empty(labels, other)?)
    }

    fn without_empty(labels: Vec<String>, other: bool) -> Result<Self, LocalError> {
        if labels.iter().any(String::is_empty) {
            return Err(LocalError::EmptyAnswer);
        }
        Self::of(labels, other)
    }

    /// Reads the line that travels with reports; `None` for any other line.
    pub fn parse_header(line: &str) -> Option<Result<Self, LocalError>> {
        let listed = line.strip_prefix(LISTED).map(|list| (list, false));
        let (list, other) = listed.or_else(|| line.strip_prefix(LISTED_OR_OTHER).map(|list| (list, true)))?;
        let labels = serde_json::from_str(list).map_err(|_| LocalError::AnswerListUnreadable);
        Some(labels.and_then(|labels| Self::of(labels, other)))
    }

    /// The line that travels with reports; `None` where answers are numbers, or too many.
    pub fn header(&self) -> Option<String> {
        let Kind::Labels { labels, other, .. } = &self.kind else {
            return None;
        };
        let keyword = if *other { LISTED_OR_OTHER } else { LISTED };
        let list = serde_json::to_string(labels).expect("a list of texts is JSON");
        let header = format!("{keyword}{}", unobeyed(&list));
        (header.len() <= HEADER_MAX).then_some(header)
    }

    /// How many values there are.
    pub fn values(&self) -> u64 {
        match &self.kind {
            Kind::Numbers(values) => *values,
            Kind::Labels { labels, other, .. } => labels.len() as u64 + u64::from(*other),
        }
    }

    /// The value of an answer. The error does not repeat it.
    pub fn value(&self, answer: &str) -> Result<u64, LocalError> {
        match &self.kind {
            Kind::Numbers(values) => {
                parse_number(answer).filter(|value| value < values).ok_or_else(|| no_value(*values))
            }
            Kind::Labels { places, other, labels } => {
                let listed = places.get(answer).copied();
                listed.or_else(|| other.then_some(labels.len() as u64)).ok_or(LocalError::NotListed)
            }
        }
    }

    /// The answer of a value; `None` past the end.
    pub fn label(&self, value: u64) -> Option<String> {
        match &self.kind {
            Kind::Numbers(values) => (value < *values).then(|| value.to_string()),
            Kind::Labels { labels, other, .. } => {
                let place = usize::try_from(value).ok()?;
                let rest = (*other && place == labels.len()).then(|| "(other)".to_owned());
                labels.get(place).cloned().or(rest)
            }
        }
    }
}

/// JSON in which characters that a terminal would obey (control characters, and marks that turn the direction
/// of writing around) are escaped. They stand inside of strings only, so that the text means the same.
fn unobeyed(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        let is_mark =
            matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if letter.is_control() || is_mark {
            // All of them lie in the first plane.
            write!(text, "\\u{:04x}", u32::from(letter)).expect("a string grows");
        } else {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;

    use super::*;

    fn labels() -> Vec<String> {
        ["red", "green"].map(str::to_owned).to_vec()
    }

    #[test]
    fn answers_become_values_and_back() {
        let domain = Domain::labels(labels()).unwrap();
        assert_eq!((domain.values(), domain.value("green").unwrap()), (2, 1));
        assert_eq!(domain.label(0).unwrap(), "red");
        assert_eq!(domain.label(2), None);
        let open = Domain::labels_and_other(labels()).unwrap();
        assert_eq!((open.values(), open.value("blue").unwrap()), (3, 2));
        assert_eq!(open.label(2).unwrap(), "(other)");
        let numbers = Domain::numbers(10).unwrap();
        assert_eq!((numbers.value("9").unwrap(), numbers.label(9).unwrap()), (9, "9".to_owned()));
    }

    #[test]
    fn other_answers_are_refused_without_being_repeated() {
        for (domain, answer) in
            [(Domain::labels(labels()).unwrap(), "secret"), (Domain::numbers(10).unwrap(), "777")]
        {
            let error = domain.value(answer).unwrap_err();
            let told = format!("{error} {}", error.hint().expect("a way out"));
            assert!(!told.contains(answer), "{told}");
        }
        assert!(Domain::labels(vec!["a".into(), "a".into()]).is_err());
        assert!(Domain::labels(vec!["a".into()]).is_err());
        assert!(Domain::labels_and_other(vec!["a".into()]).is_ok());
        assert!(Domain::numbers(1).is_err());
        assert!(Domain::numbers(u64::MAX).is_err());
    }

    #[test]
    fn lists_travel_as_one_line() {
        let labels = ["a, b", "\"quoted\"", "zwei\nZeilen", "東京"].map(str::to_owned);
        for other in [false, true] {
            let domain = Domain::of(labels.to_vec(), other).unwrap();
            let header = domain.header().unwrap();
            assert!(!header.contains('\n'));
            let read = Domain::parse_header(&header).unwrap().unwrap();
            assert_eq!(read.values(), 4 + u64::from(other));
            for (value, label) in labels.iter().enumerate() {
                assert_eq!(
                    (read.value(label).unwrap(), &read.label(value as u64).unwrap()),
                    (value as u64, label)
                );
            }
            assert_eq!(read.value("else").is_ok(), other);
        }
        let many = (0..100_000).map(|answer| answer.to_string()).collect();
        assert_eq!(Domain::labels(many).unwrap().header(), None);
        assert_eq!(Domain::numbers(3).unwrap().header(), None);
    }

    /// Specification: the line is text for every terminal, and what is read back is the same.
    #[test]
    fn no_character_of_a_list_is_obeyed_by_a_terminal() {
        let characters: String = (0u32..0x2100).filter_map(char::from_u32).collect();
        let domain = Domain::labels(vec![characters.clone(), "plain".to_owned()]).unwrap();
        let header = domain.header().unwrap();
        assert!(header.contains("\\u009b") && header.contains("\\u202e") && header.contains('é'), "{header}");
        assert!(!header.chars().any(char::is_control));
        assert_eq!(Domain::parse_header(&header).unwrap().unwrap().value(&characters), Ok(0));
    }

    #[test]
    fn lists_that_cannot_be_read_are_refused() {
        assert!(Domain::parse_header("k-ary-response values=4 epsilon=1").is_none());
        for list in ["answers ", "answers [1]", "answers [\"a\"]", "answers [\"a\",\"a\"]", "answers {}"] {
            let refused = Domain::parse_header(list).expect("a list").unwrap_err();
            assert!(refused.hint().is_some(), "{refused}");
        }
    }

    #[test]
    fn lists_are_read_from_a_text_or_from_lines() {
        let listed = Domain::parse_list("red, green", false).unwrap();
        assert_eq!(listed, Domain::labels(labels()).unwrap());
        assert_eq!(Domain::read_list(&b"red\ngreen\n"[..], false).unwrap(), listed);
        assert_eq!(Domain::parse_list("red,green", true).unwrap().values(), 3);
        assert_eq!(Domain::parse_list("a,,b", false), Err(LocalError::EmptyAnswer));
        let no_text = Domain::read_list(&b"red\n\xff\n"[..], false).unwrap_err();
        assert!(matches!(no_text, StreamError::NotText { line: 2 }) && no_text.hint().is_some());
    }
}
