//! Why a question gets no answer. Words about the question, the catalog and the budget; never about data.

use std::path::PathBuf;

use pointillist_catalog::CatalogError;
use pointillist_ledger::{ChargeError, GrantError, LedgerError, OpenError};
use pointillist_query::Refusal;

/// A question that got no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The question itself; nothing was charged.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The budget, or the request id; nothing was charged.
    #[error(transparent)]
    NotCharged(ChargeError),
    /// The asker may not ask about this population; nothing was charged.
    #[error(
        "`{analyst}` has no share of the budget of `{scope}`\n\
         hint: ask the owner for a share: [analyst.{analyst}] shares = {{ {scope} = … }}"
    )]
    Closed {
        /// Who asked.
        analyst: String,
        /// The population.
        scope: String,
    },
    /// Nobody of this name is declared; nothing was charged.
    #[error("there is no analyst `{analyst}`\nhint: ask the owner to declare [analyst.{analyst}]")]
    Unknown {
        /// Who asked.
        analyst: String,
    },
    /// The files of a table or a graph cannot be opened; nothing was charged. The same words whatever is wrong with them.
    #[error(
        "the data of `{table}` cannot be opened\n\
         hint: ask the owner to run `pointillist check`, which says why"
    )]
    Unavailable {
        /// The table or the graph.
        table: String,
    },
    /// Something failed after the debit. One constant text: why it failed could depend on data.
    #[error(
        "this question was charged, but could not be answered\n\
         hint: ask the owner to look at the machine (disk, memory); asking again is charged again"
    )]
    Failed,
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
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
    /// The code that SQL clients know it by.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.sqlstate(),
            Self::NotCharged(
                ChargeError::Exhausted { .. }
                | ChargeError::ScopeExhausted { .. }
                | ChargeError::NoBudget { .. },
            ) => "53400",
            Self::NotCharged(_) => "22023",
            Self::Closed { .. } | Self::Unknown { .. } => "42501",
            Self::Unavailable { .. } | Self::Ledger(_) => "58000",
            Self::Failed => "58030",
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
    /// A budget that the ledger does not take.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// The catalog and the ledger disagree about a budget.
    #[error(
        "the catalog gives {whose} {declared}, but the ledger was told {granted}\n\
         hint: if the change is meant, accept it with `pointillist budget grant`"
    )]
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
        "the catalog says of {whose}: {declared}; {}\n\
         hint: if that is meant, accept it with `pointillist budget grant`",
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
        "{} would be paid for twice: by {one} and by {other}\n\
         hint: rows have one population; give both names the same scope, or one of them another file",
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
    /// Threads or memory.
    #[error(
        "the engine cannot start: {0}\nhint: look at the machine's memory and at how many threads it allows"
    )]
    Engine(String),
}
