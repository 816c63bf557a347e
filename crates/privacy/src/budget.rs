//! What may be lost in all: an amount of ρ or of ε, rounded down.
//!
//! **Guarantee.** A [`Budget`] is never above what the owner declared. What prices may add up to within it is the
//! business of the [filter](crate::filter::BudgetFilter).
//! **Exactness.** Integers only: whole units of 10⁻²⁴, see [`Amount`].

use std::fmt;

use pointillist_numbers::Rational;

use crate::amount::units_lower;
use crate::conversion::zcdp_rho_lower;
use crate::{Amount, Currency, Delta, Epsilon, Rho};

/// Digits of an ε that is named for a budget.
const DIGITS: usize = 3;

/// What may be lost in all: what the owner declared, rounded down to whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// What is counted.
    pub currency: Currency,
    /// How much of it may be spent.
    pub amount: Amount,
}

impl Budget {
    /// A budget of (ρ, δ).
    pub fn zcdp(rho: &Rho, delta: &Delta) -> Self {
        let amount = Amount { loss_units: units_lower(rho.value()), delta_units: units_lower(delta.value()) };
        Self { currency: Currency::Zcdp, amount }
    }

    /// A budget of ε.
    pub fn pure(epsilon: &Epsilon) -> Self {
        let amount = Amount { loss_units: units_lower(epsilon.value()), delta_units: 0 };
        Self { currency: Currency::Pure, amount }
    }

    /// The largest ε of three digits that one more question can have: its ρ at this δ is within the budget.
    ///
    /// `None` for budgets of ε, and where no ε of three digits was found.
    pub fn epsilon_left(&self, delta: &Delta) -> Option<Epsilon> {
        self.epsilon_within(0, delta)
    }

    /// The ε of three digits that was granted: the ρ of a declared ε was rounded down to whole units.
    pub fn epsilon_granted(&self, delta: &Delta) -> Option<Epsilon> {
        self.epsilon_within(1, delta)
    }

    /// The largest ε of three digits whose ρ is within the budget and so many units more.
    fn epsilon_within(&self, units: u128, delta: &Delta) -> Option<Epsilon> {
        let loss_units = self.amount.loss_units.saturating_add(units);
        let rho = Amount { loss_units, ..self.amount }.loss();
        let found = self.currency.epsilon_at(Amount { loss_units, ..self.amount }, delta)?;
        // A budget that was declared as ε came down from it by less than this.
        let mut epsilon = found.epsilon.value() * &(Rational::one() + Rational::ratio(1, 1_000_000_000));
        // ε rises with ρ, and the ε that was found is the least one but for a rounding far finer than this: whatever is clearly
        // below it has a ρ within the budget. Only an ε that is about the same needs to be looked at.
        let clearly = found.epsilon.value() * &(Rational::one() - Rational::ratio(1, 1_000_000_000));
        for _ in 0..40 {
            let asked = Epsilon::new(epsilon.round_down_to_digits(DIGITS)).ok()?;
            if *asked.value() < clearly {
                return Some(asked);
            }
            if zcdp_rho_lower(&asked, delta).is_ok_and(|price| *price.value() <= rho) {
                return Some(asked);
            }
            epsilon = &epsilon * &Rational::ratio(9_995, 10_000);
        }
        None
    }
}

/// The amount for people to read, exactly.
impl fmt::Display for Budget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.currency.text(self.amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: an owner reads the ε that they wrote, though it was turned into ρ and rounded down twice; and what
    /// is named as left can be asked for.
    #[test]
    fn a_budget_is_read_as_the_epsilon_that_it_was_declared_with() {
        let delta = Delta::parse("5e-10").unwrap();
        for text in ["0.1", "1", "3", "12.5"] {
            let declared = Epsilon::parse(text).unwrap();
            let budget = Budget::zcdp(&zcdp_rho_lower(&declared, &delta).unwrap(), &Delta::zero());
            assert_eq!(budget.epsilon_granted(&delta), Some(declared));
            let left = budget.epsilon_left(&delta).unwrap();
            let price = Budget::zcdp(&zcdp_rho_lower(&left, &delta).unwrap(), &Delta::zero());
            assert!(price.amount.is_within(budget.amount), "{text}");
        }
        for rho in ["0.00123", "0.5", "3.3333", "0.0166"] {
            let budget = Budget::zcdp(&Rho::parse(rho).unwrap(), &Delta::zero());
            let left = budget.epsilon_left(&delta).unwrap();
            let price = Budget::zcdp(&zcdp_rho_lower(&left, &delta).unwrap(), &Delta::zero());
            assert!(price.amount.is_within(budget.amount), "{rho}");
        }
        assert_eq!(Budget::pure(&Epsilon::parse("1").unwrap()).epsilon_left(&delta), None);
        let nothing = Budget { currency: Currency::Zcdp, amount: Amount::ZERO };
        assert_eq!(nothing.epsilon_left(&delta), None);
    }
}
