//! A number that one tie moves by at most one, released with an allowance for its noise.
//!
//! **Guarantee.** ε-differentially private: the number plus discrete Laplace noise of scale `1/ε` plus a
//! public allowance, moved into a public interval that contains the number.
//! **Neighbours.** Those between which the number moves by at most one.
//! **Proof.** The geometric mechanism, and post-processing.
//! **Error.** The noise reaches `ln(1/b)/ε` in magnitude with probability about b. Moving into the interval
//! never moves the result past the number.
//! **Exactness.** Integers throughout; allowances are rounded up.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::GraphError;

/// A noisy number that is seldom far too small.
#[derive(Clone, Debug)]
pub(crate) struct PrivateBound {
    noise: GeometricMechanism,
    allowance: u64,
    most: u64,
}

impl PrivateBound {
    /// For numbers between zero and `most`, with an allowance of this many scales of the noise and one half.
    pub(crate) fn with_scales(epsilon: &Epsilon, scales: &Rational, most: u64) -> Result<Self, GraphError> {
        let noise = GeometricMechanism::new(&SensitivityL1::parse("1")?, epsilon)?;
        let allowance = (noise.scale() * scales + Rational::ratio(1, 2)).ceil();
        Ok(Self { noise, allowance: u64::try_from(allowance).unwrap_or(u64::MAX), most })
    }

    /// For numbers between zero and `most`, with the least allowance that the noise exceeds in magnitude with
    /// probability at most `failure`, half of it on each side.
    pub(crate) fn failing(
        epsilon: &Epsilon,
        failure: &FailureProbability,
        most: u64,
    ) -> Result<Self, GraphError> {
        let noise = GeometricMechanism::new(&SensitivityL1::parse("1")?, epsilon)?;
        let allowance = u64::try_from(noise.error_bound(failure).saturating_sub(1)).unwrap_or(u64::MAX);
        Ok(Self { noise, allowance, most })
    }

    /// What a release costs.
    pub(crate) fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// A bound of this number.
    pub(crate) fn release(&self, number: u64, bits: &mut dyn SecureBits) -> u64 {
        let noisy = self.noise.release(i128::from(number), bits).saturating_add(i128::from(self.allowance));
        noisy.clamp(0, i128::from(self.most)) as u64
    }

    /// A released bound again; none when it was not released here.
    pub(crate) fn recognised(&self, released: i128) -> Option<u64> {
        u64::try_from(released).ok().filter(|bound| *bound <= self.most)
    }

    /// About the number itself.
    pub(crate) fn middle(&self, bound: u64) -> u64 {
        bound.saturating_sub(self.allowance)
    }

    /// As far below the number as the bound is meant to be above it.
    pub(crate) fn lower(&self, bound: u64) -> u64 {
        bound.saturating_sub(self.allowance.saturating_mul(2))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{clopper_pearson_lower, seeded};

    use super::*;

    fn bound(epsilon: &str, failure: &str, most: u64) -> PrivateBound {
        let failure = FailureProbability::parse(failure).unwrap();
        PrivateBound::failing(&Epsilon::parse(epsilon).unwrap(), &failure, most).unwrap()
    }

    /// Specification: each side fails with probability at most 1 %, and nearly so. False alarm: 1e-9 a side
    /// (Clopper-Pearson); an allowance one noise scale too small would fail three times as often and be seen.
    #[test]
    fn a_bound_is_seldom_too_small_or_far_too_large() {
        let bound = bound("0.05", "0.02", 1_000_000);
        assert!((70..=79).contains(&bound.allowance), "{}", bound.allowance);
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
        let bound = bound("0.01", "0.02", 5);
        let mut bits = seeded(2);
        assert!((0..200).all(|_| bound.release(3, &mut bits) <= 5));
        assert_eq!([-1, 0, 5, 6].map(|value| bound.recognised(value)), [None, Some(0), Some(5), None]);
    }

    #[test]
    fn an_allowance_is_rounded_up() {
        let of = |epsilon: &str| {
            let scales = Rational::ratio(5, 3);
            PrivateBound::with_scales(&Epsilon::parse(epsilon).unwrap(), &scales, 100).unwrap().allowance
        };
        assert_eq!(["1/3", "1", "0.1", "10"].map(of), [6, 3, 18, 1]);
    }
}
