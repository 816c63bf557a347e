//! Short decimals, rounded in a stated direction: as text for people, and as numbers to go on with.

use dashu_int::UBig;
use dashu_int::ops::{BitTest, UnsignedAbs};

use crate::Rational;

/// The smallest decimal with at most `digits` (up to 30) significant digits at or above a nonnegative number.
pub fn decimal_upper(value: &Rational, digits: usize) -> String {
    decimal(value, digits, true)
}

/// The largest decimal with at most `digits` (up to 30) significant digits at or below a nonnegative number.
pub fn decimal_lower(value: &Rational, digits: usize) -> String {
    decimal(value, digits, false)
}

/// As [`decimal_upper`], with a power of ten in place of three or more zeros behind the point.
pub fn short_decimal_upper(value: &Rational, digits: usize) -> String {
    without_leading_zeros(&decimal_upper(value, digits))
}

/// As [`decimal_lower`], with a power of ten in place of three or more zeros behind the point.
pub fn short_decimal_lower(value: &Rational, digits: usize) -> String {
    without_leading_zeros(&decimal_lower(value, digits))
}

/// The same decimal with a power of ten in place of three or more zeros behind the point: `0.00025` is `2.5e-4`.
pub fn without_leading_zeros(decimal: &str) -> String {
    let Some(fraction) = decimal.strip_prefix("0.000").filter(|_| !decimal.contains('e')) else {
        return decimal.to_owned();
    };
    let digits = fraction.trim_start_matches('0');
    let exponent = 4 + fraction.len() - digits.len();
    let Some((lead, rest)) = digits.split_at_checked(1) else {
        return decimal.to_owned();
    };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{lead}{point}{rest}e-{exponent}")
}

impl Rational {
    /// The smallest number with at most `digits` (up to 30) significant decimal digits at or above this nonnegative
    /// one: what [`decimal_upper`] writes.
    pub fn round_up_to_digits(&self, digits: usize) -> Self {
        if self.is_zero() { self.clone() } else { Rounded::new(self, digits, true).value() }
    }

    /// The largest number with at most `digits` (up to 30) significant decimal digits at or below this nonnegative one:
    /// what [`decimal_lower`] writes.
    pub fn round_down_to_digits(&self, digits: usize) -> Self {
        if self.is_zero() { self.clone() } else { Rounded::new(self, digits, false).value() }
    }
}

/// An integer of so many digits, times a power of ten.
struct Rounded {
    integer: UBig,
    /// The integer is this power of ten too large.
    shift: i64,
    /// The power of ten of the leading digit, before rounding.
    exponent: i64,
    digits: i64,
}

impl Rounded {
    /// Of a positive number.
    fn new(value: &Rational, digits: usize, up: bool) -> Self {
        // The decimal exponent by comparison, from a guess by bit lengths that is off by one either way.
        let length = |bits: usize| i64::try_from(bits).expect("a bit length fits i64");
        let bits = length(value.numerator().clone().unsigned_abs().bit_len())
            - length(value.denominator().bit_len());
        let guess = bits * 30_103 / 100_000;
        let exponent = (guess - 2..=guess + 2).rev().find(|e| *value >= ten(*e)).unwrap_or(guess - 2);
        let digits = i64::try_from(digits.clamp(1, 30)).expect("a few digits");
        let shift = digits - 1 - exponent;
        let scaled = value * &ten(shift);
        let integer = if up { scaled.ceil() } else { scaled.floor() }.unsigned_abs();
        Self { integer, shift, exponent, digits }
    }

    fn value(&self) -> Rational {
        Rational::from(self.integer.clone()) * ten(-self.shift)
    }
}

fn ten(exponent: i64) -> Rational {
    let power = Rational::from(UBig::from(10u8).pow(exponent.unsigned_abs() as usize));
    if exponent >= 0 { power } else { Rational::one() / power }
}

fn decimal(value: &Rational, digits: usize, up: bool) -> String {
    if value.is_zero() {
        return "0".to_owned();
    }
    let rounded = Rounded::new(value, digits, up);
    let Rounded { integer, exponent, digits, .. } = &rounded;
    if (-7..=20).contains(exponent) {
        return rounded.value().to_string();
    }
    // Far from one, scientific notation: the integer's own digits carry the mantissa.
    let figures = integer.to_string();
    let power = exponent + i64::try_from(figures.len()).expect("a few digits") - digits;
    let (lead, rest) = figures.split_at(1);
    let rest = rest.trim_end_matches('0');
    let point = if rest.is_empty() { "" } else { "." };
    format!("{lead}{point}{rest}e{power}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_stay_on_their_side() {
        for text in
            ["1/3", "2/3", "1e-30", "0.1", "999999/1000", "123456789", "0.09999999999", "1e25", "31622/99999"]
        {
            let exact = Rational::parse(text).unwrap();
            for digits in [1, 3, 6] {
                let (lower, upper) = (decimal_lower(&exact, digits), decimal_upper(&exact, digits));
                let [low, high] = [&lower, &upper].map(|t| Rational::parse(t).unwrap());
                assert!(low <= exact && exact <= high, "{text}: {lower} {upper}");
                let spread = Rational::parse(&format!("1e{}", 1 - i32::try_from(digits).unwrap())).unwrap();
                assert!(high - low <= &exact * &spread, "{text}: {lower} {upper}");
            }
        }
        assert_eq!(decimal_upper(&Rational::ratio(1, 3), 3), "0.334");
        assert_eq!(decimal_upper(&Rational::parse("1e-9").unwrap(), 3), "1e-9");
        assert_eq!(decimal_upper(&Rational::ratio(999_999, 1000), 3), "1000");
        assert_eq!(decimal_lower(&Rational::zero(), 3), "0");
    }

    /// Specification: rounding to a number and rounding to a text are the same rounding, and nothing is lost by a power
    /// of ten in place of zeros.
    #[test]
    fn rounded_numbers_are_what_is_written() {
        for text in ["0", "1/3", "1e-30", "0.1", "999999/1000", "0.00025", "0.0001", "1e25", "31622/99999"] {
            let exact = Rational::parse(text).unwrap();
            for digits in [1, 3, 6] {
                let read = |text: String| Rational::parse(&text).unwrap();
                assert_eq!(read(decimal_upper(&exact, digits)), exact.round_up_to_digits(digits), "{text}");
                assert_eq!(
                    read(short_decimal_upper(&exact, digits)),
                    exact.round_up_to_digits(digits),
                    "{text}"
                );
                assert_eq!(read(decimal_lower(&exact, digits)), exact.round_down_to_digits(digits), "{text}");
                assert_eq!(
                    read(short_decimal_lower(&exact, digits)),
                    exact.round_down_to_digits(digits),
                    "{text}"
                );
            }
        }
        for (plain, short) in
            [("0.0001", "1e-4"), ("0.00025", "2.5e-4"), ("0.001", "0.001"), ("0.0000", "0.0000")]
        {
            assert_eq!(without_leading_zeros(plain), short);
        }
    }
}
