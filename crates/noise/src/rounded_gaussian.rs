//! Continuous Gaussian noise, rounded to the nearest integer, exactly.
//!
//! **Guarantee.** `P[X = k] = P[k − 1/2 ≤ σ·N < k + 1/2]` for a standard normal N, exactly. Adding X to an integer is the
//! same as adding σ·N and rounding: what is proven for the continuous Gaussian mechanism holds for it as
//! post-processing, in any dimension. (For the discrete Gaussian the (ε, δ) curve is another one.)

use pointillist_numbers::{Enclosure, Rational};

use crate::continuous::ContinuousNoise;
use crate::discrete_laplace::saturating;
use crate::error::checked_scale;
use crate::{BitSource, NoiseError};

/// Gaussian noise of standard deviation σ, rounded to integers.
#[derive(Clone, Debug)]
pub struct RoundedGaussian {
    sigma: Rational,
    normal: ContinuousNoise,
}

impl RoundedGaussian {
    /// The noise of this standard deviation, between 2^-40 and 2^100.
    pub fn new(sigma: &Rational) -> Result<Self, NoiseError> {
        Ok(Self { sigma: checked_scale(sigma)?.clone(), normal: ContinuousNoise::standard_normal() })
    }

    /// The standard deviation before rounding.
    pub fn sigma(&self) -> &Rational {
        &self.sigma
    }

    /// One value.
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        let mut normal = self.normal.draw(bits);
        loop {
            let value = normal.enclosure();
            let shifted = &(&value * &Enclosure::of(&self.sigma, value.precision()))
                + &Enclosure::of(&Rational::ratio(1, 2), value.precision());
            if let Some(rounded) = shifted.floor() {
                return saturating(rounded);
            }
            normal.refine(bits);
        }
    }

    /// Fills a slice with independent values.
    pub fn fill<B: BitSource + ?Sized>(&self, values: &mut [i128], bits: &mut B) {
        values.iter_mut().for_each(|value| *value = self.sample(bits));
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{distribution_p_value, seeded};

    use super::*;

    /// P[N < x], by the certified tail.
    fn normal_cdf(x: f64) -> f64 {
        let tail = Enclosure::of(&Rational::from_f64(-x).unwrap(), 80).normal_tail();
        tail.upper().to_f64_upper()
    }

    /// Specification: the law above; the same sample is rejected for σ 3 % off either way.
    /// False alarm: 1e-9 (χ², one million draws at σ = 1.7; 300,000 at σ = 30).
    #[test]
    fn the_law_is_a_rounded_normal() {
        for (text, draws) in [("1.7", 1_000_000), ("30", 300_000)] {
            let sigma = Rational::parse(text).unwrap();
            let law = RoundedGaussian::new(&sigma).unwrap();
            let mut bits = seeded(4);
            let draws: Vec<i64> = (0..draws).map(|_| law.sample(&mut bits) as i64).collect();
            let sigma = sigma.to_f64_upper();
            let pmf =
                |s: f64| move |k: i64| normal_cdf((k as f64 + 0.5) / s) - normal_cdf((k as f64 - 0.5) / s);
            let reach = (8.0 * sigma) as i64;
            let p_value = |factor: f64| {
                distribution_p_value(draws.iter().copied(), pmf(sigma * factor), -reach..=reach)
            };
            assert!(p_value(1.0) >= 1e-9, "σ = {text}: p = {}", p_value(1.0));
            assert!(
                p_value(0.97) < 1e-9 && p_value(1.03) < 1e-9,
                "σ = {text} is not told from its neighbours"
            );
        }
    }

    #[test]
    fn extreme_scales_work() {
        let mut bits = seeded(6);
        let tiny = RoundedGaussian::new(&Rational::power_of_two(-20)).unwrap();
        assert!((0..200).all(|_| tiny.sample(&mut bits) == 0));
        let huge = RoundedGaussian::new(&Rational::power_of_two(100)).unwrap();
        assert!((0..200).all(|_| huge.sample(&mut bits).unsigned_abs() < 1 << 106));
    }
}
