//! Gaussian mechanism: integer answers plus normal noise, rounded to integers, exactly.
//!
//! **Guarantee.** If integer answers move by at most `Δ₂` in Euclidean norm between neighbours, independent
//! normal noise of standard deviation σ, rounded to the nearest integer, makes them (ε, δ)-differentially
//! private for every (ε, δ) on the curve of [`delta_of`](crate::number::gaussian_calibration::delta_of), and
//! `Δ₂²/(2σ²)`-zCDP, in any dimension.
//! **Neighbours.** Whichever the sensitivity was computed for.
//! **Source.** Balle, Wang (2018), Theorem 8, arXiv:1805.06530, and Bun, Steinke (2016), Proposition 1.6,
//! arXiv:1605.02065, for the continuous mechanism. Adding rounded noise to an integer is rounding the integer
//! plus noise, so everything proven for continuous noise holds as post-processing.
//! **Error.** One answer strays by more than `σ·z + 1/2` with probability at most β, where `P[|N| > z] = β`;
//! for k answers β/k each (union bound). z is about `√(2·ln(2/β))`.
//! **Exactness.** The normal variable is known lazily to as many digits as rounding takes; σ is rational and
//! rounded up. Sums beyond ±2^125 end there, after the noise.
//! **Not covered.** Real answers: put them on a grid first, and add the rounding of every coordinate to Δ₂.
//! Timing.
//!
//! **When.** Many integer answers at once with a stated (ε, δ): the curve is exact in any dimension, where
//! that of the [discrete Gaussian](crate::number::discrete_gaussian) is known in one. Under a ρ budget either serves;
//! the discrete one needs no rounding of σ and draws faster. For one answer with a small ε the [geometric
//! mechanism](crate::number::geometric) errs less and needs no δ.

use pointillist_noise::{RoundedGaussian, SecureBits, noisy_sum};
use pointillist_numbers::{Rational, normal_quantile_upper};
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Guarantee, Loss, Rho, SensitivityL2};

use crate::number::gaussian_calibration::{sigma_analytic, sigma_classical, sigma_for_rho};
use crate::number::loss_upper::rho_upper;
use crate::{Card, MechanismError};

/// The mechanism in a line each.
pub const CARD: Card = Card {
    name: "Gaussian",
    releases: "many integers at once, with a stated (ε, δ)",
    guarantee: "(ε, δ)-DP at the smallest σ, and Δ₂²/(2σ²)-zCDP, in any dimension",
    error: "beyond σ·z + 1/2 with probability β, z about √(2·ln(2/β))",
    source: "Balle, Wang 2018, Theorem 8, arXiv:1805.06530",
};

/// Integer answers with rounded normal noise.
#[derive(Clone, Debug)]
pub struct GaussianMechanism {
    noise: RoundedGaussian,
    loss: Loss,
}

impl GaussianMechanism {
    /// The smallest noise for (ε, δ): the analytic calibration, which is the one to use.
    pub fn new(
        epsilon: &Epsilon,
        delta: &Delta,
        sensitivity_l2: &SensitivityL2,
    ) -> Result<Self, MechanismError> {
        let sigma = sigma_analytic(epsilon, delta, sensitivity_l2)?;
        Self::approximate(&sigma, epsilon, delta, sensitivity_l2)
    }

    /// The textbook's noise for (ε, δ), `σ = Δ₂·√(2·ln(1.25/δ))/ε`, for comparison with the literature. It is
    /// proven for ε up to 1 only and refused beyond; it is never less noise than [`GaussianMechanism::new`]
    /// adds.
    pub fn classical(
        epsilon: &Epsilon,
        delta: &Delta,
        sensitivity_l2: &SensitivityL2,
    ) -> Result<Self, MechanismError> {
        let sigma = sigma_classical(epsilon, delta, sensitivity_l2)?;
        Self::approximate(&sigma, epsilon, delta, sensitivity_l2)
    }

    /// The noise of ρ-zCDP: `σ = Δ₂/√(2ρ)`, rounded up.
    pub fn for_rho(rho: &Rho, sensitivity_l2: &SensitivityL2) -> Result<Self, MechanismError> {
        let noise = RoundedGaussian::new(&sigma_for_rho(rho, sensitivity_l2))?;
        Ok(Self { noise, loss: Loss::zcdp(rho.clone()) })
    }

    /// A mechanism whose σ was calibrated for (ε, δ).
    fn approximate(
        sigma: &Rational,
        epsilon: &Epsilon,
        delta: &Delta,
        sensitivity_l2: &SensitivityL2,
    ) -> Result<Self, MechanismError> {
        let noise = RoundedGaussian::new(sigma)?;
        let approximate = Loss::approximate(epsilon.clone(), delta.clone());
        let rho = sensitivity_l2.squared() / &(Rational::from(2) * sigma.squared());
        let loss = match rho_upper(&rho) {
            Some(rho) => approximate.and(Guarantee::ZeroConcentrated { rho }),
            None => approximate,
        };
        Ok(Self { noise, loss })
    }

    /// The standard deviation before rounding.
    pub fn sigma(&self) -> &Rational {
        self.noise.sigma()
    }

    /// What one release costs, all its coordinates together.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// One answer.
    pub fn release<B: SecureBits + ?Sized>(&self, answer: i128, bits: &mut B) -> i128 {
        noisy_sum(answer, self.noise.sample(bits))
    }

    /// Many answers that one person moves by at most `Δ₂` together.
    pub fn release_all<B: SecureBits + ?Sized>(&self, answers: &[i128], bits: &mut B) -> Vec<i128> {
        answers.iter().map(|answer| self.release(*answer, bits)).collect()
    }

    /// How far one answer strays from the truth: farther with probability at most β.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        self.error_bound_all(beta, 1)
    }

    /// How far any of `count` answers strays: some does farther with probability at most β, by the union
    /// bound.
    pub fn error_bound_all(&self, beta: &FailureProbability, count: u64) -> Rational {
        let tail = beta.value() / &(Rational::from(count.max(1)) * Rational::from(2));
        // |round(σN)| > t + 1/2 only if |σN| > t.
        let bound = normal_quantile_upper(&tail) * self.sigma().clone() + Rational::ratio(1, 2);
        bound.round_up_significant(64)
    }
}

#[cfg(test)]
mod tests;
