//! Laplace-log-normal noise, rounded down to an integer.
//!
//! **Guarantee.** X = ⌊scale·L·exp(σ·N)⌋ for independent L, Laplace of scale 1, and N, standard normal, exactly: both are
//! drawn as numbers of as many digits as it takes to know the integer part of the product.
//! **Source.** The distribution is that of Bun and Steinke (2019), Section 3.2, arXiv:1906.02830.

use pointillist_numbers::{Enclosure, Rational};

use crate::continuous::ContinuousNoise;
use crate::discrete_laplace::saturating;
use crate::error::checked_scale;
use crate::{BitSource, NoiseError};

/// Noise with tails between exponential and polynomial.
#[derive(Clone, Debug)]
pub struct LaplaceLogNormal {
    scale: Rational,
    shape: Rational,
    laplace: &'static ContinuousNoise,
    normal: &'static ContinuousNoise,
}

impl LaplaceLogNormal {
    /// The noise of this scale and shape σ.
    pub fn new(scale: &Rational, shape: &Rational) -> Result<Self, NoiseError> {
        if *shape > Rational::from(8) {
            return Err(NoiseError::ScaleTooLarge { got: shape.clone() });
        }
        Ok(Self {
            scale: checked_scale(scale)?.clone(),
            shape: checked_scale(shape)?.clone(),
            laplace: ContinuousNoise::laplace(),
            normal: ContinuousNoise::standard_normal(),
        })
    }

    /// One value. Values beyond 2^127 saturate.
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        let mut laplace = self.laplace.draw(bits);
        let mut normal = self.normal.draw(bits);
        loop {
            let (l, n) = (laplace.enclosure(), normal.enclosure());
            let precision = l.precision().min(n.precision());
            let (l, n) = (l.at_precision(precision), n.at_precision(precision));
            let [scale, shape] = [&self.scale, &self.shape].map(|value| Enclosure::of(value, precision));
            let product = &(&scale * &l) * &(&shape * &n).exp();
            if let Some(floor) = product.floor() {
                return saturating(floor);
            }
            laplace.refine(bits);
            normal.refine(bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{hoeffding_radius, seeded};

    use super::*;

    /// Specification: P[X ≥ k] = E over N of exp(−k·e^{−σN}/scale)/2 for k > 0, by numerical integration here.
    /// False alarm: at most 1e-9 a threshold (Hoeffding). Power: a shape or scale 10 % off moves some threshold by more.
    #[test]
    fn tail_probabilities_match_the_integral() {
        let (scale, shape, n) = (6.0, 0.7, 100_000);
        let noise = LaplaceLogNormal::new(&Rational::from(6), &Rational::parse("0.7").unwrap()).unwrap();
        let mut bits = seeded(7);
        let draws: Vec<i128> = (0..n).map(|_| noise.sample(&mut bits)).collect();
        let tail = |k: f64| -> f64 {
            let step = 0.001;
            (-9000..=9000)
                .map(|i| {
                    let y = f64::from(i) * step;
                    let density = (-y * y / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
                    density * (-k * (-shape * y).exp() / scale).exp() / 2.0 * step
                })
                .sum()
        };
        for k in [1, 3, 6, 12, 30] {
            for (frequency, side) in [
                (draws.iter().filter(|x| **x >= k).count(), "right"),
                (draws.iter().filter(|x| **x < -k).count(), "left"),
            ] {
                let frequency = frequency as f64 / n as f64;
                let expected = tail(k as f64);
                assert!(
                    (frequency - expected).abs() <= hoeffding_radius(n, 1e-9),
                    "{side} {k}: {frequency} {expected}"
                );
            }
        }
    }
}
