//! How far a weighted sum of noise goes.
//!
//! **Claim.** |Σ w_i·Z_i| ≤ t but for a probability of 2·e^−l, for independent noise Z and weights of Euclidean norm at most
//! `norm` and at most `largest` each:
//! * discrete Gaussian: E e^(λZ) ≤ e^(λ²σ²/2), so t = σ·norm·√(2l);
//! * discrete Laplace of scale s: E e^(λZ) = 1/(1 − sinh²(λ/2)/sinh²(1/2s)) ≤ 1/(1 − s²λ²) for sλ < 1, as sinh(x)/x rises, and that is
//!   at most e^(2s²λ²) for s²λ² ≤ 1/2. So t = 2s²λ·norm² + l/λ for any λ ≤ 1/(√2·s·largest); the best is √(l/2)/(s·norm).
//!
//! **Exactness.** Floats: these are error bars.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_mechanisms::number::additive_noise::NoiseLaw;

/// t for `logarithm` = l.
pub(super) fn bound(noise: &AdditiveNoise, norm: f64, largest: f64, logarithm: f64) -> f64 {
    if norm <= 0.0 {
        return 0.0;
    }
    let scale = noise.scale_upper().to_f64_upper();
    match noise.law() {
        NoiseLaw::DiscreteGaussian => scale * norm * (2.0 * logarithm).sqrt(),
        NoiseLaw::DiscreteLaplace => {
            let best = (logarithm / 2.0).sqrt() / (scale * norm);
            let lambda = best.min(1.0 / (2f64.sqrt() * scale * largest));
            2.0 * scale * scale * lambda * norm * norm + logarithm / lambda
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho, Spend};
    use pointillist_testkit::{clopper_pearson_upper, seeded};

    use super::*;

    /// Specification: of 4000 sums at most a fraction 2e^−l = 0.02 passes the bound, and a bound of 0.4 times it would be
    /// passed. False alarm: 1e-9 (Clopper and Pearson).
    #[test]
    fn sums_stay_below_the_bound() {
        let laplace = Spend::Pure(Epsilon::parse("0.3").unwrap());
        let gaussian = Spend::Concentrated(Rho::parse("0.01").unwrap());
        for spend in [laplace, gaussian] {
            let noise = AdditiveNoise::for_number(1, &spend).unwrap();
            for weights in [vec![1.0; 12], vec![5.0, 0.1, -0.1], (0..9).map(f64::from).collect()] {
                let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
                let largest = weights.iter().fold(0f64, |largest, w| largest.max(w.abs()));
                let bound = bound(&noise, norm, largest, 100f64.ln());
                let mut bits = seeded(7);
                let sums: Vec<f64> = (0..4000)
                    .map(|_| weights.iter().map(|w| w * noise.sample(&mut bits) as f64).sum::<f64>().abs())
                    .collect();
                let within = |limit: f64| sums.iter().filter(|sum| **sum <= limit).count() as u64;
                assert!(clopper_pearson_upper(within(bound), 4000, 1e-9) >= 0.98);
                assert!(clopper_pearson_upper(within(0.4 * bound), 4000, 1e-9) < 0.98, "{weights:?}");
            }
        }
    }
}
