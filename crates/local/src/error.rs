//! What is wrong with a question, an answer or a report, and what to write instead. No text repeats an
//! answer.

use pointillist_mechanisms::MechanismError;
use pointillist_noise::NoiseError;
use pointillist_privacy::ParameterError;

/// A method that cannot be set up, an answer that cannot be given, or a report that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalError {
    /// The method cannot be set up like this.
    #[error("{what}\nhint: {hint}")]
    Refused {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// The answer is none of the values of the question. It is not repeated: errors are written to logs.
    #[error("{what}\nhint: {hint}")]
    Answer {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// The line is no report of this method.
    #[error("{what}\nhint: {hint}")]
    Report {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// A privacy parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A mechanism's parameter is out of range.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A probability is out of range.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

impl LocalError {
    /// A method that is refused.
    pub(crate) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }

    /// An answer that is none.
    pub(crate) fn answer(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Answer { what: what.into(), hint: hint.into() }
    }

    /// A report that is none.
    pub(crate) fn report(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Report { what: what.into(), hint: hint.into() }
    }
}
