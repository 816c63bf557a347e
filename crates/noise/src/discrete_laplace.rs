//! The discrete Laplace distribution, also called two-sided geometric.
//!
//! **Guarantee.** `P[X = k]` is proportional to exp(−|k|/scale) for every integer k, exactly, for any rational scale.
//! **Source.** Canonne, Kamath, Steinke (2020), Algorithm 2, arXiv:2004.00010: a geometric magnitude and a sign,
//! starting again on −0.
//! **Not covered.** Timing: a single draw takes longer for larger magnitudes. [`NoiseTable`] does not.

use pointillist_numbers::{IBig, Rational};

use crate::error::checked_scale;
use crate::{BitSource, Geometric, NoiseError, NoiseTable};

/// Integer noise with exponentially falling tails.
#[derive(Clone, Debug)]
pub struct DiscreteLaplace {
    scale: Rational,
    magnitude: Geometric,
}

impl DiscreteLaplace {
    /// The distribution of this scale, between 2^-40 and 2^100.
    pub fn new(scale: &Rational) -> Result<Self, NoiseError> {
        let scale = checked_scale(scale)?.clone();
        let magnitude = Geometric::new(&scale)?;
        Ok(Self { scale, magnitude })
    }

    /// The scale.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// One value of any size.
    pub fn sample_big<B: BitSource + ?Sized>(&self, bits: &mut B) -> IBig {
        loop {
            let negative = bits.coin();
            let magnitude = IBig::from(self.magnitude.sample_big(bits));
            if !negative {
                return magnitude;
            }
            if magnitude != IBig::ZERO {
                return -magnitude;
            }
        }
    }

    /// One value. Values beyond 2^127 saturate; with scales up to 2^100 that has probability below exp(−2^26).
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        saturating(self.sample_big(bits))
    }

    /// The same distribution prepared for many draws.
    pub fn table(&self) -> NoiseTable {
        NoiseTable::discrete_laplace(&self.scale)
    }
}

/// The integer, or the end of the range on its side. Noise that was cut off here is no longer exact: callers add it to an
/// answer with `noisy_sum`, or to one of far fewer bits, so that the sum is post-processing of the exact one.
pub(crate) fn saturating(value: IBig) -> i128 {
    let end = if value < IBig::ZERO { i128::MIN } else { i128::MAX };
    i128::try_from(value).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{assert_distribution, distribution_p_value, seeded};

    use super::*;

    fn pmf(scale: f64) -> impl Fn(i64) -> f64 {
        let ratio = (-1.0 / scale).exp();
        move |k| (1.0 - ratio) / (1.0 + ratio) * ratio.powi(k.unsigned_abs() as i32)
    }

    /// Specification: the law above; the same sample is rejected for a scale 3 % off either way.
    /// False alarm: 1e-9 a scale (χ², one million draws).
    #[test]
    fn the_law_is_discrete_laplace() {
        for (seed, text) in ["1", "10/3", "10"].iter().enumerate() {
            let scale = Rational::parse(text).unwrap();
            let law = DiscreteLaplace::new(&scale).unwrap();
            let mut bits = seeded(seed as u64);
            let draws: Vec<i64> = (0..1_000_000).map(|_| law.sample(&mut bits) as i64).collect();
            let scale = scale.to_f64_upper();
            let reach = (60.0 * scale) as i64;
            let p_value = |factor: f64| {
                distribution_p_value(draws.iter().copied(), pmf(scale * factor), -reach..=reach)
            };
            assert!(p_value(1.0) >= 1e-9, "scale {text}: p = {}", p_value(1.0));
            assert!(
                p_value(0.97) < 1e-9 && p_value(1.03) < 1e-9,
                "scale {text} is not told from its neighbours"
            );
        }
    }

    /// Specification: the scales at the ends of the range work; a huge one is uniform in its quantiles.
    /// False alarm: 1e-9 (χ² over sixteen equally likely cells).
    #[test]
    fn extreme_scales_work() {
        let mut bits = seeded(9);
        let tiny = DiscreteLaplace::new(&Rational::power_of_two(-20)).unwrap();
        assert!((0..1000).all(|_| tiny.sample(&mut bits) == 0));
        let scale = 2f64.powi(80);
        let huge = DiscreteLaplace::new(&Rational::power_of_two(80)).unwrap();
        let cells = (0..50_000).map(|_| {
            let x = huge.sample(&mut bits) as f64 / scale;
            let cdf = if x < 0.0 { x.exp() / 2.0 } else { 1.0 - (-x).exp() / 2.0 };
            (cdf * 16.0) as i64
        });
        assert_distribution(cells, |_| 1.0 / 16.0, 0..=15, "discrete Laplace of scale 2^80");
    }

    #[test]
    fn a_scale_that_cannot_be_is_refused_with_a_hint() {
        for scale in
            [Rational::zero(), Rational::from(-1), Rational::power_of_two(101), Rational::power_of_two(-41)]
        {
            let error = DiscreteLaplace::new(&scale).unwrap_err().explanation().text();
            assert!(error.contains("hint:"), "{error}");
        }
    }
}
