//! A histogram over keys that nobody declared: common keys show, rare ones do not.
//!
//! **Guarantee.** (ε, δ)-differential privacy for neighbours that add or remove one person. Every key that
//! occurs gets discrete Laplace noise; it is released, with its noisy count, only if that count reaches the
//! threshold τ. A person touches at most g keys with at most m rows each (g and m of the
//! [`ContributionBound`]); the noise has scale g·m/ε, and τ is the least integer with 1 − (1 − p)^g ≤ δ, p =
//! P[m + Z ≥ τ].
//! **Neighbours.** Add or remove one person.
//! **Source.** Korolova, Kenthapadi, Mishra, Ntoulas (2009); Bun, Nissim, Stemmer (2016), arXiv:1511.08552,
//! for one key a person. Proof for g: let D' be D and one more person, j of whose keys are new to D. For an
//! event E let a and b be the probabilities that the keys of D alone answer within E, with the counts of D
//! and with those of D'. These counts differ by at most (g − j)·m in L1, so a and b are within a factor
//! e^(ε(g−j)/g) of each other. A new key has at most m rows; keys are noised independently, so D' shows a new
//! key with probability d ≤ 1 − (1 − p)^j ≤ δ. Hence P[D' in E] ≤ (1 − d)·b + d ≤ e^ε·a + δ. And P[D' in E] ≥
//! (1 − d)·b, so P[D in E] − e^ε·P[D' in E] is at most a − e^(εj/g)·(1 − d)·a ≤ d ≤ δ.
//! **Error.** Before the threshold, all of k keys are within [`StabilityHistogram::error_bound`] with
//! probability at least 1 − β; a key whose count is at least τ plus that bound is then released. Keys below
//! are lost.
//! **Exactness.** τ is computed between certified bounds and rounded up. The answer is sorted by key, so that
//! no order of rows, people or hash buckets shows.
//! **Not covered.** Timing and the number of draws depend on how many keys occur. Replace-one neighbours:
//! [`Loss::replace_one`] of the loss here.

use std::collections::BTreeMap;

use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss, Neighbours};

use crate::aggregate::contribution_bound::{ContributionBound, delta_per_group_lower};
use crate::number::additive_noise::AdditiveNoise;
use crate::number::discrete_laplace_tail::upper_reach;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "histogram over private keys",
    releases: "common keys with their counts",
    guarantee: "(ε, δ)-DP; scale g·m/ε, threshold about m + (g·m/ε)·ln(g/2δ); g groups a person, m rows in each",
    error: "keys below the threshold are lost; others beyond (g·m/ε)·ln(k/β) with probability about β",
    source: "Korolova et al. 2009; Bun, Nissim, Stemmer 2016; proof in the file",
};

/// Noisy counts of the keys that are common enough.
#[derive(Clone, Debug)]
pub struct StabilityHistogram {
    bound: ContributionBound,
    noise: AdditiveNoise,
    threshold: i128,
    loss: Loss,
}

impl StabilityHistogram {
    /// A histogram over whatever keys occur; δ must not be zero.
    pub fn new(bound: &ContributionBound, epsilon: &Epsilon, delta: &Delta) -> Result<Self, MechanismError> {
        let delta_each = delta_per_group_lower(delta, bound.groups_max())?;
        let sensitivity_l1 = bound.sensitivity_l1(Neighbours::AddRemove, u64::MAX)?;
        let noise = AdditiveNoise::for_epsilon(&sensitivity_l1, epsilon)?;
        let scale = sensitivity_l1.value() / epsilon.value();
        let reach = upper_reach(&scale, &delta_each);
        let threshold = reach.saturating_add(i128::from(bound.rows_max()));
        let loss = Loss::approximate(epsilon.clone(), delta.clone());
        Ok(Self { bound: *bound, noise, threshold, loss })
    }

    /// What one release costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The noise that each count gets.
    pub fn noise(&self) -> &AdditiveNoise {
        &self.noise
    }

    /// The least noisy count that is released.
    pub fn threshold(&self) -> i128 {
        self.threshold
    }

    /// Releases the common keys with their noisy counts, sorted by key, from one list of keys a person.
    pub fn release<K, P, R, B>(&self, people: P, bits: &mut B) -> Vec<(K, i128)>
    where
        K: Ord,
        P: IntoIterator<Item = R>,
        R: IntoIterator<Item = K>,
        B: SecureBits + ?Sized,
    {
        let mut counts = BTreeMap::new();
        for rows in people {
            for (key, rows) in self.bound.bound(rows, bits) {
                *counts.entry(key).or_insert(0) += i128::from(rows);
            }
        }
        self.release_bounded(counts, bits)
    }

    /// Releases from counts that were taken after bounding each person. Counts of zero are dropped: an absent
    /// key and a key without rows must look the same.
    pub fn release_bounded<K: Ord, B: SecureBits + ?Sized>(
        &self,
        counts: BTreeMap<K, i128>,
        bits: &mut B,
    ) -> Vec<(K, i128)> {
        let occurring: Vec<(K, i128)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
        let noise = self.noise.sample_many(occurring.len(), bits);
        let noisy =
            occurring.into_iter().zip(noise).map(|((key, count), noise)| (key, noisy_sum(count, noise)));
        noisy.filter(|(_, count)| *count >= self.threshold).collect()
    }

    /// The noise of all of `keys` keys stays within this with probability at least 1 − β.
    pub fn error_bound(&self, keys: u64, beta: &FailureProbability) -> i128 {
        self.noise.error_bound_of_all(keys, beta)
    }
}

#[cfg(test)]
mod tests;
