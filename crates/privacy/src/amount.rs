//! How much: whole units of 10⁻²⁴ of a loss and of δ. No float, and no rounding the wrong way.
//!
//! **Exactness.** One unit is 10⁻²⁴, so that what people write as decimals is a whole number of units: a tenth fits ten
//! times into one. What is no whole number of units is rounded by whoever makes an amount of it:
//! [prices](crate::Price) up, [budgets](crate::Budget) down.

use pointillist_numbers::Rational;

/// The units of one.
pub(crate) const UNITS_IN_ONE: u128 = 10u128.pow(24);

/// A pair of sums, in whole units of 10⁻²⁴. What the first one counts is said by a [`Currency`](crate::Currency).
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

    /// The loss, exactly.
    pub fn loss(self) -> Rational {
        value_of_units(self.loss_units)
    }

    /// δ, exactly.
    pub fn delta(self) -> Rational {
        value_of_units(self.delta_units)
    }

    /// Whether neither sum is above the other's.
    pub fn is_within(self, other: Self) -> bool {
        self.loss_units <= other.loss_units && self.delta_units <= other.delta_units
    }

    /// Both sums at once. A sum that would overflow stays at the largest number, which nothing is left of.
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, u128::saturating_add)
    }

    /// What is left of both sums once so much is taken; nothing where it is more than there is.
    pub fn minus(self, other: Self) -> Self {
        self.zip(other, u128::saturating_sub)
    }

    /// The larger of both sums each.
    pub fn raised_to(self, other: Self) -> Self {
        self.zip(other, u128::max)
    }

    fn zip(self, other: Self, each: fn(u128, u128) -> u128) -> Self {
        Self {
            loss_units: each(self.loss_units, other.loss_units),
            delta_units: each(self.delta_units, other.delta_units),
        }
    }
}

/// The smallest number of units at or above a loss.
pub(crate) fn units_upper(value: &Rational) -> u128 {
    let units = (value * &Rational::from(UNITS_IN_ONE)).ceil();
    u128::try_from(units).expect("a loss is at most 10^6, which takes 100 bits of units")
}

/// The largest number of units at or below a budget.
pub(crate) fn units_lower(value: &Rational) -> u128 {
    let units = (value * &Rational::from(UNITS_IN_ONE)).floor();
    u128::try_from(units).expect("a budget is at most 10^6, which takes 100 bits of units")
}

/// So many units as a number.
fn value_of_units(units: u128) -> Rational {
    Rational::from(units) / Rational::from(UNITS_IN_ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let decimal = |units: u128| Amount { loss_units: units, delta_units: 0 }.loss().to_string();
        assert_eq!(decimal(0), "0");
        assert_eq!(decimal(1), "0.000000000000000000000001");
        assert_eq!(decimal(UNITS_IN_ONE / 10), "0.1");
        assert_eq!(decimal(25 * UNITS_IN_ONE / 2), "12.5");
        assert_eq!(decimal(u128::MAX), "340282366920938.463463374607431768211455");
    }

    #[test]
    fn sums_stay_at_their_ends() {
        let most = Amount { loss_units: u128::MAX, delta_units: 1 };
        let two = Amount { loss_units: 2, delta_units: 2 };
        assert_eq!(most.plus(two), Amount { loss_units: u128::MAX, delta_units: 3 });
        assert_eq!(two.minus(most), Amount { loss_units: 0, delta_units: 1 });
        assert_eq!(two.raised_to(most), Amount { loss_units: u128::MAX, delta_units: 2 });
        assert!(!two.is_within(most) && !most.is_within(two) && two.is_within(two));
    }
}
