//! Why a mechanism is not extended. The data sets are all those of a size, listed by the program, and nobody's.

use pointillist_errors::{Explained, Kind};
use pointillist_numbers::Rational;

/// A mechanism that has no extension by this construction, or an example that is too large to be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtensionError {
    /// The theorem's condition does not hold.
    #[error(
        "the mechanism is not private on its class: data set {member} is {distance} steps from another one of the class, \
         and its outcome {outcome} is more than b^{distance} times as likely"
    )]
    NotPrivateOnClass {
        /// One of the two data sets.
        member: usize,
        /// How far they are apart, through all data sets.
        distance: usize,
        /// The outcome.
        outcome: usize,
    },
    /// Probabilities that do not add up to one.
    #[error("these are not the probabilities of a law: they are negative or do not add up to 1")]
    NotALaw,
    /// Laws over different outcomes.
    #[error("the laws of the class have different numbers of outcomes")]
    Outcomes,
    /// As many laws as data sets are needed.
    #[error("{laws} places for laws and {data_sets} data sets")]
    Size {
        /// How many places were given.
        laws: usize,
        /// How many data sets there are.
        data_sets: usize,
    },
    /// There is nothing to extend.
    #[error("the class is empty")]
    EmptyClass,
    /// No way leads from a data set to the class.
    #[error("no way leads from data set {data_set} to the class")]
    Unreachable {
        /// The data set.
        data_set: usize,
    },
    /// e^ε is below one.
    #[error("{base} is no e^ε")]
    Base {
        /// What was given.
        base: Rational,
    },
    /// A number of an example is out of range.
    #[error("{what} is from {least} to {most} here, and not {got}")]
    Range {
        /// Which number.
        what: &'static str,
        /// What was given.
        got: u32,
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A bound that an example does not have.
    #[error("the class of responses, tables of one row, has no bound")]
    NoBound,
    /// The factor of an example is out of range.
    #[error("the factor is more than 1 and at most 100 here, and not {factor}")]
    Factor {
        /// What was given.
        factor: Rational,
    },
}

impl Explained for ExtensionError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotPrivateOnClass { .. } => {
                "distances go through all data sets, also through those outside of the class: more noise, or a larger ε"
            }
            Self::NotALaw => "divide by the sum",
            Self::Outcomes => "outcomes that never happen have probability 0",
            Self::Size { .. } => "give one place for every data set, empty outside of the class",
            Self::EmptyClass | Self::Unreachable { .. } => {
                "any law will do where no way leads; extend each connected part by itself"
            }
            Self::Base { .. } => "e^ε is 1 or more",
            Self::Range { .. } => "all data sets are listed, and their number grows too fast for more",
            Self::NoBound => "leave the bound out",
            Self::Factor { .. } => "write a fraction such as 2, 1.5 or 3/2",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::NotPrivateOnClass { .. } => Kind::Privacy,
            _ => Kind::Parameter,
        }
    }
}
