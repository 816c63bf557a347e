//! What every parameter shares: how a number is read, the interval it must lie in, and how it adds up.

use dashu_int::UBig;
use pointillist_numbers::{Rational, decimal_lower, decimal_upper};

use crate::ParameterError;

/// The most bits behind the point that arithmetic on losses keeps before it rounds up.
const FRACTION_BITS_MAX: i64 = 256;
/// Numbers in error messages are cut here.
const GIVEN_LENGTH_MAX: usize = 48;

/// Where the valid values end.
pub(crate) enum Limit {
    AtMost(Rational),
    Below(Rational),
}

/// The interval of one parameter, and the words of its refusals.
pub(crate) struct Interval {
    pub(crate) parameter: &'static str,
    pub(crate) least: Rational,
    pub(crate) limit: Limit,
    /// `None` where zero is a value like any other, otherwise what to do instead of writing zero.
    pub(crate) zero_hint: Option<&'static str>,
    pub(crate) example: &'static str,
}

impl Interval {
    /// A value of any origin, checked.
    pub(crate) fn check(&self, value: Rational) -> Result<Rational, ParameterError> {
        let exact = value.clone();
        self.check_as(value, || exact.to_string())
    }

    /// A decimal or a fraction as people write it, checked.
    pub(crate) fn parse(&self, text: &str) -> Result<Rational, ParameterError> {
        let value = Rational::parse(text).map_err(|source| self.not_a_number(source))?;
        // Minus zero is a number to the parser; here it is a sign that a subtraction went wrong upstream.
        if text.starts_with('-') {
            return Err(self.negative(text));
        }
        self.check_as(value, || text.to_owned())
    }

    /// The exact dyadic value of a float, checked.
    pub(crate) fn read_f64(&self, value: f64) -> Result<Rational, ParameterError> {
        let exact = Rational::from_f64(value).map_err(|source| self.not_a_number(source))?;
        if value.is_sign_negative() {
            return Err(self.negative(&value.to_string()));
        }
        self.check_as(exact, || value.to_string())
    }

    fn check_as(&self, value: Rational, given: impl Fn() -> String) -> Result<Rational, ParameterError> {
        let parameter = self.parameter;
        let given = || shortened(&given());
        if value.is_negative() {
            return Err(self.negative(&given()));
        }
        if value.is_zero() {
            return match self.zero_hint {
                None => Ok(value),
                Some(hint) => Err(ParameterError::Zero { parameter, given: given(), hint }),
            };
        }
        if value < self.least {
            let least = decimal_upper(&self.least, 3);
            let example = self.example;
            return Err(ParameterError::TooSmall { parameter, given: given(), least, example });
        }
        let limit = match &self.limit {
            Limit::AtMost(most) if value > *most => format!("at most {}", decimal_lower(most, 6)),
            Limit::Below(bound) if value >= *bound => format!("less than {bound}"),
            _ => return Ok(value),
        };
        Err(ParameterError::TooLarge { parameter, given: given(), limit, example: self.example })
    }

    fn negative(&self, given: &str) -> ParameterError {
        let (parameter, example) = (self.parameter, self.example);
        ParameterError::Negative { parameter, given: shortened(given), example }
    }

    fn not_a_number(&self, source: pointillist_numbers::NumberError) -> ParameterError {
        ParameterError::NotANumber { parameter: self.parameter, source }
    }
}

/// The same number, or the next multiple of `2^-256` above it when its denominator has outgrown `2^256`.
pub(crate) fn rounded_up(value: Rational) -> Rational {
    let longest = UBig::ONE << FRACTION_BITS_MAX.unsigned_abs() as usize;
    if *value.denominator() > longest { value.round_up_to_bits(FRACTION_BITS_MAX) } else { value }
}

pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(GIVEN_LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Constructors, accessors and texts of a newtype over [`Rational`] with a static [`Interval`].
macro_rules! parameter {
    ($name:ident in $interval:ident) => {
        impl $name {
            /// Takes an exact value inside the range.
            pub fn new(value: pointillist_numbers::Rational) -> Result<Self, $crate::ParameterError> {
                $interval.check(value).map(Self)
            }

            /// Reads a decimal (`0.5`, `1e-6`) or a fraction (`1/3`), exactly.
            pub fn parse(text: &str) -> Result<Self, $crate::ParameterError> {
                $interval.parse(text).map(Self)
            }

            /// Takes the exact dyadic value of a float: `0.1_f64` is not one tenth.
            pub fn from_f64(value: f64) -> Result<Self, $crate::ParameterError> {
                $interval.read_f64(value).map(Self)
            }

            /// The exact value.
            pub fn value(&self) -> &pointillist_numbers::Rational {
                &self.0
            }

            /// The nearest float at or above.
            pub fn to_f64_upper(&self) -> f64 {
                self.0.to_f64_upper()
            }

            /// The nearest float at or below.
            pub fn to_f64_lower(&self) -> f64 {
                self.0.to_f64_lower()
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ParameterError;

            fn from_str(text: &str) -> Result<Self, $crate::ParameterError> {
                Self::parse(text)
            }
        }

        /// The exact value, as a decimal where it has one and as a fraction otherwise; it parses back.
        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, out)
            }
        }
    };
}

/// Arithmetic of losses, which budgets are made of. Sums and multiples round up, never down.
macro_rules! adds_up {
    ($name:ident in $interval:ident) => {
        impl $name {
            /// The sum: exact, or rounded up to a multiple of `2^-256` once it needs more bits than that.
            pub fn plus(&self, other: &Self) -> Result<Self, $crate::ParameterError> {
                Self::new($crate::parameter::rounded_up(&self.0 + &other.0))
            }

            /// The multiple: exact, or rounded up to a multiple of `2^-256` once it needs more bits than
            /// that.
            pub fn times(&self, factor: u64) -> Result<Self, $crate::ParameterError> {
                let factor = pointillist_numbers::Rational::from(factor);
                Self::new($crate::parameter::rounded_up(&self.0 * &factor))
            }

            /// One of `shares` equal shares, exactly and never rounded: rounding a share up would let the
            /// shares outgrow the whole. Refused when a share falls below the smallest value we count.
            pub fn divided_by(&self, shares: u64) -> Result<Self, $crate::ParameterError> {
                match pointillist_numbers::Rational::from(shares).reciprocal() {
                    Some(fraction) => Self::new(&self.0 * &fraction),
                    None => Err($crate::ParameterError::NoShares {
                        parameter: $interval.parameter,
                        given: $crate::parameter::shortened(&self.to_string()),
                    }),
                }
            }

            /// The smallest number of `10^-24` ledger units at or above.
            pub fn units_upper(&self) -> u128 {
                $crate::amount::units_upper(&self.0)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_cut_in_messages() {
        assert_eq!(shortened("0.5"), "0.5");
        let cut = shortened(&"9".repeat(100));
        assert_eq!(cut.chars().count(), GIVEN_LENGTH_MAX + 1);
        assert!(shortened(&"é".repeat(100)).ends_with("é…"));
    }

    #[test]
    fn rounding_starts_beyond_256_bits_and_goes_up() {
        let fine = Rational::power_of_two(-256);
        assert_eq!(rounded_up(fine.clone()), fine);
        let third = Rational::ratio(1, 3);
        assert_eq!(rounded_up(third.clone()), third);
        let finer = &fine * &Rational::ratio(1, 3);
        assert_eq!(rounded_up(finer), fine);
    }
}
