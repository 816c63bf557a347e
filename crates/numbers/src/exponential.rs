//! The exponential function between certified bounds.
//!
//! **Guarantee.** `exp(x)` lies in `Enclosure::exp(a)` for every `x` in `a`.
//! **Method.** x = n·ln 2 + r with |r| about ln 2 at most; the power series of exp(r/2^h) in interval arithmetic with
//! its remainder added; h squarings; a shift by n. More digits take a larger h, so that the series stays short.

use dashu_int::IBig;

use crate::enclosure::{ceil_shift, floor_shift};
use crate::{Enclosure, Rational};

/// r is divided by two at least this often before the series.
const HALVINGS_MIN: usize = 8;
/// Beyond this the result would have more bits than any caller can mean.
const EXPONENT_MAX: i64 = 1 << 24;

impl Enclosure {
    /// The exponential function.
    ///
    /// # Panics
    /// When the argument exceeds about ten million: the result would not fit into memory.
    pub fn exp(&self) -> Self {
        let lower = exp_of_point(&self.lower, self.precision);
        if self.lower == self.upper {
            return lower;
        }
        let upper = exp_of_point(&self.upper, self.precision);
        Self::new(lower.lower, upper.upper, self.precision)
    }
}

/// exp of the exact number `units · 2^-precision`.
fn exp_of_point(units: &IBig, precision: usize) -> Enclosure {
    let signed = |n: usize| i64::try_from(n).expect("a precision fits i64");
    let whole = floor_shift(units, precision);
    if whole < IBig::from(-signed(precision) - 1) {
        // exp(-p) < 2^-p: less than one unit is left.
        return Enclosure::new(IBig::ZERO, IBig::ONE, precision);
    }
    assert!(whole < IBig::from(EXPONENT_MAX), "an exponential beyond e^{EXPONENT_MAX} does not fit");

    // A rough quotient is enough: any integer n is right, the series only wants a small r.
    let rough = Enclosure::ln_2(64);
    let shifted = floor_shift(&(units << 8), precision);
    let n = i64::try_from((shifted << 56) / rough.upper_units())
        .expect("the quotient is below the limit checked above");

    let working = precision + 40 + usize::try_from(n.max(0)).expect("n is not negative here");
    // Every squaring doubles the error; the bits for that come on top.
    let halvings = HALVINGS_MIN + working.isqrt() / 3;
    let working = working + halvings;
    let argument = Enclosure::new(units.clone(), units.clone(), precision).at_precision(working);
    let reduced = &argument - &Enclosure::ln_2(working).mul_integer(n);
    let mut power = series(&reduced.scale_by_power_of_two(-(halvings as i64)));
    for _ in 0..halvings {
        power = &power * &power;
    }
    let result = power.scale_by_power_of_two(n).at_precision(precision);
    // An exponential is positive, whatever the rounding says.
    Enclosure { lower: result.lower.max(IBig::ZERO), ..result }
}

/// 1 + r + r²/2! + …, for |r| below 1/2.
fn series(r: &Enclosure) -> Enclosure {
    let mut sum = Enclosure::integer(1, r.precision());
    let mut term = sum.clone();
    for k in 1.. {
        term = (&term * r).div_integer(k);
        sum = &sum + &term;
        if term.lower >= IBig::from(-1) && term.upper <= IBig::ONE {
            break;
        }
    }
    // The rest is below |last term| · (1/2 + 1/4 + …), and the last term is at most one unit.
    sum.widened(1)
}

impl Enclosure {
    /// exp(-γ) for a rational γ, within two units of `2^-precision` when γ is not negative.
    pub fn exp_of_minus(gamma: &Rational, precision: usize) -> Self {
        let guard = precision + 8;
        let exact = (-&Self::of(gamma, guard)).exp();
        Self { lower: floor_shift(&exact.lower, 8), upper: ceil_shift(&exact.upper, 8), precision }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(x: &str, digits: &str, tolerance: &str) {
        let enclosure = Enclosure::of(&Rational::parse(x).unwrap(), 400).exp();
        let below = Rational::parse(digits).unwrap();
        let above = &below + &Rational::parse(tolerance).unwrap();
        assert!(enclosure.lower() >= below && enclosure.upper() <= above, "exp({x}) = {enclosure:?}");
    }

    #[test]
    fn known_digits_are_enclosed() {
        check("1", "2.71828182845904523536028747135266249775724709369995957496696762", "1e-62");
        check("-1", "0.36787944117144232159552377016146086744581113103176783450783680", "1e-62");
        check("0.1", "1.10517091807564762481170782649024666822454719473751871879286328", "1e-62");
        check("50", "5184705528587072464087.4533229334853848274691005", "1e-25");
        check("-50", "0.0000000000000000000001928749847963917783017342816", "1e-48");
    }

    #[test]
    fn bounds_are_tight_and_never_cross() {
        for (x, precision) in
            [("0", 64), ("-0.0001", 64), ("-3/7", 128), ("-40", 64), ("-44.3", 64), ("-1000", 64), ("10", 96)]
        {
            let point = Rational::parse(x).unwrap();
            let enclosure = Enclosure::exp_of_minus(&-point.clone(), precision);
            assert!(enclosure.lower <= enclosure.upper && enclosure.lower >= IBig::ZERO);
            let spread = &enclosure.upper - &enclosure.lower;
            let allowed = if point.is_positive() { IBig::from(1 << 15) } else { IBig::from(2) };
            assert!(spread <= allowed, "exp({x}) spreads over {spread} units");
            let wide = Enclosure::exp_of_minus(&-point, 3 * precision).at_precision(precision);
            assert!(
                wide.lower >= enclosure.lower && wide.upper <= enclosure.upper,
                "exp({x}) moved when refined"
            );
        }
    }

    /// Specification: the remainder is not too small. At every precision the series holds what it is at four times the
    /// precision.
    #[test]
    fn the_series_holds_its_limit() {
        for text in ["0", "1/256", "-1/300", "1/3", "-0.49"] {
            let r = Rational::parse(text).unwrap();
            for precision in (4..200).step_by(3) {
                let coarse = series(&Enclosure::of(&r, precision));
                let fine = series(&Enclosure::of(&r, 4 * precision + 64));
                assert!(
                    coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper(),
                    "{text} at {precision}"
                );
            }
        }
    }

    #[test]
    fn large_arguments_finish() {
        let large = Enclosure::integer(20_000, 64).exp().ln().expect("positive");
        assert!(large.lower() <= Rational::from(20_000) && Rational::from(20_000) <= large.upper());
    }

    #[test]
    fn the_functional_equation_holds() {
        for (a, b) in [("0.3", "0.4"), ("-7.25", "2"), ("12", "-12"), ("1/3", "-5/7")] {
            let [a, b] = [a, b].map(|t| Enclosure::of(&Rational::parse(t).unwrap(), 200));
            let product = &a.exp() * &b.exp();
            let sum = (&a + &b).exp();
            assert!(product.lower <= sum.upper && sum.lower <= product.upper);
        }
    }
}
