//! The upper tail of the standard normal distribution between certified bounds.
//!
//! **Guarantee.** `P[N > x]` lies in `Enclosure::normal_tail(a)` for every `x` in `a`.
//! **Source.** Abramowitz-Stegun 26.2.11: P[0 < N < x] = φ(x)·(x + x³/3 + x⁵/(3·5) + …), all terms positive.

use dashu_int::IBig;

use crate::Enclosure;

impl Enclosure {
    /// The probability that a standard normal variable exceeds this number.
    pub fn normal_tail(&self) -> Self {
        // The tail falls as its argument grows, so the bounds change places.
        let upper = tail_of_point(&self.lower, self.precision);
        let lower = tail_of_point(&self.upper, self.precision);
        Self::new(lower.lower, upper.upper, self.precision)
    }
}

fn tail_of_point(units: &IBig, precision: usize) -> Enclosure {
    if *units < IBig::ZERO {
        return &Enclosure::integer(1, precision) - &tail_of_point(&-units, precision);
    }
    let squared_units = units * units;
    if squared_units >> (2 * precision) > IBig::from(2 * (precision + 1)) {
        // P[N > x] ≤ exp(-x²/2)/2, which is below one unit of the asked precision.
        return Enclosure::new(IBig::ZERO, IBig::ONE, precision);
    }
    // The terms first grow by up to exp(x²/2), below 2^(1.45·p + 3), and carry their rounding along.
    let working = 5 * precision / 2 + 64;
    let x = Enclosure::new(units.clone(), units.clone(), precision).at_precision(working);
    let density_shape = (-&(&x * &x).scale_by_power_of_two(-1)).exp();
    let root = Enclosure::pi(working).mul_integer(2).sqrt();
    let density = density_shape.checked_div(&root).expect("the root of 2π is positive");

    let square = &x * &x;
    let mut term = &density * &x;
    let mut sum = term.clone();
    for k in 1u64.. {
        term = (&term * &square).div_integer(2 * k + 1);
        sum = &sum + &term;
        // Once 2k+1 passes twice x², each further term is at most half of the one before.
        let halving = square.upper <= IBig::from(k) << working;
        if halving && term.upper <= IBig::ONE {
            break;
        }
    }
    let half = Enclosure::integer(1, working).scale_by_power_of_two(-1);
    let tail = (&half - &sum.widened(1)).at_precision(precision);
    Enclosure { lower: tail.lower.max(IBig::ZERO), ..tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;

    #[test]
    fn known_digits_are_enclosed() {
        let cases = [
            ("0", "0.5", "1e-40"),
            ("1", "0.158655253931457051414767454367962077522087", "1e-38"),
            ("-1", "0.841344746068542948585232545632037922477913", "1e-38"),
            ("1.96", "0.024997895148220434136584269040", "1e-29"),
            ("8", "0.000000000000000622096057427178412", "1e-32"),
            ("13", "6.11716439954987968227520977e-39", "1e-64"),
        ];
        for (x, digits, slack) in cases {
            let enclosure = Enclosure::of(&Rational::parse(x).unwrap(), 400).normal_tail();
            let centre = Rational::parse(digits).unwrap();
            let slack = Rational::parse(slack).unwrap();
            assert!(
                enclosure.lower() >= &centre - &slack && enclosure.upper() <= &centre + &slack,
                "tail({x}) {}",
                enclosure.upper().to_f64_upper()
            );
            assert!(
                enclosure.upper() - enclosure.lower() < Rational::power_of_two(-380),
                "tail({x}) is loose"
            );
        }
    }

    #[test]
    fn a_vanishing_tail_is_below_one_unit() {
        let far = Enclosure::integer(1000, 64).normal_tail();
        assert_eq!((far.lower, far.upper), (IBig::ZERO, IBig::ONE));
    }
}
