//! An answer with what it cost, who paid, and what is left.

use pointillist_ledger::Balance;
use pointillist_query::plan::Cost;

use crate::answer::Answer;

/// What the asker gets.
#[derive(Clone, Debug)]
pub struct Reply<T = Answer> {
    /// The table, or what a graph's statistic says.
    pub answer: T,
    /// What the question costs.
    pub cost: Cost,
    /// The cost in ε at the δ that the owner reads ε at, rounded up; `None` for pure scopes and sums that have no ε.
    pub epsilon_at_delta: Option<(f64, String)>,
    /// Who paid.
    pub paid: Paid,
    /// Where it is recorded.
    pub receipt: ReceiptFacts,
    /// What the asker has left, after this.
    pub left: Balance,
    /// How many more questions at this price fit.
    pub more: u64,
}

/// Who paid for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paid {
    /// The scope, and the asker's share where there is one.
    InFull,
    /// The asker's share alone: someone else had asked before.
    ShareOnly,
    /// Nobody: the asker had asked before.
    Nothing,
}

/// A receipt for the asker's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptFacts {
    /// The number of the reservation in the ledger that paid for the answer, now or the first time.
    pub seq: u64,
    /// The head of the chain with that reservation, in hex; empty where the answer was paid for before.
    pub hash: String,
    /// The population.
    pub scope: String,
    /// Who asked.
    pub analyst: String,
}
