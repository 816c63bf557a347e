//! Report noisy max: add noise to every whole-number score and tell which is the largest.
//!
//! **Guarantee.** With discrete Laplace noise of scale `2Δ/ε` on each score (`Δ/ε` when all scores move in one
//! direction), the index of the largest noisy score, the smallest index among equals, is ε-differentially
//! private, hence `ε²/2`-zCDP. Only the index is released: the noisy maximum itself would cost more.
//! **Neighbours.** Those for which no score moves by more than `Δ`, and for which the scores are monotone if
//! that was said.
//! **Source.** Dwork and Roth (2014), Claim 3.9, for continuous noise, where ties have probability zero. Proof
//! for integers: fix the noise of all but `i`. Then `i` wins when its own noise
//! `X ≥ r = max_j(u(j) + X(j) − u(i) + [j < i])`, an integer. On a neighbour `r` grows by at most the whole
//! number `k ≤ 2Δ` (`k ≤ Δ` if monotone). As `P[X = x + 1] ≥ a·P[X = x]` with `a = exp(−1/scale)` for every
//! integer `x`, on either side of zero, `P[X ≥ r + k] ≥ a^k·P[X ≥ r] ≥ exp(−ε)·P[X ≥ r]`; average over the
//! others' noise. The order that breaks ties is fixed, so ties cost nothing.
//! **Error.** With probability at least `1 − β` the chosen score is at least `max − 2(t − 1)`,
//! `t = ⌈scale·ln(n/β)⌉`: for integers `t ≥ 1`, `P[X ≥ t] = a^t/(1 + a)`, so all `n` variables stay below `t`
//! on the side that hurts, but for a probability of β.
//! **Exactness.** Integers of any size and exact noise: nothing saturates.
//! **Not covered.** Timing. With exponential noise instead, noisy max *is* permute and flip, which errs less
//! for the same ε; this form is here because it is the one in the textbooks.

use pointillist_noise::{DiscreteLaplace, SecureBits};
use pointillist_numbers::{IBig, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityLInf};

use crate::choice::scores::{Movement, tail_bound_upper};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "report noisy max",
    releases: "the index of a good candidate with whole-number scores",
    guarantee: "ε-DP, so ρ = ε²/2; discrete Laplace noise of scale 2Δ/ε, monotone Δ/ε",
    error: "score below the best by more than 2·⌈(2Δ/ε)·ln(n/β)⌉ with probability β; monotone half of that",
    source: "Dwork and Roth 2014, Claim 3.9; proof for integer noise in the file",
};

/// Tells which of several noisy counts is the largest.
#[derive(Clone, Debug)]
pub struct NoisyMax {
    epsilon: Epsilon,
    noise: DiscreteLaplace,
}

impl NoisyMax {
    /// The mechanism for whole-number scores of this sensitivity.
    pub fn new(
        sensitivity: &SensitivityLInf,
        movement: Movement,
        epsilon: &Epsilon,
    ) -> Result<Self, MechanismError> {
        let scale =
            movement.rate(sensitivity, epsilon).reciprocal().expect("ε is positive, and so is the rate");
        Ok(Self { epsilon: epsilon.clone(), noise: DiscreteLaplace::new(&scale)? })
    }

    /// What a release costs: pure ε.
    pub fn loss(&self) -> Loss {
        Loss::pure(self.epsilon.clone())
    }

    /// The scale of the noise on each score.
    pub fn scale(&self) -> &Rational {
        self.noise.scale()
    }

    /// The index of the largest noisy score.
    ///
    /// # Errors
    /// When there is no candidate.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        scores: &[i64],
        bits: &mut B,
    ) -> Result<usize, MechanismError> {
        let mut leader: Option<(usize, IBig)> = None;
        for (index, score) in scores.iter().enumerate() {
            let noisy = IBig::from(*score) + self.noise.sample_big(bits);
            // A later candidate must be strictly better: among equals the smallest index wins.
            if leader.as_ref().is_none_or(|(_, best)| noisy > *best) {
                leader = Some((index, noisy));
            }
        }
        leader.map(|(index, _)| index).ok_or(MechanismError::NoCandidates)
    }

    /// How far the chosen score may lie below the best of this many candidates, but for a probability of β.
    pub fn error_bound(&self, candidates: usize, beta: &FailureProbability) -> Rational {
        if candidates <= 1 {
            return Rational::zero();
        }
        let beyond = tail_bound_upper(self.scale(), &Rational::from(candidates), beta).ceil();
        Rational::from((beyond - IBig::ONE) * IBig::from(2))
    }
}

#[cfg(test)]
mod tests;
