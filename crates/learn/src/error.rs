//! What is wrong with a trainer. Everything said here is public: dimensions, bounds and prices.

use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

use crate::RowsError;

/// A trainer that cannot be made, or rows that went away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A parameter that no proof covers.
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
    /// The rows went away.
    #[error(transparent)]
    Rows(#[from] RowsError),
}

impl LearnError {
    /// A parameter that no proof covers.
    pub fn parameter(what: impl Into<String>) -> Self {
        Self::Parameter { what: what.into() }
    }
}
