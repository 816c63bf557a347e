//! An answer with what it cost, who paid, and what is left.

use std::sync::Arc;

use pointillist_learn::Model;
use pointillist_ledger::Balance;
use pointillist_privacy::{EpsilonDelta, Price};

use crate::answer::Answer;
use crate::sanitized_table::SanitizedTable;

/// What the asker gets.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The table.
    pub answer: Answer,
    /// The model, where one was asked for.
    pub model: Option<Arc<Model>>,
    /// The sanitized table, where one was asked for.
    pub table: Option<Arc<SanitizedTable>>,
    /// What the question costs.
    pub price: Price,
    /// The price in ε at the δ that the owner reads ε at, rounded up; `None` for pure scopes and sums that have no ε.
    pub epsilon_at_delta: Option<EpsilonDelta>,
    /// Who paid.
    pub paid: Paid,
    /// Where it is recorded.
    pub receipt: ReceiptFacts,
    /// What the asker has left, after this: of their share, where they have one, whatever others have left of the scope.
    pub left: Balance,
    /// How many more questions at this price fit into that.
    pub more: u64,
}

/// Whether an answer was paid for.
///
/// Whoever has a share pays the price from it, whether or not somebody else had asked before and the scope paid nothing:
/// what others ask is not for them to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paid {
    /// The price.
    InFull,
    /// Nothing: the asker had asked before, or is the owner and anybody had.
    Nothing,
}

/// A receipt for the asker's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptFacts {
    /// The number of the reservation in the ledger that paid for the answer, now or the first time. For the owner only:
    /// numbers count everybody's records.
    pub seq: Option<u64>,
    /// The head of the chain with the asker's payment, in hex, by which the owner finds it; empty where nothing was paid.
    pub hash: String,
    /// The population.
    pub scope: String,
    /// Who asked.
    pub analyst: String,
}
