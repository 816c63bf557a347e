//! One list of releases, drawn up by every accountant that applies.
//!
//! **Guarantee.** Every ε printed holds for the whole list at the given δ, under add/remove neighbours, when the list and its
//! parameters were fixed before the first release; the smallest of them is the one to claim.
//! **Not a filter.** Prices chosen from earlier answers need [`filter`](crate::filter).

mod at_epsilon;
mod by_accountant;
mod curves;
mod fixed_list;
mod release;
pub mod specification;

pub use curves::AccountCurve;
pub use fixed_list::{FixedList, FixedRelease, Shift};
pub use release::Release;

use crate::pld::Certified;
use crate::{Delta, ParameterError};

/// A list of releases, each with how often it is made.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    releases: Vec<(Release, u64)>,
}

/// What one accountant says.
#[derive(Clone, Debug)]
pub struct Account {
    /// The accountant's name, as scripts know it.
    pub accountant: &'static str,
    /// What it is, in a few words.
    pub method: &'static str,
    /// ε between bounds (the lower one is zero where the method has none), or why the accountant does not apply.
    pub epsilon: Result<Certified, String>,
}

impl Statement {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `count` uses of a release; none is nothing.
    pub fn add(&mut self, release: Release, count: u64) {
        if count > 0 {
            self.releases.push((release, count));
        }
    }

    /// The same list with every count multiplied.
    ///
    /// # Errors
    /// When a count would pass what can be counted.
    pub fn repeated(&self, times: u64) -> Result<Self, ParameterError> {
        let multiply = |(release, count): &(Release, u64)| {
            let count = count.checked_mul(times).ok_or_else(|| too_many(*count))?;
            Ok((release.clone(), count))
        };
        Ok(Self { releases: self.releases.iter().map(multiply).collect::<Result<_, _>>()? })
    }

    /// The releases and their counts.
    pub fn releases(&self) -> &[(Release, u64)] {
        &self.releases
    }

    /// What every accountant says at this δ, in a fixed order.
    ///
    /// # Errors
    /// When the list is empty.
    pub fn accounts(&self, delta: &Delta) -> Result<Vec<Account>, ParameterError> {
        if self.releases.is_empty() {
            return Err(ParameterError::NothingToCompose);
        }
        Ok(by_accountant::all(self, delta))
    }

    /// The smallest ε at this δ, between two bounds: those of privacy-loss distributions, where they nearly meet, and otherwise the
    /// best that any accountant says. `None` where none has one.
    ///
    /// # Errors
    /// When the list is empty.
    pub fn epsilon(&self, delta: &Delta) -> Result<Option<Certified>, ParameterError> {
        if self.releases.is_empty() {
            return Err(ParameterError::NothingToCompose);
        }
        if let Some(found) = by_accountant::tightest(self, delta) {
            return Ok(Some(found));
        }
        let accounts = by_accountant::all(self, delta);
        let found = accounts.iter().filter_map(|account| account.epsilon.as_ref().ok());
        Ok(found.copied().reduce(|one, other| Certified {
            lower: one.lower.max(other.lower),
            upper: one.upper.min(other.upper),
        }))
    }
}

/// The account with the smallest ε.
pub fn best(accounts: &[Account]) -> Option<&Account> {
    let epsilon = |account: &&Account| account.epsilon.as_ref().map_or(f64::INFINITY, |found| found.upper);
    accounts.iter().filter(|account| account.epsilon.is_ok()).min_by(|a, b| epsilon(a).total_cmp(&epsilon(b)))
}

fn too_many(count: u64) -> ParameterError {
    ParameterError::TooLarge {
        parameter: "number of releases",
        given: count.to_string(),
        limit: "at most 10000000000".to_owned(),
        example: "1000",
    }
}

#[cfg(test)]
mod tests;
