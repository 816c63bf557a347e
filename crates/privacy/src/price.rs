//! What one answer costs: an amount of ρ or of ε, rounded up.
//!
//! **Guarantee.** A [`Price`] is never below the loss it pays for, and never nothing. With [budgets](crate::Budget) that
//! are never above what the owner declared, whatever the [filter](crate::filter::BudgetFilter) admits stays within the
//! budget, even when each question and its price are chosen in the light of all answers before it.
//! **Exactness.** Integers only: whole units of 10⁻²⁴, see [`Amount`].

use std::fmt;

use crate::{Amount, Currency, Delta, Epsilon, EpsilonDelta, Loss, Rho};

/// What one answer costs: at least one unit, rounded up.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Price {
    currency: Currency,
    amount: Amount,
}

impl Price {
    /// The price of a δ-approximate ρ-zCDP release.
    pub fn zcdp(rho: &Rho, delta: &Delta) -> Self {
        Self::of_positive(Currency::Zcdp, rho.units_upper(), delta.units_upper())
    }

    /// The price of an ε-differentially private release.
    pub fn pure(epsilon: &Epsilon) -> Self {
        Self::of_positive(Currency::Pure, epsilon.units_upper(), 0)
    }

    fn of_positive(currency: Currency, loss_units: u128, delta_units: u128) -> Self {
        let price = Self::from_units(currency, Amount { loss_units, delta_units });
        price.expect("a loss is positive, so it is at least one unit when rounded up")
    }

    /// The price, in a currency, of a release of which this much is proven; `None` where nothing proven implies a loss
    /// in that currency.
    pub fn of_loss(currency: Currency, loss: &Loss) -> Option<Self> {
        match currency {
            Currency::Zcdp => loss.approximate_rho().map(|(rho, delta)| Self::zcdp(&rho, &delta)),
            Currency::Pure => loss.pure_epsilon().map(|epsilon| Self::pure(&epsilon)),
        }
    }

    /// A recorded price. `None` for a loss of zero units: no release is free.
    pub fn from_units(currency: Currency, amount: Amount) -> Option<Self> {
        (amount.loss_units > 0).then_some(Self { currency, amount })
    }

    /// What is counted.
    pub fn currency(&self) -> Currency {
        self.currency
    }

    /// How much of it.
    pub fn amount(&self) -> Amount {
        self.amount
    }

    /// Whether this pays for whatever the other pays for: in the same currency, no sum below the other's.
    pub fn covers(&self, other: &Self) -> bool {
        self.currency == other.currency && other.amount.is_within(self.amount)
    }

    /// The ε of a price in ρ at a δ of somebody's choice, rounded up; see [`Currency::epsilon_at`].
    pub fn epsilon_at(&self, delta: &Delta) -> Option<EpsilonDelta> {
        self.currency.epsilon_at(self.amount, delta)
    }
}

/// The amount for people to read, exactly.
impl fmt::Display for Price {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.currency.text(self.amount))
    }
}

impl fmt::Debug for Price {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Price({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    #[test]
    fn prices_round_up_and_budgets_down() {
        let third = epsilon("1/3");
        let (price, budget) = (Price::pure(&third).amount(), Budget::pure(&third).amount);
        assert_eq!(price.loss_units, budget.loss_units + 1);
        let (rho, delta) = (Rho::parse("1/3").unwrap(), Delta::parse("1e-6").unwrap());
        let price = Price::zcdp(&rho, &delta).amount();
        let budget = Budget::zcdp(&rho, &delta).amount;
        assert_eq!(price.loss_units, budget.loss_units + 1);
        assert_eq!(price.delta_units, budget.delta_units, "a decimal is a whole number of units");
    }

    #[test]
    fn no_release_is_free() {
        assert_eq!(Price::from_units(Currency::Pure, Amount { loss_units: 0, delta_units: 7 }), None);
    }

    #[test]
    fn losses_are_charged_in_what_is_proven_of_them() {
        /// One half in units of 10^-24.
        const HALF: u128 = 5 * 10u128.pow(23);
        let charged = |loss: &Loss| Price::of_loss(Currency::Zcdp, loss).map(|price| price.amount());
        let amount = |loss_units, delta_units| Some(Amount { loss_units, delta_units });
        assert_eq!(charged(&Loss::pure(epsilon("1"))), amount(HALF, 0));
        assert_eq!(charged(&Loss::bounded_range(epsilon("1"))), amount(HALF / 4, 0));
        let approximate = Loss::approximate(epsilon("1"), Delta::parse("0.5").unwrap());
        assert_eq!(charged(&approximate), amount(HALF, HALF));
        assert_eq!(charged(&Loss::pure(epsilon("1e6"))), None);
        let pure = |loss: &Loss| Price::of_loss(Currency::Pure, loss);
        assert_eq!(pure(&Loss::bounded_range(epsilon("0.3"))), Some(Price::pure(&epsilon("0.3"))));
        assert_eq!(pure(&Loss::zcdp(Rho::parse("1").unwrap())), None, "ρ is no pure ε");
        assert_eq!(pure(&approximate), None);
    }

    #[test]
    fn a_price_covers_no_less_in_its_own_currency() {
        let zcdp =
            |rho: &str, delta: &str| Price::zcdp(&Rho::parse(rho).unwrap(), &Delta::parse(delta).unwrap());
        assert!(zcdp("0.5", "1e-6").covers(&zcdp("0.5", "0")));
        assert!(!zcdp("0.5", "0").covers(&zcdp("0.4", "1e-6")));
        assert!(!zcdp("0.5", "0").covers(&zcdp("0.6", "0")));
        assert!(!Price::pure(&epsilon("1")).covers(&zcdp("0.1", "0")));
    }
}
