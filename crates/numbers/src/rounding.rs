//! Short decimals for people, rounded in a stated direction.

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

fn decimal(value: &Rational, digits: usize, up: bool) -> String {
    if value.is_zero() {
        return "0".to_owned();
    }
    let ten = |exponent: i64| {
        let power = Rational::from(UBig::from(10u8).pow(exponent.unsigned_abs() as usize));
        if exponent >= 0 { power } else { Rational::one() / power }
    };
    // The decimal exponent by comparison, from a guess by bit lengths that is off by one either way.
    let length = |bits: usize| i64::try_from(bits).expect("a bit length fits i64");
    let bits =
        length(value.numerator().clone().unsigned_abs().bit_len()) - length(value.denominator().bit_len());
    let guess = bits * 30_103 / 100_000;
    let exponent = (guess - 2..=guess + 2).rev().find(|e| *value >= ten(*e)).unwrap_or(guess - 2);
    let digits = i64::try_from(digits.clamp(1, 30)).expect("a few digits");
    let shift = digits - 1 - exponent;
    let scaled = value * &ten(shift);
    let integer = if up { scaled.ceil() } else { scaled.floor() }.unsigned_abs();
    let rounded = Rational::from(integer.clone()) * ten(-shift);
    if (-7..=20).contains(&exponent) {
        return rounded.to_string();
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
}
