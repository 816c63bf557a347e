//! A survey: how answers are randomized and what they stand for. All of it is public and fixed before anybody
//! is asked, and all of it stands in the lines `# …` on top of a file of reports.
//!
//! **Guarantee.** One report is ε-differentially private against everybody who sees it, ε of [`Survey::epsilon`];
//! any number of reports from one memory are together, see [`MemoryFile`](crate::MemoryFile).
//! **Neighbours.** Replace one person's answer by any other that the survey takes.
//! **Proof.** The line is that of the method's report, whose own file proves its ε, on the value that the public
//! list gives to the answer.
//! **Not covered.** That an answer was refused shows; a list with one value for all others refuses none.
//!
//! ```
//! use pointillist_local::{ReportsFile, Survey};
//! use pointillist_noise::with_system_bits;
//!
//! let survey = Survey::parse("k-ary-response values=2 epsilon=1", None)?;
//! let mut reports = survey.header();
//! with_system_bits(|bits| survey.randomize_line("1", bits, &mut reports))??;
//! let collected = ReportsFile::read(reports.as_bytes(), None, None)?;
//! assert_eq!(collected.estimates(None)?.reports, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use pointillist_noise::SecureBits;
use pointillist_numbers::short_decimal_upper;
use pointillist_privacy::{Epsilon, Loss};
use serde::{Serialize, Serializer};

use crate::rappor::Rappor;
use crate::{Domain, LocalError, Oracle, Protocol};

/// Significant digits of decimals for programs.
pub(crate) const DIGITS: usize = 17;

/// How answers are randomized, and what they stand for.
#[derive(Clone, Debug)]
pub struct Survey {
    protocol: Protocol,
    /// Of values alone: numbers and words are answers as they are.
    domain: Option<Domain>,
}

/// What reports cost their sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// The ε of one report.
    #[serde(serialize_with = "epsilon_upper")]
    pub epsilon: Epsilon,
    /// The ε of all reports from one memory together; `None` where nothing is remembered.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_epsilon_upper")]
    pub epsilon_of_one_memory: Option<Epsilon>,
}

impl Survey {
    /// A method, and names for its values; without names they are numbers.
    pub fn new(protocol: Protocol, domain: Option<Domain>) -> Result<Self, LocalError> {
        let domain = match (&protocol, domain) {
            (Protocol::Frequency(oracle), None) => Some(Domain::numbers(oracle.values())?),
            (Protocol::Frequency(oracle), Some(domain)) if oracle.values() == domain.values() => Some(domain),
            (Protocol::Frequency(oracle), Some(domain)) => {
                return Err(LocalError::AnswerListLength {
                    values: oracle.values(),
                    listed: domain.values(),
                });
            }
            (Protocol::Mean(_) | Protocol::Strings(_), Some(_)) => return Err(LocalError::NoAnswerList),
            (Protocol::Mean(_) | Protocol::Strings(_), None) => None,
        };
        Ok(Self { protocol, domain })
    }

    /// Reads the line that sets the method up, such as `k-ary-response values=2 epsilon=1`.
    pub fn parse(line: &str, domain: Option<Domain>) -> Result<Self, LocalError> {
        Self::new(line.parse()?, domain)
    }

    /// The method.
    pub fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// What values stand for; `None` where answers are numbers or words.
    pub fn domain(&self) -> Option<&Domain> {
        self.domain.as_ref()
    }

    /// The lines on top of a file of reports, each with its end: how they were made, and the list of answers
    /// where there is one that is not too long.
    pub fn header(&self) -> String {
        let list = self.domain.as_ref().and_then(Domain::header);
        let list = list.map_or_else(String::new, |list| format!("# {list}\n"));
        format!("# {}\n{list}", self.protocol)
    }

    /// The name of the method.
    pub fn method(&self) -> String {
        self.protocol.to_string().split(' ').next().unwrap_or_default().to_owned()
    }

    /// What one report costs its sender.
    pub fn loss(&self) -> Loss {
        self.protocol.loss()
    }

    /// The ε of one report.
    pub fn epsilon(&self) -> Epsilon {
        self.loss().pure_epsilon().expect("every randomizer here is pure")
    }

    /// What reports cost their sender.
    pub fn cost(&self) -> Cost {
        Cost { epsilon: self.epsilon(), epsilon_of_one_memory: self.epsilon_of_one_memory() }
    }

    /// The ε of all reports from one memory together; none where nothing is remembered.
    pub fn epsilon_of_one_memory(&self) -> Option<Epsilon> {
        self.rappor()?.loss_for_ever().pure_epsilon()
    }

    /// The method that can remember, if it is one.
    pub fn rappor(&self) -> Option<&Rappor> {
        match &self.protocol {
            Protocol::Frequency(Oracle::Rappor(rappor)) => Some(rappor),
            _ => None,
        }
    }

    /// Appends one person's report to a text, without an end of line. What is no answer is refused before
    /// anything is drawn, and is not repeated; nothing is appended then.
    #[inline]
    pub fn randomize_line<B: SecureBits + ?Sized>(
        &self,
        answer: &str,
        bits: &mut B,
        line: &mut String,
    ) -> Result<(), LocalError> {
        self.protocol.randomize_line(self.domain.as_ref(), answer, bits, line)
    }

    /// What a value stands for.
    pub(crate) fn label(&self, value: u64) -> String {
        self.domain.as_ref().and_then(|domain| domain.label(value)).unwrap_or_else(|| value.to_string())
    }
}

/// The line that sets the method up: public, and all that a collector must know.
impl fmt::Display for Survey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.protocol.fmt(out)
    }
}

/// A decimal of 17 digits, rounded up.
pub(crate) fn epsilon_upper<S: Serializer>(epsilon: &Epsilon, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&short_decimal_upper(epsilon.value(), DIGITS))
}

fn optional_epsilon_upper<S: Serializer>(epsilon: &Option<Epsilon>, to: S) -> Result<S::Ok, S::Error> {
    match epsilon {
        Some(epsilon) => epsilon_upper(epsilon, to),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[&str]) -> Domain {
        Domain::labels(labels.iter().map(|label| (*label).to_owned()).collect()).unwrap()
    }

    #[test]
    fn the_header_says_all_that_a_collector_must_know() {
        let survey = Survey::parse("randomized-response gamma=1/4", Some(labels(&["no", "yes"]))).unwrap();
        assert_eq!(survey.header(), "# randomized-response gamma=0.25\n# answers [\"no\",\"yes\"]\n");
        assert_eq!((survey.method(), survey.label(1)), ("randomized-response".to_owned(), "yes".to_owned()));
        let numbers = Survey::parse("k-ary-response values=4 epsilon=1", None).unwrap();
        assert_eq!(numbers.header(), "# k-ary-response values=4 epsilon=1\n");
        assert_eq!(numbers.domain().unwrap().values(), 4);
        let mean = Survey::parse("sign-mean lower=0 upper=10 steps=100 epsilon=1", None).unwrap();
        assert!(mean.domain().is_none() && mean.rappor().is_none());
    }

    #[test]
    fn a_list_has_as_many_answers_as_the_method_has_values() {
        let four = "k-ary-response values=4 epsilon=1";
        let refused = Survey::parse(four, Some(labels(&["a", "b"]))).unwrap_err();
        assert_eq!(refused, LocalError::AnswerListLength { values: 4, listed: 2 });
        let mean = "sign-mean lower=0 upper=10 steps=100 epsilon=1";
        assert_eq!(Survey::parse(mean, Some(labels(&["a", "b"]))).unwrap_err(), LocalError::NoAnswerList);
    }

    /// ln 3 for the survey with two coins, rounded up; a memory has a price of its own.
    #[test]
    fn costs_are_decimals_that_are_rounded_up() {
        let json = |line: &str| serde_json::to_string(&Survey::parse(line, None).unwrap().cost()).unwrap();
        assert_eq!(json("randomized-response gamma=1/4"), "{\"epsilon\":\"1.0986122886681097\"}");
        let rappor = json("rappor values=4 f=0.5 p=1/2 q=3/4");
        assert!(rappor.contains("\"epsilon_of_one_memory\":\"2.1972245773362"), "{rappor}");
    }
}
