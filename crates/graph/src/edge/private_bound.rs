//! A private upper bound of a number that one tie moves by at most one.
//!
//! **Guarantee.** ε-differentially private: the number plus discrete Laplace noise of scale `1/ε` plus a public offset,
//! moved into a public interval. It is below the number with probability at most 1 %, and more than twice the offset
//! above it with probability at most 1 %.
//! **Neighbours.** Those between which the number moves by at most one.
//! **Proof.** The geometric mechanism, and post-processing. The offset is one less than the least m that the noise
//! reaches in magnitude with probability at most 2 %; the noise is symmetric. Moving into an interval that contains the
//! number spoils neither side.
//! **Error.** About `3.9/ε` above the number.
//! **Exactness.** Integers throughout.

use pointillist_mechanisms::geometric::GeometricMechanism;
use pointillist_noise::BitSource;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::GraphError;

/// Both sides together.
const FAILURE: &str = "0.02";

/// A noisy number that is seldom too small.
#[derive(Clone, Debug)]
pub(crate) struct PrivateBound {
    noise: GeometricMechanism,
    offset: u64,
    most: u64,
}

impl PrivateBound {
    /// The bound of numbers between zero and `most`.
    pub(crate) fn new(epsilon: &Epsilon, most: u64) -> Result<Self, GraphError> {
        let noise = GeometricMechanism::new(&SensitivityL1::parse("1")?, epsilon)?;
        let failure = FailureProbability::parse(FAILURE).expect("a probability");
        let offset = u64::try_from(noise.error_bound(&failure) - 1).unwrap_or(u64::MAX);
        Ok(Self { noise, offset, most })
    }

    /// What a release costs.
    pub(crate) fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// A bound of this number.
    pub(crate) fn release(&self, number: u64, bits: &mut dyn BitSource) -> u64 {
        let noisy = self.noise.release(i128::from(number), bits).saturating_add(i128::from(self.offset));
        noisy.clamp(0, i128::from(self.most)) as u64
    }

    /// A released bound again; none when it was not released here.
    pub(crate) fn recognised(&self, released: i128) -> Option<u64> {
        u64::try_from(released).ok().filter(|bound| *bound <= self.most)
    }

    /// About the number itself: half the time it is above, half the time below, where the interval allows it.
    pub(crate) fn middle(&self, bound: u64) -> u64 {
        bound.saturating_sub(self.offset)
    }

    /// Below the number with probability at least 99 %.
    pub(crate) fn lower(&self, bound: u64) -> u64 {
        bound.saturating_sub(self.offset.saturating_mul(2))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{clopper_pearson_lower, seeded};

    use super::*;

    /// Specification: each side fails with probability at most 1 %, and nearly so. False alarm: 1e-9 a side
    /// (Clopper-Pearson); an offset one noise scale too small would fail three times as often and be seen.
    #[test]
    fn a_bound_is_seldom_too_small_or_far_too_large() {
        let bound = PrivateBound::new(&Epsilon::parse("0.05").unwrap(), 1_000_000).unwrap();
        assert!((70..=79).contains(&bound.offset), "{}", bound.offset);
        let (mut bits, n) = (seeded(1), 20_000);
        let draws: Vec<u64> = (0..n).map(|_| bound.release(1000, &mut bits)).collect();
        let low = draws.iter().filter(|draw| **draw < 1000).count() as u64;
        let high = draws.iter().filter(|draw| bound.lower(**draw) > 1000).count() as u64;
        for fails in [low, high] {
            assert!(clopper_pearson_lower(fails, n, 1e-9) <= 0.01, "{fails}");
            assert!(fails > n / 200, "{fails}");
        }
    }

    #[test]
    fn a_bound_stays_within_its_interval() {
        let bound = PrivateBound::new(&Epsilon::parse("0.01").unwrap(), 5).unwrap();
        let mut bits = seeded(2);
        assert!((0..200).all(|_| bound.release(3, &mut bits) <= 5));
        assert_eq!([-1, 0, 5, 6].map(|value| bound.recognised(value)), [None, Some(0), Some(5), None]);
    }
}
