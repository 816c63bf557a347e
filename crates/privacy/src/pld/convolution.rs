//! Convolution of many laws by FFT, with a running bound on its rounding.
//!
//! **Guarantee.** Every entry of the result differs from the exact cyclic convolution of the given masses by at most the
//! returned error. A transform of length n adds at most `8·log₂(n)·2⁻⁵³` times the sum of its inputs' magnitudes to each
//! output (every input reaches every output through log₂ n stages of one multiplication and one addition); products
//! and powers propagate errors by the product rule, and each complex multiplication adds less than 3·2⁻⁵³ relative.

use realfft::num_complex::Complex64;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::sync::Arc;

const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

/// The product of transforms so far, each value with a bound on its error.
pub(crate) struct Spectrum {
    length: usize,
    values: Vec<Complex64>,
    errors: Vec<f64>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl Spectrum {
    /// The transform of a point mass at zero, for cyclic convolutions of this power-of-two length.
    pub fn new(length: usize) -> Self {
        let mut planner = RealFftPlanner::new();
        let half = length / 2 + 1;
        Self {
            length,
            values: vec![Complex64::new(1.0, 0.0); half],
            errors: vec![0.0; half],
            forward: planner.plan_fft_forward(length),
            inverse: planner.plan_fft_inverse(length),
        }
    }

    /// Convolves with `count` copies of a law whose masses, indexed modulo the length, add up to about one.
    pub fn convolve(&mut self, mut masses: Vec<f64>, count: u64) {
        let total: f64 = masses.iter().sum();
        let mut transform = self.forward.make_output_vec();
        self.forward.process(&mut masses, &mut transform).expect("the buffers were made for this transform");
        let error = self.stage_error() * total;
        let copies = count as f64;
        // Powers below e^-92 are zero for every purpose; they are most of them.
        let negligible_squared = (-184.0 / copies).exp();
        for ((value, value_error), factor) in self.values.iter_mut().zip(&mut self.errors).zip(transform) {
            let norm_squared = factor.norm_sqr();
            if norm_squared < 0.5 * negligible_squared {
                let size =
                    ((norm_squared.sqrt() + error) / (0.5 * negligible_squared).sqrt()).min(1.0) * 1e-40;
                *value_error = (*value_error + value.norm()) * size;
                *value = Complex64::default();
                continue;
            }
            let magnitude = norm_squared.sqrt() + error;
            let (power, size) =
                if count == 1 { (factor, magnitude) } else { (power(factor, count), magnitude.powf(copies)) };
            // |z^k − w^k| ≤ k·max(|z|, |w|)^(k−1)·|z − w|, and powering by squaring multiplies k times in effect.
            let power_error = copies * size * (error / magnitude + 3.0 * UNIT);
            let old = value.norm();
            *value_error = *value_error * (size + power_error) + old * power_error + 3.0 * UNIT * old * size;
            *value *= power;
        }
    }

    /// The masses of the convolution and a bound on the error of each.
    pub fn invert(mut self) -> (Vec<f64>, f64) {
        // The first and the last value of a real transform are real; what rounding left there is error.
        let last = self.values.len() - 1;
        self.values[0].im = 0.0;
        self.values[last].im = 0.0;
        let both_halves = |sum: f64| 2.0 * sum / self.length as f64;
        let magnitude = both_halves(self.values.iter().map(|value| value.norm()).sum());
        let error = both_halves(self.errors.iter().sum()) + self.stage_error() * magnitude;
        let mut masses = self.inverse.make_output_vec();
        self.inverse
            .process(&mut self.values, &mut masses)
            .expect("the buffers were made for this transform");
        let scale = 1.0 / self.length as f64;
        masses.iter_mut().for_each(|mass| *mass *= scale);
        (masses, error * 1.01)
    }

    fn stage_error(&self) -> f64 {
        8.0 * f64::from(self.length.trailing_zeros()) * UNIT
    }
}

fn power(mut base: Complex64, mut exponent: u64) -> Complex64 {
    let mut result = Complex64::new(1.0, 0.0);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result *= base;
        }
        base *= base;
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the theorem says of these laws, from a transform by its definition: forward errors through the product rule,
    /// multiplications, and the way back.
    fn theorem(length: usize, laws: &[(Vec<f64>, u64)]) -> f64 {
        let stage = 8.0 * (length as f64).log2() * UNIT;
        let size = |masses: &[f64], frequency: usize| {
            let turn = |index: usize| {
                let angle = std::f64::consts::TAU * ((index * frequency) % length) as f64 / length as f64;
                Complex64::new(angle.cos(), angle.sin())
            };
            masses.iter().enumerate().map(|(index, mass)| mass * turn(index)).sum::<Complex64>().norm()
        };
        let mut sum = 0.0;
        for frequency in 0..length {
            let sizes: Vec<_> = laws.iter().map(|(masses, _)| size(masses, frequency)).collect();
            let all: f64 =
                sizes.iter().zip(laws).map(|(size, (_, count))| size.powi(*count as i32)).product();
            for (index, (masses, count)) in laws.iter().enumerate() {
                let others: f64 = (sizes.iter().zip(laws).enumerate())
                    .filter(|(other, _)| *other != index)
                    .map(|(_, (size, (_, count)))| size.powi(*count as i32))
                    .product();
                let total: f64 = masses.iter().sum();
                sum += others * *count as f64 * sizes[index].powi(*count as i32 - 1) * stage * total;
                sum += *count as f64 * all * 3.0 * UNIT;
            }
            sum += all * stage;
        }
        sum / length as f64
    }

    /// Specification: the error returned is what the theorem says, no part of it forgotten.
    #[test]
    fn the_bound_has_all_its_parts() {
        let law = |masses: &[f64]| {
            let mut all = masses.to_vec();
            all.resize(64, 0.0);
            all
        };
        let (coin, wide) = (law(&[0.5, 0.5]), law(&[0.1, 0.3, 0.3, 0.2, 0.1]));
        let lists = [
            vec![(coin.clone(), 1)],
            vec![(law(&[0.9, 0.1]), 12)],
            vec![(coin.clone(), 1), (wide.clone(), 1)],
            vec![(wide.clone(), 3), (law(&[0.0, 0.7, 0.3]), 2)],
            vec![(law(&[0.99, 0.01]), 5), (law(&[0.98, 0.0, 0.02]), 40), (law(&[0.999, 0.001]), 1)],
        ];
        for list in lists {
            let mut spectrum = Spectrum::new(64);
            list.iter().for_each(|(masses, count)| spectrum.convolve(masses.clone(), *count));
            let (_, error) = spectrum.invert();
            let least = theorem(64, &list);
            assert!(error >= least * (1.0 - 1e-6), "{list:?}: {error} where the theorem says {least}");
            assert!(error <= 2.0 * least, "{list:?}: {error} where the theorem says {least}");
        }
    }

    /// Specification: no entry is further from the exact convolution than the error says. The masses are multiples of 2⁻²⁰,
    /// so that the exact one is a sum of integers.
    #[test]
    fn exact_convolutions_are_within_the_error() {
        let mut word = pointillist_testkit::seeded(7);
        for length in [16usize, 64, 256] {
            let mut law = || -> Vec<u128> { (0..length).map(|_| u128::from(word() >> 50)).collect() };
            let (first, second) = (law(), law());
            let cyclic = |a: &[u128], b: &[u128]| -> Vec<u128> {
                (0..length).map(|k| (0..length).map(|i| a[i] * b[(k + length - i) % length]).sum()).collect()
            };
            let exact = cyclic(&cyclic(&first, &second), &first);
            let unit = 1.0 / (1u64 << 20) as f64;
            let floats = |law: &[u128]| -> Vec<f64> { law.iter().map(|mass| *mass as f64 * unit).collect() };
            let mut spectrum = Spectrum::new(length);
            spectrum.convolve(floats(&first), 2);
            spectrum.convolve(floats(&second), 1);
            let (found, error) = spectrum.invert();
            for (found, exact) in found.iter().zip(exact) {
                let truth = exact as f64 * unit.powi(3);
                assert!((found - truth).abs() <= error, "{found} {truth} {error}");
            }
        }
    }

    /// Specification: the bound holds. Binomial probabilities are known to full precision; the sum of 60 coins is
    /// compared with them.
    #[test]
    fn the_error_bound_holds_and_is_small() {
        for (length, count, p) in [(128usize, 60u64, 0.5f64), (256, 60, 0.1), (4096, 3000, 0.01)] {
            let mut spectrum = Spectrum::new(length);
            let mut masses = vec![0.0; length];
            (masses[0], masses[1]) = (1.0 - p, p);
            spectrum.convolve(masses, count);
            let (result, error) = spectrum.invert();
            let mut exact = (count as f64 * (-p).ln_1p()).exp();
            for (k, found) in result.iter().enumerate().take(60) {
                assert!((found - exact).abs() <= error + 1e-13 * exact, "{k}: {found} {exact}");
                exact *= (count as f64 - k as f64) / (k as f64 + 1.0) * p / (1.0 - p);
            }
            assert!(error < 1e-11, "error {error}");
        }
    }

    #[test]
    fn different_laws_convolve() {
        let mut spectrum = Spectrum::new(8);
        spectrum.convolve(vec![0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 2);
        spectrum.convolve(vec![0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.75], 1);
        let (result, error) = spectrum.invert();
        let exact = [0.375, 0.1875, 0.0625, 0.125, 0.0625, 0.0, 0.0, 0.1875];
        for (found, expected) in result.iter().zip(exact) {
            assert!((found - expected).abs() <= error, "{found} {expected}");
        }
    }
}
