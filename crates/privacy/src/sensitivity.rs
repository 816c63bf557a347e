//! Sensitivities: how far one unit can move an answer, with the norm in the type.
//!
//! Zero is refused everywhere. A constant needs no mechanism, and a zero that slipped in is how another
//! library once released exact values.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use dashu_int::UBig;
use dashu_int::ops::{SquareRoot, UnsignedAbs};
use pointillist_numbers::{Enclosure, Rational};

use crate::ParameterError;
use crate::parameter::{Interval, Limit};

/// The significant bits of a root that has to be rounded.
const ROOT_BITS: usize = 128;
/// Enough absolute precision that the root of the smallest square, 2^-64, still has more than 128 significant
/// bits.
const ROOT_PRECISION: usize = 320;

/// The largest distance between answers on neighbours in the sum of absolute differences, exact, between
/// `2^-64` and `2^128`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensitivityL1(Rational);

/// The largest distance in any single coordinate, exact, between `2^-64` and `2^128`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensitivityLInf(Rational);

/// The largest Euclidean distance, between `2^-64` and `2^128`.
///
/// What is stored is the exact square, because a sensitivity such as √k is irrational and the Gaussian
/// mechanism only asks for the square.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensitivityL2 {
    squared: Rational,
}

const ZERO_HINT: &str =
    "zero would add no noise; a constant needs no mechanism, and any other answer moves by more, such as 1";

fn interval(parameter: &'static str, exponents: [i64; 2]) -> Interval {
    Interval {
        parameter,
        least: Rational::power_of_two(exponents[0]),
        limit: Limit::AtMost(Rational::power_of_two(exponents[1])),
        zero_hint: Some(ZERO_HINT),
        example: "1",
    }
}

static L1: LazyLock<Interval> = LazyLock::new(|| interval("L1 sensitivity", [-64, 128]));
static L2: LazyLock<Interval> = LazyLock::new(|| interval("L2 sensitivity", [-64, 128]));
static L2_SQUARED: LazyLock<Interval> = LazyLock::new(|| interval("squared L2 sensitivity", [-128, 256]));
static L_INF: LazyLock<Interval> = LazyLock::new(|| interval("L∞ sensitivity", [-64, 128]));

parameter!(SensitivityL1 in L1);
parameter!(SensitivityLInf in L_INF);

impl SensitivityL1 {
    /// `‖v‖₁ ≤ k·‖v‖∞` when at most `groups_per_unit_max` coordinates of `v` differ from zero.
    pub fn from_linf(each: &SensitivityLInf, groups_per_unit_max: u64) -> Result<Self, ParameterError> {
        Self::new(&each.0 * &Rational::from(groups_per_unit_max))
    }
}

impl SensitivityLInf {
    /// `‖v‖∞ ≤ ‖v‖₁`.
    pub fn from_l1(sensitivity_l1: &SensitivityL1) -> Self {
        Self(sensitivity_l1.0.clone())
    }
}

impl SensitivityL2 {
    /// Takes the sensitivity itself, exactly.
    pub fn new(value: Rational) -> Result<Self, ParameterError> {
        L2.check(value).map(Self::of)
    }

    /// Reads a decimal (`0.5`, `1e-6`) or a fraction (`1/3`), exactly.
    pub fn parse(text: &str) -> Result<Self, ParameterError> {
        L2.parse(text).map(Self::of)
    }

    /// Takes the exact dyadic value of a float.
    pub fn from_f64(value: f64) -> Result<Self, ParameterError> {
        L2.read_f64(value).map(Self::of)
    }

    /// Takes the square of the sensitivity: `from_squared(k)` is a sensitivity of √k.
    pub fn from_squared(squared: Rational) -> Result<Self, ParameterError> {
        L2_SQUARED.check(squared).map(|squared| Self { squared })
    }

    /// `‖v‖₂ ≤ ‖v‖₁`.
    pub fn from_l1(sensitivity_l1: &SensitivityL1) -> Self {
        Self::of(sensitivity_l1.0.clone())
    }

    /// `‖v‖₂ ≤ √k·‖v‖∞` when at most `groups_per_unit_max` coordinates of `v` differ from zero.
    pub fn from_linf(each: &SensitivityLInf, groups_per_unit_max: u64) -> Result<Self, ParameterError> {
        Self::from_squared(each.0.squared() * Rational::from(groups_per_unit_max))
    }

    /// The exact square.
    pub fn squared(&self) -> &Rational {
        &self.squared
    }

    /// The sensitivity itself: exact when the square is the square of a rational, rounded up to 128
    /// significant bits otherwise.
    pub fn value_upper(&self) -> Rational {
        self.exact_root().unwrap_or_else(|| {
            Enclosure::of(&self.squared, ROOT_PRECISION).sqrt().upper().round_up_significant(ROOT_BITS)
        })
    }

    /// The nearest float at or above.
    pub fn to_f64_upper(&self) -> f64 {
        self.value_upper().to_f64_upper()
    }

    fn of(value: Rational) -> Self {
        Self { squared: value.squared() }
    }

    fn exact_root(&self) -> Option<Rational> {
        let root_of = |square: &UBig| Some(square.sqrt()).filter(|root| root * root == *square);
        let over = root_of(&self.squared.numerator().unsigned_abs())?;
        // In lowest terms a fraction is a square only when both of its parts are.
        let under = root_of(self.squared.denominator())?;
        Rational::new(over, under)
    }
}

impl FromStr for SensitivityL2 {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        Self::parse(text)
    }
}

/// The exact value, under a root sign where it is irrational.
impl fmt::Display for SensitivityL2 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact_root() {
            Some(root) => fmt::Display::fmt(&root, out),
            None if self.squared.is_integer() => write!(out, "√{}", self.squared),
            None => write!(out, "√({})", self.squared),
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(SensitivityL1::parse);
        assert_refuses_hostile_texts(SensitivityL2::parse);
        assert_refuses_hostile_texts(SensitivityLInf::parse);
        assert_refuses_hostile_floats(SensitivityL1::from_f64);
        assert_refuses_hostile_floats(SensitivityL2::from_f64);
        assert_refuses_hostile_floats(SensitivityLInf::from_f64);
    }

    #[test]
    fn zero_is_refused_because_it_would_add_no_noise() {
        let message = SensitivityL1::parse("0").unwrap_err().explanation().text();
        assert_eq!(
            message,
            "L1 sensitivity = 0 is zero\nhint: zero would add no noise; a constant needs no mechanism, \
             and any other answer moves by more, such as 1"
        );
        assert!(SensitivityL2::parse("0").is_err());
        assert!(SensitivityL2::from_squared(Rational::zero()).is_err());
        assert!(SensitivityLInf::from_f64(0.0).is_err());
        let each = SensitivityLInf::parse("3").unwrap();
        assert!(SensitivityL1::from_linf(&each, 0).is_err());
        assert!(SensitivityL2::from_linf(&each, 0).is_err());
    }

    #[test]
    fn norms_convert_by_their_inequalities() {
        let l1 = SensitivityL1::parse("1/3").unwrap();
        assert_eq!(*SensitivityL2::from_l1(&l1).squared(), rational("1/9"));
        assert_eq!(*SensitivityLInf::from_l1(&l1).value(), rational("1/3"));
        let each = SensitivityLInf::parse("500").unwrap();
        assert_eq!(*SensitivityL1::from_linf(&each, 4).unwrap().value(), rational("2000"));
        let l2 = SensitivityL2::from_linf(&each, 4).unwrap();
        assert_eq!((l2.squared().clone(), l2.value_upper()), (rational("1000000"), rational("1000")));
        assert!(SensitivityL1::from_linf(&SensitivityLInf::parse("1e38").unwrap(), 4).is_err());
    }

    #[test]
    fn the_root_is_exact_where_it_can_be() {
        for text in ["1", "0.5", "1/3", "1000", "22/7", "1e-15"] {
            let sensitivity = SensitivityL2::parse(text).unwrap();
            assert_eq!(sensitivity.value_upper(), rational(text));
        }
    }

    #[test]
    fn the_root_squares_to_at_least_the_square() {
        let mut words = seeded(3);
        let slack = Rational::one() + Rational::power_of_two(-125);
        let ends = [Rational::power_of_two(-128) * Rational::ratio(3, 2), Rational::power_of_two(255)];
        let random = (0..300).map(|_| Rational::from(words()) / Rational::from(words() | 1));
        for square in ends.into_iter().chain(random) {
            let sensitivity = SensitivityL2::from_squared(square.clone()).unwrap();
            let root = sensitivity.value_upper();
            assert!(root.squared() >= square, "{square}");
            assert!(root.squared() <= &square * &slack, "{square}");
            assert!(sensitivity.to_f64_upper() >= root.to_f64_lower());
        }
    }

    #[test]
    fn irrational_sensitivities_print_under_a_root() {
        let of = |square: &str| SensitivityL2::from_squared(rational(square)).unwrap().to_string();
        assert_eq!(of("2"), "√2");
        assert_eq!(of("4"), "2");
        assert_eq!(of("0.25"), "0.5");
        assert_eq!(of("0.5"), "√(0.5)");
    }

    #[test]
    fn sensitivities_compare_by_size() {
        let of = |square: &str| SensitivityL2::from_squared(rational(square)).unwrap();
        assert!(of("2") < of("3"));
        assert!(SensitivityL2::parse("1.4142").unwrap() < of("2"));
    }
}
