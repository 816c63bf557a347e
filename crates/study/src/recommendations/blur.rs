//! Noise on vectors of exact sums: the one place where a sum of people's ratings becomes a released number.
//!
//! **Guarantee.** Let integer sums move by at most Δ in L2 between neighbours. What [`Gaussian`] makes of them is
//! (share·ρ)-zCDP.
//! **Neighbours.** Those for which the caller knows Δ.
//! **Proof.** Discrete Gaussian noise of σ² = Δ²/(2·share·ρ), in integers (`mechanisms/src/number/additive_noise.rs`). Sums and
//! results are kept modulo 2^64: the result is a function of the exact noisy sum, and so no less private; it is the
//! noisy sum itself below 2^63, which 2^27 people do not reach.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{Rho, SensitivityL2};

use super::RecommendationError;

/// What is done to exact sums before anybody sees them.
pub(super) trait Blur {
    /// Changes the sums, of which one unit moves the square of the L2 norm by at most this, at this share of the price. Returns
    /// the deviation of the noise.
    ///
    /// # Errors
    /// When there is no such noise.
    fn blur(
        &mut self,
        sums: &mut [i64],
        sensitivity_l2_squared: &Rational,
        share: &Rational,
    ) -> Result<f64, RecommendationError>;
}

/// Exact discrete Gaussian noise, at a price.
pub(super) struct Gaussian<'a, B: ?Sized> {
    /// The price of everything.
    pub rho: &'a Rho,
    /// Where noise comes from.
    pub bits: &'a mut B,
}

impl<B: SecureBits + ?Sized> Blur for Gaussian<'_, B> {
    fn blur(
        &mut self,
        sums: &mut [i64],
        sensitivity_l2_squared: &Rational,
        share: &Rational,
    ) -> Result<f64, RecommendationError> {
        let rho = Rho::new(self.rho.value() * share)?;
        let sensitivity_l2 = SensitivityL2::from_squared(sensitivity_l2_squared.clone())?;
        let noise = AdditiveNoise::for_rho(&sensitivity_l2, &rho)?;
        let drawn = noise.sample_many(sums.len(), self.bits);
        for (sum, noise) in sums.iter_mut().zip(drawn) {
            *sum = noisy_sum(i128::from(*sum), noise) as i64;
        }
        Ok(noise.variance_parameter().map_or(0.0, Rational::to_f64_nearest).sqrt())
    }
}

/// No noise at all: for the comparison without privacy, which nobody but the owner may see.
pub(super) struct Exact;

impl Blur for Exact {
    fn blur(&mut self, _: &mut [i64], _: &Rational, _: &Rational) -> Result<f64, RecommendationError> {
        Ok(0.0)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: the noise has the variance Δ²/(2·share·ρ). False alarm: below 1e-9 (seven standard deviations of a mean of 20 000 squares are
    /// 0.07). Power: noise at the whole price instead of its share is four times too small.
    #[test]
    fn noise_has_the_variance_that_its_share_pays_for() {
        let rho = Rho::parse("0.02").unwrap();
        let mut sums = vec![1000i64; 20_000];
        let square = Rational::power_of_two(40);
        let mut blur = Gaussian { rho: &rho, bits: &mut seeded(9) };
        let sigma = blur.blur(&mut sums, &square, &Rational::ratio(1, 4)).unwrap();
        let expected = 2f64.powi(40) / (2.0 * 0.25 * 0.02);
        assert!((sigma * sigma / expected - 1.0).abs() < 1e-9, "{sigma}");
        let variance = sums.iter().map(|sum| (*sum as f64 - 1000.0).powi(2)).sum::<f64>() / 20_000.0;
        assert!((variance / expected - 1.0).abs() < 0.07, "{variance}");
    }
}
