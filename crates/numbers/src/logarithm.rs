//! The natural logarithm between certified bounds.
//!
//! **Guarantee.** `ln(x)` lies in `Enclosure::ln(a)` for every `x` in `a`.
//! **Method.** x = m·2^e with m in [1, 2); ln m = 2·atanh((m − 1)/(m + 1)) by its power series with remainder.

use dashu_int::IBig;
use dashu_int::ops::BitTest;

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
        // ln(a/b) = ln a − ln b, so that no small quotient has to be held to many digits.
        let working = precision + 8;
        let part = |units: IBig| ln_of_units(&units, 0, working);
        let difference = &part(value.numerator().clone()) - &part(value.denominator().clone().into());
        Some(difference.at_precision(precision))
    }
}

fn ln_of_point(units: &IBig, precision: usize) -> Enclosure {
    ln_of_units(units, precision, precision + 16).at_precision(precision)
}

/// ln of the exact positive number `units · 2^-point`, at the working precision.
fn ln_of_units(units: &IBig, point: usize, working: usize) -> Enclosure {
    let signed = |n: usize| i64::try_from(n).expect("a bit length fits i64");
    let length = units.bit_len();
    let working = working + 16;
    // The leading bits as m in [1, 2), exactly: nothing is cut off.
    let precision = working.max(length);
    let m = Enclosure::new(units.clone(), units.clone(), length - 1).at_precision(precision);
    let one = Enclosure::integer(1, precision);
    let z = (&m - &one).checked_div(&(&m + &one)).expect("m + 1 is at least two").at_precision(working);
    let logarithm = series(&z).mul_integer(2);
    let exponent = signed(length) - 1 - signed(point);
    &logarithm + &Enclosure::ln_2(working).mul_integer(exponent)
}

/// atanh z = z + z³/3 + z⁵/5 + …, for z in [0, 1/3].
fn series(z: &Enclosure) -> Enclosure {
    let square = z * z;
    let mut power = z.clone();
    let mut sum = Enclosure::integer(0, z.precision());
    for k in 0.. {
        let term = power.div_integer(2 * k + 1);
        sum = &sum + &term;
        power = &power * &square;
        if power.upper <= IBig::ONE {
            break;
        }
    }
    // z² ≤ 1/9: the rest is below 9/8 of the first power left out, which is at most one unit.
    sum.widened(2)
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
