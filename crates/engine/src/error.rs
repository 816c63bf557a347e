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
    /// The files of a table cannot be opened, or a public table cannot be read.
    #[error("the data of `{table}` cannot be opened")]
    Open {
        /// The table.
        table: String,
        /// What is wrong with its files, for the owner.
        #[source]
        source: SourceError,
    },
    /// Every row is a person, and one of them would find several public rows.
    #[error("one row of a table in which every row is a person would become several")]
    ManyPartners,
    /// A row would find too many public rows.
    #[error("one row may find more than {most} rows of public tables")]
    FanOut {
        /// How many there may be.
        most: usize,
    },
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
    /// The server that holds the rows gave no answer.
    #[error("the server that holds the rows gave no answer")]
    Elsewhere,
    /// A task ended before its time.
    #[error("a task of the aggregation ended before its time")]
    Task(#[source] tokio::task::JoinError),
}

impl Explained for EngineError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Entropy(error) => error.hint(),
            Self::Scan(error) => error.hint(),
            Self::Open { source, .. } => source.hint(),
            Self::ManyPartners => Some(
                "join on columns of which the public table has each value once, for example after GROUP BY them"
                    .to_owned(),
            ),
            Self::FanOut { .. } => Some("join on more columns".to_owned()),
            Self::TooManyRows { .. } => {
                Some("join on more columns, or leave out rows before joining".to_owned())
            }
            Self::Elsewhere => Some("look at the server and at the way there".to_owned()),
            Self::Plan { .. } | Self::Task(_) => {
                Some("this is a mistake of ours; please report it, without your data".to_owned())
            }
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Scan(_) | Self::Open { .. } | Self::Elsewhere => Kind::DataUnavailable,
            Self::TooManyRows { .. } | Self::FanOut { .. } | Self::ManyPartners => Kind::Unsupported,
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
