//! What is said before a question is paid for, and the one sentence after it.
//!
//! **Guarantee.** A refusal speaks of names and of what a cluster is set to, never of rows: it is made from Spark's catalog and
//! from what its analysis says of a statement. After the payment there is one sentence, whatever happened; what Spark said in
//! words is kept nowhere, and the name of its error condition is for the owner's log alone.

use std::fmt;

use pointillist_errors::{Explained, Kind};
use pointillist_spark::SparkError;

use super::TableName;

/// Why a question does not run on the cluster, before it is paid for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The cluster cannot be asked.
    #[error("{0}")]
    Unavailable(SparkError),
    /// There is no token where one was looked for.
    #[error("{0}")]
    Token(String),
    /// Spark is too old.
    #[error("Spark has version {version}, and 4.0 is the oldest that is understood")]
    Version {
        /// Its version.
        version: String,
    },
    /// A setting is not what it was set to.
    #[error("the session's setting `{name}` does not stay as it was set")]
    Setting {
        /// The setting.
        name: String,
    },
    /// No such table.
    #[error("there is no table `{table}` in Spark's catalog")]
    Missing {
        /// Its names.
        table: String,
    },
    /// No such column.
    #[error("the table `{table}` has no column `{column}` in Spark's catalog")]
    MissingColumn {
        /// Its names.
        table: String,
        /// The column.
        column: String,
    },
    /// A view, for which the owner has not vouched.
    #[error("`{table}` is a view, whose expressions can fail on a row or mix the rows of several people")]
    View {
        /// Its names.
        table: String,
    },
    /// The table is of a kind that can fail or round on its own.
    #[error("`{table}` is {what}")]
    Kind {
        /// Its names.
        table: String,
        /// The kind, in words of ours.
        what: &'static str,
    },
    /// Spark does not take the statement.
    #[error("Spark cannot plan this question ({condition})")]
    Plan {
        /// What Spark calls it.
        condition: String,
    },
    /// The statement would give other columns than it is read by.
    #[error("Spark would answer this question in columns of other types")]
    Shape,
}

impl Refusal {
    /// From an error of a call before the payment.
    pub(super) fn of_call(error: SparkError) -> Self {
        Self::Unavailable(error)
    }

    /// From an error of a call that makes a setting.
    pub(super) fn of_setting(error: SparkError, name: &str) -> Self {
        match error {
            SparkError::Refused { .. } | SparkError::Failed { .. } => Self::Setting { name: name.to_owned() },
            error => Self::Unavailable(error),
        }
    }

    /// From an error of a call about a table.
    pub(super) fn of_table(error: SparkError, name: &TableName) -> Self {
        match error {
            SparkError::Refused { .. } => Self::Missing { table: name.to_string() },
            error => Self::Unavailable(error),
        }
    }
}

impl Explained for Refusal {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unavailable(error) => return error.hint(),
            Self::Token(_) => "check the token's file, or the variable of its connection",
            Self::Version { .. } => "update the cluster",
            Self::Setting { .. } => {
                "look for a cluster whose owner has fixed it, and ask them to leave it to sessions"
            }
            Self::Missing { .. } | Self::MissingColumn { .. } => {
                "compare the catalog with Spark's; names are taken letter by letter, capitals included"
            }
            Self::View { .. } => {
                "store it as a table; or write trust_views = true under the connection, where you vouch that no \
                 expression of views can fail on a row and that each looks at the rows of one person"
            }
            Self::Kind { .. } => "copy the rows into a table USING parquet",
            Self::Plan { .. } => "ask in another way; Spark's own log says what it does not take",
            Self::Shape => return None,
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Plan { .. } | Self::Shape => Kind::Unsupported,
            _ => Kind::DataUnavailable,
        }
    }
}

/// The question was paid for and has no answer. Says the same whatever the reason was.
#[derive(Clone, PartialEq, Eq)]
pub struct NoAnswer {
    cause: Option<SparkError>,
}

impl NoAnswer {
    pub(super) fn of_call(error: SparkError) -> Self {
        Self { cause: Some(error) }
    }

    /// Rows that no statement of ours can have given.
    pub(super) fn of_rows() -> Self {
        Self { cause: None }
    }

    /// What the owner's log may say: a word of ours, or the name of Spark's condition. Not for analysts: it can depend on rows.
    pub fn words_for_log(&self) -> String {
        match &self.cause {
            Some(error) => error.to_string(),
            None => "the rows that came back are not those of the statement".to_owned(),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the server that holds the rows gave no answer")
    }
}

/// As constant as what is displayed: whoever prints an error for debugging prints it where analysts look.
impl fmt::Debug for NoAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("NoAnswer")
    }
}

impl std::error::Error for NoAnswer {}

impl Explained for NoAnswer {
    fn hint(&self) -> Option<String> {
        None
    }

    fn kind(&self) -> Kind {
        Kind::ChargedInVain
    }
}
