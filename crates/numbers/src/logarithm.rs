//! The natural logarithm between certified bounds.
//!
//! **Guarantee.** `ln(x)` lies in `Enclosure::ln(a)` for every `x` in `a`.
//! **Method.** x = m·2^e with m in (1/2, 2); ln m = 2·atanh((m − 1)/(m + 1)) by its power series with remainder, in integers.

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use crate::enclosure::{ceil_div, floor_div, floor_shift};
use crate::{Enclosure, Rational};

impl Enclosure {
    /// The natural logarithm; `None` unless the whole enclosure is positive.
    pub fn ln(&self) -> Option<Self> {
        if self.lower <= IBig::ZERO {
            return None;
        }
        let lower = ln_of_point(&self.lower, self.precision);
        let upper = ln_of_point(&self.upper, self.precision);
        Some(Self::new(lower.lower, upper.upper, self.precision))
    }

    /// ln of a positive rational, however small, to an absolute precision; `None` at or below zero.
    pub fn ln_of(value: &Rational, precision: usize) -> Option<Self> {
        if !value.is_positive() {
            return None;
        }
        let (over, under) = (value.numerator(), IBig::from(value.denominator().clone()));
        Some(ln_of_quotient(over, &under, 0, precision))
    }
}

fn ln_of_point(units: &IBig, precision: usize) -> Enclosure {
    ln_of_quotient(units, &IBig::ONE, precision, precision)
}

/// ln of the exact positive number `over/under · 2^-point`.
fn ln_of_quotient(over: &IBig, under: &IBig, point: usize, precision: usize) -> Enclosure {
    let signed = |n: usize| i64::try_from(n).expect("a bit length fits i64");
    // Room for what the series loses, about three units a term.
    let working = precision + 32;
    let (over_length, under_length) = (over.bit_len(), under.bit_len());
    // The same leading bit in both: their quotient m is in (1/2, 2), and |m − 1|/(m + 1) below 1/3.
    let length = over_length.max(under_length);
    let (over, under) = (over << (length - over_length), under << (length - under_length));
    let (difference, sum) = (&over - &under, &over + &under);
    let is_below = difference < IBig::ZERO;
    let scaled = (if is_below { -difference } else { difference }) << working;
    let z = Enclosure::new(floor_div(&scaled, &sum), ceil_div(&scaled, &sum), working);
    let logarithm = series(&z).mul_integer(if is_below { -2 } else { 2 });
    let exponent = signed(over_length) - signed(under_length) - signed(point);
    (&logarithm + &Enclosure::ln_2(working).mul_integer(exponent)).at_precision(precision)
}

/// atanh z = z + z³/3 + z⁵/5 + …, for z in [0, 1/3].
///
/// The lower bound is the sum at the lower end with everything rounded down. In units: the square is short by less than one,
/// so a power is by less than e with e ≤ e/9 + 1/3 + 1, which is 1.5, and a term by less than 2.5. The terms left out are
/// below 9/8 of the first, whose power is below one unit, or 2.5 where it was rounded. From one end to the other the function
/// rises by at most 9/8 of the width, since its slope is 1/(1 − z²).
fn series(z: &Enclosure) -> Enclosure {
    let precision = z.precision();
    let square = floor_shift(&(&z.lower * &z.lower), precision);
    let (mut power, mut sum, mut terms) = (z.lower.clone(), IBig::ZERO, 0u64);
    while power > IBig::ZERO {
        sum += &power / IBig::from(2 * terms + 1);
        power = floor_shift(&(&power * &square), precision);
        terms += 1;
    }
    let width = &z.upper - &z.lower;
    let lost = IBig::from(3 * terms + 4) + &width + (width >> 3) + IBig::ONE;
    Enclosure::new(sum.clone(), sum + lost, precision)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: the remainder is not too small. At every precision the series holds what it is at four times the
    /// precision.
    #[test]
    fn the_series_holds_its_limit() {
        for text in ["0", "1/256", "1/3", "0.2"] {
            let z = Rational::parse(text).unwrap();
            for precision in (4..200).step_by(3) {
                let coarse = series(&Enclosure::of(&z, precision));
                let fine = series(&Enclosure::of(&z, 4 * precision + 64));
                assert!(
                    coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper(),
                    "{text} at {precision}"
                );
            }
        }
    }

    #[test]
    fn known_digits_are_enclosed() {
        let cases = [
            ("10", "2.30258509299404568401799145468436420760110148862877297603332790", "1e-62"),
            ("1e-6", "-13.81551055796427410410794872810618524560660893177263785619996740", "1e-61"),
            ("200000", "12.206072645530173729507189394879997606", "1e-33"),
            ("3", "1.09861228866810969139524523692252570464749055782274945173469433", "1e-62"),
        ];
        for (x, digits, tolerance) in cases {
            let enclosure = Enclosure::ln_of(&Rational::parse(x).unwrap(), 250).unwrap();
            let centre = Rational::parse(digits).unwrap();
            let slack = Rational::parse(tolerance).unwrap();
            assert!(
                enclosure.lower() >= &centre - &slack && enclosure.upper() <= &centre + &slack,
                "ln({x})"
            );
            assert!(enclosure.upper() - enclosure.lower() < Rational::power_of_two(-240));
        }
    }

    #[test]
    fn logarithm_undoes_the_exponential() {
        for text in ["0.001", "1", "2.5", "-7/3", "20"] {
            let x = Rational::parse(text).unwrap();
            let back = Enclosure::of(&x, 300).exp().ln().unwrap();
            assert!(back.lower() <= x && x <= back.upper(), "{text}");
        }
    }

    #[test]
    fn what_may_not_be_positive_has_no_logarithm() {
        assert!(Enclosure::integer(0, 10).ln().is_none());
        assert!(Enclosure::new(IBig::from(-1), IBig::from(5), 10).ln().is_none());
        assert!(Enclosure::ln_of(&Rational::from(-3), 10).is_none());
    }
}
