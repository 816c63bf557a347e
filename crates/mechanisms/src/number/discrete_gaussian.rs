//! Discrete Gaussian mechanism: integer answers under zCDP.
//!
//! **Guarantee.** If integer answers move by at most `Δ₂` in Euclidean norm between neighbours, adding
//! independent discrete Gaussian noise of parameter σ² to each is `Δ₂²/(2σ²)`-zCDP, in any dimension. A
//! single integer answer is also (ε, δ)-differentially private with the exact δ of
//! [`DiscreteGaussianMechanism::delta`].
//! **Neighbours.** Whichever the sensitivity was computed for.
//! **Source.** Canonne, Kamath, Steinke (2020), Theorem 4 for zCDP and Theorem 7 for (ε, δ),
//! arXiv:2004.00010. The proof of the first: for an answer moved by d, completing the square gives
//! `exp((α − 1)·D_α) = exp(α(α − 1)d²/2σ²)·S(αd)/S(0)`, where `S(t)` is the sum of `exp(−(x − t)²/2σ²)` over
//! all integers x, and `S(t) ≤ S(0)` because the Fourier coefficients of S are positive. Divergences of
//! independent coordinates add up, so a vector moved by `d` costs `‖d‖₂²/(2σ²)`.
//! **Error.** [`DiscreteGaussianMechanism::error_bound`] is an integer that the error reaches with
//! probability at most β: the least one when σ² is at most 2^20, at most two and one part in 2^39 more
//! beyond. It is below `1 + σ·√(2·ln(2/β))`: as in the proof above, `E[exp(tX)] ≤ exp(t²σ²/2)`. For k
//! answers, β/k each (union bound).
//! **Exactness.** σ² = `Δ₂²/(2ρ)` is an exact fraction, and the noise has exactly the stated law. Sums beyond
//! ±2^125 end there, after the noise.
//! **Not covered.** The (ε, δ) curve in several dimensions, where it is not the one-dimensional one: convert
//! ρ, or use the [Gaussian mechanism](crate::number::gaussian). Timing: a single draw takes longer for larger noise;
//! a vector's table hardly.
//!
//! **When.** The workhorse under a ρ budget: many integer answers, of which one person moves each a little.
//! For one answer and a pure ε use the [geometric mechanism](crate::number::geometric).

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;
use pointillist_noise::{DiscreteGaussian, SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Guarantee, Loss, Rho, SensitivityL2};

use crate::number::discrete_gaussian_law::DiscreteGaussianLaw;
use crate::number::geometric::TABLE_FROM;
use crate::number::loss_upper::{delta_upper, rho_upper};
use crate::{Card, MechanismError};

/// The mechanism in a line each.
pub const CARD: Card = Card {
    name: "discrete Gaussian",
    releases: "counts and integer sums, many at once, under a ρ budget",
    guarantee: "Δ₂²/(2σ²)-zCDP in any dimension; exact (ε, δ) for one answer",
    error: "reaches about σ·√(2·ln(2/β)) with probability β",
    source: "Canonne, Kamath, Steinke 2020, Theorems 4 and 7, arXiv:2004.00010",
};

/// Integer answers with discrete Gaussian noise.
#[derive(Clone, Debug)]
pub struct DiscreteGaussianMechanism {
    noise: DiscreteGaussian,
    law: DiscreteGaussianLaw,
    rho: Rho,
    sensitivity_l2: SensitivityL2,
}

impl DiscreteGaussianMechanism {
    /// The noise of ρ-zCDP: `σ² = Δ₂²/(2ρ)`, exactly.
    pub fn for_rho(rho: &Rho, sensitivity_l2: &SensitivityL2) -> Result<Self, MechanismError> {
        let variance = sensitivity_l2.squared() / &(rho.value() + rho.value());
        Self::of(&variance, rho.clone(), sensitivity_l2)
    }

    /// Noise of parameter σ², at the ρ it costs, `Δ₂²/(2σ²)` rounded up.
    pub fn with_variance(
        variance: &Rational,
        sensitivity_l2: &SensitivityL2,
    ) -> Result<Self, MechanismError> {
        let Some(inverse) = variance.reciprocal().filter(Rational::is_positive) else {
            return Err(MechanismError::invalid(
                format!("σ² = {variance} is not positive"),
                "write a positive σ², such as 100",
            ));
        };
        let rho = sensitivity_l2.squared() * &(inverse * Rational::ratio(1, 2));
        let Some(rho) = rho_upper(&rho) else {
            return Err(MechanismError::invalid(
                format!("σ² = {variance} is so small that ρ passes a million"),
                "write a larger σ²",
            ));
        };
        Self::of(variance, rho, sensitivity_l2)
    }

    fn of(variance: &Rational, rho: Rho, sensitivity_l2: &SensitivityL2) -> Result<Self, MechanismError> {
        let noise = DiscreteGaussian::new(variance)?;
        let law = DiscreteGaussianLaw::new(variance).expect("a sampler's parameter is positive");
        Ok(Self { noise, law, rho, sensitivity_l2: sensitivity_l2.clone() })
    }

    /// The parameter σ²; the variance is a little less.
    pub fn variance_parameter(&self) -> &Rational {
        self.noise.variance_parameter()
    }

    /// The law of the noise.
    pub fn law(&self) -> &DiscreteGaussianLaw {
        &self.law
    }

    /// What one release costs, all its coordinates together.
    pub fn loss(&self) -> Loss {
        Loss::zcdp(self.rho.clone())
    }

    /// The δ with which a release of *one* answer is (ε, δ)-differentially private, rounded up. Refused above
    /// σ² = 2^20, where the series is long: convert ρ there, which loses little.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<Delta, MechanismError> {
        // One integer moves by an integer: the root rounded down.
        let shift =
            UBig::try_from(self.sensitivity_l2.squared().floor()).expect("a square is positive").sqrt();
        if shift == UBig::ZERO {
            return Err(MechanismError::invalid(
                format!("an integer answer cannot move by {}, which is less than one", self.sensitivity_l2),
                "give the sensitivity in units of the integer answer",
            ));
        }
        let Some(delta) = self.law.delta_of(&shift, epsilon.value()) else {
            return Err(MechanismError::invalid(
                "the exact (ε, δ) of the discrete Gaussian is computed for σ² up to 2^20",
                "convert ρ to (ε, δ), or use the Gaussian mechanism, whose curve is known for every σ",
            ));
        };
        delta_upper(&delta.upper()).ok_or_else(|| {
            MechanismError::invalid("this noise gives a δ of one, which promises nothing", "use more noise")
        })
    }

    /// What a release of *one* answer costs, stated as (ε, δ) too.
    pub fn loss_of_one(&self, epsilon: &Epsilon) -> Result<Loss, MechanismError> {
        let delta = self.delta(epsilon)?;
        Ok(self.loss().and(Guarantee::Approximate { epsilon: epsilon.clone(), delta }))
    }

    /// One answer.
    pub fn release<B: SecureBits + ?Sized>(&self, answer: i128, bits: &mut B) -> i128 {
        noisy_sum(answer, self.noise.sample(bits))
    }

    /// Many answers that one person moves by at most `Δ₂` together.
    pub fn release_all<B: SecureBits + ?Sized>(&self, answers: &[i128], bits: &mut B) -> Vec<i128> {
        if answers.len() < TABLE_FROM {
            return answers.iter().map(|answer| self.release(*answer, bits)).collect();
        }
        let table = self.noise.table();
        answers.iter().map(|answer| noisy_sum(*answer, table.sample(bits))).collect()
    }

    /// An integer that the error of one answer reaches with probability at most β.
    pub fn error_bound(&self, beta: &FailureProbability) -> u128 {
        self.error_bound_all(beta, 1)
    }

    /// An integer that the error of some answer among `count` reaches with probability at most β, by the
    /// union bound.
    pub fn error_bound_all(&self, beta: &FailureProbability, count: u64) -> u128 {
        self.law.rare_magnitude(&(beta.value() / &Rational::from(count.max(1))))
    }
}

#[cfg(test)]
mod tests;
