//! ρ: the loss of zero-concentrated differential privacy, the currency of the ledger.

use std::sync::LazyLock;

use pointillist_numbers::Rational;

use crate::parameter::{Interval, Limit, rounded_up};
use crate::{Epsilon, ParameterError};

/// A zCDP loss ρ between `2^-64` and a million, exact.
///
/// Between neighbours, the Rényi divergence of every order α > 1 is at most `α·ρ`. A ledger counts it in units of
/// `10^-24`, of which decimals are whole numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rho(Rational);

static INTERVAL: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "rho",
    least: Rational::power_of_two(-64),
    limit: Limit::AtMost(Rational::from(1_000_000)),
    zero_hint: Some("no answer is free; write a positive number such as 0.05"),
    example: "0.05",
});

parameter!(Rho in INTERVAL);
adds_up!(Rho in INTERVAL);

impl Rho {
    /// The smallest ρ that is counted.
    pub fn least() -> Self {
        Self(INTERVAL.least.clone())
    }

    /// What ε-differential privacy costs: `ε²/2` (Bun and Steinke 2016, arXiv:1605.02065, Proposition 1.4;
    /// also the argument of [`Rho::from_bounded_range`], as a log-ratio in `[-ε, ε]` has range `2ε`).
    ///
    /// Exact up to 256 bits behind the point and rounded up beyond; never below the smallest ρ, because a
    /// loss that rounds to nothing could be repeated for ever. Refused above a million.
    pub fn from_pure(epsilon: &Epsilon) -> Result<Self, ParameterError> {
        Self::at_least_one_unit(epsilon.value().squared() * Rational::ratio(1, 2))
    }

    /// What η-bounded range costs: `η²/8`, rounded like [`Rho::from_pure`].
    ///
    /// Proof: let `L` be the log-ratio of the output probabilities on neighbours, in an interval of length η,
    /// and `K(α) = ln E[exp(αL)]` under the denominator. `K(0) = K(1) = 0` and `K″ ≤ η²/4`, the largest
    /// variance on such an interval, so `K(α) ≤ α(α − 1)·η²/8` for α > 1, and the divergence `K(α)/(α − 1)`
    /// is at most `α·η²/8`. (Cesar and Rogers 2021, arXiv:2004.07223, have the same constant.)
    pub fn from_bounded_range(eta: &Epsilon) -> Result<Self, ParameterError> {
        Self::at_least_one_unit(eta.value().squared() * Rational::ratio(1, 8))
    }

    fn at_least_one_unit(value: Rational) -> Result<Self, ParameterError> {
        Self::new(rounded_up(value).max(INTERVAL.least.clone()))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(Rho::parse);
        assert_refuses_hostile_floats(Rho::from_f64);
        assert!(Rho::parse("0").unwrap_err().explanation().text().contains("hint:"));
    }

    #[test]
    fn conversions_are_exact() {
        assert_eq!(Rho::from_pure(&epsilon("0.5")).unwrap(), rho("0.125"));
        assert_eq!(Rho::from_pure(&epsilon("1/3")).unwrap(), rho("1/18"));
        assert_eq!(Rho::from_bounded_range(&epsilon("1")).unwrap(), rho("0.125"));
        assert_eq!(Rho::from_bounded_range(&epsilon("0.1")).unwrap(), rho("0.00125"));
    }

    #[test]
    fn a_conversion_never_costs_less_than_the_least_loss() {
        let tiny = epsilon("1e-15");
        assert_eq!(Rho::from_pure(&tiny).unwrap(), Rho::least());
        assert_eq!(Rho::from_bounded_range(&tiny).unwrap(), Rho::least());
        assert!(Rho::from_pure(&epsilon("1e6")).is_err(), "5e11 is beyond the range");
    }

    #[test]
    fn units_never_fall_below_the_loss() {
        let one = 10u128.pow(24);
        assert_eq!(Rho::least().units_upper(), 54_211);
        assert_eq!(rho("1").units_upper(), one);
        assert_eq!(rho("1000000").units_upper(), 1_000_000 * one);
        let mut words = seeded(2);
        for _ in 0..1000 {
            let value =
                Rational::from(words() >> 44) + Rational::ratio(i128::from(words() >> 1) + 1, 1 << 90);
            let loss =
                Rho::new(value.max(Rational::power_of_two(-64)).min(Rational::from(1_000_000))).unwrap();
            let units = Rational::ratio(loss.units_upper() as i128, one);
            assert!(units >= *loss.value());
            assert!(units - loss.value().clone() < Rational::ratio(1, one));
        }
    }

    #[test]
    fn decimals_are_whole_numbers_of_units() {
        assert_eq!(rho("0.1").units_upper() * 10, rho("1").units_upper());
        assert_eq!(rho("0.000001").units_upper() * 1_000_000, rho("1").units_upper());
        assert_eq!(rho("0.1").times(10).unwrap().units_upper(), rho("1").units_upper());
    }

    #[test]
    fn long_denominators_round_up() {
        let fine =
            Rho::new(Rational::one() + Rational::ratio(1, (1 << 127) - 1) * Rational::power_of_two(-200))
                .unwrap();
        let sum = fine.plus(&fine).unwrap();
        let exact = fine.value() + fine.value();
        assert!(*sum.value() > exact);
        assert!(sum.value() - &exact < Rational::power_of_two(-256));
    }
}
