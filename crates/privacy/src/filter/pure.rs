//! The filter for pure releases: basic or advanced, whichever still holds.
//!
//! **Guarantee.** Release n is admitted iff `Σεᵢ ≤ ε_g` or `√(2·ln(1/δ)·Σεᵢ²) + ½·Σεᵢ² ≤ ε_g`, release n
//! included. Everything admitted is together (ε_g, δ)-differentially private.
//! **Neighbours.** Any relation, the same for all.
//! **Proof.** Let the last admitted release be number N. Either `Σεᵢ ≤ ε_g`, and then the loss is at most
//! ε_g on this path for certain; or `Σεᵢ² ≤ v` with the `v` of `advanced.rs`. The chance that at *any* time
//! the loss exceeds ε_g while `Σεᵢ² ≤ v` is at most δ, as shown there, and that covers the paths of the
//! second kind.
//! **Exactness.** That of the two filters it joins.
//! **Not covered.** Releases with a δ of their own: use one of the two.

use super::account::Account;
use super::advanced::{epsilon_left, square_upper, squares_lower};
use super::{Filter, Refusal};
use crate::guarantee::short;
use crate::{Delta, Epsilon, Guarantee, ParameterError};

/// A budget in (ε, δ) for pure releases; sums for few large losses, squares for many small ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PureFilter {
    epsilon: Epsilon,
    delta: Delta,
    sum: Account,
    squares: Account,
}

impl PureFilter {
    /// A budget of (ε, δ), all of it unspent.
    ///
    /// # Errors
    /// When δ is zero: then only sums count, and [`super::BasicFilter`] is the filter to use.
    pub fn new(epsilon: Epsilon, delta: Delta) -> Result<Self, ParameterError> {
        Ok(Self {
            sum: Account::new(epsilon.value().clone()),
            squares: Account::new(squares_lower(&epsilon, &delta)?),
            epsilon,
            delta,
        })
    }

    /// What everything admitted satisfies together.
    pub fn guarantee(&self) -> Guarantee {
        let (epsilon, delta) = (self.epsilon.clone(), self.delta.clone());
        Guarantee::Approximate { epsilon, delta }
    }
}

impl Filter for PureFilter {
    type Cost = Epsilon;
    /// None where nothing is left.
    type Remaining = Option<Epsilon>;

    fn admits(&self, cost: &Epsilon) -> bool {
        self.sum.admits(cost.value()) || self.squares.admits(&square_upper(cost))
    }

    fn try_charge(&mut self, cost: &Epsilon) -> Result<(), Refusal> {
        if !self.admits(cost) {
            let (sum, squares) = (self.sum.remaining_text(), self.squares.remaining_text());
            return Err(Refusal::Exhausted {
                asked: format!("ε = {}", short(cost.value())),
                remaining: format!("ε = {sum}, or ε² = {squares}"),
            });
        }
        self.sum.charge(cost.value());
        self.squares.charge(&square_upper(cost));
        Ok(())
    }

    fn remaining(&self) -> Option<Epsilon> {
        let by_sum = Epsilon::new(self.sum.remaining()).ok();
        by_sum.max(epsilon_left(&self.squares))
    }

    fn how_many_more(&self, cost: &Epsilon) -> u64 {
        let by_sum = self.sum.how_many_more(cost.value());
        by_sum.max(self.squares.how_many_more(&square_upper(cost)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn filter() -> PureFilter {
        PureFilter::new(epsilon("1"), Delta::parse("1e-6").unwrap()).unwrap()
    }

    /// One large loss uses up the squares, many small ones the sum; the other rule carries on.
    #[test]
    fn either_rule_is_enough() {
        let mut large = filter();
        large.try_charge(&epsilon("0.5")).unwrap();
        assert_eq!(large.how_many_more(&epsilon("0.1")), 5, "by the sum");
        let mut small = filter();
        for _ in 0..200 {
            small.try_charge(&epsilon("0.01")).unwrap();
        }
        assert_eq!(small.how_many_more(&epsilon("0.01")), 149, "by the squares");
        assert!(!small.admits(&epsilon("0.2")), "0.02 + 0.04 is too much for the squares");
    }

    #[test]
    fn refusals_say_what_is_left_of_both() {
        let mut filter = filter();
        filter.try_charge(&epsilon("0.9")).unwrap();
        let message = filter.try_charge(&epsilon("0.2")).unwrap_err().explanation().text();
        assert_eq!(
            message,
            "this release costs ε = 0.2, but only ε = 0.1, or ε² = 0 is left\n\
             hint: accept more noise and ask for at most what is left, or have the budget raised"
        );
        assert_eq!(filter.remaining(), Some(epsilon("0.1")));
        filter.try_charge(&epsilon("0.1")).unwrap();
        assert_eq!(filter.remaining(), None);
    }

    #[test]
    fn no_delta_is_refused_with_a_hint() {
        let refusal = PureFilter::new(epsilon("1"), Delta::zero()).unwrap_err();
        assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
    }
}
