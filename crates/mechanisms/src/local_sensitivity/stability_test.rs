//! Is the data far from trouble? A noisy test of a distance.
//!
//! **Guarantee.** Let g be a nonnegative integer that moves by at most 1 between neighbours. Whether
//! [`StabilityTest::passes`] is ε-DP in g, and where g = 0 it passes with probability at most δ.
//! **Neighbours.** Any relation for which g moves by at most 1. A distance to a fixed set of data sets,
//! counted in steps from neighbour to neighbour, does; so does any lower bound of it that moves by at most 1.
//! **Source.** Dwork and Lei (2009), the test of propose-test-release. The threshold is derived here: passing
//! means g + X > τ for discrete Laplace X of scale 1/ε, and τ is the least integer with `P[X > τ] ≤ δ`. Other
//! texts write `ln(1/δ)/ε` or `ln(1/(2δ))/ε + 1` for continuous noise; the exact tail of the noise that is
//! drawn makes both unnecessary.
//! **Error.** Data with `g ≥ distance_needed(b)` pass but for probability b: failing means `−X ≥ g − τ`.
//! **Exactness.** Integers throughout; τ is rounded up.
//! **Not covered.** What passing is good for: the two users of this test prove that.

use pointillist_noise::{DiscreteLaplace, SecureBits};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, FailureProbability};

use crate::MechanismError;
use crate::number::discrete_laplace_tail::upper_reach;

/// What a tested release gives. A refusal is an answer too: it is private, and it is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestedOutcome<T> {
    /// The data passed the test.
    Released {
        /// The released value.
        value: T,
    },
    /// The data did not pass.
    Refused,
}

/// A threshold test of a distance.
#[derive(Clone, Debug)]
pub struct StabilityTest {
    epsilon: Epsilon,
    delta: Delta,
    threshold: i128,
    noise: DiscreteLaplace,
}

impl StabilityTest {
    /// The test that costs ε and passes data at distance zero with probability at most δ, which must be
    /// positive.
    pub fn new(epsilon: &Epsilon, delta: &Delta) -> Result<Self, MechanismError> {
        if delta.is_zero() {
            return Err(MechanismError::invalid(
                "a stability test needs a δ",
                "write a small δ such as 1e-6: noise has no largest value, so unstable data pass sometimes",
            ));
        }
        let scale = Rational::one() / epsilon.value().clone();
        let noise = DiscreteLaplace::new(&scale)?;
        let threshold = upper_reach(&scale, delta.value()) - 1;
        Ok(Self { epsilon: epsilon.clone(), delta: delta.clone(), threshold, noise })
    }

    /// What the test costs.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// How often data at distance zero pass, at most.
    pub fn delta(&self) -> &Delta {
        &self.delta
    }

    /// The noisy distance has to exceed this.
    pub fn threshold(&self) -> i128 {
        self.threshold
    }

    /// Data at this distance or farther pass but for probability `beta`.
    pub fn distance_needed(&self, beta: &FailureProbability) -> i128 {
        self.threshold + upper_reach(self.noise.scale(), beta.value())
    }

    /// Whether data at this distance pass.
    pub fn passes<B: SecureBits + ?Sized>(&self, distance: u64, bits: &mut B) -> bool {
        // Noise that saturates at 128 bits is on its side of the threshold, whatever the distance.
        i128::from(distance).saturating_add(self.noise.sample(bits)) > self.threshold
    }
}

#[cfg(test)]
mod tests;
