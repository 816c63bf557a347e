//! Top k: the k best candidates, one exponential mechanism after the other.
//!
//! **Guarantee.** Each of `k` rounds chooses among the candidates left with the exponential mechanism at `ε′`.
//! Together they are `kε′`-differentially private and `kε′²/8`-zCDP. [`TopK::new`] takes `ε′ = ε/k`;
//! [`TopK::from_rho`] takes `ε′ = √(8ρ/k)`, rounded down to a multiple of `2^-96`, so that `kε′²/8 ≤ ρ`.
//! **Neighbours.** Those for which no score moves by more than `Δ`, and for which the scores are monotone if
//! that was said.
//! **Source.** Each round is `ε′`-bounded range (`exponential.rs`), whatever was removed before; pure losses
//! and ρ add up over adaptive rounds. Adding Gumbel noise once and sorting has the same law (Durfee and Rogers
//! 2019, arXiv:1905.04273).
//! **Error.** With probability at least `1 − β`, for every `l ≤ k` the score of the `l`-th choice is above that
//! of the `l`-th best candidate less `(ln n + ln(k/β))/rate`: in round `l` one of the `l` best is still there,
//! and each round fails with probability at most `β/k`.
//! **Exactness.** As the exponential mechanism.
//! **Not covered.** Timing, as there. The order of the choices is part of the release and is paid for.

use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Guarantee, Loss, Rho, SensitivityLInf};

use crate::choice::exponential::choose;
use crate::choice::scores::{Movement, Scores, tail_bound_upper};
use crate::{Card, MechanismError};

/// Each round's ε is a multiple of 2^-96: fine enough to waste nothing, coarse enough that its square is exact.
const EPSILON_BITS: i64 = 96;
/// The precision of the root before it is rounded down.
const ROOT_PRECISION: usize = 128;

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "top k",
    releases: "the indices of k good candidates, best first",
    guarantee: "kε′-DP and ρ = kε′²/8 for k exponential mechanisms at ε′",
    error: "some choice below its rank's score by more than (2Δ/ε′)·ln(nk/β) with probability β; monotone half of that",
    source: "Durfee and Rogers 2019, arXiv:1905.04273",
};

/// Chooses several candidates by their scores.
#[derive(Clone, Debug)]
pub struct TopK {
    k: usize,
    epsilon_each: Epsilon,
    rate: Rational,
    loss: Loss,
}

impl TopK {
    /// The mechanism that spends pure ε on all `k` choices together.
    pub fn new(
        k: usize,
        sensitivity: &SensitivityLInf,
        movement: Movement,
        epsilon: &Epsilon,
    ) -> Result<Self, MechanismError> {
        let rounds = checked_rounds(k)?;
        Self::with_epsilon_each(k, sensitivity, movement, epsilon.divided_by(rounds)?)
    }

    /// The mechanism that spends ρ on all `k` choices together.
    pub fn from_rho(
        k: usize,
        sensitivity: &SensitivityLInf,
        movement: Movement,
        rho: &Rho,
    ) -> Result<Self, MechanismError> {
        let rounds = Rational::from(checked_rounds(k)?);
        let square = rho.value() * &(Rational::from(8) / rounds);
        let root = Enclosure::of(&square, ROOT_PRECISION).sqrt().lower();
        let epsilon_each = Epsilon::new(root.round_down_to_bits(EPSILON_BITS))?;
        Self::with_epsilon_each(k, sensitivity, movement, epsilon_each)
    }

    fn with_epsilon_each(
        k: usize,
        sensitivity: &SensitivityLInf,
        movement: Movement,
        epsilon_each: Epsilon,
    ) -> Result<Self, MechanismError> {
        let rounds = checked_rounds(k)?;
        let rate = movement.rate(sensitivity, &epsilon_each);
        // The sum is taken before the ledger's smallest unit is: many tiny rounds cost their sum, not a unit
        // each.
        let square = epsilon_each.value().squared() * Rational::from(rounds) * Rational::ratio(1, 8);
        let rho = Rho::new(square.max(Rho::least().value().clone()))?;
        let pure = Loss::pure(epsilon_each.times(rounds)?);
        let loss = pure.and(Guarantee::ZeroConcentrated { rho });
        Ok(Self { k, epsilon_each, rate, loss })
    }

    /// What a release costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The ε of each round.
    pub fn epsilon_each(&self) -> &Epsilon {
        &self.epsilon_each
    }

    /// The indices of the chosen candidates, in the order of choosing.
    ///
    /// # Errors
    /// When there are fewer than `k` candidates.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        scores: &Scores,
        bits: &mut B,
    ) -> Result<Vec<usize>, MechanismError> {
        if self.k > scores.len() {
            return Err(MechanismError::TooMany { asked: self.k, available: scores.len() });
        }
        let mut exponents = scores.exponents(&self.rate);
        let mut left: Vec<usize> = (0..exponents.len()).collect();
        let round = |_| {
            let choice = choose(&exponents, bits);
            exponents.swap_remove(choice);
            left.swap_remove(choice)
        };
        Ok((0..self.k).map(round).collect())
    }

    /// How far each choice may lie below the candidate of its rank, but for a probability of β that one does.
    pub fn error_bound(&self, candidates: usize, beta: &FailureProbability) -> Rational {
        let factor = self.rate.reciprocal().expect("ε is positive, and so is the rate");
        tail_bound_upper(&factor, &(Rational::from(candidates) * Rational::from(self.k)), beta)
    }
}

fn checked_rounds(k: usize) -> Result<u64, MechanismError> {
    if k == 0 {
        return Err(MechanismError::invalid(
            "the best 0 candidates are nothing to release",
            "ask for at least 1",
        ));
    }
    Ok(k as u64)
}

#[cfg(test)]
mod tests;
