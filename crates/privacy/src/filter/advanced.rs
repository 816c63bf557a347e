//! The advanced filter: many small losses add up like their root, adaptively chosen or not.
//!
//! **Guarantee.** With a slack δ' > 0 and δ'' ≥ 0 for failures, release n is admitted iff `Σδᵢ ≤ δ''` and
//! `√(2·ln(1/δ')·Σεᵢ²) + ½·Σεᵢ² ≤ ε_g`, release n included. Everything admitted is together (ε_g, δ' +
//! δ'')-differentially private.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Whitehouse, Ramdas, Rogers, Wu (2023), arXiv:2203.05481. Proof for pure releases: given the
//! past, the loss `Lₙ` of release n lies in `[−εₙ, εₙ]` with mean at most `εₙ²/2`, so that
//! `exp(λ·Σ(Lₙ − εₙ²/2) − λ²·Σεₙ²/2)` is a supermartingale for every λ ≥ 0. Let `v` be the largest `Σεᵢ²`
//! that the rule admits. With `λ = √(2·ln(1/δ')/v)`, the chance that at any time
//! `ΣLₙ > ½v + √(2v·ln(1/δ')) = ε_g` while `Σεₙ² ≤ v` is at most δ'. Failures are taken out beforehand: an
//! (ε, δ) release is, but for a part of weight δ, ε-close.
//! **Exactness.** The rule is `Σεᵢ² ≤ v`; `v` is certified and rounded down once, the sum is exact.

use pointillist_numbers::{Enclosure, Rational, decimal_lower};

use super::account::Account;
use super::basic::delta_left;
use super::{Filter, Refusal};
use crate::conversion::claim::{PRECISION, delta_from_upper, positive_delta};
use crate::parameter::rounded_up;
use crate::{Delta, Epsilon, EpsilonDelta, Guarantee, ParameterError};

/// A budget in (ε, δ) against which the squares of losses are added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvancedFilter {
    epsilon: Epsilon,
    /// δ' + δ''.
    delta: Delta,
    squares: Account,
    failures: Account,
}

impl AdvancedFilter {
    /// A budget of ε at `delta_slack + delta_failures`, all of it unspent.
    ///
    /// # Errors
    /// When the slack is zero: there is no advanced composition without one.
    pub fn new(
        epsilon: Epsilon,
        delta_slack: &Delta,
        delta_failures: &Delta,
    ) -> Result<Self, ParameterError> {
        let squares = squares_lower(&epsilon, delta_slack)?;
        Ok(Self {
            delta: delta_from_upper(delta_slack.value() + delta_failures.value())?,
            squares: Account::new(squares),
            failures: Account::new(delta_failures.value().clone()),
            epsilon,
        })
    }

    /// What everything admitted satisfies together.
    pub fn guarantee(&self) -> Guarantee {
        let (epsilon, delta) = (self.epsilon.clone(), self.delta.clone());
        Guarantee::Approximate { epsilon, delta }
    }
}

/// The largest `Σε²` with `√(2·ln(1/δ')·Σε²) + ½·Σε² ≤ ε`, rounded down.
pub(crate) fn squares_lower(epsilon: &Epsilon, delta_slack: &Delta) -> Result<Rational, ParameterError> {
    let slack = positive_delta(delta_slack)?;
    // x = √Σε² solves x²/2 + cx = ε: x = 2ε/(c + √(c² + 2ε)), with c² = 2·ln(1/δ').
    let square = (-&Enclosure::ln_of(slack, PRECISION).expect("a nonzero δ is positive")).mul_integer(2);
    let doubled = Enclosure::of(&(epsilon.value() * &Rational::from(2)), PRECISION);
    let under = &square.sqrt() + &(&square + &doubled).sqrt();
    let root = doubled.checked_div(&under).expect("the root of 2ε is positive");
    Ok(root.lower().squared().round_down_to_bits(256))
}

/// The largest ε whose square is still admitted, rounded down; `None` where nothing is left.
pub(crate) fn epsilon_left(squares: &Account) -> Option<Epsilon> {
    let root = Enclosure::of(&squares.remaining(), PRECISION).sqrt().lower();
    Epsilon::new(root.round_down_to_bits(128)).ok()
}

/// `ε²`, what a release costs against a budget of squares.
pub(crate) fn square_upper(epsilon: &Epsilon) -> Rational {
    rounded_up(epsilon.value().squared())
}

impl Filter for AdvancedFilter {
    type Cost = EpsilonDelta;
    /// No ε where nothing is left.
    type Remaining = (Option<Epsilon>, Delta);

    fn admits(&self, cost: &EpsilonDelta) -> bool {
        self.squares.admits(&square_upper(&cost.epsilon)) && self.failures.admits(cost.delta.value())
    }

    fn try_charge(&mut self, cost: &EpsilonDelta) -> Result<(), Refusal> {
        if !self.admits(cost) {
            let epsilon = epsilon_left(&self.squares);
            let epsilon = epsilon.map_or("0".to_owned(), |epsilon| decimal_lower(epsilon.value(), 6));
            return Err(Refusal::Exhausted {
                asked: cost.text(),
                remaining: format!(
                    "ε = {epsilon} and δ = {} for one release",
                    self.failures.remaining_text()
                ),
            });
        }
        self.squares.charge(&square_upper(&cost.epsilon));
        self.failures.charge(cost.delta.value());
        Ok(())
    }

    fn remaining(&self) -> Self::Remaining {
        (epsilon_left(&self.squares), delta_left(&self.failures))
    }

    fn how_many_more(&self, cost: &EpsilonDelta) -> u64 {
        let by_squares = self.squares.how_many_more(&square_upper(&cost.epsilon));
        by_squares.min(self.failures.how_many_more(cost.delta.value()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    /// v solves its equation, from below.
    #[test]
    fn the_budget_of_squares_is_worth_the_epsilon() {
        for e in ["1e-6", "0.1", "1", "50", "1e6"] {
            for d in ["1e-60", "1e-15", "1e-6", "0.5"] {
                let squares = squares_lower(&epsilon(e), &delta(d)).unwrap();
                let logarithm = -&Enclosure::ln_of(delta(d).value(), 400).unwrap();
                let root = (&logarithm * &Enclosure::of(&squares, 400)).mul_integer(2).sqrt();
                let worth = root.upper() + squares * Rational::ratio(1, 2);
                assert!(worth <= *epsilon(e).value(), "{e} {d}");
                assert!(worth.to_f64_upper() >= epsilon(e).to_f64_lower() * (1.0 - 1e-12), "{e} {d}");
            }
        }
    }

    #[test]
    fn failures_have_a_budget_of_their_own() {
        let mut filter = AdvancedFilter::new(epsilon("1"), &delta("1e-6"), &delta("1e-7")).unwrap();
        let cost = EpsilonDelta { epsilon: epsilon("0.01"), delta: delta("4e-8") };
        assert_eq!(filter.how_many_more(&cost), 2);
        filter.try_charge(&cost).unwrap();
        filter.try_charge(&cost).unwrap();
        let message = filter.try_charge(&cost).unwrap_err().explanation().text();
        assert!(message.contains("only ε = 0.18") && message.contains("hint:"), "{message}");
        assert!(filter.admits(&EpsilonDelta::pure(epsilon("0.01"))));
        let guarantee = Guarantee::Approximate { epsilon: epsilon("1"), delta: delta("0.0000011") };
        assert_eq!(filter.guarantee(), guarantee);
    }

    #[test]
    fn no_slack_is_refused_with_a_hint() {
        let refusal = AdvancedFilter::new(epsilon("1"), &Delta::zero(), &Delta::zero()).unwrap_err();
        assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
    }
}
