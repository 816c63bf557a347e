//! δ: the probability with which a guarantee may fail.

use std::sync::LazyLock;

use pointillist_numbers::Rational;

use crate::parameter::{Interval, Limit};

/// A failure probability δ of a privacy guarantee: zero, or between `1e-60` and one, one excluded; exact.
///
/// Zero means that the guarantee never fails. A nonzero δ below `1e-60` is refused: nobody can tell it from
/// zero, and whoever means zero should write it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Delta(Rational);

static INTERVAL: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "delta",
    least: Rational::parse("1e-60").expect("a constant decimal parses"),
    limit: Limit::Below(Rational::one()),
    zero_hint: None,
    example: "1e-6 (or 0 for a guarantee that never fails)",
});

parameter!(Delta in INTERVAL);
adds_up!(Delta in INTERVAL);

impl Delta {
    /// A guarantee that never fails.
    pub fn zero() -> Self {
        Self(Rational::zero())
    }

    /// Whether the guarantee never fails.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};
    use pointillist_errors::Explained as _;

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(Delta::parse);
        assert_refuses_hostile_floats(Delta::from_f64);
        for text in ["1", "1.0", "2", "1e-61", "10/9"] {
            assert!(Delta::parse(text).unwrap_err().explanation().text().contains("hint:"), "{text}");
        }
        assert_eq!(
            Delta::parse("1").unwrap_err().explanation().text(),
            "delta = 1 is too large\n\
             hint: write less than 1, for example 1e-6 (or 0 for a guarantee that never fails)"
        );
    }

    #[test]
    fn zero_is_a_delta() {
        assert_eq!(delta("0"), Delta::zero());
        assert_eq!(Delta::from_f64(0.0).unwrap(), Delta::zero());
        assert_eq!(Delta::new(Rational::zero()).unwrap(), Delta::zero());
        assert_eq!(Delta::zero().units_upper(), 0);
        assert_eq!(Delta::zero().divided_by(5).unwrap(), Delta::zero());
        assert_eq!(delta("0.5").times(0).unwrap(), Delta::zero());
        assert!(delta("1e-60") > Delta::zero());
    }

    #[test]
    fn sums_and_multiples_that_reach_one_are_refused() {
        assert_eq!(delta("0.25").plus(&delta("0.5")).unwrap(), delta("0.75"));
        assert!(delta("0.5").plus(&delta("0.5")).is_err());
        assert_eq!(delta("0.1").times(9).unwrap(), delta("0.9"));
        assert!(delta("0.1").times(10).is_err());
        assert!(delta("1e-60").times(u64::MAX).is_ok());
    }

    #[test]
    fn shares_are_exact_and_stay_countable() {
        assert_eq!(delta("1e-6").divided_by(3).unwrap().to_string(), "1/3000000");
        assert!(delta("1e-60").divided_by(2).is_err());
        assert!(delta("0.5").divided_by(0).is_err());
    }

    #[test]
    fn the_smallest_delta_costs_one_unit() {
        assert_eq!(delta("1e-60").units_upper(), 1);
        assert_eq!(delta("1/18446744073709551616").units_upper(), 54_211);
        assert_eq!(delta("0.5").units_upper(), 5 * 10u128.pow(23));
        assert_eq!(delta("1e-6").units_upper(), 10u128.pow(18));
    }
}
