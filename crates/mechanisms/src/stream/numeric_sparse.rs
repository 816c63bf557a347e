//! Numeric sparse: above threshold, and the noisy values of the queries that are.
//!
//! **Guarantee.** A session answers like `above_threshold.rs`, and gives with each of its at most `c` answers
//! of *above* the query's value plus *fresh* discrete Laplace noise of scale `cΔ/ε₃`. All of it together is
//! ε-differentially private with `ε = ε₁ + ε₂ + ε₃`, hence `ε²/2`-zCDP.
//! **Neighbours.** Those between which no query moves by more than `Δ`, and between which all queries of the
//! session move in one direction if that was said.
//! **Source.** Dwork and Roth (2014), section 3.6, and Lyu, Su and Li (2017), arXiv:1603.01699, Algorithm 7.
//! Proof: in the sum of `above_threshold.rs` every answer *above* brings one more factor `P[q + X = v]`, which
//! does not depend on the noise on the threshold and moves by at most `exp(Δ·ε₃/(cΔ)) = exp(ε₃/c)`; there are
//! at most `c` of them.
//! **Split.** Half of ε for the values, the other half for finding them, split as there; the shares add up to ε
//! exactly.
//! **Error.** Of finding: as there. Of the values: with probability at least `1 − β` all `c` are within
//! `⌈(cΔ/ε₃)·ln(c/β)⌉`.
//! **Exactness.** Integers and exact noise; a released value beyond 128 bits saturates after the noise.
//! **Not covered.** Timing. The value that was compared is never released: it would tell where the noisy
//! threshold is.

use pointillist_noise::{DiscreteLaplace, SecureBits};
use pointillist_numbers::{IBig, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityLInf};

use crate::choice::scores::{Movement, tail_bound_upper};
use crate::stream::above_threshold::{self, AboveThreshold};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "numeric sparse",
    releases: "the noisy values of those whole-number queries that are above their thresholds, up to c of them",
    guarantee: "ε-DP for the whole session, so ρ = ε²/2; half for above threshold, half for values with noise cΔ/ε₃",
    error: "some value off by more than ⌈(cΔ/ε₃)·ln(c/β)⌉ with probability β; finding as above threshold",
    source: "Dwork and Roth 2014, section 3.6; Lyu, Su and Li 2017, arXiv:1603.01699, Algorithm 7",
};

/// Answers queries above thresholds with their values.
#[derive(Clone, Debug)]
pub struct NumericSparse {
    epsilon: Epsilon,
    tops_max: u32,
    finding: AboveThreshold,
    value_noise: DiscreteLaplace,
}

/// What a session says about one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// The noisy query is below the noisy threshold.
    Below,
    /// The noisy query is at or above the noisy threshold; the value has noise of its own.
    Above {
        /// The query plus fresh noise.
        value: i128,
    },
}

impl NumericSparse {
    /// The mechanism for whole-number queries of this sensitivity that ends after `tops_max` answers of
    /// *above*.
    ///
    /// # Errors
    /// When `tops_max` is zero, or a share of ε or a scale leaves its range.
    pub fn new(
        sensitivity: &SensitivityLInf,
        movement: Movement,
        tops_max: u32,
        epsilon: &Epsilon,
    ) -> Result<Self, MechanismError> {
        let half = epsilon.divided_by(2)?;
        let finding = AboveThreshold::new(sensitivity, movement, tops_max, &half)?;
        let value_scale = sensitivity.value() * &(Rational::from(tops_max) / half.value().clone());
        Ok(Self {
            epsilon: epsilon.clone(),
            tops_max,
            finding,
            value_noise: DiscreteLaplace::new(&value_scale)?,
        })
    }

    /// What a session costs, all of its answers together: pure ε.
    pub fn loss(&self) -> Loss {
        Loss::pure(self.epsilon.clone())
    }

    /// How values are found.
    pub fn finding(&self) -> &AboveThreshold {
        &self.finding
    }

    /// The scale of the noise on each value.
    pub fn value_scale(&self) -> &Rational {
        self.value_noise.scale()
    }

    /// Begins a session. Every session costs the whole loss.
    pub fn start<B: SecureBits + ?Sized>(&self, bits: &mut B) -> Session {
        Session { finding: self.finding.start(bits), value_noise: self.value_noise.clone() }
    }

    /// How far released values may be off, all of a session together, but for a probability of β.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        Rational::from(tail_bound_upper(self.value_scale(), &Rational::from(self.tops_max), beta).ceil())
    }
}

/// A stream of answers under one noisy threshold. It cannot be copied: a copy would give answers nobody paid
/// for.
#[derive(Debug)]
pub struct Session {
    finding: above_threshold::Session,
    value_noise: DiscreteLaplace,
}

impl Session {
    /// Whether `value` is above `threshold`, and if so, a noisy value.
    ///
    /// # Errors
    /// After the last answer of *above* that was paid for, whatever is asked.
    pub fn ask<B: SecureBits + ?Sized>(
        &mut self,
        value: i64,
        threshold: i64,
        bits: &mut B,
    ) -> Result<Answer, MechanismError> {
        match self.finding.ask(value, threshold, bits)? {
            above_threshold::Answer::Below => Ok(Answer::Below),
            above_threshold::Answer::Above => {
                let noisy = IBig::from(value) + self.value_noise.sample_big(bits);
                let end = if noisy < IBig::ZERO { i128::MIN } else { i128::MAX };
                Ok(Answer::Above { value: i128::try_from(noisy).unwrap_or(end) })
            }
        }
    }

    /// How many answers of *above* are left; zero means the session is over.
    pub fn tops_left(&self) -> u32 {
        self.finding.tops_left()
    }
}

#[cfg(test)]
mod tests;
