//! How many rows there are, or how many people: a noisy count.
//!
//! **Guarantee.** Each person counts at most `max_contributions` times, so the count moves by at most that
//! much when a person joins, leaves, or is replaced (a person's share lies in `0..=max_contributions` before
//! and after). Discrete Laplace noise gives ε-differential privacy, discrete Gaussian noise ρ-zCDP, for
//! either relation.
//! **Neighbours.** Add or remove one person, or replace one: the sensitivity is the same.
//! **Source.** The sensitivity as just said; the noise: `additive_noise.rs`. Ghosh, Roughgarden, Sundararajan
//! (2009) call the Laplace case the geometric mechanism.
//! **Error.** Beyond about ln(1/β)·m/ε (Laplace) or m·√(ln(2/β)/ρ) (Gaussian) with probability at most β;
//! exactly [`Count::error_bound`], on top of the rows that the bound on contributions cuts off.
//! **Exactness.** Integers throughout. The answer may be negative: cutting it off at zero is post-processing.
//! **Not covered.** Timing: see `additive_noise.rs`.

use pointillist_noise::SecureBits;
use pointillist_privacy::{FailureProbability, Loss, Spend};

use crate::number::additive_noise::AdditiveNoise;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "count",
    releases: "the number of rows or people, an integer",
    guarantee: "ε-DP (discrete Laplace, scale m/ε) or ρ-zCDP (discrete Gaussian, σ² = m²/2ρ); m rows a person",
    error: "beyond ln(1/β)·m/ε with probability about β",
    source: "Ghosh, Roughgarden, Sundararajan 2009; Canonne, Kamath, Steinke 2020, Theorem 4",
};

/// A noisy count of rows, at most so many a person.
#[derive(Clone, Debug)]
pub struct Count {
    rows_max: u64,
    noise: AdditiveNoise,
}

impl Count {
    /// A count in which each person has at most `max_contributions` rows; one for counting people.
    pub fn new(max_contributions: u64, spend: &Spend) -> Result<Self, MechanismError> {
        let noise = AdditiveNoise::for_number(i128::from(max_contributions), spend)?;
        Ok(Self { rows_max: max_contributions, noise })
    }

    /// What one release costs.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// The noise that is added.
    pub fn noise(&self) -> &AdditiveNoise {
        &self.noise
    }

    /// Counts the rows of each person, given as one number of rows a person.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows_per_person: impl IntoIterator<Item = u64>,
        bits: &mut B,
    ) -> i128 {
        self.release_bounded(self.bounded(rows_per_person), bits)
    }

    /// Releases a count that was taken after bounding each person to `max_contributions` rows.
    pub fn release_bounded<B: SecureBits + ?Sized>(&self, count: i128, bits: &mut B) -> i128 {
        self.noise.release(count, bits)
    }

    /// The noise stays within this with probability at least 1 − β.
    pub fn error_bound(&self, beta: &FailureProbability) -> i128 {
        self.noise.error_bound(beta)
    }

    fn bounded(&self, rows_per_person: impl IntoIterator<Item = u64>) -> i128 {
        // 2^64 rows a person would need 2^63 persons to overflow.
        rows_per_person.into_iter().map(|rows| i128::from(rows.min(self.rows_max))).sum()
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::{
        Distinguisher, all_datasets, assert_distribution, neighbours_add_remove, neighbours_replace_one,
        seeded,
    };

    use super::*;

    fn pure(epsilon: &str) -> Spend {
        Spend::Pure(Epsilon::parse(epsilon).unwrap())
    }

    /// Brute force: all data sets of at most four people with zero to huge numbers of rows, all neighbours of both
    /// kinds.
    #[test]
    fn the_bounded_count_moves_by_at_most_the_bound() {
        let alphabet = [0, 1, 2, 3, 7, u64::MAX];
        for rows_max in [1, 2, 5] {
            let count = Count::new(rows_max, &pure("1")).unwrap();
            let exact = |people: &[u64]| count.bounded(people.iter().copied());
            let mut largest = 0;
            for people in all_datasets(&alphabet, 4) {
                let near = neighbours_add_remove(&people, &alphabet);
                for other in near.into_iter().chain(neighbours_replace_one(&people, &alphabet)) {
                    largest = largest.max((exact(&people) - exact(&other)).abs());
                }
            }
            assert_eq!(largest, i128::from(rows_max));
            // The planted leak: without the bound one person moves the count by 2^64 − 1.
            let unbounded = |people: &[u64]| people.iter().map(|rows| i128::from(*rows)).sum::<i128>();
            assert!((unbounded(&[u64::MAX]) - unbounded(&[])).abs() > i128::from(rows_max));
        }
    }

    /// Specification: the law is the true count plus discrete Laplace noise of scale m/ε. False alarm: 1e-9
    /// (χ²).
    #[test]
    fn the_law_is_the_count_plus_noise() {
        let count = Count::new(2, &pure("0.5")).unwrap();
        let ratio = (-0.25f64).exp();
        let pmf = |k: i64| (1.0 - ratio) / (1.0 + ratio) * ratio.powi((k - 5).unsigned_abs() as i32);
        let mut bits = seeded(2);
        let draws = (0..50_000).map(|_| count.release([1, 2, 2], &mut bits) as i64);
        assert_distribution(draws, pmf, -100..=110, "count");
    }

    /// Distinguishing: one person of up to three rows cannot be told at ε = 1; noise of scale 1 instead of 3 is caught.
    /// False alarm: 1e-9.
    #[test]
    fn nobody_can_be_told_from_the_count() {
        let count = Count::new(3, &pure("1")).unwrap();
        let small = Count::new(1, &pure("1")).unwrap();
        let mut bits = seeded(3);
        let mut draws = |mechanism: &Count, total: i128| -> Vec<i128> {
            (0..4000).map(|_| mechanism.release_bounded(total, &mut bits)).collect()
        };
        let claim = Distinguisher::new(1.0, 0.0);
        claim.assert_private(&draws(&count, 10), &draws(&count, 13), "count");
        claim.assert_leaks(&draws(&small, 10), &draws(&small, 13), "count with noise for one row");
    }

    #[test]
    fn prices_are_what_was_paid() {
        let rho = Rho::parse("0.1").unwrap();
        assert_eq!(Count::new(1, &Spend::Concentrated(rho.clone())).unwrap().loss(), Loss::zcdp(rho));
        assert!(Count::new(0, &pure("1")).unwrap_err().explanation().text().contains("hint:"));
        let beta = FailureProbability::parse("0.05").unwrap();
        assert_eq!(Count::new(1, &pure("1")).unwrap().error_bound(&beta), 3);
    }
}
