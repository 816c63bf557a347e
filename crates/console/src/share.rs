//! What somebody has of a population's budget.

use pointillist_curator::words::part_spent;
use pointillist_curator::{Balances, ScopeBalance};

/// A share, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The population.
    pub scope: String,
    /// Granted, spent and left.
    pub balance: pointillist_curator::Balance,
}

impl Share {
    /// The shares among the balances that somebody may see.
    pub fn all(seen: &Balances) -> Vec<Self> {
        let share = |of: &ScopeBalance| Self { scope: of.scope.clone(), balance: of.balance };
        seen.scopes.iter().map(share).collect()
    }

    /// Which part of it is spent, from zero to one.
    pub fn spent(&self) -> f64 {
        part_spent(&self.balance)
    }
}
