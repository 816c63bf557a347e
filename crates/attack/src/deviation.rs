//! How wide our noise is, for a reader and for an adversary, who may know it.

use pointillist_mechanisms::{AdditiveNoise, number::additive_noise::NoiseLaw};

/// The standard deviation of noise. Discrete Laplace of scale s: the variance is 2a/(1 − a)² with a =
/// e^(−1/s). Discrete Gaussian: σ, which is a little more.
pub(crate) fn deviation(noise: &AdditiveNoise) -> f64 {
    let scale = noise.scale_upper().to_f64_upper();
    if noise.law() == NoiseLaw::DiscreteGaussian {
        return scale;
    }
    // For the smallest scales the numerator underflows to the right answer, zero.
    2f64.sqrt() * (-0.5 / scale).exp() / -(-1.0 / scale).exp_m1()
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho, Spend};

    use super::*;

    /// Specification: the sum of k²·P[k] over the law, and the limits of large and small scales.
    #[test]
    fn the_deviation_is_that_of_the_law() {
        let of = |price: Spend| deviation(&AdditiveNoise::for_number(1, &price).unwrap());
        let laplace = |epsilon: &str| of(Spend::Pure(Epsilon::parse(epsilon).unwrap()));
        let a = (-0.5f64).exp();
        let law = |k: i32| (1.0 - a) / (1.0 + a) * a.powi(k.abs());
        let variance: f64 = (-300..=300).map(|k| f64::from(k * k) * law(k)).sum();
        assert!((laplace("0.5") - variance.sqrt()).abs() < 1e-12);
        assert!((laplace("1e-9") / (2f64.sqrt() * 1e9) - 1.0).abs() < 1e-12);
        assert_eq!(laplace("1000000"), 0.0);
        assert!((of(Spend::Concentrated(Rho::parse("0.005").unwrap())) - 10.0).abs() < 1e-9);
    }
}
