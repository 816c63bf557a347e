//! Scales: how much noise is added. A scale that has to be rounded is rounded up, towards more noise.

use std::sync::LazyLock;

use pointillist_numbers::Rational;

use crate::parameter::{Interval, Limit};
use crate::{Epsilon, ParameterError, SensitivityL1};

/// The scale of a noise distribution, in units of the answer, between `2^-40` and `2^100`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scale(Rational);

static INTERVAL: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "scale",
    least: Rational::power_of_two(-40),
    limit: Limit::AtMost(Rational::power_of_two(100)),
    zero_hint: Some("zero would add no noise; write a positive number such as 2"),
    example: "2",
});

parameter!(Scale in INTERVAL);

impl Scale {
    /// Takes a number at or above the scale that a proof asks for. It checks what [`Scale::new`] checks; the
    /// name reminds the caller to have rounded up: a smaller scale is less noise than was promised.
    pub fn from_upper(value: Rational) -> Result<Self, ParameterError> {
        Self::new(value)
    }
}

/// The Laplace scale that makes an answer of this sensitivity ε-differentially private: `Δ/ε`, exactly.
pub fn laplace_scale_upper(
    sensitivity_l1: &SensitivityL1,
    epsilon: &Epsilon,
) -> Result<Scale, ParameterError> {
    Scale::from_upper(sensitivity_l1.value() / epsilon.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};
    use pointillist_errors::Explained as _;

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(Scale::parse);
        assert_refuses_hostile_floats(Scale::from_f64);
        assert!(Scale::parse("0").unwrap_err().explanation().text().contains("hint:"));
    }

    #[test]
    fn the_ends_of_the_range_belong_to_it() {
        assert!(Scale::new(Rational::power_of_two(-40)).is_ok());
        assert!(Scale::new(Rational::power_of_two(-41)).is_err());
        assert!(Scale::from_upper(Rational::power_of_two(100)).is_ok());
        assert!(Scale::from_upper(Rational::power_of_two(100) + Rational::one()).is_err());
    }

    #[test]
    fn the_laplace_scale_is_the_exact_quotient() {
        let sensitivity = SensitivityL1::parse("1").unwrap();
        let scale = |epsilon: &str| laplace_scale_upper(&sensitivity, &Epsilon::parse(epsilon).unwrap());
        assert_eq!(scale("0.3").unwrap().to_string(), "10/3");
        assert_eq!(scale("0.1").unwrap().to_string(), "10");
        assert!(scale("1e6").is_ok());
        assert!(scale("1/18446744073709551616").is_ok(), "2^64 is a scale");
        let huge = SensitivityL1::parse("1e38").unwrap();
        assert!(laplace_scale_upper(&huge, &Epsilon::parse("1").unwrap()).is_err());
    }
}
