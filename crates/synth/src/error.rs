//! What is wrong with a synthesizer. Everything said here is public: sizes, settings and prices.

use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;
use pointillist_workload::WorkloadError;

use crate::RowsError;

/// A synthesizer that cannot be made, released numbers that do not fit, or rows that went away.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SynthError {
    /// A setting or a size that is out of range.
    #[error("{what}")]
    Parameter {
        /// What is wrong with it, and what would be right.
        what: String,
    },
    /// A loss that is out of range.
    #[error(transparent)]
    Loss(#[from] ParameterError),
    /// Noise that cannot be drawn.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// Residuals that cannot be measured.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The rows went away.
    #[error(transparent)]
    Rows(#[from] RowsError),
    /// Bytes that are not what this synthesizer released.
    #[error("the numbers do not fit the columns: {what}")]
    Misfit {
        /// Which numbers, and of what: nothing of what they are.
        what: String,
    },
}

impl SynthError {
    /// A setting or a size that is out of range.
    pub fn parameter(what: impl Into<String>) -> Self {
        Self::Parameter { what: what.into() }
    }

    pub(crate) fn misfit(what: impl Into<String>) -> Self {
        Self::Misfit { what: what.into() }
    }
}
