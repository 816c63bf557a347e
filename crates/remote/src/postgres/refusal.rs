//! What is said before a question is paid for, and the one sentence after it.
//!
//! **Guarantee.** A refusal speaks of names and of what a server is set to, never of rows: it is made from catalogs and from
//! what a planner says of a statement. After the payment there is one sentence, whatever happened; what a server said in
//! words is kept nowhere, and its SQLSTATE is for the owner's log alone.

use std::fmt;

use pointillist_errors::{Explained, Kind};
use pointillist_postgres::ConnectionError;

/// Why a question does not run on the server, before it is paid for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The server cannot be asked.
    #[error("{0}")]
    Unavailable(ConnectionError),
    /// The server is too old.
    #[error("the PostgreSQL server has version {version}, and 13 is the oldest that is understood")]
    Version {
        /// Its version.
        version: i64,
    },
    /// The database holds texts in another encoding.
    #[error("the database holds its texts as {encoding}, and only UTF8 compares and counts as declared")]
    Encoding {
        /// The encoding.
        encoding: String,
    },
    /// A setting is not what it was set to.
    #[error("the session's setting `{name}` does not stay as it was set")]
    Setting {
        /// The setting.
        name: &'static str,
    },
    /// A function that statements are made of is missing or is another one.
    #[error("the server has no function `{name}` as PostgreSQL ships it")]
    Function {
        /// The function.
        name: &'static str,
    },
    /// No such table.
    #[error("there is no table `{table}` on the server")]
    Missing {
        /// Schema and name.
        table: String,
    },
    /// No such column.
    #[error("the table `{table}` has no column `{column}` on the server")]
    MissingColumn {
        /// Schema and name.
        table: String,
        /// The column.
        column: String,
    },
    /// The role may not read it.
    #[error("the role of the connection may not read `{what}`")]
    Forbidden {
        /// The table, or a column of it.
        what: String,
    },
    /// Somebody changes the table at this moment.
    #[error("the table `{table}` is being changed at this moment")]
    Locked {
        /// Schema and name.
        table: String,
    },
    /// A view, for which the owner has not vouched.
    #[error("`{table}` is a view, whose expressions can fail on a row or mix the rows of several people")]
    View {
        /// Schema and name.
        table: String,
    },
    /// Row security, for which the owner has not vouched.
    #[error("`{table}` has row security, whose expressions can fail on a row or look at other people's rows")]
    RowSecurity {
        /// Schema and name.
        table: String,
    },
    /// Something in the table, or the table itself, is of a kind that can fail or round on its own.
    #[error("`{table}` is {what}")]
    Kind {
        /// Schema and name; of a partition, where it is one.
        table: String,
        /// The kind, in words of ours.
        what: String,
    },
    /// A column that is computed when it is read.
    #[error("the column `{column}` of `{table}` is computed when it is read, and can fail on a row")]
    Virtual {
        /// Schema and name.
        table: String,
        /// The column.
        column: String,
    },
    /// The planner does not take the statement.
    #[error("the server cannot plan this question (SQLSTATE {sqlstate})")]
    Plan {
        /// Five characters.
        sqlstate: String,
    },
    /// The statement would give other columns than it is read by.
    #[error("the server would answer this question in columns of other types")]
    Shape,
}

impl Refusal {
    /// From an error of a call before the payment.
    pub(crate) fn of_call(error: ConnectionError) -> Self {
        Self::Unavailable(error)
    }
}

impl Explained for Refusal {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unavailable(error) => return error.hint(),
            Self::Version { .. } => "update the server",
            Self::Encoding { .. } => "keep the tables in a database that was created with the encoding UTF8",
            Self::Setting { .. } => "look for a pooler or a login script that sets it again",
            Self::Function { .. } => "check that nobody changed the schema pg_catalog",
            Self::Missing { .. } | Self::MissingColumn { .. } => {
                "compare the catalog with the server; names are taken letter by letter, capitals included"
            }
            Self::Forbidden { .. } => {
                "grant USAGE on the schema and SELECT on the declared columns to the role"
            }
            Self::Locked { .. } => "ask again when the change is done",
            Self::View { .. } | Self::RowSecurity { .. } => {
                "store it as a table or a materialized view; or write trust_views = true under the connection, where you vouch \
                 that no expression of views and policies can fail on a row and that each looks at the rows of one person"
            }
            Self::Kind { .. } => {
                "declare an ordinary table, the whole of it, or a materialized view that is filled"
            }
            Self::Virtual { .. } => "make it a stored column, or leave it out of the catalog",
            Self::Plan { .. } => "ask in another way; the server's own log says what it does not take",
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
    cause: Cause,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    Call(ConnectionError),
    Rows,
}

impl NoAnswer {
    pub(crate) fn of_call(error: ConnectionError) -> Self {
        Self { cause: Cause::Call(error) }
    }

    /// Rows that no statement of ours can have given.
    pub(crate) fn of_rows() -> Self {
        Self { cause: Cause::Rows }
    }

    /// What the owner's log may say: a word of ours or a SQLSTATE. Not for analysts: it can depend on rows.
    pub fn words_for_log(&self) -> String {
        match &self.cause {
            Cause::Call(error) => error.to_string(),
            Cause::Rows => "the rows that came back are not those of the statement".to_owned(),
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
