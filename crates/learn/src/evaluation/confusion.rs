//! Confusion: how many rows of each class were taken for which.
//!
//! **Guarantee.** `noisy_counts.rs` with a cell for each pair of classes: the whole table costs what one count would.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A row is in one cell, by itself and the public model alone (`noisy_counts.rs`).
//! **Intervals.** A count and the sum of the others of its row or column are within their bounds but for β/2 each, and a
//! share of the two is as `share.rs` says.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, Spend};

use super::noisy_counts::{CellCounts, NoisyCounts};
use super::share;
use crate::{Interval, LearnError, Rows};

/// Which classes there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classes {
    /// −1 and 1, by number 0 and 1: a target or prediction above zero is the second.
    Two,
    /// So many, by their numbers from zero on.
    Several(u32),
}

impl Classes {
    /// How many.
    pub fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Several(count) => count as usize,
        }
    }

    /// The number of a class that a target or a prediction says; what is out of range is the nearest, what is no number the
    /// first.
    pub fn number(self, value: f64) -> usize {
        match self {
            Self::Two => usize::from(value > 0.0),
            // A float that is none becomes zero, and a large one the largest integer.
            Self::Several(count) => (value.round() as usize).min(count.saturating_sub(1) as usize),
        }
    }
}

/// Counts true and predicted classes.
#[derive(Clone, Debug)]
pub struct Confusion {
    classes: Classes,
    counts: CellCounts,
}

impl Confusion {
    /// The evaluation at this price, of rows of which one person has at most `rows_per_person`.
    ///
    /// # Errors
    /// When there is no class or more than a thousand, a person has no rows, or noise of this size cannot be drawn.
    pub fn new(classes: Classes, rows_per_person: u32, spend: &Spend) -> Result<Self, LearnError> {
        let cells = classes.count().saturating_mul(classes.count());
        Ok(Self { classes, counts: CellCounts::new(cells, rows_per_person, spend)? })
    }

    /// What is lost.
    pub fn loss(&self) -> Loss {
        self.counts.loss()
    }

    /// All counts are within this of the truth, but for a probability of β.
    pub fn radius(&self, beta: &FailureProbability) -> f64 {
        self.counts.radius(beta)
    }

    /// Counts that were released before; `None` where there is not one for each pair of classes.
    pub fn recorded(&self, counts: Vec<i64>) -> Option<ConfusionRelease> {
        Some(ConfusionRelease { classes: self.classes, counts: self.counts.recorded(counts)? })
    }

    /// Counts. The model says the class of a row; for two classes a score will do.
    ///
    /// # Errors
    /// When the rows declare more for each person than this was made for, or went away.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        model: &dyn Fn(&[f64]) -> f64,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<ConfusionRelease, LearnError> {
        let classes = self.classes;
        let cell = |row: &[f64], y: f64| classes.number(y) * classes.count() + classes.number(model(row));
        Ok(ConfusionRelease { classes, counts: self.counts.release(rows, &cell, bits)? })
    }
}

/// Noisy counts of true and predicted classes.
#[derive(Clone, Debug)]
pub struct ConfusionRelease {
    classes: Classes,
    counts: NoisyCounts,
}

impl ConfusionRelease {
    /// All counts: those of the first class before those of the second, each by the class that it was taken for.
    pub fn counts(&self) -> &[i64] {
        &self.counts.values
    }

    /// How many rows of the one class were taken for the other, with noise.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn count(&self, truth: usize, predicted: usize) -> i64 {
        assert!(truth.max(predicted) < self.classes.count(), "a class has a number below their count");
        self.counts.values[truth * self.classes.count() + predicted]
    }

    /// All counts are within this of the truth, but for a probability of β.
    pub fn radius(&self, beta: &FailureProbability) -> f64 {
        self.counts.radius_of_all(self.counts.values.len(), beta)
    }

    /// The share of the rows of a class that were seen as such.
    pub fn recall(&self, class: usize, beta: &FailureProbability) -> Interval {
        self.share(class, beta, |other| (class, other))
    }

    /// The share of the rows seen as of a class that are.
    pub fn precision(&self, class: usize, beta: &FailureProbability) -> Interval {
        self.share(class, beta, |other| (other, class))
    }

    fn share(
        &self,
        class: usize,
        beta: &FailureProbability,
        of: impl Fn(usize) -> (usize, usize),
    ) -> Interval {
        let others = (0..self.classes.count()).filter(|other| *other != class);
        let rest: f64 = others.map(&of).map(|(truth, seen)| self.count(truth, seen) as f64).sum();
        // A β that is too small to be halved keeps its whole: 1e-60 in place of half of it.
        let half =
            FailureProbability::new(beta.value() * &Rational::ratio(1, 2)).unwrap_or_else(|_| beta.clone());
        let (own, sum) =
            (self.counts.radius_of_all(1, &half), self.counts.radius_of_sum(self.classes.count() - 1, &half));
        share::of_counts((self.count(class, class) as f64, own), (rest, sum))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::{clopper_pearson_upper, seeded};

    use super::*;
    use crate::MemoryRows;

    #[test]
    fn classes_have_numbers_whatever_is_said() {
        assert_eq!([-1.0, 1.0, f64::NAN, 0.0].map(|value| Classes::Two.number(value)), [0, 1, 0, 0]);
        let found = [-3.0, 0.0, 1.6, 2.0, 99.0, f64::NAN, f64::INFINITY];
        assert_eq!(found.map(|value| Classes::Several(3).number(value)), [0, 0, 2, 2, 2, 0, 2]);
    }

    /// Specification: with next to no noise the counts are the counts, and the shares the shares.
    #[test]
    fn counts_without_noise_are_the_counts() {
        let spend = Spend::Pure(Epsilon::parse("1000").unwrap());
        let confusion = Confusion::new(Classes::Several(3), 1, &spend).unwrap();
        let truth = [0.0, 0.0, 0.0, 1.0, 1.0, 2.0];
        let seen = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        let rows = MemoryRows::new(seen.map(|class| class / 2.0).to_vec(), truth.to_vec(), 1, 1.0, 1);
        let release = confusion.release(&|row| row[0] * 2.0, &rows, &mut seeded(1)).unwrap();
        let found: Vec<i64> = (0..9).map(|cell| release.count(cell / 3, cell % 3)).collect();
        assert_eq!(found, [2, 1, 0, 1, 1, 0, 1, 0, 0]);
        let beta = FailureProbability::parse("0.05").unwrap();
        assert_eq!(release.recall(0, &beta).estimate, 2.0 / 3.0);
        assert_eq!(release.precision(0, &beta).estimate, 0.5);
        assert_eq!(release.radius(&beta), 0.0);
        assert!(Confusion::new(Classes::Several(0), 1, &spend).is_err());
        assert!(Confusion::new(Classes::Several(5000), 1, &spend).is_err());
    }

    /// Specification: 95 % of intervals hold recall and precision. False alarm: 1e-9 (Clopper and Pearson, 600 releases).
    #[test]
    fn shares_cover() {
        let beta = FailureProbability::parse("0.05").unwrap();
        for spend in
            [Spend::Pure(Epsilon::parse("0.2").unwrap()), Spend::Concentrated(Rho::parse("0.02").unwrap())]
        {
            let confusion = Confusion::new(Classes::Several(3), 1, &spend).unwrap();
            // 70 rows of the class 1, 40 of them seen; 60 are seen as it.
            let cells = [(0.0, 0.0, 50), (0.0, 1.0, 20), (1.0, 1.0, 40), (1.0, 2.0, 30), (2.0, 2.0, 60)];
            let expand = |at: fn(&(f64, f64, usize)) -> f64| -> Vec<f64> {
                cells.iter().flat_map(|cell| vec![at(cell); cell.2]).collect()
            };
            let rows = MemoryRows::new(expand(|cell| cell.1 / 2.0), expand(|cell| cell.0), 1, 1.0, 1);
            let mut bits = seeded(8);
            let (mut covered, mut width) = ([0u64; 2], 0.0);
            for _ in 0..600 {
                let release = confusion.release(&|row| row[0] * 2.0, &rows, &mut bits).unwrap();
                let (recall, precision) = (release.recall(1, &beta), release.precision(1, &beta));
                covered[0] += u64::from((recall.low..=recall.high).contains(&(40.0 / 70.0)));
                covered[1] += u64::from((precision.low..=precision.high).contains(&(40.0 / 60.0)));
                width += (recall.high - recall.low) / 600.0;
            }
            assert!(width < 0.9, "{width}");
            for each in covered {
                assert!(clopper_pearson_upper(each, 600, 1e-9) >= 0.95, "{covered:?}");
            }
        }
    }
}
