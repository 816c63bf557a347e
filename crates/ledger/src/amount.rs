//! What is counted: whole units of 10⁻²⁴, in one of two currencies. No float, and no rounding the wrong way.
//!
//! **Guarantee.** A [`Price`] is never below the loss it pays for, and a [`Budget`] never above what the owner
//! declared. Whatever the [filter](pointillist_privacy::filter::ZcdpFilter) admits stays within the budget, even
//! when each question and its price are chosen in the light of all answers before it.
//! **Source.** [`Currency::Zcdp`]: the filter of `pointillist-privacy`, `filter/zcdp.rs`. [`Currency::Pure`]:
//! the same two sums, over ε and δ, are the basic filter of Rogers, Roth, Ullman, Vadhan (2016),
//! arXiv:1605.08294: adaptively chosen losses are within (Σε, Σδ).
//! **Exactness.** Integers only. Sums that would overflow are refused.

use std::fmt;

use pointillist_numbers::Rational;
use pointillist_privacy::filter::ZcdpCost;
use pointillist_privacy::{Delta, Epsilon, Rho};

const UNITS_IN_ONE: u128 = 10u128.pow(24);
const DECIMALS: usize = 24;

/// What the first of the two sums of a scope adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Currency {
    /// ρ and δ of approximate zero-concentrated differential privacy.
    Zcdp,
    /// ε and δ, added up.
    Pure,
}

impl Currency {
    /// The letter of the loss: ρ or ε.
    pub fn symbol(self) -> char {
        match self {
            Self::Zcdp => 'ρ',
            Self::Pure => 'ε',
        }
    }

    /// An amount for people to read, exactly.
    pub fn text(self, amount: Amount) -> String {
        match (self, amount.delta_units) {
            (Self::Pure, 0) => format!("ε = {}", amount.loss()),
            _ => format!("{} = {} and δ = {}", self.symbol(), amount.loss(), amount.delta()),
        }
    }
}

/// A pair of sums, in whole units of 10⁻²⁴.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Amount {
    /// Units of ρ or of ε.
    pub loss_units: u128,
    /// Units of δ.
    pub delta_units: u128,
}

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self { loss_units: 0, delta_units: 0 };

    /// The loss as an exact decimal.
    pub fn loss(self) -> String {
        decimal(self.loss_units)
    }

    /// δ as an exact decimal.
    pub fn delta(self) -> String {
        decimal(self.delta_units)
    }

    pub(crate) fn units(self) -> [u128; 2] {
        [self.loss_units, self.delta_units]
    }

    pub(crate) fn from_units([loss_units, delta_units]: [u128; 2]) -> Self {
        Self { loss_units, delta_units }
    }

    /// Both sums at once. A sum that would overflow stays at the largest number, which nothing is left of.
    pub(crate) fn plus(self, other: Self) -> Self {
        self.zip(other, u128::saturating_add)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        self.zip(other, u128::saturating_sub)
    }

    pub(crate) fn raised_to(self, other: Self) -> Self {
        self.zip(other, u128::max)
    }

    fn zip(self, other: Self, each: fn(u128, u128) -> u128) -> Self {
        Self {
            loss_units: each(self.loss_units, other.loss_units),
            delta_units: each(self.delta_units, other.delta_units),
        }
    }
}

/// What one answer costs: at least one unit, rounded up.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Price {
    currency: Currency,
    cost: ZcdpCost,
}

impl Price {
    /// The price of a release whose loss is known in approximate zCDP.
    pub fn zcdp(cost: &ZcdpCost) -> Self {
        Self { currency: Currency::Zcdp, cost: *cost }
    }

    /// The price of an ε-differentially private release.
    pub fn pure(epsilon: &Epsilon) -> Self {
        Self::from_units(Currency::Pure, Amount { loss_units: epsilon.units_upper(), delta_units: 0 })
            .expect("ε is positive, so it is at least one unit when rounded up")
    }

    /// A price in whole units. `None` for a loss of zero units: no release is free.
    pub fn from_units(currency: Currency, amount: Amount) -> Option<Self> {
        let cost = ZcdpCost::from_units(amount.loss_units, amount.delta_units)?;
        Some(Self { currency, cost })
    }

    /// What is counted.
    pub fn currency(&self) -> Currency {
        self.currency
    }

    /// How much of it.
    pub fn amount(&self) -> Amount {
        Amount { loss_units: self.cost.rho_units(), delta_units: self.cost.delta_units() }
    }

    /// The same two numbers, in the filter's words.
    pub(crate) fn cost(&self) -> &ZcdpCost {
        &self.cost
    }
}

impl fmt::Display for Price {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.currency.text(self.amount()))
    }
}

impl fmt::Debug for Price {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Price({self})")
    }
}

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
}

impl fmt::Display for Budget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.currency.text(self.amount))
    }
}

fn units_lower(value: &Rational) -> u128 {
    let units = (value * &Rational::from(UNITS_IN_ONE)).floor();
    u128::try_from(units).expect("a parameter is between 0 and 10^6, which takes 100 bits of units")
}

/// So many units as a decimal, exactly and without idle zeros.
fn decimal(units: u128) -> String {
    let (whole, part) = (units / UNITS_IN_ONE, units % UNITS_IN_ONE);
    let digits = format!("{part:0width$}", width = DECIMALS);
    match digits.trim_end_matches('0') {
        "" => whole.to_string(),
        digits => format!("{whole}.{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal(0), "0");
        assert_eq!(decimal(1), "0.000000000000000000000001");
        assert_eq!(decimal(UNITS_IN_ONE / 10), "0.1");
        assert_eq!(decimal(25 * UNITS_IN_ONE / 2), "12.5");
        assert_eq!(decimal(u128::MAX), "340282366920938.463463374607431768211455");
    }

    #[test]
    fn prices_round_up_and_budgets_down() {
        let third = Epsilon::parse("1/3").unwrap();
        let (price, budget) = (Price::pure(&third).amount(), Budget::pure(&third).amount);
        assert_eq!(price.loss_units, budget.loss_units + 1);
        let (rho, delta) = (Rho::parse("1/3").unwrap(), Delta::parse("1e-6").unwrap());
        let price = Price::zcdp(&ZcdpCost::new(&rho, &delta)).amount();
        let budget = Budget::zcdp(&rho, &delta).amount;
        assert_eq!(price.loss_units, budget.loss_units + 1);
        assert_eq!(price.delta_units, budget.delta_units, "a decimal is a whole number of units");
    }

    #[test]
    fn no_release_is_free() {
        assert_eq!(Price::from_units(Currency::Pure, Amount { loss_units: 0, delta_units: 7 }), None);
    }

    #[test]
    fn amounts_read_as_people_write_them() {
        let amount = Amount { loss_units: UNITS_IN_ONE / 4, delta_units: 0 };
        assert_eq!(Currency::Pure.text(amount), "ε = 0.25");
        assert_eq!(Currency::Zcdp.text(amount), "ρ = 0.25 and δ = 0");
    }
}
