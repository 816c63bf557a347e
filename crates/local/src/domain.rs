//! From the words people answer with to the numbers that methods randomize.

use std::collections::HashMap;

use crate::LocalError;
use crate::oracle::{checked_values, no_value};
use crate::report::parse_number;

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

    /// How many values there are.
    pub fn values(&self) -> u64 {
        match &self.kind {
            Kind::Numbers(values) => *values,
            Kind::Labels { labels, other, .. } => labels.len() as u64 + u64::from(*other),
        }
    }

    /// The value of an answer. The error does not repeat it.
    pub fn value(&self, answer: &str) -> Result<u64, LocalError> {
        let value = match &self.kind {
            Kind::Numbers(values) => parse_number(answer).filter(|value| value < values),
            Kind::Labels { places, other, labels } => {
                places.get(answer).copied().or_else(|| other.then_some(labels.len() as u64))
            }
        };
        value.ok_or_else(|| no_value(self.values()))
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

#[cfg(test)]
mod tests {
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
            let message = domain.value(answer).unwrap_err().to_string();
            assert!(message.contains("hint: ") && !message.contains(answer), "{message}");
        }
        assert!(Domain::labels(vec!["a".into(), "a".into()]).is_err());
        assert!(Domain::labels(vec!["a".into()]).is_err());
        assert!(Domain::labels_and_other(vec!["a".into()]).is_ok());
        assert!(Domain::numbers(1).is_err());
        assert!(Domain::numbers(u64::MAX).is_err());
    }
}
