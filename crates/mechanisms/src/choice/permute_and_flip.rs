//! Permute and flip: the best candidate under pure ε, never worse than the exponential mechanism.
//!
//! **Guarantee.** ε-differentially private, hence `ε²/2`-zCDP. It is *not* bounded range, and `ε²/8` would be a
//! false charge, up to four times too small: on scores (0, 0) and (1, −1) the divergence of order two is near
//! `ε²` for small ε, where `ε²/8` would allow `ε²/4`. Under zCDP the exponential mechanism is the better buy.
//! **Neighbours.** Those for which no score moves by more than `Δ`, and for which the scores are monotone if
//! that was said.
//! **Source.** McKenna and Sheldon (2020), arXiv:2010.12603; Ding, Kifer, Steinke and others (2021),
//! arXiv:2105.07260, for the equality with noisy max. Proof, with `p(i) = exp(−γ(i))` and `γ` as in
//! `scores.rs`: candidates come in uniformly random order, so give each an arrival time uniform in [0, 1]; `i`
//! is released when its coin succeeds and those of all earlier ones fail:
//! `P(i) = ∫₀¹ p(i)·Π_{j≠i}(1 − t·p(j)) dt`. Put `t = exp(−v)`: the same integral is the probability that `i`
//! has the largest `Z(i) − γ(i)` with `Z` independent standard exponential, as the winner's value is at least
//! that of a best candidate, which is not negative. Now fix all `Z(j)`, `j ≠ i`: `i` wins when `Z(i)` exceeds
//! some `r`; on a neighbour `r` grows by at most ε, because two exponents move by at most ε against each other;
//! and `P[Z > r + ε] ≥ exp(−ε)·P[Z > r]` for every real `r`.
//! **Error.** With probability at least `1 − β` the chosen score is above `max − ln((n − 1)/(2β))/rate`: in the
//! integral the factor of a best candidate is `1 − t`, so any other `i` has `P(i) ≤ p(i)/2`. Where the logarithm
//! is negative, a best candidate itself is chosen with that probability. The expected score is never below that
//! of the exponential mechanism (McKenna and Sheldon; here only tested on cases).
//! **Exactness.** A uniform permutation, drawn as far as needed, and coins of bias exactly `exp(−γ)`; a best
//! candidate's coin always succeeds.
//! **Not covered.** Timing: the number of coins depends on the scores.

use pointillist_noise::{SecureBits, bernoulli_exp, uniform_u64_below};
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityLInf};

use crate::choice::scores::{Movement, Scores, tail_bound_upper};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "permute and flip",
    releases: "the index of a good candidate",
    guarantee: "ε-DP, so ρ = ε²/2; not bounded range",
    error: "score below the best by more than (2Δ/ε)·ln((n − 1)/(2β)) with probability β; monotone half of that",
    source: "McKenna and Sheldon 2020, arXiv:2010.12603; Ding et al. 2021, arXiv:2105.07260",
};

/// Chooses among candidates by their scores.
#[derive(Clone, Debug)]
pub struct PermuteAndFlip {
    epsilon: Epsilon,
    rate: Rational,
}

impl PermuteAndFlip {
    /// The mechanism for scores of this sensitivity.
    pub fn new(
        sensitivity: &SensitivityLInf,
        movement: Movement,
        epsilon: &Epsilon,
    ) -> Result<Self, MechanismError> {
        Ok(Self { epsilon: epsilon.clone(), rate: movement.rate(sensitivity, epsilon) })
    }

    /// What a release costs: pure ε, and no less than `ε²/2` of ρ.
    pub fn loss(&self) -> Loss {
        Loss::pure(self.epsilon.clone())
    }

    /// The exponents `γ`: the coin of candidate `i` succeeds with probability `exp(−γ(i))`.
    pub fn exponents(&self, scores: &Scores) -> Vec<Rational> {
        scores.exponents(&self.rate)
    }

    /// The index of the chosen candidate.
    pub fn release<B: SecureBits + ?Sized>(&self, scores: &Scores, bits: &mut B) -> usize {
        let exponents = self.exponents(scores);
        let mut waiting: Vec<usize> = (0..exponents.len()).collect();
        loop {
            // The best candidate's coin always succeeds, so somebody is still waiting.
            let next = uniform_u64_below(waiting.len() as u64, bits) as usize;
            let candidate = waiting.swap_remove(next);
            if bernoulli_exp(&exponents[candidate], bits) {
                return candidate;
            }
        }
    }

    /// How far the chosen score may lie below the best of this many candidates, but for a probability of β.
    pub fn error_bound(&self, candidates: usize, beta: &FailureProbability) -> Rational {
        let factor = self.rate.reciprocal().expect("ε is positive, and so is the rate");
        let others = Rational::from(candidates.saturating_sub(1));
        tail_bound_upper(&factor, &(others * Rational::ratio(1, 2)), beta)
    }
}

#[cfg(test)]
mod tests;
