//! Integer noise by the name of its law, for so many draws at one scale.
//!
//! **Guarantee.** Every draw has exactly the law that was named, and all are independent, whichever sampler is used: for
//! many draws a table is prepared, which costs half a millisecond first and a few nanoseconds a draw then.
//! **Not covered.** Privacy: the noise alone is not a private answer.

use pointillist_numbers::Rational;

use crate::error::checked_scale;
use crate::{BitSource, DiscreteGaussian, DiscreteLaplace, NoiseError, NoiseTable};

/// Fewer values than this are not worth preparing a table for.
const TABLE_WORTH: u64 = 2000;

/// A law of integer noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseLaw {
    /// `exp(−|k|/scale)`.
    DiscreteLaplace,
    /// `exp(−k²/(2·scale²))`.
    DiscreteGaussian,
}

impl NoiseLaw {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "discrete-laplace",
            Self::DiscreteGaussian => "discrete-gaussian",
        }
    }
}

/// Noise of one law and scale.
#[derive(Clone, Debug)]
pub struct IntegerNoise(Sampler);

#[derive(Clone, Debug)]
enum Sampler {
    Laplace(DiscreteLaplace),
    Gaussian(DiscreteGaussian),
    Table(NoiseTable),
}

impl IntegerNoise {
    /// Noise of this law and scale, of which about so many values will be drawn.
    pub fn new(law: NoiseLaw, scale: &Rational, draws: u64) -> Result<Self, NoiseError> {
        let many = draws >= TABLE_WORTH;
        Ok(Self(match law {
            NoiseLaw::DiscreteLaplace => {
                let noise = DiscreteLaplace::new(scale)?;
                if many { Sampler::Table(noise.table()) } else { Sampler::Laplace(noise) }
            }
            NoiseLaw::DiscreteGaussian => {
                if !scale.is_positive() {
                    // The square would hide a sign.
                    checked_scale(scale)?;
                }
                let noise = DiscreteGaussian::new(&scale.squared())?;
                if many { Sampler::Table(noise.table()) } else { Sampler::Gaussian(noise) }
            }
        }))
    }

    /// One value.
    #[inline]
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        match &self.0 {
            Sampler::Laplace(noise) => noise.sample(bits),
            Sampler::Gaussian(noise) => noise.sample(bits),
            Sampler::Table(table) => table.sample(bits),
        }
    }

    /// So many values.
    pub fn sample_many<'a, B: BitSource + ?Sized>(
        &'a self,
        count: u64,
        bits: &'a mut B,
    ) -> impl Iterator<Item = i128> + 'a {
        (0..count).map(move |_| self.sample(bits))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, seeded};

    use super::*;

    /// Specification: few draws and many have the law that was named. False alarm: 1e-9 a case (χ²).
    #[test]
    fn the_law_is_the_one_that_was_named() {
        let scale = Rational::ratio(5, 2);
        let laplace = |k: i64| (-(k.abs() as f64) / 2.5).exp();
        let gaussian = |k: i64| (-((k * k) as f64) / 12.5).exp();
        let total = |density: &dyn Fn(i64) -> f64| (-200..=200).map(density).sum::<f64>();
        for draws in [1, TABLE_WORTH] {
            for (seed, law) in [NoiseLaw::DiscreteLaplace, NoiseLaw::DiscreteGaussian].into_iter().enumerate()
            {
                let noise = IntegerNoise::new(law, &scale, draws).unwrap();
                assert_eq!(matches!(noise.0, Sampler::Table(_)), draws == TABLE_WORTH);
                let mut bits = seeded(seed as u64 + draws);
                let values: Vec<i64> =
                    noise.sample_many(100_000, &mut bits).map(|value| value as i64).collect();
                match law {
                    NoiseLaw::DiscreteLaplace => {
                        assert_distribution(values, |k| laplace(k) / total(&laplace), -12..=12, law.name());
                    }
                    NoiseLaw::DiscreteGaussian => {
                        assert_distribution(values, |k| gaussian(k) / total(&gaussian), -9..=9, law.name());
                    }
                }
            }
        }
    }

    #[test]
    fn a_scale_that_is_none_is_refused_under_either_law() {
        for law in [NoiseLaw::DiscreteLaplace, NoiseLaw::DiscreteGaussian] {
            for scale in ["0", "-1", "1e-30", "1e40"] {
                let scale = Rational::parse(scale).unwrap();
                assert!(IntegerNoise::new(law, &scale, 1).is_err(), "{} {scale}", law.name());
            }
        }
    }
}
