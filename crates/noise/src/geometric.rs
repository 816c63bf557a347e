//! The geometric distribution with an exponential ratio.
//!
//! **Guarantee.** `P[X = k] = (1 − a)·a^k` for k = 0, 1, 2, …, with a = exp(−1/scale), exactly.
//! **Source.** Canonne, Kamath, Steinke (2020), Algorithm 2: for scale = n/d, a uniform U below n is kept with
//! probability exp(−U/n), V counts successes of exp(−1), and X = ⌊(U + n·V)/d⌋.

use dashu_int::UBig;
use pointillist_numbers::Rational;

use crate::bernoulli_exp::bernoulli_exp_of;
use crate::error::checked_scale;
use crate::{BitSource, NoiseError, uniform_below};

/// A geometric distribution of rational scale.
#[derive(Clone, Debug)]
pub struct Geometric {
    numerator: UBig,
    denominator: UBig,
}

impl Geometric {
    /// The distribution with ratio exp(−1/scale).
    pub fn new(scale: &Rational) -> Result<Self, NoiseError> {
        let scale = checked_scale(scale)?;
        let numerator = UBig::try_from(scale.numerator().clone()).expect("a checked scale is positive");
        Ok(Self { numerator, denominator: scale.denominator().clone() })
    }

    /// One value, of any size.
    pub fn sample_big<B: BitSource + ?Sized>(&self, bits: &mut B) -> UBig {
        let remainder = loop {
            let candidate = uniform_below(&self.numerator, bits);
            if bernoulli_exp_of(&candidate, &self.numerator, bits) {
                break candidate;
            }
        };
        let mut periods = UBig::ZERO;
        while bernoulli_exp_of(&UBig::ONE, &UBig::ONE, bits) {
            periods += UBig::ONE;
        }
        (remainder + &self.numerator * periods) / &self.denominator
    }

    /// One value. Values beyond 2^127 saturate; with scales up to 2^100 that has probability below exp(−2^26).
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        i128::try_from(self.sample_big(bits)).unwrap_or(i128::MAX)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{distribution_p_value, seeded};

    use super::*;

    fn pmf(scale: f64) -> impl Fn(i64) -> f64 {
        move |k| (-1.0 / scale).exp().powi(k as i32) * -(-1.0 / scale).exp_m1()
    }

    /// Specification: the law above; the same sample is rejected for a scale 3 % off either way.
    /// False alarm: 1e-9 a scale (χ², one million draws).
    #[test]
    fn the_law_is_geometric() {
        for (seed, text) in ["1", "5/2", "10", "1/2"].iter().enumerate() {
            let scale = Rational::parse(text).unwrap();
            let law = Geometric::new(&scale).unwrap();
            let mut bits = seeded(seed as u64);
            let draws: Vec<i64> = (0..1_000_000).map(|_| law.sample(&mut bits) as i64).collect();
            let scale = scale.to_f64_upper();
            let p_value = |factor: f64| {
                distribution_p_value(
                    draws.iter().copied(),
                    pmf(scale * factor),
                    0..=(60.0 * scale) as i64 + 60,
                )
            };
            assert!(p_value(1.0) >= 1e-9, "scale {text}: p = {}", p_value(1.0));
            assert!(
                p_value(0.97) < 1e-9 && p_value(1.03) < 1e-9,
                "scale {text} is not told from its neighbours"
            );
        }
    }
}
