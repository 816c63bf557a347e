//! Exponential mechanism: one of finitely many candidates, good ones exponentially likelier.
//!
//! **Guarantee.** Candidate `i` is chosen with probability proportional to `exp(ε·u(i)/(2Δ))`, or
//! `exp(ε·u(i)/Δ)` when all scores move in one direction. Both are ε-bounded range: hence ε-differentially
//! private, and `ε²/8`-zCDP.
//! **Neighbours.** Those for which no score moves by more than `Δ`, and for which the scores are monotone if
//! that was said.
//! **Source.** The mechanism: McSherry and Talwar (2007). Bounded range: Durfee and Rogers (2019),
//! arXiv:1905.04273; its ρ: Cesar and Rogers (2021), arXiv:2004.07223, proven at
//! [`Rho::from_bounded_range`](pointillist_privacy::Rho::from_bounded_range). Proof of the range:
//! `ln(P(i)/P′(i)) = rate·(u(i) − u′(i)) + c` with one and the same `c = ln(Z′/Z)` for every `i`, so over all
//! `i` it varies as much as `rate·(u − u′)` does: by at most `ε`, as `scores.rs` shows for both rates.
//! **Error.** With probability at least `1 − β` the chosen score is above `max − (ln n + ln(1/β))/rate`: what
//! lies at or below has weight at most `n·exp(−rate·t) = β` against a total of at least one.
//! **Exactness.** A uniform candidate is kept with probability exactly `exp(−γ(i))`, `γ(i) = rate·(max − u(i))`
//! a rational, and drawn anew otherwise. Nothing underflows, as the best candidate is always kept.
//! **Not covered.** Timing: the number of tries has mean `n/Σexp(−γ)`, between one and `n`, which tells how
//! much the scores differ. Whoever answers strangers replies on a clock.

use pointillist_noise::{SecureBits, bernoulli_exp, uniform_u64_below};
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityLInf};

use crate::choice::scores::{Movement, Scores, tail_bound_upper};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "exponential",
    releases: "the index of a good candidate",
    guarantee: "ε-bounded range, so ε-DP and ρ = ε²/8; weights exp(ε·score/(2Δ)), monotone exp(ε·score/Δ)",
    error: "score below the best by more than (2Δ/ε)·ln(n/β) with probability β; monotone half of that",
    source: "McSherry and Talwar 2007; Durfee and Rogers 2019, arXiv:1905.04273; Cesar and Rogers 2021, arXiv:2004.07223",
};

/// Chooses among candidates by their scores.
///
/// ```
/// use pointillist_mechanisms::ExponentialMechanism;
/// use pointillist_mechanisms::{Movement, Scores};
/// use pointillist_noise::with_system_bits;
/// use pointillist_privacy::{Epsilon, SensitivityLInf};
///
/// // Which of three dishes do most guests like? Each guest adds at most one to each count.
/// let votes = Scores::from_integers(&[12, 45, 31])?;
/// let mechanism = ExponentialMechanism::new(
///     &SensitivityLInf::parse("1")?,
///     Movement::Monotone,
///     &Epsilon::parse("0.5")?,
/// )?;
/// let dish = with_system_bits(|bits| mechanism.release(&votes, bits))?;
/// assert!(dish < 3);
/// assert_eq!(mechanism.loss().rho().unwrap().to_string(), "0.03125");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExponentialMechanism {
    epsilon: Epsilon,
    rate: Rational,
}

impl ExponentialMechanism {
    /// The mechanism for scores of this sensitivity.
    pub fn new(
        sensitivity: &SensitivityLInf,
        movement: Movement,
        epsilon: &Epsilon,
    ) -> Result<Self, MechanismError> {
        Ok(Self { epsilon: epsilon.clone(), rate: movement.rate(sensitivity, epsilon) })
    }

    /// What a release costs: ε-bounded range.
    pub fn loss(&self) -> Loss {
        Loss::bounded_range(self.epsilon.clone())
    }

    /// The exponents `γ`: candidate `i` is chosen with probability proportional to `exp(−γ(i))`.
    pub fn exponents(&self, scores: &Scores) -> Vec<Rational> {
        scores.exponents(&self.rate)
    }

    /// The index of the chosen candidate.
    pub fn release<B: SecureBits + ?Sized>(&self, scores: &Scores, bits: &mut B) -> usize {
        choose(&self.exponents(scores), bits)
    }

    /// How far the chosen score may lie below the best of this many candidates, but for a probability of β.
    pub fn error_bound(&self, candidates: usize, beta: &FailureProbability) -> Rational {
        let factor = self.rate.reciprocal().expect("ε is positive, and so is the rate");
        tail_bound_upper(&factor, &Rational::from(candidates), beta)
    }
}

/// A candidate with probability proportional to `exp(−γ)`, for any exponents, of which there is at least one.
/// The exponents are measured from the least, which changes no proportion and keeps one candidate certain to be
/// kept.
pub(crate) fn choose<B: SecureBits + ?Sized>(exponents: &[Rational], bits: &mut B) -> usize {
    let least = exponents.iter().min().expect("there is at least one candidate");
    loop {
        let candidate = uniform_u64_below(exponents.len() as u64, bits) as usize;
        if bernoulli_exp(&(&exponents[candidate] - least), bits) {
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests;
