//! Propose a bound on the sensitivity, test that the data are far from breaking it, release with little
//! noise.
//!
//! **Guarantee.** Let `LS(x)` be the local sensitivity of an integer answer f, B a public bound, and g(x) the
//! distance from x to the nearest data set with `LS > B`, or any lower bound of that distance that moves by
//! at most 1 between neighbours. Releasing `f + discrete Laplace(B/ε₂)` if the stability test of g at (ε₁, δ)
//! passes, and a refusal otherwise, is (ε₁ + ε₂, δ)-DP, and δ-approximate `(ε₁² + ε₂²)/2`-zCDP.
//! **Neighbours.** Those by which LS and g are counted.
//! **Source.** Dwork and Lei (2009), "Differential privacy and robust statistics", for the scheme.
//! *Proof*, for neighbours x and x'. If one of them has `LS ≤ B`, then `|f(x) − f(x')| ≤ B`: the test is
//! ε₁-DP, the answer that may follow ε₂-DP, and the pair composes without any δ. Otherwise both are at
//! distance 0, both refuse with the same probability, at least 1 − δ, and so
//! `P(E) ≤ P(E and refused) + δ = P'(E and refused) + δ`: the release is (0, δ)-DP, and conditioned on
//! refusal both laws are the same. ∎ No neighbour of an unstable data set needs a threshold of its own, which
//! is why there is no "+ 1" in it.
//! **Error.** Data at distance [`ProposeTestRelease::distance_needed`] or more are answered but for
//! probability b, and an answer is off by more than [`ProposeTestRelease::error_bound`] with probability at
//! most b. Data closer to instability are mostly refused.
//! **Exactness.** Integers throughout; the threshold is the exact quantile of the noise drawn, rounded up.
//! **Not covered.** Choosing B from the data: it is public, fixed before. A list of bounds needs a selection
//! mechanism and a share of δ each.

use pointillist_noise::{DiscreteLaplace, SecureBits};
use pointillist_privacy::{
    Delta, Epsilon, FailureProbability, Guarantee, Loss, Rho, SensitivityL1, laplace_scale_upper,
};

use crate::local_sensitivity::stability_test::{StabilityTest, TestedOutcome};
use crate::number::discrete_laplace_tail::two_sided_reach;
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "propose-test-release",
    releases: "an integer, or a refusal when the data are near an unstable set",
    guarantee: "(ε₁ + ε₂, δ)-DP; noise of scale B/ε₂ after a test at ε₁",
    error: "beyond ln(1/b)·B/ε₂ with probability b, when answered",
    source: "Dwork, Lei 2009; threshold and proof in the file",
};

/// An answer with noise for a proposed sensitivity, or a refusal.
#[derive(Clone, Debug)]
pub struct ProposeTestRelease {
    test: StabilityTest,
    noise: DiscreteLaplace,
    loss: Loss,
}

impl ProposeTestRelease {
    /// The mechanism for the proposed bound, which is public, with δ positive.
    pub fn new(
        bound: &SensitivityL1,
        epsilon_test: &Epsilon,
        epsilon_release: &Epsilon,
        delta: &Delta,
    ) -> Result<Self, MechanismError> {
        let test = StabilityTest::new(epsilon_test, delta)?;
        let noise = DiscreteLaplace::new(laplace_scale_upper(bound, epsilon_release)?.value())?;
        let epsilon = epsilon_test.plus(epsilon_release)?;
        let mut loss = Loss::approximate(epsilon, delta.clone());
        // A ρ past its range is left unsaid.
        let rho = |epsilon: &Epsilon| Rho::from_pure(epsilon).ok();
        let both = rho(epsilon_test).zip(rho(epsilon_release)).and_then(|(a, b)| a.plus(&b).ok());
        if let Some(rho) = both {
            loss = loss.and(Guarantee::ApproximateZeroConcentrated { rho, delta: delta.clone() });
        }
        Ok(Self { test, noise, loss })
    }

    /// What a release costs, refused or not.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The test.
    pub fn test(&self) -> &StabilityTest {
        &self.test
    }

    /// Data this far from instability, or farther, are answered but for probability `beta`.
    pub fn distance_needed(&self, beta: &FailureProbability) -> i128 {
        self.test.distance_needed(beta)
    }

    /// An answer is farther than this from the truth with probability at most `beta`.
    pub fn error_bound(&self, beta: &FailureProbability) -> i128 {
        two_sided_reach(self.noise.scale(), beta.value())
    }

    /// Releases the answer of data that are `distance` steps away from the nearest data set whose local
    /// sensitivity is above the bound; zero when they are such a data set themselves.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        answer: i64,
        distance: u64,
        bits: &mut B,
    ) -> TestedOutcome<i64> {
        if !self.test.passes(distance, bits) {
            return TestedOutcome::Refused;
        }
        let noisy = self.noise.sample(bits).saturating_add(i128::from(answer));
        TestedOutcome::Released { value: noisy.clamp(i64::MIN.into(), i64::MAX.into()) as i64 }
    }
}

#[cfg(test)]
mod tests;
