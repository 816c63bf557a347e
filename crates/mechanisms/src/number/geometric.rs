//! Geometric mechanism: exact integer answers plus discrete Laplace noise.
//!
//! **Guarantee.** If integer answers move by at most `Δ₁` in L1 norm between neighbours, adding independent
//! discrete Laplace noise of scale `Δ₁/ε` to each is ε-differentially private. It is also ρ-zCDP for
//! `ρ = (ε/Δ₁)·(Δ₁ − 2a(1 − e^−ε)/(1 − a²))`, `a = e^(−ε/Δ₁)`, which is below `ε²/2`.
//! **Neighbours.** Whichever the sensitivity was computed for.
//! **Source.** Ghosh, Roughgarden, Sundararajan (2009), arXiv:0811.2841: moving an answer by d changes no
//! probability by more than the factor `a^−d`, by the triangle inequality, and the coordinates' factors
//! multiply to at most `a^−Δ₁ = e^ε`. zCDP: the proof in
//! [`discrete_laplace_law`](crate::number::discrete_laplace_law).
//! **Error.** The error of one answer reaches m with probability `2a^m/(1 + a)`;
//! [`GeometricMechanism::error_bound`] is the least integer m for which that is at most β. For k answers, β/k
//! each (union bound), about `ln(k/β)·Δ₁/ε`.
//! **Exactness.** Integers only; the noise has exactly the stated law. Sums beyond ±2^125 end there, after
//! the noise. The distance of integer answers is an integer, so a fractional `Δ₁` is rounded down, not up.
//! **Not covered.** Timing: a single draw takes longer for larger noise; a vector's table hardly.
//!
//! **When.** Counts and integer sums: one or few answers, or when no δ is acceptable. For many answers that
//! one person moves a little each, the [discrete Gaussian](crate::number::discrete_gaussian) needs less noise.

use pointillist_noise::{DiscreteLaplace, SecureBits, noisy_sum};
use pointillist_numbers::{IBig, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::number::discrete_laplace_law::DiscreteLaplaceLaw;
use crate::number::loss_upper::{pure_and_rho, rho_upper};
use crate::{Card, MechanismError};

/// The mechanism in a line each.
pub const CARD: Card = Card {
    name: "geometric",
    releases: "counts and integer sums, one or many",
    guarantee: "ε-DP; discrete Laplace noise of scale Δ₁/ε on integers",
    error: "reaches about ln(1/β)·Δ₁/ε with probability β; ln(k/β)·Δ₁/ε for k answers",
    source: "Ghosh, Roughgarden, Sundararajan 2009, arXiv:0811.2841",
};

/// From this many answers on, preparing a table of the noise is cheaper than single draws.
pub(crate) const TABLE_FROM: usize = 32;

/// Integer answers with discrete Laplace noise.
#[derive(Clone, Debug)]
pub struct GeometricMechanism {
    epsilon: Epsilon,
    /// The largest L1 distance of answers on neighbours, a positive integer.
    distance: Rational,
    noise: DiscreteLaplace,
    law: DiscreteLaplaceLaw,
}

impl GeometricMechanism {
    /// Noise of scale `Δ₁/ε`.
    pub fn new(sensitivity_l1: &SensitivityL1, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let distance = Rational::from(sensitivity_l1.value().floor());
        if distance.is_zero() {
            return Err(MechanismError::invalid(
                format!("integer answers cannot move by {sensitivity_l1}, which is less than one"),
                "give the sensitivity in units of the integer answer, or use the Laplace mechanism on a grid",
            ));
        }
        Self::of_distance(distance, epsilon)
    }

    /// The mechanism for answers that are a positive integer distance apart.
    pub(crate) fn of_distance(distance: Rational, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let scale = &distance / epsilon.value();
        let noise = DiscreteLaplace::new(&scale)?;
        let law = DiscreteLaplaceLaw::new(&scale).expect("a sampler's scale lies in range");
        Ok(Self { epsilon: epsilon.clone(), distance, noise, law })
    }

    /// The scale of the noise, `Δ₁/ε`.
    pub fn scale(&self) -> &Rational {
        self.noise.scale()
    }

    /// The law of the noise.
    pub fn law(&self) -> &DiscreteLaplaceLaw {
        &self.law
    }

    /// What one release costs, all its coordinates together.
    pub fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_upper(&self.law.zcdp_rho_upper(&self.distance)))
    }

    /// One answer.
    pub fn release<B: SecureBits + ?Sized>(&self, answer: i128, bits: &mut B) -> i128 {
        noisy_sum(answer, self.noise.sample(bits))
    }

    /// Many answers that one person moves by at most `Δ₁` in sum.
    pub fn release_all<B: SecureBits + ?Sized>(&self, answers: &[i128], bits: &mut B) -> Vec<i128> {
        if answers.len() < TABLE_FROM {
            return answers.iter().map(|answer| self.release(*answer, bits)).collect();
        }
        let table = self.noise.table();
        answers.iter().map(|answer| noisy_sum(*answer, table.sample(bits))).collect()
    }

    /// The noise alone, for callers whose answers are larger than 128 bits.
    pub(crate) fn sample<B: SecureBits + ?Sized>(&self, count: usize, bits: &mut B) -> Vec<IBig> {
        // Sums of unbounded integers must get unbounded noise: a table's noise ends at 2^127.
        (0..count).map(|_| self.noise.sample_big(bits)).collect()
    }

    /// The least integer that the error of one answer reaches with probability at most β.
    pub fn error_bound(&self, beta: &FailureProbability) -> u128 {
        self.error_bound_all(beta, 1)
    }

    /// The least integer that the error of some answer among `count` reaches with probability at most β, by
    /// the union bound. No answers count as one.
    pub fn error_bound_all(&self, beta: &FailureProbability, count: u64) -> u128 {
        self.law.least_rare_magnitude(&(beta.value() / &Rational::from(count.max(1))))
    }
}

#[cfg(test)]
mod tests;
