//! What is wrong with a request for tables. Everything said here is public: shapes, depths and prices.

use pointillist_errors::{Explained, Kind};
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

/// Tables that cannot be described, measured, paid for or computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// A chain of partitions that is none.
    #[error("{what}")]
    Shape {
        /// What is wrong with it.
        what: String,
    },
    /// A table with more or fewer depths than attributes, or deeper than one of them.
    #[error("there is no table of depths {depths:?}")]
    NoSuchTable {
        /// The depths as given.
        depths: Vec<usize>,
    },
    /// A list of cells of another length than its table.
    #[error("a table of {expected} cells was given {got}")]
    CellCount {
        /// Cells of the table.
        expected: usize,
        /// Cells given.
        got: usize,
    },
    /// A table or a scale beyond what is computed.
    #[error("the tables together are too large: {what}")]
    TooLarge {
        /// Which limit is passed.
        what: String,
    },
    /// A measurement that is the same whatever the data.
    #[error("a residual of depths {depths:?} is always zero")]
    AlwaysZero {
        /// The depths as given.
        depths: Vec<usize>,
    },
    /// A table finer than the one at which people's rows are bounded.
    #[error(
        "the table of depths {depths:?} is not a sum of the table at which rows are bounded, {bounded_at:?}"
    )]
    NotBounded {
        /// The depths asked for.
        depths: Vec<usize>,
        /// Where people's rows are bounded.
        bounded_at: Vec<usize>,
    },
    /// A table that does not follow from what was measured.
    #[error("the table of depths {depths:?} does not follow from what was measured")]
    NotMeasured {
        /// The depths asked for.
        depths: Vec<usize>,
    },
    /// Wanted errors that cost more than there is.
    #[error("the wanted errors cost {needed}, and there is {given}")]
    ErrorsTooSmall {
        /// Their least price.
        needed: String,
        /// The budget.
        given: String,
    },
    /// A weight or a wanted error that is not a positive number.
    #[error("a weight or a wanted error is not a positive number")]
    Goal,
    /// Nothing is wanted.
    #[error("no table is wanted")]
    NoTables,
    /// A price or a scale of noise is out of range.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}

impl From<ParameterError> for WorkloadError {
    fn from(error: ParameterError) -> Self {
        Self::Mechanism(error.into())
    }
}

impl Explained for WorkloadError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Shape { .. } => {
                "give every block of a level a block of the level above, and none without any"
            }
            Self::NoSuchTable { .. } => "give one depth for each attribute, zero where it is summed out",
            Self::CellCount { .. } => "give every cell of the table, in row-major order",
            Self::TooLarge { .. } => "publish fewer columns together, or coarser ones",
            Self::AlwaysZero { .. } => "leave it out: it needs no measurement",
            Self::NotBounded { .. } => "bound people's rows at the finest table",
            Self::NotMeasured { .. } => "measure it too, or a table that it is a sum of",
            Self::ErrorsTooSmall { .. } => "allow larger errors, or give more budget",
            Self::Goal => "write a positive number",
            Self::NoTables => "name at least one table",
            Self::Mechanism(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Mechanism(error) => error.kind(),
            _ => Kind::Parameter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_says_what_to_do() {
        let errors = [
            WorkloadError::Shape { what: "a block of a level has no block in the level below".to_owned() },
            WorkloadError::NoSuchTable { depths: vec![3] },
            WorkloadError::CellCount { expected: 4, got: 3 },
            WorkloadError::TooLarge { what: "an attribute".to_owned() },
            WorkloadError::AlwaysZero { depths: vec![1] },
            WorkloadError::NotBounded { depths: vec![1], bounded_at: vec![0] },
            WorkloadError::NotMeasured { depths: vec![1] },
            WorkloadError::ErrorsTooSmall { needed: "ρ = 1".to_owned(), given: "ρ = 0.1".to_owned() },
            WorkloadError::Goal,
            WorkloadError::NoTables,
        ];
        for error in errors {
            assert!(error.explanation().text().contains("hint:"), "{error}");
            assert_eq!(error.kind(), Kind::Parameter);
        }
    }
}
