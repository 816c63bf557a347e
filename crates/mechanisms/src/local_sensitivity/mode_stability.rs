//! The most frequent category, exactly, when it is far ahead; a refusal otherwise.
//!
//! **Guarantee.** (ε, δ)-DP. The category released is the true one, without noise.
//! **Neighbours.** Add or remove one record, or replace one; each has its own distance, see
//! [`distance_to_change`]. The list of categories is public, and ties go to the first of them.
//! **Source.** The stability-based release of Thakurta and Smith (2013), with the test of Dwork and Lei
//! (2009).
//! *Proof*, with d(x) the fewest steps from x to data with another mode, and g = d − 1. Neighbours with the
//! same mode have `|d − d'| ≤ 1` by the triangle inequality, so they are told apart only by the test, which
//! is ε-DP. Neighbours with different modes have d = d' = 1, so g = g' = 0: both refuse with the same
//! probability, at least 1 − δ, and the release is (0, δ)-DP for them. ∎
//! **Error.** None when released. Data with [`StableMode::distance_needed`] steps to spare are answered but
//! for probability b: that is a lead of about `(ln(1/δ) + ln(1/b))/ε` records, twice that when records are
//! replaced.
//! **Exactness.** Integers throughout; the threshold is the exact quantile of the noise drawn, rounded up.
//! **Not covered.** Categories that only the data know: a category that nobody has yet is a rival too, and
//! has to be in the list.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss, Neighbours};

use crate::local_sensitivity::stability_test::{StabilityTest, TestedOutcome};
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "stable mode",
    releases: "the most frequent of a public list of categories, or a refusal",
    guarantee: "(ε, δ)-DP; exact when its lead passes a noisy test",
    error: "none when released; mostly refused when the lead is below about ln(1/δ)/ε",
    source: "Thakurta, Smith 2013; Dwork, Lei 2009; proof in the file",
};

/// The most frequent category, or a refusal.
#[derive(Clone, Debug)]
pub struct StableMode {
    test: StabilityTest,
    neighbours: Neighbours,
}

impl StableMode {
    /// The mechanism for one neighbour relation, with δ positive.
    pub fn new(epsilon: &Epsilon, delta: &Delta, neighbours: Neighbours) -> Result<Self, MechanismError> {
        Ok(Self { test: StabilityTest::new(epsilon, delta)?, neighbours })
    }

    /// What a release costs, refused or not.
    pub fn loss(&self) -> Loss {
        Loss::approximate(self.test.epsilon().clone(), self.test.delta().clone())
    }

    /// Data this many steps from instability, or more, are answered but for probability `beta`.
    pub fn distance_needed(&self, beta: &FailureProbability) -> i128 {
        self.test.distance_needed(beta)
    }

    /// Releases the index of the category with the largest count, or refuses.
    ///
    /// # Errors
    /// When the list of categories is empty; the list is public.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        counts: &[u64],
        bits: &mut B,
    ) -> Result<TestedOutcome<usize>, MechanismError> {
        let value = mode(counts).ok_or(MechanismError::NoCandidates)?;
        // Data whose mode cannot change at all are as far from instability as we can count.
        let distance = distance_to_change(counts, self.neighbours).map_or(u64::MAX, |change| change - 1);
        let passes = self.test.passes(distance, bits);
        Ok(if passes { TestedOutcome::Released { value } } else { TestedOutcome::Refused })
    }
}

/// The first category with the largest count.
pub fn mode(counts: &[u64]) -> Option<usize> {
    (0..counts.len()).min_by_key(|index| (std::cmp::Reverse(counts[*index]), *index))
}

/// The fewest steps after which the mode is another category; `None` when no number of steps will do: with
/// one category, or when there is no record to replace. It is at least one, and not private.
///
/// A rival behind by `lead` records, ties against it counted as one more, catches up by one record per added
/// or removed record, and by two per record that moves from the mode to it.
pub fn distance_to_change(counts: &[u64], neighbours: Neighbours) -> Option<u64> {
    let leader = mode(counts)?;
    let rivals = (0..counts.len()).filter(|index| *index != leader);
    let lead = rivals
        .map(|rival| (counts[leader] - counts[rival]).saturating_add(u64::from(rival > leader)))
        .min()?;
    match neighbours {
        Neighbours::AddRemove => Some(lead),
        Neighbours::ReplaceOne => (counts[leader] > 0).then(|| lead.div_ceil(2)),
    }
}

#[cfg(test)]
mod tests;
