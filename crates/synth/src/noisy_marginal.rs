//! A marginal with noise: integers in, integers out.
//!
//! **Guarantee.** Releasing a marginal for a price of ρ is ρ-zCDP; for a price of ε it is ε-differentially private.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A person moves a marginal by at most k in L1 and in L2 (`histogram.rs`). Each cell gets independent discrete Gaussian noise of σ² =
//! k²/(2ρ), or discrete Laplace noise of scale k/ε: `mechanisms/src/number/additive_noise.rs`, for Δ₁ = Δ₂ = k. Sums are clamped to 63 bits
//! after the noise, which is post-processing.
//! **Exactness.** Integers and rationals; the variance that is written down is the exact parameter of the law.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::Spend;
use serde::{Deserialize, Serialize};

use crate::SynthError;

/// A law of integer noise with its parameter, exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(String, String)", into = "(String, String)")]
pub enum Noise {
    /// Discrete Gaussian, by its σ².
    Gaussian(Rational),
    /// Discrete Laplace, by its scale.
    Laplace(Rational),
}

impl Noise {
    /// The variance of the noise; of a Gaussian law its parameter, which the true variance never passes.
    pub fn variance(&self) -> f64 {
        match self {
            Self::Gaussian(variance) => variance.to_f64_nearest(),
            Self::Laplace(scale) => {
                // 2a/(1 − a)² with a = e^(−1/scale) is 1/(2·sinh²(1/(2·scale))).
                let half = 0.5 / scale.to_f64_nearest();
                if half < 1e-6 { 0.5 / (half * half) } else { 0.5 / libm::sinh(half).powi(2) }
            }
        }
    }
}

impl From<Noise> for (String, String) {
    fn from(noise: Noise) -> Self {
        match noise {
            Noise::Gaussian(variance) => ("gaussian".to_owned(), variance.to_string()),
            Noise::Laplace(scale) => ("laplace".to_owned(), scale.to_string()),
        }
    }
}

impl TryFrom<(String, String)> for Noise {
    type Error = SynthError;

    fn try_from((law, parameter): (String, String)) -> Result<Self, SynthError> {
        let value = Rational::parse(&parameter).ok().filter(Rational::is_positive);
        let value = value
            .filter(|value| *value < Rational::power_of_two(400) && *value > Rational::power_of_two(-400));
        match (law.as_str(), value) {
            ("gaussian", Some(variance)) => Ok(Self::Gaussian(variance)),
            ("laplace", Some(scale)) => Ok(Self::Laplace(scale)),
            _ => Err(SynthError::misfit("there is no such noise")),
        }
    }
}

/// The noisy counts of a marginal, and the law of their noise.
pub(crate) fn release<B: SecureBits + ?Sized>(
    counts: &[u64],
    rows_per_person: u32,
    spend: &Spend,
    bits: &mut B,
) -> Result<(Noise, Vec<i64>), SynthError> {
    let noise = AdditiveNoise::for_number(i128::from(rows_per_person), spend)?;
    let law = match noise.variance_parameter() {
        Some(variance) => Noise::Gaussian(variance.clone()),
        None => Noise::Laplace(noise.scale_upper()),
    };
    let draws = noise.sample_many(counts.len(), bits);
    let noisy = counts.iter().zip(draws).map(|(count, draw)| clamped(noisy_sum(i128::from(*count), draw)));
    Ok((law, noisy.collect()))
}

const ENDS: i128 = 1 << 62;

/// The number, or the nearest of 63 bits.
pub(crate) fn clamped(value: i128) -> i64 {
    value.clamp(-ENDS, ENDS) as i64
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::seeded;

    use super::*;

    #[test]
    fn the_noise_is_that_of_k_rows() {
        let rho = Spend::Concentrated(Rho::parse("0.125").unwrap());
        let (law, noisy) = release(&[10, 20], 3, &rho, &mut seeded(1)).unwrap();
        assert_eq!(law, Noise::Gaussian(Rational::from(36)), "9/(2·0.125)");
        assert_eq!(noisy.len(), 2);
        let epsilon = Spend::Pure(Epsilon::parse("0.5").unwrap());
        let (law, _) = release(&[10], 3, &epsilon, &mut seeded(1)).unwrap();
        assert_eq!(law, Noise::Laplace(Rational::from(6)));
    }

    #[test]
    fn a_law_comes_back_as_it_was_written_and_others_are_refused() {
        for noise in [Noise::Gaussian(Rational::ratio(7, 3)), Noise::Laplace(Rational::from(2))] {
            let text = serde_json::to_string(&noise).unwrap();
            assert_eq!(serde_json::from_str::<Noise>(&text).unwrap(), noise);
        }
        for text in [
            r#"["gaussian","0"]"#,
            r#"["gaussian","-1"]"#,
            r#"["cauchy","1"]"#,
            r#"["laplace","x"]"#,
            r#"["laplace","1e999"]"#,
        ] {
            assert!(serde_json::from_str::<Noise>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_variance_of_a_laplace_law_is_that_of_its_sum() {
        for scale in [0.3f64, 1.0, 7.5] {
            let law = Noise::Laplace(Rational::from_f64(scale).unwrap());
            let a = (-1.0 / scale).exp();
            let sum: f64 =
                (1..2000).map(|k| 2.0 * f64::from(k).powi(2) * a.powi(k) * (1.0 - a) / (1.0 + a)).sum();
            assert!((law.variance() / sum - 1.0).abs() < 1e-9);
        }
    }
}
