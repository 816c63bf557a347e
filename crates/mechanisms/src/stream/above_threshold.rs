//! Above threshold, the sparse vector technique: many questions, paid only for the few that are answered yes.
//!
//! **Guarantee.** A session says, for a stream of whole-number queries chosen one after the other, whether each
//! is above its threshold, and ends after `c` answers of *above*. The whole stream of answers, however long, is
//! ε-differentially private, hence `ε²/2`-zCDP.
//! **Neighbours.** Those between which no query moves by more than `Δ`, and between which all queries of the
//! session move in one direction if that was said. Thresholds are public.
//! **Source.** Lyu, Su and Li (2017), arXiv:1603.01699, Algorithm 7, the corrected form; for `c = 1` Dwork and
//! Roth (2014), Theorem 3.23. Proof for integers, with noise `Z` of scale `Δ/ε₁` on the threshold, drawn once,
//! and `V` of scale `2cΔ/ε₂` (monotone `cΔ/ε₂`) on each query, drawn afresh. The probability of a stream of
//! answers is `Σ_z P[Z = z]·f(z)·g(z)`, with `f(z)` the product of `P[q + V < T + z]` over the answers *below*
//! and `g(z)` that of `P[q + V ≥ T + z]` over the at most `c` answers *above*. Let `d = ⌊Δ⌋`; as queries are
//! integers they move by at most `d`. Replace `z` by `z + d`, a bijection of the integers. For a neighbour
//! `q′ ≤ q + d`: `f(z) ≤ f′(z + d)`, factor by factor. `P[Z = z] ≤ exp(ε₁)·P[Z = z + d]`. And
//! `T + z + d − q′ ≤ T + z − q + 2d`, so each factor of `g` grows by at most `exp(2d/scale) ≤ exp(ε₂/c)` by the
//! tails of discrete Laplace noise (`noisy_max.rs`), and `g(z) ≤ exp(ε₂)·g′(z + d)`. The sum grows by at most
//! `exp(ε₁ + ε₂)`. If all `q′ ≥ q`, then `T + z + d − q′ ≤ T + z − q + d`, and half of the scale is enough; if
//! all `q′ ≤ q`, leave `z` in its place: `f` does not shrink, and each factor of `g` moves by at most `d`. The
//! next question may depend on all answers so far, because the proof is for one fixed stream of answers, which
//! fixes the questions.
//! **Split.** `ε₁ : ε₂ = 1 : (2c)^{2/3}` (monotone `1 : c^{2/3}`), which minimises the variance of the
//! comparison; the root is rounded to a multiple of `2^-10` and the two shares add up to ε exactly.
//! **Error.** With probability at least `1 − β`, of the first `k` answers every *above* has `q ≥ T − α` and
//! every *below* has `q < T + α`, `α = ⌈(Δ/ε₁)·ln(2/β)⌉ + ⌈(2cΔ/ε₂)·ln(2k/β)⌉`: for integers `t ≥ 0`,
//! `P[|V| > t] = 2a^{t+1}/(1 + a) ≤ a^t`. At `c = 1` this is below the `8Δ(ln k + ln(2/β))/ε` of Dwork and
//! Roth's Theorem 3.24 but for the rounding to integers.
//! **Exactness.** Integers of any size and exact noise: nothing saturates.
//! **Not covered.** Timing. The compared values are never released; see `numeric_sparse.rs` for values. When
//! all queries are known beforehand, `top_k.rs` errs less.

use std::fmt;

use pointillist_noise::{DiscreteLaplace, SecureBits};
use pointillist_numbers::{IBig, Rational, UBig};
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityLInf};

use crate::choice::scores::{Movement, tail_bound_upper};
use crate::{Card, MechanismError};

/// The bits behind the point of the ratio in which ε is split.
const RATIO_BITS: usize = 10;

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "above threshold",
    releases: "for each of many whole-number queries, whether it is above its threshold, up to c times yes",
    guarantee: "ε-DP for the whole session, so ρ = ε²/2; noise Δ/ε₁ on the threshold, 2cΔ/ε₂ on queries, monotone cΔ/ε₂",
    error: "an answer wrong by more than ⌈(Δ/ε₁)·ln(2/β)⌉ + ⌈(2cΔ/ε₂)·ln(2k/β)⌉ among k with probability β",
    source: "Lyu, Su and Li 2017, arXiv:1603.01699, Algorithm 7; Dwork and Roth 2014, Theorems 3.23 and 3.24",
};

/// Answers whether queries are above thresholds.
///
/// ```
/// use pointillist_mechanisms::{AboveThreshold, stream::above_threshold::Answer};
/// use pointillist_mechanisms::Movement;
/// use pointillist_noise::with_system_bits;
/// use pointillist_privacy::{Epsilon, SensitivityLInf};
///
/// // On which day do more than 1000 people visit for the first time? Each person visits at most once a day.
/// let visits = [212, 405, 380, 9_500, 431];
/// let mechanism = AboveThreshold::new(
///     &SensitivityLInf::parse("1")?,
///     Movement::Monotone,
///     1,
///     &Epsilon::parse("1")?,
/// )?;
/// let day = with_system_bits(|bits| {
///     let mut session = mechanism.start(bits);
///     visits.iter().position(|count| session.ask(*count, 1000, bits) == Ok(Answer::Above))
/// })?;
/// assert_eq!(day, Some(3)); // Wrong less than once in e^100 runs: 600 is far beyond the noise.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AboveThreshold {
    epsilon: Epsilon,
    tops_max: u32,
    threshold_noise: DiscreteLaplace,
    query_noise: DiscreteLaplace,
}

/// What a session says about one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// The noisy query is below the noisy threshold.
    Below,
    /// The noisy query is at or above the noisy threshold.
    Above,
}

impl AboveThreshold {
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
        if tops_max == 0 {
            return Err(MechanismError::invalid(
                "a session of 0 answers above the threshold says nothing",
                "allow at least 1",
            ));
        }
        let steps = movement.spread() * u64::from(tops_max);
        let [epsilon_threshold, epsilon_queries] = split(steps, epsilon)?;
        let threshold_scale = sensitivity.value() / epsilon_threshold.value();
        let query_scale = sensitivity.value() * &(Rational::from(steps) / epsilon_queries.value().clone());
        Ok(Self {
            epsilon: epsilon.clone(),
            tops_max,
            threshold_noise: DiscreteLaplace::new(&threshold_scale)?,
            query_noise: DiscreteLaplace::new(&query_scale)?,
        })
    }

    /// What a session costs, all of its answers together: pure ε.
    pub fn loss(&self) -> Loss {
        Loss::pure(self.epsilon.clone())
    }

    /// The scale of the noise on the threshold.
    pub fn threshold_scale(&self) -> &Rational {
        self.threshold_noise.scale()
    }

    /// The scale of the noise on each query.
    pub fn query_scale(&self) -> &Rational {
        self.query_noise.scale()
    }

    /// Begins a session. Every session costs the whole loss.
    pub fn start<B: SecureBits + ?Sized>(&self, bits: &mut B) -> Session {
        Session {
            threshold_shift: self.threshold_noise.sample_big(bits),
            query_noise: self.query_noise.clone(),
            tops_left: self.tops_max,
        }
    }

    /// How far beyond its threshold a query may lie and still be answered wrongly, among the first `queries`
    /// answers and but for a probability of β.
    pub fn error_bound(&self, queries: u64, beta: &FailureProbability) -> Rational {
        let reach = |scale: &Rational, count: u64| {
            let count = Rational::from(2) * Rational::from(count.max(1));
            tail_bound_upper(scale, &count, beta).ceil()
        };
        Rational::from(reach(self.threshold_scale(), 1) + reach(self.query_scale(), queries))
    }
}

/// ε₁ for the threshold and ε₂ for the queries, in the ratio 1 : steps^{2/3}; they add up to ε.
fn split(steps: u64, epsilon: &Epsilon) -> Result<[Epsilon; 2], MechanismError> {
    let root = ((UBig::from(steps) * UBig::from(steps)) << (3 * RATIO_BITS)).nth_root(3);
    let unit = UBig::ONE << RATIO_BITS;
    let threshold_share = Rational::from(unit.clone()) / Rational::from(unit + root);
    let epsilon_threshold = epsilon.value() * &threshold_share;
    let epsilon_queries = epsilon.value() - &epsilon_threshold;
    Ok([Epsilon::new(epsilon_threshold)?, Epsilon::new(epsilon_queries)?])
}

/// A stream of answers under one noisy threshold. It cannot be copied: a copy would give answers nobody paid
/// for.
pub struct Session {
    threshold_shift: IBig,
    query_noise: DiscreteLaplace,
    tops_left: u32,
}

impl Session {
    /// Whether `value` is above `threshold`, which may differ from question to question but must not depend on
    /// the data.
    ///
    /// # Errors
    /// After the last answer of *above* that was paid for, whatever is asked.
    pub fn ask<B: SecureBits + ?Sized>(
        &mut self,
        value: i64,
        threshold: i64,
        bits: &mut B,
    ) -> Result<Answer, MechanismError> {
        if self.tops_left == 0 {
            return Err(MechanismError::Spent);
        }
        let noisy_value = IBig::from(value) + self.query_noise.sample_big(bits);
        if noisy_value < IBig::from(threshold) + &self.threshold_shift {
            return Ok(Answer::Below);
        }
        self.tops_left -= 1;
        Ok(Answer::Above)
    }

    /// How many answers of *above* are left; zero means the session is over.
    pub fn tops_left(&self) -> u32 {
        self.tops_left
    }
}

/// The noise on the threshold is secret, and stays out of logs.
impl fmt::Debug for Session {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("tops_left", &self.tops_left).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
