//! Accuracy: the share of rows that a classifier gets right.
//!
//! **Guarantee.** The numbers of right and of wrong answers, released together, are as private as the price says
//! (`noisy_counts.rs`: two cells, so both cost no more than one of them would).
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A row is in one of the two cells, by itself and the public model alone (`noisy_counts.rs`).
//! **Interval.** Both counts are within t of the truth but for β, so the share is between (R − t)/(R + W) and (R + t)/(R + W),
//! with counts that are not negative (`share.rs`).
//! **Population.** If rows are independent, one a person, and right with probability p, then p is within the Chernoff bounds
//! of the true counts: r·ln(r/(np)) + w·ln(w/(n(1 − p))) ≤ ln(4/β) but for β/2, both sides. On the side p < r/n that sum
//! rises with r and falls with w, so the worst true counts within the noise, t at β/2, are R − t and W + t; above it is
//! the other way round.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, Spend};

use super::noisy_counts::{CellCounts, NoisyCounts};
use super::share;
use crate::{Interval, LearnError, Rows};

/// Counts right and wrong answers.
#[derive(Clone, Debug)]
pub struct Accuracy {
    counts: CellCounts,
    rows_per_person: u32,
}

impl Accuracy {
    /// The evaluation at this price, of rows of which one person has at most `rows_per_person`.
    ///
    /// # Errors
    /// When a person has no rows, or noise of this size cannot be drawn.
    pub fn new(rows_per_person: u32, spend: &Spend) -> Result<Self, LearnError> {
        Ok(Self { counts: CellCounts::new(2, rows_per_person, spend)?, rows_per_person })
    }

    /// What is lost.
    pub fn loss(&self) -> Loss {
        self.counts.loss()
    }

    /// Both counts are within this of the truth, but for a probability of β.
    pub fn radius(&self, beta: &FailureProbability) -> f64 {
        self.counts.radius(beta)
    }

    /// Counts that were released before; `None` where they are not two.
    pub fn recorded(&self, counts: Vec<i64>) -> Option<AccuracyRelease> {
        let one_row_each = self.rows_per_person == 1;
        Some(AccuracyRelease { counts: self.counts.recorded(counts)?, one_row_each })
    }

    /// Counts. A classifier says the class of a row, as its target says it; [`two_classes`] makes one of a score.
    ///
    /// # Errors
    /// When the rows declare more for each person than this was made for, or went away.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        classifier: &dyn Fn(&[f64]) -> f64,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<AccuracyRelease, LearnError> {
        let cell = |row: &[f64], y: f64| usize::from(classifier(row) != y);
        let counts = self.counts.release(rows, &cell, bits)?;
        Ok(AccuracyRelease { counts, one_row_each: self.rows_per_person == 1 })
    }
}

/// The classifier of a score: 1 where it is positive, −1 otherwise.
pub fn two_classes(score: &dyn Fn(&[f64]) -> f64) -> impl Fn(&[f64]) -> f64 {
    move |row| if score(row) > 0.0 { 1.0 } else { -1.0 }
}

/// Noisy numbers of right and wrong answers.
#[derive(Clone, Debug)]
pub struct AccuracyRelease {
    counts: NoisyCounts,
    one_row_each: bool,
}

impl AccuracyRelease {
    /// How many answers were right, with noise.
    pub fn right(&self) -> i64 {
        self.counts.values[0]
    }

    /// How many were wrong, with noise.
    pub fn wrong(&self) -> i64 {
        self.counts.values[1]
    }

    /// The accuracy on these rows, within the interval but for a probability of β.
    pub fn accuracy(&self, beta: &FailureProbability) -> Interval {
        let radius = self.counts.radius_of_all(2, beta);
        share::of_counts((self.right() as f64, radius), (self.wrong() as f64, radius))
    }

    /// The accuracy on rows like these, within the interval but for a probability of β: noise, and the luck of the draw. None
    /// where people have several rows, which are not independent.
    pub fn population(&self, beta: &FailureProbability) -> Option<Interval> {
        if !self.one_row_each {
            return None;
        }
        let half = FailureProbability::new(beta.value() * &Rational::ratio(1, 2)).ok()?;
        let radius = self.counts.radius_of_all(2, &half);
        let (right, wrong) = (self.right() as f64, self.wrong() as f64);
        let least = |count: f64| (count - radius).max(0.0);
        let most = |count: f64| (count + radius).max(0.0);
        let limit = (4.0 / beta.value().to_f64_lower()).ln();
        let low = chernoff_lower(least(right), most(wrong), limit);
        let high = 1.0 - chernoff_lower(least(wrong), most(right), limit);
        let inside = self.accuracy(beta).estimate;
        Some(Interval { estimate: inside.clamp(low, high), low, high })
    }
}

/// The least p that r right and w wrong answers leave possible.
fn chernoff_lower(right: f64, wrong: f64, limit: f64) -> f64 {
    if right <= 0.0 {
        return 0.0;
    }
    let rows = right + wrong;
    let share = right / rows;
    let divergence = |p: f64| {
        let other = if wrong > 0.0 { wrong * ((1.0 - share) / (1.0 - p)).ln() } else { 0.0 };
        right * (share / p).ln() + other
    };
    let (mut low, mut high) = (0.0, share);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if divergence(middle) > limit { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::{clopper_pearson_upper, seeded};

    use super::*;
    use crate::MemoryRows;

    /// Rows that a classifier of the sign gets right with probability 0.8, and how many it does.
    fn rows(count: usize, seed: u64) -> (MemoryRows, f64) {
        let mut words = seeded(seed);
        let mut unit = || (words() >> 11) as f64 / (1u64 << 53) as f64;
        let x: Vec<f64> = (0..count).map(|_| unit() - 0.5).collect();
        let y: Vec<f64> = x.iter().map(|x| if (*x > 0.0) == (unit() < 0.8) { 1.0 } else { -1.0 }).collect();
        let right = x.iter().zip(&y).filter(|(x, y)| (**x > 0.0) == (**y > 0.0)).count();
        (MemoryRows::new(x, y, 1, 1.0, 1), right as f64 / count as f64)
    }

    /// Specification: at least 95 % of intervals hold the accuracy of the rows, and of the population. False alarm: 1e-9
    /// (Clopper and Pearson, 1000 releases each). Power: intervals of a third of the width are caught.
    #[test]
    fn intervals_cover() {
        let beta = FailureProbability::parse("0.05").unwrap();
        for spend in
            [Spend::Pure(Epsilon::parse("0.1").unwrap()), Spend::Concentrated(Rho::parse("0.005").unwrap())]
        {
            let accuracy = Accuracy::new(1, &spend).unwrap();
            let sign = two_classes(&|row| row[0]);
            let (mut covered, mut narrow, mut population, mut width) = (0, 0, 0, 0.0);
            for seed in 0..1000 {
                let (rows, truth) = rows(300, 2 * seed);
                let release = accuracy.release(&sign, &rows, &mut seeded(2 * seed + 1)).unwrap();
                let found = release.accuracy(&beta);
                let shrunk = |end: f64| found.estimate + (end - found.estimate) / 3.0;
                covered += u64::from((found.low..=found.high).contains(&truth));
                narrow += u64::from((shrunk(found.low)..=shrunk(found.high)).contains(&truth));
                let found = release.population(&beta).unwrap();
                population += u64::from((found.low..=found.high).contains(&0.8));
                width += (found.high - found.low) / 1000.0;
            }
            assert!(clopper_pearson_upper(covered, 1000, 1e-9) >= 0.95, "{covered}");
            assert!(clopper_pearson_upper(population, 1000, 1e-9) >= 0.95, "{population}");
            assert!(clopper_pearson_upper(narrow, 1000, 1e-9) < 0.95, "{narrow}");
            assert!(width < 0.6, "{width}");
        }
    }

    /// Specification: no noise to speak of, 80 of 100: the classic Chernoff interval, and every p in it is possible.
    #[test]
    fn the_population_is_wider_than_the_rows() {
        let spend = Spend::Pure(Epsilon::parse("1000").unwrap());
        let y: Vec<f64> = (0..100).map(|at| if at < 80 { 1.0 } else { -1.0 }).collect();
        let rows = MemoryRows::new(vec![1.0; 100], y, 1, 1.0, 1);
        let release = Accuracy::new(1, &spend).unwrap().release(&|_| 1.0, &rows, &mut seeded(1)).unwrap();
        let beta = FailureProbability::parse("0.05").unwrap();
        assert_eq!(release.accuracy(&beta), Interval { estimate: 0.8, low: 0.8, high: 0.8 });
        let found = release.population(&beta).unwrap();
        // By hand: 80·ln(0.8/p) + 20·ln(0.2/(1 − p)) = ln 80 at both ends.
        for end in [found.low, found.high] {
            let divergence = 80.0 * (0.8 / end).ln() + 20.0 * (0.2 / (1.0 - end)).ln();
            assert!((divergence - 80f64.ln()).abs() < 1e-9, "{end}");
        }
        assert!(found.low < 0.8 && found.high > 0.8);
        let several = Accuracy::new(2, &spend).unwrap().release(&|_| 1.0, &rows, &mut seeded(1)).unwrap();
        assert!(several.population(&beta).is_none());
    }
}
