//! A histogram over public keys: how many rows each declared key has.
//!
//! **Guarantee.** Every declared key appears in the answer, empty ones too, in the declared order; undeclared
//! keys are dropped before anything is counted. A person touches at most `max_groups` keys with at most
//! `max_contributions` rows each, so between neighbours the vector of counts moves by L1 = g·m and L2² =
//! g·m², where g is `max_groups` for add/remove and twice that for replace-one, and never more than the
//! number of keys. Discrete Laplace noise of scale L1/ε gives ε-differential privacy, discrete Gaussian noise
//! of σ² = L2²/(2ρ) ρ-zCDP.
//! **Neighbours.** Add or remove one person, or replace one: the relation it was built for decides g.
//! **Source.** The sensitivities: `contribution_bound.rs`. The noise: `additive_noise.rs`. Disjoint cells and
//! one row a person make g = m = 1: Dwork, McSherry, Nissim, Smith (2006), histograms.
//! **Error.** All k keys at once stay within [`Histogram::error_bound`] with probability at least 1 − β: β/k
//! for each key, about (L1/ε)·ln(k/β) for Laplace noise.
//! **Exactness.** Integer counts, integer noise. Counts may be negative: cutting them off is post-processing.
//! **Not covered.** Keys that nobody declared: `stability_histogram.rs` and `partition_selection.rs`.
//!
//! ```
//! use pointillist_mechanisms::{ContributionBound, Histogram};
//! use pointillist_noise::with_system_bits;
//! use pointillist_privacy::{Epsilon, Neighbours, Spend};
//!
//! let regions = vec!["east", "north", "south", "west"];
//! let spend = Spend::Pure(Epsilon::parse("0.5")?);
//! let histogram = Histogram::new(regions, &ContributionBound::one_row(), Neighbours::AddRemove, &spend)?;
//! let people = [["north"], ["south"], ["north"], ["elsewhere"]];
//! let released = with_system_bits(|bits| histogram.release(people, bits))?;
//! assert_eq!(released.len(), 4); // every declared region, also those where nobody is
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_privacy::{FailureProbability, Loss, Neighbours, Spend};

use crate::aggregate::contribution_bound::ContributionBound;
use crate::number::additive_noise::AdditiveNoise;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "histogram over public keys",
    releases: "a count for every declared key",
    guarantee: "ε-DP with scale g·m/ε, or ρ-zCDP with σ² = g·m²/2ρ; g groups a person, m rows in each",
    error: "some key beyond (g·m/ε)·ln(k/β) with probability about β",
    source: "Dwork, McSherry, Nissim, Smith 2006; Canonne, Kamath, Steinke 2020, Theorem 4",
};

/// Noisy counts for a fixed list of keys.
#[derive(Clone, Debug)]
pub struct Histogram<K> {
    keys: Vec<K>,
    positions: BTreeMap<K, usize>,
    bound: ContributionBound,
    noise: AdditiveNoise,
}

impl<K: Ord + Clone> Histogram<K> {
    /// A histogram over these keys, which are public; each may be named once.
    pub fn new(
        keys: Vec<K>,
        bound: &ContributionBound,
        neighbours: Neighbours,
        spend: &Spend,
    ) -> Result<Self, MechanismError> {
        if keys.is_empty() {
            return Err(MechanismError::NoCandidates);
        }
        let positions: BTreeMap<K, usize> = keys.iter().cloned().zip(0..).collect();
        if positions.len() < keys.len() {
            let what = "a key is declared twice";
            return Err(MechanismError::invalid(what, "name every key of the histogram once"));
        }
        let count = keys.len() as u64;
        let sensitivity_l1 = bound.sensitivity_l1(neighbours, count)?;
        let sensitivity_l2 = bound.sensitivity_l2(neighbours, count)?;
        let noise = AdditiveNoise::for_spend(&sensitivity_l1, &sensitivity_l2, spend)?;
        Ok(Self { keys, positions, bound: *bound, noise })
    }

    /// What one release of all keys costs.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// The noise that each count gets.
    pub fn noise(&self) -> &AdditiveNoise {
        &self.noise
    }

    /// The declared keys.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Counts the rows of each key, given as one list of keys a person.
    pub fn release<P, R, B>(&self, people: P, bits: &mut B) -> Vec<(K, i128)>
    where
        P: IntoIterator<Item = R>,
        R: IntoIterator<Item = K>,
        B: SecureBits + ?Sized,
    {
        let counts = self.bounded(people, bits);
        self.release_bounded(&counts, bits).expect("the counts were taken for these keys")
    }

    /// Releases counts, one for every key in the declared order, that were taken after bounding each person.
    ///
    /// # Errors
    /// When there are not as many counts as keys, which are both public.
    pub fn release_bounded<B: SecureBits + ?Sized>(
        &self,
        counts: &[i128],
        bits: &mut B,
    ) -> Result<Vec<(K, i128)>, MechanismError> {
        if counts.len() != self.keys.len() {
            let what = format!("{} counts do not fit {} keys", counts.len(), self.keys.len());
            return Err(MechanismError::invalid(
                what,
                "give one count for every declared key, zero where it is empty",
            ));
        }
        let noise = self.noise.sample_many(counts.len(), bits);
        let noisy = counts.iter().zip(noise).map(|(count, noise)| noisy_sum(*count, noise));
        Ok(self.keys.iter().cloned().zip(noisy).collect())
    }

    /// Every count stays within this of the bounded count with probability at least 1 − β, all keys at once.
    pub fn error_bound(&self, beta: &FailureProbability) -> i128 {
        self.noise.error_bound_of_all(self.keys.len() as u64, beta)
    }

    fn bounded<R: IntoIterator<Item = K>, B: SecureBits + ?Sized>(
        &self,
        people: impl IntoIterator<Item = R>,
        bits: &mut B,
    ) -> Vec<i128> {
        let mut counts = vec![0; self.keys.len()];
        for rows in people {
            let declared = rows.into_iter().filter_map(|key| self.positions.get(&key).copied());
            for (position, rows) in self.bound.bound(declared, bits) {
                counts[position] += i128::from(rows);
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests;
