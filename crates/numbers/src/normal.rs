//! The upper tail of the standard normal distribution between certified bounds, and its quantiles from above.
//!
//! **Guarantee.** `P[N > x]` lies in `Enclosure::normal_tail(a)` for every `x` in `a`; and
//! `P[N > normal_quantile_upper(t)] ≤ t`.
//! **Source.** Abramowitz-Stegun 26.2.11: P[0 < N < x] = φ(x)·(x + x³/3 + x⁵/(3·5) + …), all terms positive.

use std::sync::LazyLock;

use dashu_int::IBig;

use crate::{Enclosure, Rational};

/// A number z ≥ 0 with P(N > z) ≤ tail, at most about 2^-40 above the least, by Newton's method on T(z) = P(N > z)
/// from above. For P[|N| > z] ≤ β ask for a tail of β/2.
///
/// The hazard φ/T grows with z, so between z − d and z the logarithm of T falls by at most d·φ(z)/T(z): a
/// step of (ln tail − ln T(z))/(φ(z)/T(z)) never passes the least z, and every iterate is a valid answer.
///
/// # Panics
/// When the tail is not positive, or so small that its logarithm has more bits than memory: no quantile is finite there.
pub fn normal_quantile_upper(tail: &Rational) -> Rational {
    match COMMON.iter().find(|(common, _)| common == tail) {
        Some((_, quantile)) => quantile.clone(),
        None => worked_out(tail),
    }
}

/// Tails that every question asks for, with their quantiles, worked out once: those of bars that hold with 95 %, and of
/// whole numbers that noise hardly ever passes the end of. They are fixed, so that nothing of what is asked is remembered.
static COMMON: LazyLock<[(Rational, Rational); 2]> = LazyLock::new(|| {
    let rarely = Rational::parse("5e-13").expect("a constant is a number");
    [Rational::ratio(1, 40), rarely].map(|tail| (tail.clone(), worked_out(&tail)))
});

fn worked_out(tail: &Rational) -> Rational {
    if *tail >= Rational::ratio(1, 2) {
        return Rational::zero();
    }
    let inverse = tail.reciprocal().expect("a tail is positive");
    let logarithm = Enclosure::ln_of(&inverse, 320).expect("a tail is positive").upper();
    let bits = logarithm.ceil() * IBig::from(2) + IBig::from(64);
    let precision = usize::try_from(bits).expect("a tail has a few hundred bits");
    let ln = |value: &Rational| Enclosure::ln_of(value, precision);
    let root_of_two_pi = Enclosure::pi(precision).mul_integer(2).sqrt().lower();
    // P[N > z] ≤ exp(−z²/2)/2 is below the tail here.
    let mut z = Enclosure::of(&(logarithm * Rational::from(2)), precision).sqrt().upper();
    loop {
        let above = Enclosure::of(&z, precision).normal_tail();
        let density = Enclosure::exp_of_minus(&(z.squared() * Rational::ratio(1, 2)), precision).upper();
        let (Some(reached), Some(wanted)) = (ln(&above.upper()), ln(tail)) else {
            return z;
        };
        if !above.lower().is_positive() {
            return z;
        }
        let hazard = density / (root_of_two_pi.clone() * above.lower());
        let step = (wanted.lower() - reached.upper()) / hazard;
        if step < Rational::power_of_two(-40) {
            return z;
        }
        z = (z - step).round_up_to_bits(64);
    }
}

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

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// Specification: quantiles of the normal law, two-sided and σ included, against 30 digits; certified from above.
    #[test]
    fn normal_quantiles_match_thirty_digits() {
        let two_sided = |beta: &Rational| normal_quantile_upper(&(beta * &Rational::ratio(1, 2)));
        let cases = [
            ("0.05", "1.95996398454005423552459443052", "1"),
            ("0.01", "12.879146517744503804892883743", "5"),
            ("1e-6", "7.33745771354788557934668368994", "1.5"),
            ("1e-15", "80.2685888253454089242176879927", "10"),
            ("0.5", "0.337244875098040871601113507271", "0.5"),
        ];
        for (beta, exact, sigma) in cases {
            let bound = two_sided(&rational(beta)) * rational(sigma);
            // The digits are rounded in their last place.
            assert!(bound >= rational(exact) - rational("1e-28"), "{beta}");
            assert!(bound <= rational(exact) * rational("1.0000000001"), "{beta}");
        }
        let least = Rational::ratio(1, 10u128.pow(20));
        let tiny = least.squared().squared();
        let far = normal_quantile_upper(&tiny);
        assert!(Enclosure::of(&far, 400).normal_tail().upper() <= tiny);
        assert!(two_sided(&rational("0.999999999")) < rational("1e-8"));
        assert_eq!(normal_quantile_upper(&rational("0.5")), Rational::zero());
    }

    /// Specification: a quantile that is kept is the one that would be worked out.
    #[test]
    fn kept_quantiles_are_those_worked_out() {
        for tail in ["0.025", "5e-13", "0.02", "5e-14"] {
            assert_eq!(normal_quantile_upper(&rational(tail)), worked_out(&rational(tail)), "{tail}");
        }
    }

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
