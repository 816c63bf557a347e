//! Any method, for programs that read answers and write reports, one a line.
//!
//! **Guarantee.** That of the method: each line is one report of one answer, and nothing else of it is written.
//! **Neighbours.** Replace one person's answer.
//! **Source.** The files of the randomizers (`oracle.rs`, `mean.rs`, `prefix_tree.rs`).
//!
//! ```
//! use pointillist_local::{AnyCollector, Domain, Protocol};
//! use pointillist_noise::with_system_bits;
//!
//! let protocol: Protocol = "k-ary-response values=3 epsilon=1".parse()?;
//! let colours = Domain::labels(["red", "green", "blue"].map(String::from).to_vec())?;
//! let mut line = String::new();
//! with_system_bits(|bits| protocol.randomize_line(Some(&colours), "green", bits, &mut line))??;
//! let mut collector = AnyCollector::new(protocol);
//! collector.absorb_line(&line)?;
//! assert_eq!(collector.reports(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt::{self, Write};
use std::str::FromStr;

use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use crate::report::parse_number;
use crate::settings::Settings;
use crate::{Domain, LocalError, MeanOracle, Method, Oracle, PrefixTree};

/// A method of any kind, with all that respondents and collector must agree on.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them in a program")]
pub enum Protocol {
    /// How often each value is held.
    Frequency(Oracle),
    /// The mean of a bounded number.
    Mean(MeanOracle),
    /// Frequent strings.
    Strings(PrefixTree),
}

impl Protocol {
    /// What one report costs the person who gives it.
    pub fn loss(&self) -> Loss {
        match self {
            Self::Frequency(oracle) => oracle.loss(),
            Self::Mean(oracle) => oracle.loss(),
            Self::Strings(tree) => tree.loss(),
        }
    }

    /// Appends the report of one answer, without an end of line. Values are looked up in `labels`, or are
    /// numbers without them; means and strings take answers as they are. What is no answer is refused before
    /// anything is drawn, and is not repeated; nothing is appended then.
    #[inline]
    pub fn randomize_line<B: SecureBits + ?Sized>(
        &self,
        labels: Option<&Domain>,
        answer: &str,
        bits: &mut B,
        line: &mut String,
    ) -> Result<(), LocalError> {
        match self {
            Self::Frequency(oracle) => {
                // A number that cannot be read is refused like one that is too large.
                let value = match labels {
                    Some(domain) => domain.value(answer)?,
                    None => parse_number(answer).unwrap_or(u64::MAX),
                };
                oracle.randomize(value, bits)?.write(line);
            }
            Self::Mean(oracle) => {
                oracle.randomize(oracle.range().parse_answer(answer)?, bits)?.write(line);
            }
            Self::Strings(tree) => {
                let report = tree.randomize(answer, bits)?;
                write!(line, "{report}").expect("a string takes every text");
            }
        }
        Ok(())
    }
}

/// The line that sets the method up.
impl fmt::Display for Protocol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frequency(oracle) => oracle.fmt(out),
            Self::Mean(oracle) => oracle.fmt(out),
            Self::Strings(tree) => tree.fmt(out),
        }
    }
}

/// Reads the line that sets a method up.
impl FromStr for Protocol {
    type Err = LocalError;

    fn from_str(line: &str) -> Result<Self, LocalError> {
        Ok(match Settings::parse(line)?.name() {
            "sign-mean" | "window-mean" => Self::Mean(line.parse()?),
            "prefix-tree" => Self::Strings(line.parse()?),
            name if name == "rappor" || Method::parse(name).is_ok() => Self::Frequency(line.parse()?),
            _ => {
                let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
                return Err(LocalError::refused(
                    "there is no such method",
                    format!(
                        "the methods are {}, rappor, sign-mean, window-mean and prefix-tree",
                        names.join(", ")
                    ),
                ));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::AnyCollector;

    const LINES: [&str; 4] = [
        "k-ary-response values=3 epsilon=1",
        "sign-mean lower=0 upper=10 steps=100 epsilon=1",
        "window-mean lower=0 upper=10 steps=100 epsilon=1 window=61",
        "prefix-tree alphabet=abc length=4 stride=2 epsilon=1 cells=4",
    ];

    #[test]
    fn an_unknown_method_is_told_of_all_there_are() {
        let refused = "telepathy values=3".parse::<Protocol>().unwrap_err().hint().unwrap();
        for name in ["k-ary-response", "rappor", "sign-mean", "window-mean", "prefix-tree"] {
            assert!(refused.contains(name), "{refused}");
        }
    }

    /// Specification: answers become reports and are gathered, whatever the method; its line is its own.
    #[test]
    fn answers_become_reports_and_are_gathered() {
        let mut bits = seeded(1);
        for (setting, answer) in LINES.into_iter().zip(["2", "7.25", "-3", "abba"]) {
            let protocol: Protocol = setting.parse().unwrap();
            assert_eq!(protocol.to_string(), setting);
            assert_eq!(protocol.loss().pure_epsilon().unwrap().to_string(), "1");
            let mut collector = AnyCollector::new(protocol.clone());
            for round in 1..=50 {
                let mut line = String::new();
                protocol.randomize_line(None, answer, &mut bits, &mut line).unwrap();
                collector.absorb_line(&line).unwrap();
                assert_eq!(collector.reports(), round);
            }
            assert!(collector.absorb_line("nonsense").unwrap_err().hint().is_some());
        }
    }

    #[test]
    fn what_is_no_answer_is_refused_before_anything_is_drawn() {
        let mut nothing = || panic!("nothing is drawn");
        for (setting, answer) in LINES.into_iter().zip(["3", "seven", "", "x-y"]) {
            let protocol: Protocol = setting.parse().unwrap();
            let mut line = String::new();
            let refused = protocol.randomize_line(None, answer, &mut nothing, &mut line).unwrap_err();
            assert!(refused.hint().is_some() && line.is_empty(), "{setting}");
        }
        let labels = Domain::labels(["red", "blue"].map(str::to_owned).to_vec()).unwrap();
        let protocol: Protocol = LINES[0].parse().unwrap();
        let mut line = String::new();
        let refused = protocol.randomize_line(Some(&labels), "green", &mut nothing, &mut line).unwrap_err();
        assert!(!refused.to_string().contains("green"));
    }
}
