//! Quantiles read off a noisy histogram: one price, any number of quantiles.
//!
//! **Guarantee.** The column's range is cut into public bins; a noisy histogram of the bins is released once
//! (`histogram.rs`), and every quantile is computed from it: post-processing, free of further cost.
//! **Neighbours.** Those of the histogram: add or remove one person, or replace one, as it was built for.
//! **Source.** Sensitivities and noise as for any histogram over public keys.
//! **Error.** Prefix sums of k bins carry the noise of k draws: with probability at least 1 − β all of them
//! stay within [`QuantileHistogram::error_bound`], about √(k·ln(k/β))·2Δ/ε. On top come the rows of one bin,
//! because a bin is answered by its middle. The exponential mechanism errs by ln(points/β)·2Δ/ε instead
//! (`quantile.rs`): it wins whenever there are many bins, and the histogram when many quantiles or the whole
//! distribution are wanted.
//! **Exactness.** Integers throughout; ties go to the lower bin.
//! **Not covered.** Bins that follow the data: they are fixed before it is read.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, Neighbours, Spend};

use crate::aggregate::contribution_bound::ContributionBound;
use crate::aggregate::grid::Grid;
use crate::aggregate::histogram::Histogram;
use crate::order_statistic::ranked_choice::Part;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "quantiles from a histogram",
    releases: "noisy counts of public bins, and any quantiles computed from them",
    guarantee: "ε-DP or ρ-zCDP, once for all quantiles",
    error: "ranks off by about √(k·ln(k/β))·2Δ/ε and the rows of one bin; k bins",
    source: "Dwork, McSherry, Nissim, Smith 2006; prefix sums are post-processing",
};

/// A noisy histogram of equal bins of a grid.
#[derive(Clone, Debug)]
pub struct QuantileHistogram {
    grid: Grid,
    bins: i64,
    histogram: Histogram<i64>,
}

impl QuantileHistogram {
    /// The range of the grid in `bins` bins of nearly equal width, each row of another person.
    pub fn new(
        grid: &Grid,
        bins: u32,
        neighbours: Neighbours,
        spend: &Spend,
    ) -> Result<Self, MechanismError> {
        let bins = i64::from(bins);
        if bins > grid.last_index() + 1 {
            let (asked, available) = (bins as usize, grid.last_index() as usize + 1);
            return Err(MechanismError::TooMany { asked, available });
        }
        let histogram =
            Histogram::new((0..bins).collect(), &ContributionBound::one_row(), neighbours, spend)?;
        Ok(Self { grid: grid.clone(), bins, histogram })
    }

    /// What one release costs, whatever is computed from it.
    pub fn loss(&self) -> Loss {
        self.histogram.loss()
    }

    /// Releases the noisy counts of all bins, from the grid indexes of the rows.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: impl IntoIterator<Item = i64>,
        bits: &mut B,
    ) -> Vec<i128> {
        let mut counts = vec![0i128; self.histogram.keys().len()];
        for row in rows {
            let bin = usize::try_from(self.bin_of(row)).expect("a bin number is not negative");
            counts[bin] += 1;
        }
        let released = self.histogram.release_bounded(&counts, bits);
        let released = released.expect("there are as many counts as bins");
        released.into_iter().map(|(_, count)| count).collect()
    }

    /// The grid index in the middle of the bin that balances q best: the least |(1 − q)·(counts before) −
    /// q·(counts after)|.
    pub fn quantile(&self, counts: &[i128], q: &Rational) -> Result<i64, MechanismError> {
        let part = Part::new(q)?;
        let total = counts.iter().fold(0i128, |sum, count| sum.saturating_add(*count));
        let mut before = 0i128;
        let mut best = (i128::MAX, 0);
        for (bin, count) in (0i64..self.bins).zip(counts) {
            let after = total.saturating_sub(before).saturating_sub(*count);
            let low = (part.under - part.over).saturating_mul(before);
            let imbalance = low.saturating_sub(part.over.saturating_mul(after)).saturating_abs();
            if imbalance < best.0 {
                best = (imbalance, bin);
            }
            before = before.saturating_add(*count);
        }
        let (first, last) = (self.first_of(best.1), self.first_of(best.1 + 1) - 1);
        Ok(first + (last - first) / 2)
    }

    /// With probability at least 1 − β the noise in every sum of the first bins stays within this.
    pub fn error_bound(&self, beta: &FailureProbability) -> Result<i128, MechanismError> {
        let bins = self.bins.unsigned_abs();
        let share = FailureProbability::new(beta.value() / &Rational::from(bins))?;
        // The longest sum needs the largest bound; β/k for each of k sums.
        Ok(self.histogram.noise().error_bound_of_sum(bins, &share))
    }

    fn bin_of(&self, row: i64) -> i64 {
        let points = i128::from(self.grid.last_index()) + 1;
        let bin = i128::from(self.grid.clamped(row)) * i128::from(self.bins) / points;
        i64::try_from(bin).expect("a bin number is below the number of bins")
    }

    /// The first grid index of a bin.
    fn first_of(&self, bin: i64) -> i64 {
        let points = i128::from(self.grid.last_index()) + 1;
        let first = (i128::from(bin) * points + i128::from(self.bins) - 1).div_euclid(i128::from(self.bins));
        i64::try_from(first).expect("a bin lies inside the grid")
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::{Distinguisher, all_datasets, hoeffding_radius, neighbours_add_remove, seeded};

    use super::*;
    use crate::order_statistic::quantile::Quantile;

    fn pure(epsilon: &str) -> Spend {
        Spend::Pure(Epsilon::parse(epsilon).unwrap())
    }

    fn half() -> Rational {
        Rational::ratio(1, 2)
    }

    fn binned(last: i64, bins: u32, spend: &Spend) -> QuantileHistogram {
        QuantileHistogram::new(&Grid::integers(0, last).unwrap(), bins, Neighbours::AddRemove, spend).unwrap()
    }

    #[test]
    fn bins_cover_the_grid_in_order() {
        for (last, bins) in [(9, 10), (9, 3), (9, 1), (100, 7), (1 << 62, 1000)] {
            let mechanism = binned(last, bins, &pure("1"));
            assert_eq!((mechanism.first_of(0), mechanism.first_of(i64::from(bins))), (0, last + 1));
            for bin in 0..i64::from(bins) {
                let first = mechanism.first_of(bin);
                assert_eq!(mechanism.bin_of(first), bin);
                assert_eq!(mechanism.bin_of(mechanism.first_of(bin + 1) - 1), bin);
            }
        }
    }

    /// Brute force: bins of all data sets of at most four rows, values outside the bounds included, move by one row in
    /// one bin.
    #[test]
    fn one_row_moves_one_bin_by_one() {
        let mechanism = binned(9, 4, &pure("1"));
        assert_eq!(mechanism.histogram.noise().to_string(), "discrete Laplace of scale 1");
        let alphabet = [i64::MIN, 0, 2, 5, 9, i64::MAX];
        let counts = |rows: &[i64]| {
            let mut counts = [0i64; 4];
            rows.iter().for_each(|row| counts[mechanism.bin_of(*row) as usize] += 1);
            counts
        };
        for rows in all_datasets(&alphabet, 4) {
            for other in neighbours_add_remove(&rows, &alphabet) {
                let moved: i64 = counts(&rows).iter().zip(counts(&other)).map(|(a, b)| (a - b).abs()).sum();
                assert_eq!(moved, 1);
            }
        }
    }

    #[test]
    fn quantiles_of_exact_counts_are_right() {
        let mechanism = binned(9, 10, &pure("1"));
        let counts = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0];
        let at = |q: &str| mechanism.quantile(&counts, &Rational::parse(q).unwrap()).unwrap();
        assert_eq!((at("0"), at("0.5"), at("1")), (0, 4, 8));
        let mass = [0, 0, 100, 1, 0, 0, 0, 0, 0, 0];
        assert_eq!(mechanism.quantile(&mass, &half()).unwrap(), 2);
        let nonsense = [i128::MAX, i128::MIN, i128::MAX, 0, 0, 0, 0, 0, 0, -5];
        assert!((0..=9).contains(&mechanism.quantile(&nonsense, &half()).unwrap()));
        assert!(mechanism.quantile(&counts, &Rational::from(2)).is_err());
    }

    /// The comparison of "Beyond Noise Addition" (Harvard CS 208, 2022): the median of 2,000 rows at ε = 1 on 16,384 points. The exponential
    /// mechanism's rank error is a few rows, about ln(points)/ε; the histogram's is about √(points)/ε. With
    /// 16 bins the noise is small and the bin's width is what is left. Fixed seeds; averages over 10 runs.
    #[test]
    fn the_exponential_mechanism_beats_many_bins() {
        let last = (1 << 14) - 1;
        let grid = Grid::integers(0, last).unwrap();
        let mut bits = seeded(31);
        // Two uniform numbers added: most rows near the middle.
        let rows: Vec<i64> = (0..2000).map(|_| ((bits() >> 51) + (bits() >> 51)) as i64).collect();
        let rank_error = |point: i64| {
            let below = rows.iter().filter(|row| **row < point).count() as f64;
            let above = rows.iter().filter(|row| **row > point).count() as f64;
            (below - above).abs() / 2.0
        };
        let median = Quantile::new(&grid, &half(), 1, Neighbours::AddRemove, &pure("1")).unwrap();
        let mut average = |draw: &mut dyn FnMut(&mut dyn FnMut() -> u64) -> i64| {
            (0..10).map(|_| rank_error(draw(&mut bits))).sum::<f64>() / 10.0
        };
        let exponential = average(&mut |bits| median.release(rows.iter().copied(), bits));
        let fine = binned(last, 1 << 14, &pure("1"));
        let fine_error =
            average(&mut |bits| fine.quantile(&fine.release(rows.iter().copied(), bits), &half()).unwrap());
        assert!(exponential < 10.0, "{exponential}");
        assert!(fine_error > 3.0 * exponential, "{fine_error} against {exponential}");
    }

    /// Specification: with probability at least 90 % no prefix sum is off by more than the bound; 400 releases.
    /// False alarm: 1e-9 a price (Hoeffding).
    #[test]
    fn prefix_sums_stay_within_the_bound() {
        for spend in [pure("0.5"), Spend::Concentrated(Rho::parse("0.05").unwrap())] {
            let mechanism = binned(999, 250, &spend);
            let bound = mechanism.error_bound(&FailureProbability::parse("0.1").unwrap()).unwrap();
            let mut bits = seeded(32);
            let held = (0..400).filter(|_| {
                let mut sum = 0i128;
                mechanism.release([], &mut bits).into_iter().all(|noise| {
                    sum += noise;
                    sum.abs() <= bound
                })
            });
            let frequency = held.count() as f64 / 400.0;
            assert!(frequency >= 0.9 - hoeffding_radius(400, 1e-9), "{frequency}");
            assert!(bound < 500, "√k, not k: {bound}");
        }
    }

    /// Distinguishing: one row cannot be told from the quantile at ε = 1. False alarm: 1e-9.
    #[test]
    fn one_row_cannot_be_told() {
        let mechanism = binned(9, 10, &pure("1"));
        let mut bits = seeded(33);
        let mut draws = |rows: &[i64]| -> Vec<i64> {
            let release =
                |_| mechanism.quantile(&mechanism.release(rows.iter().copied(), &mut bits), &half());
            (0..4000).map(release).map(Result::unwrap).collect()
        };
        Distinguisher::new(1.0, 0.0).assert_private(
            &draws(&[1, 1, 8]),
            &draws(&[1, 1, 8, 8]),
            "binned median",
        );
    }

    #[test]
    fn bins_that_cannot_be_are_refused_with_a_hint() {
        let grid = Grid::integers(0, 9).unwrap();
        let new = |bins: u32| QuantileHistogram::new(&grid, bins, Neighbours::AddRemove, &pure("1"));
        assert_eq!(new(11).unwrap_err(), MechanismError::TooMany { asked: 11, available: 10 });
        assert!(new(0).unwrap_err().explanation().text().contains("hint:"));
        assert_eq!(new(10).unwrap().loss(), Loss::pure(Epsilon::parse("1").unwrap()));
    }
}
