//! How far a weighted sum of independent noises strays: the quantile behind every error bar of several numbers.
//!
//! **Guarantee.** For noises Z₁ … Z_k of one law and weights a₁ … a_k, [`quantile`] is a q with P[|Σ aᵢZᵢ| > q] ≤ β, as far
//! as the continuous laws stand for the discrete ones.
//! **Gaussian.** Σ aᵢZᵢ is normal with variance Σ aᵢ²σᵢ²: q = z·√Σ aᵢ²σᵢ², z the two-sided quantile at β.
//! **Laplace.** With scales bᵢ = |aᵢ|·sᵢ, all different, the transform Π 1/(1 + bᵢ²t²) splits into partial fractions, so
//! P[|Σ| > q] = Σᵢ wᵢ·e^(−q/bᵢ), wᵢ = Π_(j≠i) bᵢ²/(bᵢ² − bⱼ²). Two equal scales are the limit; here equal scales are moved
//! apart upwards, which only widens (a wider symmetric unimodal part makes a sum of such parts less peaked: Anderson 1955).
//! ln P is concave in q, so Newton's method from the right stays on the right: every iterate is a valid q. More than
//! five scales take Chernoff's bound, min over λ of (ln(2/β) − Σ ln(1 − bᵢ²λ²))/λ, or where it is smaller the normal
//! quantile corrected for the kurtosis γ = 3·Σbᵢ⁴/(Σbᵢ²)²: z + γ·(z³ − 3z)/24 standard deviations (Cornish and Fisher).
//! **Grids.** Discrete noise lies on steps of aᵢ. Where nothing smooths the steps of one part, the sum does too, and q
//! must reach the middle of the next step: half of it is added, times how much of the steps is left, |Π_(j≠i) φⱼ(2π·aⱼ/aᵢ)|
//! with φⱼ the characteristic function of Zⱼ. That is one for a lone part, and nothing as soon as another part is fine.
//! **Exactness.** Floats: this is about bars, never about released numbers. The tests draw from the exact samplers.

use std::f64::consts::PI;

use pointillist_numbers::{Rational, normal_quantile_upper};

use crate::number::additive_noise::{AdditiveNoise, NoiseLaw};

/// Beyond this many Laplace parts partial fractions lose too many digits.
const FRACTIONS_MAX: usize = 5;

/// The law of one noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Normal, by its standard deviation σ.
    Gaussian(f64),
    /// Laplace, by its scale.
    Laplace(f64),
}

/// How sure a bar is to be: β, and the normal quantile z with P[|N| > z] = β.
#[derive(Clone, Copy, Debug)]
pub struct Sureness {
    /// The probability β with which the bar may fail.
    pub beta: f64,
    /// The normal quantile z.
    pub z: f64,
}

impl Sureness {
    /// For a β between zero and one, both excluded.
    pub fn new(beta: &Rational) -> Self {
        Self {
            beta: beta.to_f64_lower(),
            z: normal_quantile_upper(&(beta * &Rational::ratio(1, 2))).to_f64_upper(),
        }
    }
}

impl Noise {
    /// The law of a plan's noise.
    pub fn of(noise: &AdditiveNoise) -> Self {
        let scale = noise.scale_upper().to_f64_upper();
        match noise.law() {
            NoiseLaw::DiscreteGaussian => Self::Gaussian(scale),
            NoiseLaw::DiscreteLaplace => Self::Laplace(scale),
        }
    }

    /// The magnitude of the characteristic function at a frequency.
    fn transform(self, frequency: f64) -> f64 {
        match self {
            Self::Gaussian(sigma) => {
                let turns = frequency / (2.0 * PI);
                let distance = 2.0 * PI * (turns - turns.round());
                (-0.5 * (sigma * distance).powi(2)).exp()
            }
            Self::Laplace(scale) => {
                let rest = -(-1.0 / scale).exp_m1();
                let swing = 2.0 * (frequency / 2.0).sin().powi(2);
                rest * rest / (rest * rest + 2.0 * (1.0 - rest) * swing)
            }
        }
    }
}

/// The sum of these noises, each times its weight, stays within this of zero with probability 1 − β.
pub fn quantile(parts: &[(f64, Noise)], sure: &Sureness) -> f64 {
    let mut scales = [0.0; FRACTIONS_MAX];
    let (mut variance, mut count) = (0.0, 0);
    for (weight, noise) in parts {
        match noise {
            Noise::Gaussian(sigma) => variance += (weight * sigma).powi(2),
            Noise::Laplace(scale) => {
                let scale = (weight * scale).abs();
                if scale > 0.0 {
                    if count < FRACTIONS_MAX {
                        scales[count] = scale;
                    }
                    count += 1;
                }
            }
        }
    }
    let smooth = if count == 0 {
        sure.z * variance.sqrt()
    } else if count <= FRACTIONS_MAX && variance == 0.0 {
        laplace_quantile(&mut scales[..count], sure.beta)
    } else {
        chernoff(parts, sure.beta).min(corrected_normal(parts, sure.z))
    };
    smooth + half_step(parts)
}

/// Half of the step that the sum lies on, as far as it does.
fn half_step(parts: &[(f64, Noise)]) -> f64 {
    let left_of_steps = |at: usize| {
        let others = parts.iter().enumerate().filter(|(other, part)| *other != at && part.0 != 0.0);
        others.map(|(_, (weight, noise))| noise.transform(2.0 * PI * weight / parts[at].0)).product::<f64>()
    };
    let steps = (0..parts.len()).filter(|at| parts[*at].0 != 0.0);
    steps.map(|at| 0.5 * parts[at].0.abs() * left_of_steps(at)).fold(0.0, f64::max)
}

fn laplace_quantile(scales: &mut [f64], beta: f64) -> f64 {
    scales.sort_unstable_by(f64::total_cmp);
    // The closer two scales, the larger their weights of opposite sign: so close that eight digits are left.
    let apart = 1.0 + 1e-8f64.powf(1.0 / (scales.len().max(2) - 1) as f64).clamp(1e-7, 0.1);
    for at in 1..scales.len() {
        scales[at] = scales[at].max(scales[at - 1] * apart);
    }
    let mut weights = [1.0; FRACTIONS_MAX];
    for (at, scale) in scales.iter().enumerate() {
        for other in scales.iter().filter(|other| *other != scale) {
            // Differences of near floats are exact; those of their squares are not.
            weights[at] *= scale / (scale - other) * (scale / (scale + other));
        }
    }
    let largest = scales[scales.len() - 1];
    // With β/k for each part all stay within this.
    let mut q = scales.iter().sum::<f64>() * (scales.len() as f64 / beta).ln();
    for _ in 0..64 {
        let (mut tail, mut density) = (0.0, 0.0);
        for (scale, weight) in scales.iter().zip(weights) {
            let part = weight * (-q / scale).exp();
            tail += part;
            density += part / scale;
        }
        if tail <= 0.0 || density <= 0.0 {
            // Far out only the widest part is left.
            q = (q - largest).max(largest * (1.0 / beta).ln());
            continue;
        }
        let step = (beta / tail).ln() * tail / density;
        if step <= 1e-9 * q {
            break;
        }
        q -= step;
    }
    q
}

fn chernoff(parts: &[(f64, Noise)], beta: f64) -> f64 {
    let widest = parts.iter().map(|(weight, noise)| match noise {
        Noise::Gaussian(_) => 0.0,
        Noise::Laplace(scale) => (weight * scale).abs(),
    });
    let widest = widest.fold(0.0, f64::max);
    let bound = |lambda: f64| {
        let cost = parts.iter().map(|(weight, noise)| match noise {
            Noise::Gaussian(sigma) => (weight * sigma * lambda).powi(2) / 2.0,
            Noise::Laplace(scale) => -(-(weight * scale * lambda).powi(2)).ln_1p(),
        });
        ((2.0 / beta).ln() + cost.sum::<f64>()) / lambda
    };
    (1..64).map(|step| bound(f64::from(step) / 64.0 / widest)).fold(f64::INFINITY, f64::min)
}

fn corrected_normal(parts: &[(f64, Noise)], z: f64) -> f64 {
    let (mut variance, mut fourth) = (0.0, 0.0);
    for (weight, noise) in parts {
        match noise {
            Noise::Gaussian(sigma) => variance += (weight * sigma).powi(2),
            Noise::Laplace(scale) => {
                variance += 2.0 * (weight * scale).powi(2);
                fourth += 12.0 * (weight * scale).powi(4);
            }
        }
    }
    let kurtosis = fourth / (variance * variance);
    variance.sqrt() * (z + kurtosis * (z.powi(3) - 3.0 * z).max(0.0) / 24.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE: Sureness = Sureness { beta: 0.05, z: 1.959_963_984_540_054 };

    /// Known quantiles: a lone Laplace part b·ln(1/β); two equal ones (1 + q/2a)·e^(−q/a) = β; √ for Gaussian parts.
    #[test]
    fn quantiles_are_those_of_the_closed_forms() {
        let fine = |parts: &[(f64, Noise)]| quantile(parts, &SURE) - half_step(parts);
        let one = fine(&[(2.0, Noise::Laplace(1e6))]);
        assert!((one / 2e6 - 20f64.ln()).abs() < 1e-6, "{one}");
        let two = fine(&[(1.0, Noise::Laplace(1e6)), (-1.0, Noise::Laplace(1e6))]) / 1e6;
        assert!(((1.0 + two / 2.0) * (-two).exp() - 0.05).abs() < 1e-6, "{two}");
        let (a, b) = (1.0f64, 0.3f64);
        let mixed = fine(&[(a, Noise::Laplace(1e6)), (b, Noise::Laplace(1e6))]) / 1e6;
        let tail = (a * a * (-mixed / a).exp() - b * b * (-mixed / b).exp()) / (a * a - b * b);
        assert!((tail - 0.05).abs() < 1e-6, "{mixed}");
        let normal = fine(&[(3.0, Noise::Gaussian(1e6)), (4.0, Noise::Gaussian(1e6))]);
        assert!((normal / 5e6 - SURE.z).abs() < 1e-9);
        // Many parts: the sum is nearly normal, and the bound is a bound.
        let many = vec![(1.0, Noise::Laplace(1e6)); 40];
        let (bound, near) = (fine(&many) / 1e6, SURE.z * 80f64.sqrt());
        assert!(near < bound && bound < 1.01 * near, "{bound} {near}");
        for count in 3..=12 {
            let parts = vec![(1.0, Noise::Laplace(1e6)); count];
            let (q, normal) = (fine(&parts) / 1e6, SURE.z * (2.0 * count as f64).sqrt());
            assert!(normal < q && q < 1.12 * normal, "{count} equal parts: {q} {normal}");
        }
    }

    #[test]
    fn a_lone_part_reaches_the_middle_of_the_next_step_and_a_smooth_sum_does_not() {
        assert_eq!(half_step(&[(3.0, Noise::Gaussian(1.0))]), 1.5);
        assert_eq!(half_step(&[(1.0, Noise::Gaussian(1.0)), (1.0, Noise::Laplace(2.0))]), 0.5);
        let smooth = [(1.0, Noise::Gaussian(1.0)), (1e-6, Noise::Gaussian(1e6))];
        assert!(half_step(&smooth) < 1e-6, "{}", half_step(&smooth));
        assert_eq!(half_step(&[]), 0.0);
    }
}
