//! A sum of losses within a budget, in exact rationals.
//!
//! **Exactness.** Sums are exact up to 256 bits behind the point and rounded up beyond, so that 0.1 fits
//! ten times into 1.

use pointillist_numbers::{Rational, decimal_lower};

use crate::parameter::rounded_up;

/// Digits of a remaining budget that people read.
const DIGITS: usize = 6;

/// What may be spent and what was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    budget: Rational,
    spent: Rational,
}

impl Account {
    pub(crate) fn new(budget: Rational) -> Self {
        Self { budget, spent: Rational::zero() }
    }

    pub(crate) fn budget(&self) -> &Rational {
        &self.budget
    }

    /// Zero when more than the budget was spent, which only [`Account::charge`] without asking can do.
    pub(crate) fn remaining(&self) -> Rational {
        (&self.budget - &self.spent).max(Rational::zero())
    }

    /// What is left, to read; rounded down.
    pub(crate) fn remaining_text(&self) -> String {
        decimal_lower(&self.remaining(), DIGITS)
    }

    pub(crate) fn admits(&self, cost: &Rational) -> bool {
        rounded_up(&self.spent + cost) <= self.budget
    }

    /// Adds without asking; whoever has not asked keeps the budget by another account.
    pub(crate) fn charge(&mut self, cost: &Rational) {
        self.spent = rounded_up(&self.spent + cost);
    }

    /// How often `cost` still fits.
    pub(crate) fn how_many_more(&self, cost: &Rational) -> u64 {
        if self.spent > self.budget {
            return 0;
        }
        if !cost.is_positive() {
            return u64::MAX;
        }
        let sum = &self.spent + cost;
        let each = if rounded_up(sum.clone()) == sum {
            cost.clone()
        } else {
            // Every sum from here on is rounded up, by less than one unit of the last bit kept.
            cost.round_up_to_bits(256) + Rational::power_of_two(-256)
        };
        u64::try_from((self.remaining() / each).floor()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    #[test]
    fn a_tenth_fits_ten_times_into_one() {
        let mut account = Account::new(rational("1"));
        let tenth = rational("0.1");
        for left in (1..=10).rev() {
            assert_eq!(account.how_many_more(&tenth), left);
            assert!(account.admits(&tenth));
            account.charge(&tenth);
        }
        assert!(!account.admits(&Rational::power_of_two(-1000)));
        assert_eq!(account.how_many_more(&tenth), 0);
        assert_eq!(account.how_many_more(&Rational::zero()), u64::MAX);
    }

    /// Denominators past 256 bits: sums are rounded up, and counts never promise more than is admitted.
    #[test]
    fn counts_never_promise_too_much() {
        let cost = Rational::one() / (Rational::power_of_two(300) + Rational::one()) + rational("1/7");
        let mut account = Account::new(rational("1"));
        let promised = account.how_many_more(&cost);
        let mut admitted = 0;
        while account.admits(&cost) {
            account.charge(&cost);
            admitted += 1;
        }
        assert_eq!((promised, admitted), (6, 6));
        assert!(account.spent >= &cost * &Rational::from(6));
    }

    #[test]
    fn an_overdrawn_account_has_nothing_left() {
        let mut account = Account::new(rational("1"));
        account.charge(&rational("2"));
        assert_eq!(account.remaining(), Rational::zero());
        assert_eq!(account.how_many_more(&Rational::zero()), 0);
        assert_eq!(*account.budget(), rational("1"));
    }
}
