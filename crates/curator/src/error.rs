//! Why a question gets no answer. Words about the question, the catalog and the budget; never about data.

use std::path::PathBuf;
use std::time::Duration;

use pointillist_catalog::CatalogError;
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::{ChargeError, GrantError, LedgerError, OpenError};
use pointillist_query::Refusal;

use crate::approval::ApprovalRefusal;

/// A question that got no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The question itself; nothing was charged.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The budget, or the request id; nothing was charged.
    #[error(transparent)]
    NotCharged(ChargeError),
    /// A release that somebody has yet to prepare or to approve; nothing was charged.
    #[error(transparent)]
    NotApproved(#[from] ApprovalRefusal),
    /// The asker may not ask about this population; nothing was charged.
    #[error("`{analyst}` has no share of the budget of `{scope}`")]
    Closed {
        /// Who asked.
        analyst: String,
        /// The population.
        scope: String,
    },
    /// Nobody of this name is declared; nothing was charged.
    #[error("there is no analyst `{analyst}`")]
    Unknown {
        /// Who asked.
        analyst: String,
    },
    /// The files of a table or a graph cannot be opened; nothing was charged. The same words whatever is wrong with them.
    #[error("the data of `{table}` cannot be opened")]
    Unavailable {
        /// The table or the graph.
        table: String,
    },
    /// The server that holds the rows of a table cannot be asked now; nothing was charged.
    #[error("the server that holds the rows of `{table}` cannot be asked now; nothing was charged")]
    Away {
        /// The table.
        table: String,
        /// What is wrong with the server or the way there: for its owner, since it names hosts and files.
        why: pointillist_errors::Explanation,
    },
    /// Something failed after the debit. One constant text: why it failed could depend on data.
    #[error("this question was charged, but could not be answered")]
    Failed,
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The curator does not open; nothing was charged.
    #[error(transparent)]
    NotOpen(Box<StartError>),
}

impl From<StartError> for AskError {
    fn from(error: StartError) -> Self {
        Self::NotOpen(Box::new(error))
    }
}

impl From<OpenError> for AskError {
    fn from(error: OpenError) -> Self {
        StartError::from(error).into()
    }
}

impl From<ChargeError> for AskError {
    fn from(error: ChargeError) -> Self {
        match error {
            ChargeError::Ledger(error) => Self::Ledger(error),
            // A request that is still being computed after its moment has passed is lost like any other: when the
            // computation ends is nobody's business.
            ChargeError::InFlight { request_id } => Self::NotCharged(ChargeError::Spent { request_id }),
            error => Self::NotCharged(error),
        }
    }
}

impl AskError {
    /// Whose budget does not hold the price, where that is why there is no answer.
    pub fn exhausted(&self) -> Option<&str> {
        match self {
            Self::NotCharged(ChargeError::Exhausted { whose, .. }) => Some(whose),
            _ => None,
        }
    }
}

impl Explained for AskError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Refused(refusal) => return Explained::hint(refusal),
            Self::NotCharged(error) => return error.hint(),
            Self::NotApproved(error) => return error.hint(),
            Self::Ledger(error) => return error.hint(),
            Self::NotOpen(error) => return error.hint(),
            Self::Closed { analyst, scope } => {
                format!("ask the owner for a share: [analyst.{analyst}] shares = {{ {scope} = … }}")
            }
            Self::Unknown { analyst } => format!("ask the owner to declare [analyst.{analyst}]"),
            Self::Unavailable { .. } => "ask the owner to check the catalog and its files".to_owned(),
            Self::Away { .. } => {
                "ask the owner to check the catalog, which says what is wrong with the server".to_owned()
            }
            Self::Failed => {
                "ask the owner to look at the machine (disk, memory); asking again is charged again"
                    .to_owned()
            }
        })
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Refused(refusal) => refusal.kind(),
            Self::NotCharged(error) => error.kind(),
            Self::NotApproved(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
            Self::NotOpen(error) => error.kind(),
            Self::Closed { .. } => Kind::NoShare,
            Self::Unknown { .. } => Kind::UnknownAnalyst,
            Self::Unavailable { .. } | Self::Away { .. } => Kind::DataUnavailable,
            Self::Failed => Kind::ChargedInVain,
        }
    }
}

/// A curator that does not open.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The catalog.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] OpenError),
    /// Another process uses the ledger, for longer than anybody wanted to wait.
    #[error("{error}, after {} seconds of waiting", waited.as_secs())]
    InUse {
        /// What was found at the end.
        error: OpenError,
        /// How long it was waited for.
        waited: Duration,
    },
    /// A budget that the ledger does not take.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// The catalog and the ledger disagree about a budget.
    #[error("the catalog gives {whose} {declared}, but the ledger was told {granted}")]
    BudgetChanged {
        /// The scope, or the share in it.
        whose: String,
        /// What the catalog says.
        declared: String,
        /// What the ledger says.
        granted: String,
    },
    /// The catalog and the ledger disagree about what a name stands for.
    #[error(
        "the catalog says of {whose}: {declared}; {}",
        recorded.as_ref().map_or("the ledger was never told of it".to_owned(), |recorded| {
            format!("the ledger was told: {recorded}")
        })
    )]
    DatasetChanged {
        /// The table or the graph.
        whose: String,
        /// What the catalog says.
        declared: String,
        /// What the ledger says, if anything.
        recorded: Option<String>,
    },
    /// One file under two budgets: what is learnt about its people would be counted twice too rarely.
    #[error(
        "{} would be paid for twice: by {one} and by {other}",
        file.display()
    )]
    TwoPayers {
        /// The file.
        file: PathBuf,
        /// A name that reaches it, and who pays there.
        one: String,
        /// Another.
        other: String,
    },
    /// Rows that outlive a ledger in memory.
    #[error(
        "the rows of `{name}` are not in memory, and a ledger in memory would forget what was learnt about them"
    )]
    NotInMemory {
        /// The table or the graph.
        name: String,
    },
    /// Threads or memory.
    #[error("the engine cannot start: {0}")]
    Engine(String),
}

impl Explained for StartError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Catalog(error) => return error.hint(),
            Self::Ledger(error) | Self::InUse { error, .. } => return error.hint(),
            Self::Grant(error) => return error.hint(),
            Self::BudgetChanged { .. } | Self::DatasetChanged { .. } => {
                "if that is meant, the owner accepts it"
            }
            Self::TwoPayers { .. } => {
                "rows have one population and one period; give both names the same scope and the same periods, or one of them \
                 another file"
            }
            Self::NotInMemory { .. } => "give the ledger a folder, or the rows as a frame of that name",
            Self::Engine(_) => "look at the machine's memory and at how many threads it allows",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Catalog(error) => error.kind(),
            Self::Ledger(error) | Self::InUse { error, .. } => error.kind(),
            Self::Grant(error) => error.kind(),
            Self::BudgetChanged { .. } | Self::DatasetChanged { .. } => Kind::BudgetChanged,
            Self::TwoPayers { .. } => Kind::Catalog,
            Self::NotInMemory { .. } => Kind::Request,
            Self::Engine(_) => Kind::Environment,
        }
    }
}
