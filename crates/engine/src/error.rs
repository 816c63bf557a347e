//! Why an aggregation stopped: never because of what a row says.

use pointillist_errors::{Explained, Kind};

use crate::SourceError;
use crate::bound::BoundError;

/// What went wrong while groups were being added up. The texts are the same whatever the rows hold; the sources
/// are for the owner's log alone.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The operating system has no random bits.
    #[error("the operating system gave no random bits")]
    Entropy(#[source] pointillist_noise::EntropyError),
    /// The scan failed.
    #[error("the rows could not be read to the end")]
    Scan(#[source] SourceError),
    /// The plan and the rows do not fit: a mistake of ours.
    #[error("the plan does not fit the rows: {what}")]
    Plan {
        /// What does not fit.
        what: &'static str,
    },
    /// Public or released rows became too many.
    #[error("there are more than {most} rows in a table that is made of public or released ones")]
    TooManyRows {
        /// How many there may be.
        most: usize,
    },
    /// A task ended before its time.
    #[error("a task of the aggregation ended before its time")]
    Task(#[source] tokio::task::JoinError),
}

impl Explained for EngineError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Entropy(error) => error.hint(),
            Self::Scan(error) => error.hint(),
            Self::TooManyRows { .. } => {
                Some("join on more columns, or leave out rows before joining".to_owned())
            }
            Self::Plan { .. } | Self::Task(_) => {
                Some("this is a mistake of ours; please report it, without your data".to_owned())
            }
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Scan(_) => Kind::DataUnavailable,
            Self::TooManyRows { .. } => Kind::Unsupported,
            Self::Entropy(_) | Self::Plan { .. } | Self::Task(_) => Kind::Environment,
        }
    }
}

impl From<BoundError> for EngineError {
    fn from(error: BoundError) -> Self {
        match error {
            BoundError::Owner => Self::Plan { what: "an owner is neither a whole number nor a text" },
            BoundError::Key => Self::Plan { what: "a key has another type than its groups" },
            BoundError::Value => Self::Plan { what: "values to be counted are of a type that no column has" },
        }
    }
}
