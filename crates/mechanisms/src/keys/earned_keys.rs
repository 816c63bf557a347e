//! Keys that nobody declared, under zCDP: a key is shown when enough people hold it, with how many.
//!
//! **Guarantee.** δ-approximate ρ-zCDP for neighbours that add or remove one person, who holds at most g keys.
//! Every key that occurs gets discrete Gaussian noise of σ² = g/(2ρ) on the number of people who hold it; it
//! is shown, with that noisy number, only if the number reaches the threshold τ, the least found with 1 − (1 −
//! p)^g ≤ δ for p = P[1 + Z ≥ τ].
//! **Neighbours.** Add or remove one person, who holds at most g keys.
//! **Source.** Proof: let D' be D and one more person, j of whose keys are new to D. Keys are noised
//! independently. Let E' be the event, under D', that no new key is shown; a new key has one holder, so E' has
//! probability at least (1 − p)^j ≥ 1 − δ. Given E', both outputs are the same thresholding of the noisy
//! numbers of D's keys, which differ by one in at most g − j places: (g − j)/(2σ²) ≤ ρ in zCDP, both ways
//! (Canonne, Kamath, Steinke 2020, Theorem 4, and post-processing). That is the definition of approximate
//! zCDP (Bun, Steinke 2016, Definition 8.1) with E' on one side and the certain event on the other.
//! **Error.** [`EarnedKeys::people_needed`]: a key of that many people is shown with probability at least 1 − β.
//! **Exactness.** p comes from a certified upper bound of the tail; τ is rounded up.
//! **Not covered.** Timing and the number of draws depend on how many keys occur.

use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, FailureProbability, Loss, Neighbours, Rho};

use crate::aggregate::contribution_bound::{ContributionBound, delta_per_group_lower};
use crate::number::additive_noise::AdditiveNoise;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "earned keys",
    releases: "the keys that enough people hold, with how many",
    guarantee: "δ-approximate ρ-zCDP; σ² = g/(2ρ), threshold about 1 + σ·√(2·ln(g/δ)); g groups a person",
    error: "at ρ = 0.1, δ = 1e-9 and one key a person, 15 people earn their key about every other time, 19 with 95 %",
    source: "proof in the file, by Bun, Steinke 2016, Definition 8.1",
};

/// A private choice of keys by their noisy numbers of people.
#[derive(Clone, Debug)]
pub struct EarnedKeys {
    noise: AdditiveNoise,
    threshold: i128,
    loss: Loss,
}

impl EarnedKeys {
    /// A choice among keys of which each person holds at most `groups_max`; δ must not be zero.
    pub fn new(groups_max: u64, rho: &Rho, delta: &Delta) -> Result<Self, MechanismError> {
        let bound = ContributionBound::new(groups_max, 1)?;
        let delta_each = delta_per_group_lower(delta, groups_max)?;
        let noise = AdditiveNoise::for_rho(&bound.sensitivity_l2(Neighbours::AddRemove, u64::MAX)?, rho)?;
        // The noise is symmetric: P[Z > t] is half of P[|Z| > t], and 1 + Z ≥ t + 2 is Z > t.
        let both_sides = (delta_each * Rational::from(2)).min(Rational::ratio(1, 2));
        let reach = noise.error_bound(&FailureProbability::new(both_sides)?);
        let threshold = reach.saturating_add(2);
        Ok(Self { noise, threshold, loss: Loss::approximate_zcdp(rho.clone(), delta.clone()) })
    }

    /// What one choice costs, over all keys.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The noise on each number of people.
    pub fn noise(&self) -> &AdditiveNoise {
        &self.noise
    }

    /// The least noisy number of people that is shown.
    pub fn threshold(&self) -> i128 {
        self.threshold
    }

    /// For each key that occurs, its noisy number of people if the key may be shown. Numbers are taken after
    /// bounding each person; zero means that the key does not occur, and is never shown.
    pub fn release<B: SecureBits + ?Sized>(&self, people: &[i128], bits: &mut B) -> Vec<Option<i128>> {
        let noise = self.noise.sample_many(people.len(), bits);
        let noisy = people.iter().zip(noise).map(|(people, noise)| {
            let noisy = noisy_sum(*people, noise);
            (*people > 0 && noisy >= self.threshold).then_some(noisy)
        });
        noisy.collect()
    }

    /// A key of this many people is shown with probability at least 1 − β.
    pub fn people_needed(&self, beta: &FailureProbability) -> i128 {
        let both_sides = (beta.value() * &Rational::from(2)).min(Rational::ratio(99, 100));
        let beta = FailureProbability::new(both_sides).expect("twice a failure probability, cut below one");
        self.threshold.saturating_add(self.noise.error_bound(&beta))
    }
}

#[cfg(test)]
mod tests;
