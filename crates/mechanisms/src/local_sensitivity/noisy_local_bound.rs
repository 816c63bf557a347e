//! First bound the local sensitivity privately, then add noise for that bound.
//!
//! **Guarantee.** Let L(x) be an integer with `L(x) ≥ |f(x) − f(x')|` for all neighbours and
//! `|L(x) − L(x')| ≤ s`. The release of `L̂ = L + discrete Laplace(s/ε₁) + offset`, moved into `1 ..= max`,
//! together with `f + discrete Laplace(L̂/ε₂)`, is (ε₁ + ε₂, δ)-DP, and δ-approximate `(ε₁² + ε₂²)/2`-zCDP.
//! **Neighbours.** Any relation for which L has the two properties. For triangles under edge privacy L is the
//! largest number of common neighbours over *all* pairs of nodes, adjacent or not, and s = 1.
//! **Source.** The two-step mechanism of the Harvard course "Applied Privacy for Data Science" (2022), with
//! the maximum degree as L, ε in each step and `ln(1/δ)/ε` as offset; here any L, any split, and the exact
//! quantile.
//! *Proof.* Fix neighbours x, x' and `D = |f(x) − f(x')|`, and let p(l)·p(a|l) and p'(l)·p'(a|l) be the joint
//! laws of the pair that is released. `p(l) ≤ e^ε₁·p'(l)` for every l, since moving into a public interval is
//! post-processing. `p(a|l) ≤ e^ε₂·p'(a|l)` for every a and every `l ≥ D`: given l, both answers carry the
//! same noise. So for every event E of pairs,
//! `P(E) ≤ P(E and L̂ ≥ D) + P(L̂ < D) ≤ e^{ε₁+ε₂}·P'(E) + P(L̂ < D)`, and `P(L̂ < D) ≤ P(L̂ < L(x)) ≤ δ`
//! because `D ≤ L(x)` and the offset is the least integer with `P[noise < −offset] ≤ δ`; cutting at max is
//! harmless, as D ≤ max always. Only x's own side was needed, and the same holds with the roles exchanged. ∎
//! *Proof for zCDP.* `L̂ ≥ D` has probability at least 1 − δ on both sides, so condition both laws on it. The
//! logarithm of `p(l)/p'(l)` lay between −ε₁ and ε₁; conditioning adds one constant to it, so it still ranges
//! over an interval of length 2ε₁. A log-ratio R with range r costs at most `r²/8`: `F(a) = ln E'[e^{aR}]` has
//! `F(0) = F(1) = 0` and `F'' ≤ r²/4`, the variance of a number within r, so `F(a) ≤ a(a−1)·r²/8` for a > 1,
//! and the divergence of order a is `F(a)/(a−1)`. That is `ε₁²/2` for the bound. Given each `l ≥ D` the answer
//! is ε₂-DP, so `ε₂²/2`, and the two add up. ∎
//! **Error.** The answer is off by more than [`NoisyLocalBound::error_bound`] with probability at most b,
//! given the released bound: an error bar that may be shown.
//! **Exactness.** Integers throughout; the offset is rounded up.
//! **Not covered.** Finding L: a bound over adjacent pairs only, or one that moves by more than s, voids the
//! proof.

use pointillist_noise::{DiscreteLaplace, SecureBits};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Guarantee, Loss, Rho, Scale};

use crate::number::discrete_laplace_tail::{two_sided_reach, upper_reach};
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "noisy bound on local sensitivity",
    releases: "an integer, with a private bound on its local sensitivity",
    guarantee: "(ε₁ + ε₂, δ)-DP; scale L̂/ε₂, L̂ = L + Lap(s/ε₁) + about s·ln(1/δ)/ε₁",
    error: "beyond ln(1/b)·L̂/ε₂ with probability b, and L̂ is public",
    source: "Harvard CS 208 (2022), lecture on graphs; joint proof in the file",
};

/// A private bound on the sensitivity, then an answer.
#[derive(Clone, Debug)]
pub struct NoisyLocalBound {
    epsilon_answer: Epsilon,
    loss: Loss,
    noise: DiscreteLaplace,
    offset: i128,
    bound_max: u64,
}

/// What is released: both numbers are private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedAnswer {
    /// The noisy upper bound on the local sensitivity, for which the answer's noise was scaled.
    pub bound: u64,
    /// The noisy answer.
    pub value: i64,
}

impl NoisyLocalBound {
    /// The mechanism for bounds that move by at most `bound_sensitivity` between neighbours, for an answer
    /// that never moves by more than `bound_max`; both are public and positive, and so is δ.
    pub fn new(
        epsilon_bound: &Epsilon,
        epsilon_answer: &Epsilon,
        delta: &Delta,
        bound_sensitivity: u64,
        bound_max: u64,
    ) -> Result<Self, MechanismError> {
        if bound_sensitivity == 0 || bound_max == 0 {
            return Err(MechanismError::invalid(
                "the bound on the local sensitivity and how far it moves must be positive",
                "write at least 1; a bound that never moves is a global sensitivity and needs no noise",
            ));
        }
        if delta.is_zero() {
            return Err(MechanismError::invalid(
                "a noisy bound on the local sensitivity needs a δ",
                "write a small δ such as 1e-6: noise has no largest value, so the bound fails sometimes",
            ));
        }
        let scale = Rational::from(bound_sensitivity) / epsilon_bound.value().clone();
        let noise = DiscreteLaplace::new(&scale)?;
        // Every scale a release can need lies between these two, so no release fails later.
        for bound in [1, bound_max] {
            Scale::new(answer_scale(bound, epsilon_answer))?;
        }
        let offset = upper_reach(&scale, delta.value()) - 1;
        let mut loss = Loss::approximate(epsilon_bound.plus(epsilon_answer)?, delta.clone());
        // A ρ past its range is left unsaid.
        let rho = |epsilon: &Epsilon| Rho::from_pure(epsilon).ok();
        let both = rho(epsilon_bound).zip(rho(epsilon_answer)).and_then(|(a, b)| a.plus(&b).ok());
        if let Some(rho) = both {
            loss = loss.and(Guarantee::ApproximateZeroConcentrated { rho, delta: delta.clone() });
        }
        Ok(Self { epsilon_answer: epsilon_answer.clone(), loss, noise, offset, bound_max })
    }

    /// What a release costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// What is added to the noisy bound so that it seldom falls below the true one.
    pub fn offset(&self) -> i128 {
        self.offset
    }

    /// Given a released bound, the answer is farther than this from the truth with probability at most
    /// `beta`.
    pub fn error_bound(&self, bound: u64, beta: &FailureProbability) -> i128 {
        two_sided_reach(&answer_scale(bound.clamp(1, self.bound_max), &self.epsilon_answer), beta.value())
    }

    /// Releases the answer and the bound.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        answer: i64,
        local_bound: u64,
        bits: &mut B,
    ) -> BoundedAnswer {
        // Cut at the public maximum the bound still bounds, and moves no more than before.
        let local_bound = i128::from(local_bound.min(self.bound_max));
        let noisy = self.noise.sample(bits).saturating_add(local_bound).saturating_add(self.offset);
        let bound = noisy.clamp(1, i128::from(self.bound_max)) as u64;
        let scale = answer_scale(bound, &self.epsilon_answer);
        let noise = DiscreteLaplace::new(&scale).expect("the ends of all scales were checked in new");
        let value = noise.sample(bits).saturating_add(i128::from(answer));
        BoundedAnswer { bound, value: value.clamp(i64::MIN.into(), i64::MAX.into()) as i64 }
    }
}

fn answer_scale(bound: u64, epsilon: &Epsilon) -> Rational {
    Rational::from(bound) / epsilon.value().clone()
}

#[cfg(test)]
mod tests;
