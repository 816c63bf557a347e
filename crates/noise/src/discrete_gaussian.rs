//! The discrete Gaussian distribution.
//!
//! **Guarantee.** `P[X = k]` is proportional to exp(−k²/(2σ²)) for every integer k, exactly, for any rational σ².
//! **Source.** Canonne, Kamath, Steinke (2020), Algorithm 3, arXiv:2004.00010: a discrete Laplace draw Y of scale
//! t = ⌊σ⌋ + 1 is kept with probability exp(−(|Y| − σ²/t)²/(2σ²)).
//! **Not covered.** Timing: the number of attempts and each attempt's length vary. [`NoiseTable`] varies far less.

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;
use pointillist_numbers::{IBig, Rational};

use crate::discrete_laplace::saturating;
use crate::error::checked_scale;
use crate::{BitSource, DiscreteLaplace, NoiseError, NoiseTable, bernoulli_exp};

/// Integer noise with Gaussian tails.
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    variance: Rational,
    proposal: DiscreteLaplace,
    /// σ²/t, where the proposal and the target touch.
    touching: Rational,
}

impl DiscreteGaussian {
    /// The distribution with parameter σ², for σ from 2^-20 to below 2^100. (The true variance is a little less.)
    pub fn new(variance: &Rational) -> Result<Self, NoiseError> {
        if !variance.is_positive() {
            return Err(NoiseError::ScaleNotPositive { got: variance.clone() });
        }
        let proposal_scale = Rational::from(floor_sqrt(variance) + UBig::ONE);
        checked_scale(&(variance / &proposal_scale))?;
        let proposal = DiscreteLaplace::new(&proposal_scale)?;
        Ok(Self { touching: variance / &proposal_scale, variance: variance.clone(), proposal })
    }

    /// The parameter σ².
    pub fn variance_parameter(&self) -> &Rational {
        &self.variance
    }

    /// One value of any size.
    pub fn sample_big<B: BitSource + ?Sized>(&self, bits: &mut B) -> IBig {
        let twice_variance = &self.variance + &self.variance;
        loop {
            let candidate = self.proposal.sample_big(bits);
            let distance = Rational::from(candidate.clone()).abs() - self.touching.clone();
            if bernoulli_exp(&(distance.squared() / twice_variance.clone()), bits) {
                return candidate;
            }
        }
    }

    /// One value. Values beyond 2^127 saturate; with σ up to 2^100 that has probability below exp(−2^50).
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        saturating(self.sample_big(bits))
    }

    /// The same distribution prepared for many draws.
    pub fn table(&self) -> NoiseTable {
        NoiseTable::discrete_gaussian(&self.variance)
    }
}

/// ⌊√x⌋ of a positive rational.
pub(crate) fn floor_sqrt(value: &Rational) -> UBig {
    UBig::try_from(value.floor()).expect("a variance is positive").sqrt()
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{distribution_p_value, seeded};

    use super::*;

    pub(crate) fn pmf(sigma: f64) -> impl Fn(i64) -> f64 {
        let weight = move |k: i64| (-(k as f64).powi(2) / (2.0 * sigma * sigma)).exp();
        let reach = (40.0 * sigma) as i64 + 40;
        let total: f64 = (-reach..=reach).map(weight).sum();
        move |k| weight(k) / total
    }

    /// Specification: the law above; the same sample is rejected for σ 3 % off either way.
    /// False alarm: 1e-9 a variance (χ², one million draws).
    #[test]
    fn the_law_is_discrete_gaussian() {
        for (seed, text) in ["1", "7/2", "100"].iter().enumerate() {
            let variance = Rational::parse(text).unwrap();
            let law = DiscreteGaussian::new(&variance).unwrap();
            let mut bits = seeded(seed as u64);
            let draws: Vec<i64> = (0..1_000_000).map(|_| law.sample(&mut bits) as i64).collect();
            let sigma = variance.to_f64_upper().sqrt();
            let reach = (20.0 * sigma) as i64;
            let p_value = |factor: f64| {
                distribution_p_value(draws.iter().copied(), pmf(sigma * factor), -reach..=reach)
            };
            assert!(p_value(1.0) >= 1e-9, "σ² = {text}: p = {}", p_value(1.0));
            assert!(
                p_value(0.97) < 1e-9 && p_value(1.03) < 1e-9,
                "σ² = {text} is not told from its neighbours"
            );
        }
    }

    #[test]
    fn extreme_scales_work() {
        let mut bits = seeded(3);
        let tiny = DiscreteGaussian::new(&Rational::power_of_two(-40)).unwrap();
        assert!((0..1000).all(|_| tiny.sample(&mut bits) == 0));
        let huge = DiscreteGaussian::new(&Rational::power_of_two(160)).unwrap();
        // Forty standard deviations: the chance of one such draw in a thousand is below 1e-340.
        assert!((0..1000).all(|_| huge.sample(&mut bits).unsigned_abs() < 1 << 86));
    }

    #[test]
    fn a_variance_that_cannot_be_is_refused_with_a_hint() {
        for variance in
            [Rational::zero(), Rational::from(-1), Rational::power_of_two(210), Rational::power_of_two(-90)]
        {
            let error = DiscreteGaussian::new(&variance).unwrap_err().explanation().text();
            assert!(error.contains("hint:"), "{error}");
        }
    }
}
