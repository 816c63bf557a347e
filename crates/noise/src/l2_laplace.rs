//! Vectors whose density falls with their Euclidean norm, each coordinate rounded to the nearest integer, exactly.
//!
//! **Guarantee.** With B of density proportional to exp(−‖b‖/scale) in d dimensions, the result is ⌊B_i + 1/2⌋ for each i,
//! exactly. Adding it to a vector of integers is the same as adding B and rounding, so what is proven of B holds for it as
//! post-processing: an integer vector that moves by at most Δ in Euclidean norm is Δ/scale-differentially private.
//! **Source.** Chaudhuri, Monteleoni, Sarwate (2011), JMLR 12, Algorithm 1, for the law. In polar coordinates the density of
//! the norm is proportional to r^(d−1)·exp(−r/scale): a sum of d exponentials; the direction is that of d normal numbers.
//! **Method.** Exponentials and normals are [`LazyReal`](crate::continuous::LazyReal)s. scale·(ΣE)·N_i/‖N‖ is enclosed, and while
//! the rounding of any coordinate is uncertain all learn 64 more digits: with probability about d·scale/2^60.

use pointillist_numbers::{Enclosure, IBig, Rational};

use crate::continuous::{ContinuousNoise, LazyReal};
use crate::discrete_laplace::saturating;
use crate::error::checked_scale;
use crate::{BitSource, NoiseError};

/// Noise of density proportional to exp(−‖b‖/scale), rounded to integers.
#[derive(Clone, Debug)]
pub struct L2Laplace {
    dimension: usize,
    scale: Rational,
}

impl L2Laplace {
    /// The noise in this many dimensions and of this scale, between 2^-40 and 2^100. Its norm is `dimension·scale` on average.
    pub fn new(dimension: usize, scale: &Rational) -> Result<Self, NoiseError> {
        Ok(Self { dimension, scale: checked_scale(scale)?.clone() })
    }

    /// The scale.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// One vector.
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> Vec<i128> {
        let draw = |noise: &ContinuousNoise, bits: &mut B| -> Vec<LazyReal> {
            (0..self.dimension).map(|_| noise.draw(bits)).collect()
        };
        let mut exponentials = draw(ContinuousNoise::laplace(), bits);
        let mut normals = draw(ContinuousNoise::standard_normal(), bits);
        loop {
            if let Some(rounded) = self.rounded(&exponentials, &normals) {
                return rounded;
            }
            exponentials.iter_mut().chain(&mut normals).for_each(|number| number.refine(bits));
        }
    }

    /// The vector, if the digits that are known decide every coordinate.
    fn rounded(&self, exponentials: &[LazyReal], normals: &[LazyReal]) -> Option<Vec<i128>> {
        let Some(first) = normals.first() else { return Some(Vec::new()) };
        let precision = first.enclosure().precision();
        let zero = Enclosure::integer(0, precision);
        let norm = exponentials.iter().fold(zero.clone(), |sum, number| &sum + &magnitude(number));
        let squares = normals.iter().fold(zero, |sum, number| {
            let magnitude = magnitude(number);
            &sum + &(&magnitude * &magnitude)
        });
        let factor = (&norm * &Enclosure::of(&self.scale, precision)).checked_div(&squares.sqrt())?;
        let half = Enclosure::of(&Rational::ratio(1, 2), precision);
        let coordinate = |number: &LazyReal| {
            let shifted = &(&number.enclosure() * &factor) + &half;
            shifted.floor().map(saturating)
        };
        normals.iter().map(coordinate).collect()
    }
}

/// |x|: an exponential number when x is of the Laplace law.
fn magnitude(number: &LazyReal) -> Enclosure {
    let value = number.enclosure();
    if *value.lower_units() < IBig::ZERO { -&value } else { value }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, distribution_p_value, seeded};

    use super::*;

    /// In one dimension the law is Laplace: P[X = 0] = 1 − e^(−1/2s), P[X = ±k] = e^(−k/s)·sinh(1/2s).
    fn one_dimension(scale: f64) -> impl Fn(i64) -> f64 {
        move |k: i64| match k.unsigned_abs() {
            0 => 1.0 - (-0.5 / scale).exp(),
            k => (-(k as f64) / scale).exp() * (0.5 / scale).sinh(),
        }
    }

    /// Specification: in one dimension it is Laplace, rounded, and 3 % off is seen. False alarm: 1e-9 (χ²).
    #[test]
    fn in_one_dimension_it_is_laplace() {
        let noise = L2Laplace::new(1, &Rational::from(3)).unwrap();
        let mut bits = seeded(1);
        let draws: Vec<i64> = (0..200_000).map(|_| noise.sample(&mut bits)[0] as i64).collect();
        let p_value = |scale| distribution_p_value(draws.iter().copied(), one_dimension(scale), -60..=60);
        assert!(p_value(3.0) >= 1e-9, "{}", p_value(3.0));
        assert!(p_value(2.9) < 1e-9 && p_value(3.1) < 1e-9);
    }

    /// Specification: in three dimensions one coordinate has density (1 + |x|/s)·e^(−|x|/s)/(4s): the density e^(−r/s)/(8πs³)
    /// integrated over the plane through x is ∫ e^(−r/s)·r dr/(4s³) from |x|. So P[X_1 < −t] = e^(−t/s)·(2 + t/s)/4. Each of
    /// the three is tested; a direction with one coordinate favoured, or a norm that is Gamma(2), fails. False alarm: 1e-9.
    #[test]
    fn in_three_dimensions_every_coordinate_has_its_law() {
        let scale = 2.0;
        let noise = L2Laplace::new(3, &Rational::from(2)).unwrap();
        let mut bits = seeded(2);
        let draws: Vec<Vec<i128>> = (0..60_000).map(|_| noise.sample(&mut bits)).collect();
        let tail = |t: f64| (-t / scale).exp() * (2.0 + t / scale) / 4.0;
        let pmf = |k: i64| match k.unsigned_abs() {
            0 => 1.0 - 2.0 * tail(0.5),
            k => tail(k as f64 - 0.5) - tail(k as f64 + 0.5),
        };
        for axis in 0..3 {
            let coordinate = draws.iter().map(|draw| draw[axis] as i64);
            assert_distribution(coordinate, pmf, -60..=60, &format!("axis {axis}"));
        }
    }

    /// Specification: the norm is Gamma(d): its mean over 20,000 draws is d·scale, within 6.2 of its standard deviations
    /// (false alarm below 1e-9); at this scale rounding moves it by less than 0.05.
    #[test]
    fn the_norm_is_a_sum_of_exponentials() {
        let (d, scale, count) = (20usize, 1000.0, 20_000);
        let noise = L2Laplace::new(d, &Rational::from(1000)).unwrap();
        let mut bits = seeded(3);
        let norm = |draw: Vec<i128>| draw.iter().map(|at| (*at as f64).powi(2)).sum::<f64>().sqrt();
        let mean = (0..count).map(|_| norm(noise.sample(&mut bits))).sum::<f64>() / f64::from(count);
        let deviation = scale * (d as f64 / f64::from(count)).sqrt();
        assert!((mean - d as f64 * scale).abs() < 6.2 * deviation + 0.1, "{mean}");
    }

    /// Specification: digits are drawn until every rounding is certain, also at the largest scale, and none is invented: at
    /// scale 2^100 the first 64 digits cannot decide.
    #[test]
    fn large_scales_draw_more_digits() {
        let noise = L2Laplace::new(2, &Rational::power_of_two(100)).unwrap();
        let mut bits = seeded(4);
        let draws: Vec<i128> = (0..50).flat_map(|_| noise.sample(&mut bits)).collect();
        assert!(draws.iter().any(|at| at.unsigned_abs() > 1 << 98));
        assert!(draws.iter().filter(|at| *at % 2 == 0).count() < 90, "the last digit is random");
        assert!(L2Laplace::new(2, &Rational::zero()).is_err());
        assert!(L2Laplace::new(0, &Rational::one()).unwrap().sample(&mut bits).is_empty());
    }
}
