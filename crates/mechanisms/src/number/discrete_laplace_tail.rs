//! How far discrete Laplace noise strays, as certified integers.
//!
//! **Guarantee.** For X with `P[X = k]` proportional to `q^|k|`, `q = e^{−1/scale}`, and j ≥ 1,
//! `P[X ≥ j] = q^j/(1 + q)`. So `P[X ≥ j] ≤ p` exactly when `j ≥ scale·(ln(1/p) − ln(1 + q))`.
//! [`upper_reach`] is the least such j ≥ 1, rounded up should 4096 bits not tell the two candidates apart.

use pointillist_numbers::{Enclosure, IBig, Rational};

/// The precision at which rounding up is preferred to refining.
const PRECISION_MAX: usize = 4096;

/// The least integer j ≥ 1 with `P[X ≥ j] ≤ probability`, for discrete Laplace X of this scale. Never too
/// small.
pub(crate) fn upper_reach(scale: &Rational, probability: &Rational) -> i128 {
    let ceiling = |value: Rational| -> i128 {
        let reach = value.ceil().max(IBig::ONE);
        i128::try_from(reach).expect("scales end at 2^100 and ln(1/p) at 140")
    };
    let mut precision = 192;
    loop {
        let bounds = real_reach(scale, probability, precision);
        let (below, above) = (ceiling(bounds.lower()), ceiling(bounds.upper()));
        if below == above || precision >= PRECISION_MAX {
            return above;
        }
        precision *= 2;
    }
}

/// The least integer m ≥ 0 with `P[|X| > m] ≤ probability`. Never too small.
pub(crate) fn two_sided_reach(scale: &Rational, probability: &Rational) -> i128 {
    upper_reach(scale, &(probability * &Rational::ratio(1, 2))) - 1
}

fn real_reach(scale: &Rational, probability: &Rational, precision: usize) -> Enclosure {
    let inverse = scale.reciprocal().expect("a scale is positive");
    let ratio = Enclosure::exp_of_minus(&inverse, precision);
    let norm = (&Enclosure::integer(1, precision) + &ratio).ln().expect("one and more is positive");
    let surprise = -&Enclosure::ln_of(probability, precision).expect("a probability here is positive");
    &Enclosure::of(scale, precision) * &(&surprise - &norm)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// The law of discrete Laplace noise, in floats: what the exact privacy checks of other files are
    /// computed from.
    pub(crate) fn pmf(scale: f64, k: i64) -> f64 {
        (0.5 / scale).tanh() * (-(k.abs() as f64) / scale).exp()
    }

    /// P[X ≥ j] in floats, for any integer j.
    pub(crate) fn tail(scale: f64, j: i64) -> f64 {
        let q = (-1.0 / scale).exp();
        let beyond = |j: i64| q.powf(j as f64) / (1.0 + q);
        if j >= 1 { beyond(j) } else { 1.0 - beyond(1 - j) }
    }

    #[test]
    fn the_closed_form_of_the_tail_is_the_sum_of_the_law() {
        for scale in [0.3, 1.0, 7.5] {
            for j in [-4, -1, 0, 1, 2, 9] {
                let sum: f64 = (j..j + 400).map(|k| pmf(scale, k)).sum();
                assert!((sum / tail(scale, j) - 1.0).abs() < 1e-12, "scale {scale}, j = {j}");
            }
        }
    }

    #[test]
    fn the_reach_is_the_first_integer_whose_tail_is_small_enough() {
        for scale in ["1", "0.5", "10/3", "40", "1/50"] {
            for probability in ["0.3", "0.05", "1e-3", "1e-6"] {
                let j = upper_reach(&rational(scale), &rational(probability)) as i64;
                let (s, p) = (rational(scale).to_f64_upper(), rational(probability).to_f64_upper());
                assert!(tail(s, j) <= p * (1.0 + 1e-9), "scale {scale}, p {probability}: {j}");
                assert!(
                    j == 1 || tail(s, j - 1) > p * (1.0 - 1e-9),
                    "scale {scale}, p {probability}: {j} is too large"
                );
            }
        }
    }

    #[test]
    fn extreme_scales_and_probabilities_have_a_reach() {
        assert_eq!(upper_reach(&Rational::power_of_two(-40), &rational("1e-60")), 1);
        let huge = upper_reach(&Rational::power_of_two(100), &rational("1e-60"));
        assert!(huge > 137 << 100 && huge < 139 << 100);
        assert_eq!(two_sided_reach(&Rational::power_of_two(-40), &rational("0.5")), 0);
        assert_eq!(two_sided_reach(&Rational::one(), &rational("0.05")), 3);
    }
}
