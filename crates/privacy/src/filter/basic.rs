//! The basic filter: go on while the sums of ε and δ are within the budget.
//!
//! **Guarantee.** Everything admitted is together (ε_g, δ_g)-differentially private: release n is admitted
//! iff `Σεᵢ ≤ ε_g` and `Σδᵢ ≤ δ_g`, release n included.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Rogers, Roth, Ullman, Vadhan (2016), arXiv:1605.08294. For pure releases: on every path the
//! log-ratio of the views is a sum of at most `Σεᵢ`.
//! **Exactness.** Exact rationals, see `account.rs`.

use super::account::Account;
use super::{Filter, Refusal};
use crate::{Delta, Epsilon, EpsilonDelta, Guarantee};

/// A budget in (ε, δ) against which losses are added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicFilter {
    promise: EpsilonDelta,
    epsilon: Account,
    delta: Account,
}

impl BasicFilter {
    /// A budget of (ε, δ), all of it unspent.
    pub fn new(epsilon: Epsilon, delta: Delta) -> Self {
        Self {
            epsilon: Account::new(epsilon.value().clone()),
            delta: Account::new(delta.value().clone()),
            promise: EpsilonDelta { epsilon, delta },
        }
    }

    /// What everything admitted satisfies together.
    pub fn guarantee(&self) -> Guarantee {
        let EpsilonDelta { epsilon, delta } = self.promise.clone();
        Guarantee::Approximate { epsilon, delta }.simplified()
    }
}

/// What is left of a δ; what is too small to be one is none.
pub(crate) fn delta_left(account: &Account) -> Delta {
    Delta::new(account.remaining()).unwrap_or_else(|_| Delta::zero())
}

impl Filter for BasicFilter {
    type Cost = EpsilonDelta;
    /// No ε where nothing is left.
    type Remaining = (Option<Epsilon>, Delta);

    fn admits(&self, cost: &EpsilonDelta) -> bool {
        self.epsilon.admits(cost.epsilon.value()) && self.delta.admits(cost.delta.value())
    }

    fn try_charge(&mut self, cost: &EpsilonDelta) -> Result<(), Refusal> {
        if !self.admits(cost) {
            let (epsilon, delta) = (self.epsilon.remaining_text(), self.delta.remaining_text());
            return Err(Refusal::Exhausted {
                asked: cost.text(),
                remaining: format!("ε = {epsilon} and δ = {delta}"),
            });
        }
        self.epsilon.charge(cost.epsilon.value());
        self.delta.charge(cost.delta.value());
        Ok(())
    }

    fn remaining(&self) -> Self::Remaining {
        (Epsilon::new(self.epsilon.remaining()).ok(), delta_left(&self.delta))
    }

    fn how_many_more(&self, cost: &EpsilonDelta) -> u64 {
        let by_epsilon = self.epsilon.how_many_more(cost.epsilon.value());
        by_epsilon.min(self.delta.how_many_more(cost.delta.value()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn cost(epsilon: &str, delta: &str) -> EpsilonDelta {
        EpsilonDelta { epsilon: Epsilon::parse(epsilon).unwrap(), delta: Delta::parse(delta).unwrap() }
    }

    #[test]
    fn both_sums_must_stay_within_the_budget() {
        let mut filter = BasicFilter::new(Epsilon::parse("1").unwrap(), Delta::parse("1e-6").unwrap());
        filter.try_charge(&cost("0.5", "5e-7")).unwrap();
        assert_eq!(filter.how_many_more(&cost("0.1", "1e-7")), 5);
        assert_eq!(filter.how_many_more(&cost("0.1", "3e-7")), 1);
        assert!(!filter.admits(&cost("0.1", "6e-7")));
        assert!(!filter.admits(&cost("0.6", "0")));
        let message = filter.try_charge(&cost("0.6", "1e-9")).unwrap_err().explanation().text();
        assert_eq!(
            message,
            "this release costs ε = 0.6 and δ = 1e-9, but only ε = 0.5 and δ = 0.0000005 is left\n\
             hint: accept more noise and ask for at most what is left, or have the budget raised"
        );
        filter.try_charge(&cost("0.5", "5e-7")).unwrap();
        assert_eq!(filter.remaining(), (None, Delta::zero()));
    }

    #[test]
    fn the_promise_is_the_budget() {
        let filter = BasicFilter::new(Epsilon::parse("1").unwrap(), Delta::zero());
        assert_eq!(filter.guarantee(), Guarantee::Pure { epsilon: Epsilon::parse("1").unwrap() });
    }
}
