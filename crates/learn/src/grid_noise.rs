//! Gaussian noise for exact integer sums, and their release on a coarser grid.
//!
//! **Guarantee.** Let integer sums in steps of 2^-bits move by at most Δ in L2 between neighbours. What
//! [`GridNoise::add`] releases is ρ-zCDP.
//! **Neighbours.** Any: those for which the caller knows Δ.
//! **Proof.** Discrete Gaussian noise of σ² = Δ²/(2ρ) (`mechanisms/src/number/additive_noise.rs`), added in
//! integers. Rounding to a grid of about 2^-20 σ and clamping to 64 bits see the noisy sums alone.
//! **Exactness.** Integers and rationals; no float reaches the sums.
//! **Time.** Noise is drawn before data are read, all of a fit at once, so that a prepared table serves it.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{Rho, SensitivityL2};

use crate::{GridNumbers, LearnError};

/// A released step is at most this many halvings of σ.
const RELEASED_BITS: u32 = 20;

/// Noise of one scale for sums on one grid.
#[derive(Clone, Debug)]
pub(crate) struct GridNoise {
    noise: AdditiveNoise,
    bits: i32,
    shift: u32,
}

impl GridNoise {
    /// For sums in steps of 2^-bits whose movement has at most this square, in steps.
    pub fn new(sensitivity_l2_squared: &Rational, rho: &Rho, bits: i32) -> Result<Self, LearnError> {
        let noise =
            AdditiveNoise::for_rho(&SensitivityL2::from_squared(sensitivity_l2_squared.clone())?, rho)?;
        let variance = noise.variance_parameter().map_or(1.0, Rational::to_f64_nearest);
        let shift = (variance.log2() / 2.0).floor().max(0.0) as u32;
        Ok(Self { noise, bits, shift: shift.saturating_sub(RELEASED_BITS) })
    }

    /// The same grid of release as another noise, for numbers that stand beside its own.
    pub fn beside(mut self, other: &Self) -> Self {
        self.shift = other.shift;
        self
    }

    /// Independent noise for so many sums.
    pub fn draw<B: SecureBits + ?Sized>(&self, count: usize, bits: &mut B) -> Vec<i128> {
        self.noise.sample_many(count, bits)
    }

    /// Sums with their noise, on the grid of release.
    pub fn add(&self, sums: &[i128], noise: &[i128]) -> GridNumbers {
        let values = sums.iter().zip(noise).map(|(sum, noise)| self.released(*sum, *noise)).collect();
        GridNumbers { bits: self.bits - self.shift as i32, values }
    }

    /// One sum with its noise, in steps of the grid of release.
    pub fn released(&self, sum: i128, noise: i128) -> i64 {
        let half = (1i128 << self.shift) >> 1;
        let rounded = (noisy_sum(sum, noise) + half) >> self.shift;
        rounded.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// The step of release is 2^-bits.
    pub fn released_bits(&self) -> i32 {
        self.bits - self.shift as i32
    }

    /// The variance of the noise, of sums as numbers.
    pub fn variance(&self) -> f64 {
        let parameter = self.noise.variance_parameter().map_or(0.0, Rational::to_f64_nearest);
        parameter * (-2.0 * f64::from(self.bits)).exp2()
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: 20 000 draws have the variance Δ²/(2ρ), as numbers. False alarm: below 1e-9 (six standard
    /// deviations are 0.06).
    #[test]
    fn noise_has_the_variance_that_was_paid_for() {
        let square = Rational::power_of_two(80);
        let noise = GridNoise::new(&square, &Rho::parse("0.02").unwrap(), 40).unwrap();
        assert!((noise.variance() - 25.0).abs() < 1e-9);
        let drawn = noise.draw(20_000, &mut seeded(5));
        let released = noise.add(&vec![0; 20_000], &drawn);
        assert!((-released.bits..=-released.bits + 1).contains(&-18), "a 2^-20th of 5: {}", released.bits);
        let values = released.to_f64();
        let variance = values.iter().map(|value| value * value).sum::<f64>() / 20_000.0;
        assert!((variance / 25.0 - 1.0).abs() < 0.06, "{variance}");
    }

    #[test]
    fn sums_beyond_64_bits_end_at_the_range() {
        let noise = GridNoise::new(&Rational::one(), &Rho::parse("1000").unwrap(), 0).unwrap();
        let released = noise.add(&[i128::MAX, i128::MIN, 5], &[0, 0, 0]);
        assert_eq!(released.values, [i64::MAX, i64::MIN, 5]);
    }
}
