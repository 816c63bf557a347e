//! Naive Bayes: each class's own counts, means and variances, released together.
//!
//! **Guarantee.** One release of all classes' sums is ρ-zCDP; probabilities are post-processing.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A row adds to the sums of its own class alone: 1 to the count; z and w = 2z² − 1 for each of the m
//! numbers, scaled by public bounds to z ∈ [−1, 1] and clamped; 1 to one bin for each of the c categories. With u =
//! z², z² + w² = u + (2u − 1)² is convex in u and at most 2 at the ends u = 0 and 1, so a row moves the sums by at
//! most √(1 + 2m + c) in L2 and a person by k times that; |z| = 1 everywhere reaches it. In steps of 2^-20, z and w
//! are rounded to integers of at most 2^20, which keeps both squares below 4^20; so the bound holds for integers
//! with the same constants. The noise is discrete Gaussian of σ² = k²(1 + 2m + c)·4^20/(2ρ) in steps.
//! **Why w.** Σz² = (Σw + count)/2 has half the noise that it would have by itself, at the same sensitivity.
//! **Empty classes.** Every class and every bin has noise, whether anybody is in it or not. No count is exact and
//! none is put right by the number of rows, which nobody knows.
//! **Source.** Vaidya, Shafiq, Basu, Hong (2013) for the model; the joint release and its constant are proven here.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho};
use serde::{Deserialize, Serialize};

use crate::feature::class_of;
use crate::gram::check_shape;
use crate::grid_noise::GridNoise;
use crate::model::{ModelNumber, QUANTILE};
use crate::row_grid::{ROW_BITS, unit_steps};
use crate::{Feature, GridNumbers, LearnError, Rows, RowsError};

/// A number with public bounds, normal within each class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// The column.
    pub column: usize,
    /// Values below count as this.
    pub low: f64,
    /// Values above count as this.
    pub high: f64,
}

/// A trainer of naive Bayes.
#[derive(Clone, Debug)]
pub struct NaiveBayes {
    evidence: Evidence,
    dimension: usize,
    rows_per_person: u32,
    rho: Rho,
    noise: GridNoise,
}

/// What a row is judged by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Evidence {
    numbers: Vec<Number>,
    categories: Vec<Feature>,
    classes: usize,
}

/// Noisy sums of each class, as released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NaiveBayesModel {
    evidence: Evidence,
    /// For one class after the other: the count, Σz and Σ(2z² − 1) of each number, the bins of each category.
    pub sums: GridNumbers,
    noise_variance: f64,
}

/// A number's deviation within a class is at least this much of half its range.
const DEVIATION_LEAST: f64 = 0.02;

impl NaiveBayes {
    /// A trainer for these numbers and categories of rows with `dimension` columns, at a price.
    pub fn new(
        numbers: Vec<Number>,
        categories: Vec<Feature>,
        classes: usize,
        dimension: usize,
        rows_per_person: u32,
        rho: Rho,
    ) -> Result<Self, LearnError> {
        check_shape(dimension, rows_per_person)?;
        if !(2..=10_000).contains(&classes) {
            return Err(LearnError::parameter("there are 2 to 10000 classes"));
        }
        for number in &numbers {
            let bounded = number.low.is_finite() && number.high.is_finite() && number.low < number.high;
            if !bounded || number.column >= dimension {
                return Err(LearnError::parameter("a number is one of the columns, between two bounds"));
            }
        }
        categories.iter().try_for_each(|category| category.check(dimension))?;
        let parts = 1 + 2 * numbers.len() as u64 + categories.len() as u64;
        let square = Rational::from(parts)
            * Rational::from(rows_per_person).squared()
            * Rational::power_of_two(2 * i64::from(ROW_BITS));
        let noise = GridNoise::new(&square, &rho, ROW_BITS)?;
        let evidence = Evidence { numbers, categories, classes };
        Ok(Self { evidence, dimension, rows_per_person, rho, noise })
    }

    /// What a fit loses.
    pub fn loss(&self) -> Loss {
        Loss::zcdp(self.rho.clone())
    }

    /// A model of these rows.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<NaiveBayesModel, LearnError> {
        if rows.dimension() != self.dimension || rows.rows_per_person() > self.rows_per_person {
            return Err(LearnError::parameter(
                "rows have other columns, or more of them to a person, than the noise is made for",
            ));
        }
        let noise = self.noise.draw(self.evidence.width() * self.evidence.classes, bits);
        let sums = self.noise.add(&self.sums(rows)?, &noise);
        Ok(NaiveBayesModel { evidence: self.evidence.clone(), sums, noise_variance: self.noise.variance() })
    }

    fn sums(&self, rows: &dyn Rows) -> Result<Vec<i128>, RowsError> {
        let (evidence, unit) = (&self.evidence, 1i128 << ROW_BITS);
        let mut sums = vec![0i128; evidence.width() * evidence.classes];
        rows.for_each_block(&mut |block| {
            for at in 0..block.len() {
                let row = block.row(at);
                let class = class_of(block.y[at], evidence.classes);
                let own = &mut sums[class * evidence.width()..(class + 1) * evidence.width()];
                own[0] += unit;
                let (numbers, mut bins) = own[1..].split_at_mut(2 * evidence.numbers.len());
                for (number, pair) in evidence.numbers.iter().zip(numbers.chunks_exact_mut(2)) {
                    let z = number.scaled(row);
                    pair[0] += unit_steps(z) as i128;
                    pair[1] += unit_steps(2.0 * z * z - 1.0) as i128;
                }
                for category in &evidence.categories {
                    bins[category.bin(row)] += unit;
                    bins = &mut bins[category.bins()..];
                }
            }
        })?;
        Ok(sums)
    }
}

impl Number {
    /// The value of a row from −1 to 1; the middle when it is no number.
    fn scaled(&self, row: &[f64]) -> f64 {
        let half = (self.high - self.low) / 2.0;
        let z = ((row[self.column] - self.low) / half - 1.0).clamp(-1.0, 1.0);
        if z.is_nan() { 0.0 } else { z }
    }
}

impl Evidence {
    /// How many sums a class has.
    fn width(&self) -> usize {
        1 + 2 * self.numbers.len() + self.categories.iter().map(Feature::bins).sum::<usize>()
    }
}

impl NaiveBayesModel {
    /// Whether it is of rows with so many columns, and has all sums of so many classes.
    pub(crate) fn fits(&self, dimension: usize, classes: usize) -> bool {
        let Evidence { numbers, categories, .. } = &self.evidence;
        numbers.iter().all(|number| number.column < dimension)
            && categories.iter().all(|category| category.check(dimension).is_ok())
            && self.evidence.classes == classes
            && self.sums.values.len() == classes * self.evidence.width()
    }

    /// What was released, class by class: counts, and means and deviations of numbers in the units of the encoded columns.
    pub(crate) fn table(&self, names: &[String], classes: &[String]) -> Vec<ModelNumber> {
        let (sums, width) = (self.sums.to_f64(), self.evidence.width());
        let mut table = Vec::new();
        for (class, own) in sums.chunks_exact(width).enumerate() {
            let part = classes.get(class).cloned().unwrap_or_default();
            let width = QUANTILE * self.noise_variance.sqrt();
            let mut push = |feature: String, value: f64, is_count: bool| {
                let interval = is_count.then_some(((value - width).max(0.0), (value + width).max(0.0)));
                table.push(ModelNumber { part: part.clone(), feature, value, interval });
            };
            push("rows".to_owned(), own[0], true);
            let count = own[0].max(1.0);
            let (numbers, mut bins) = own[1..].split_at(2 * self.evidence.numbers.len());
            for (number, pair) in self.evidence.numbers.iter().zip(numbers.chunks_exact(2)) {
                let name = names.get(number.column).cloned().unwrap_or_default();
                let (mean, square) = (pair[0] / count, (pair[1] / count + 1.0) / 2.0);
                push(format!("mean of {name}"), (mean.clamp(-1.0, 1.0) + 1.0) / 2.0, false);
                push(format!("deviation of {name}"), (square - mean * mean).max(0.0).sqrt() / 2.0, false);
            }
            for category in &self.evidence.categories {
                let (own, rest) = bins.split_at(category.bins());
                let first = match category {
                    Feature::Category { first, .. } => *first,
                    Feature::Cuts { column, .. } => *column,
                };
                for (bin, count) in own.iter().enumerate() {
                    let name = match category {
                        Feature::Category { .. } => names.get(first + bin).cloned().unwrap_or_default(),
                        Feature::Cuts { .. } => {
                            format!("{} = {}", names.get(first).cloned().unwrap_or_default(), bin == 1)
                        }
                    };
                    push(format!("rows with {name}"), *count, true);
                }
                bins = rest;
            }
        }
        table
    }

    /// How likely each class is.
    pub fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let sums = self.sums.to_f64();
        let mut logs: Vec<f64> =
            sums.chunks_exact(self.evidence.width()).map(|own| self.log_weight(own, row)).collect();
        let largest = logs.iter().fold(f64::NEG_INFINITY, |largest, log| largest.max(*log));
        logs.iter_mut().for_each(|log| *log = (*log - largest).exp());
        let total: f64 = logs.iter().sum();
        logs.iter().map(|log| log / total).collect()
    }

    /// The likeliest class.
    pub fn predict(&self, row: &[f64]) -> usize {
        let likely = self.probabilities(row);
        (0..likely.len()).max_by(|a, b| likely[*a].total_cmp(&likely[*b])).unwrap_or(0)
    }

    /// The logarithm of a class's weight and of how likely it has such a row. What cannot be told from noise is
    /// taken as noise of one deviation.
    fn log_weight(&self, own: &[f64], row: &[f64]) -> f64 {
        let deviation = self.noise_variance.sqrt().max(1.0);
        let count = own[0].max(deviation);
        let mut log = count.ln();
        let (numbers, mut bins) = own[1..].split_at(2 * self.evidence.numbers.len());
        for (number, pair) in self.evidence.numbers.iter().zip(numbers.chunks_exact(2)) {
            let mean = (pair[0] / count).clamp(-1.0, 1.0);
            let square = ((pair[1] / count + 1.0) / 2.0).clamp(0.0, 1.0);
            let variance = (square - mean * mean).max(DEVIATION_LEAST.powi(2));
            log -= (number.scaled(row) - mean).powi(2) / (2.0 * variance) + variance.ln() / 2.0;
        }
        for category in &self.evidence.categories {
            let least = deviation;
            let total: f64 = bins[..category.bins()].iter().map(|bin| bin.max(least)).sum();
            log += (bins[category.bin(row)].max(least) / total).ln();
            bins = &bins[category.bins()..];
        }
        log
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::MemoryRows;

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    fn numbers() -> Vec<Number> {
        vec![Number { column: 0, low: 0.0, high: 1.0 }, Number { column: 1, low: -3.0, high: 5.0 }]
    }

    fn trainer(rows_per_person: u32, price: &str) -> NaiveBayes {
        let categories = vec![Feature::Category { first: 2, count: 3 }, Feature::equal(0, 0.0, 1.0, 4)];
        NaiveBayes::new(numbers(), categories, 2, 5, rows_per_person, rho(price)).unwrap()
    }

    /// Specification: a person's hostile rows move all sums by at most k√(1 + 2m + c), bounds that are not
    /// symmetric about zero among them, and extreme rows reach it.
    #[test]
    fn a_person_moves_the_sums_by_no_more_than_the_bound() {
        for k in [1u32, 3] {
            let trainer = trainer(k, "0.1");
            let square = (7 * u128::from(k).pow(2)) << (2 * ROW_BITS);
            let expected = 7.0 * f64::from(k * k) / 0.2;
            assert!((trainer.noise.variance() / expected - 1.0).abs() < 1e-9, "the noise is for that bound");
            let mut largest = 0;
            for first in [-1e300, 0.0, 0.3, 0.5, 1.0, f64::NAN, f64::INFINITY] {
                for second in [-3.0, 1.0, 5.0, 6.0] {
                    for y in [1.0, -1.0, f64::NAN] {
                        let row = [first, second, 0.0, 1.0, 0.0];
                        let rows = MemoryRows::new(row.repeat(k as usize), vec![y; k as usize], 5, 1e301, k);
                        let moved: u128 =
                            trainer.sums(&rows).unwrap().iter().map(|sum| sum.unsigned_abs().pow(2)).sum();
                        assert!(moved <= square, "{first} {second}: {moved} {square}");
                        largest = largest.max(moved);
                    }
                }
            }
            assert_eq!(largest, square);
        }
    }

    /// Specification: classes and bins that nobody is in have noise like all others, and no count is exact.
    #[test]
    fn empty_classes_and_bins_have_noise() {
        let trainer = trainer(1, "0.01");
        let rows = MemoryRows::new([0.5, 0.0, 1.0, 0.0, 0.0].repeat(50), vec![1.0; 50], 5, 10.0, 1);
        let model = trainer.fit(&rows, &mut seeded(4)).unwrap();
        assert_eq!(model.sums.values.len(), 2 * (1 + 4 + 7));
        let exact = trainer.sums(&rows).unwrap();
        let step = (f64::from(ROW_BITS - model.sums.bits)).exp2();
        let alike = model
            .sums
            .values
            .iter()
            .zip(&exact)
            .filter(|(noisy, sum)| (**noisy as f64 * step - **sum as f64).abs() < 1e3);
        assert_eq!(alike.count(), 0, "σ is about 2^24 steps");
    }

    #[test]
    fn classes_that_differ_are_told_apart() {
        let mut words = seeded(5);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for row in 0..4000 {
            let class = row % 2;
            let near = words() as f64 / u64::MAX as f64 * 0.4;
            let category = if words() % 10 < 8 { class } else { 2 };
            x.extend([near + 0.4 * class as f64, 0.0]);
            x.extend((0..3).map(|at| f64::from(u8::from(at == category))));
            y.push(if class == 1 { 1.0 } else { -1.0 });
        }
        let rows = MemoryRows::new(x.clone(), y.clone(), 5, 10.0, 1);
        let model = trainer(1, "0.5").fit(&rows, &mut seeded(1)).unwrap();
        let right =
            x.chunks_exact(5).zip(&y).filter(|(row, y)| model.predict(row) == usize::from(**y > 0.0)).count();
        assert!(right > 3700, "{right}");
    }

    #[test]
    fn nobody_and_one_class_have_models() {
        for rows in [
            MemoryRows::new(vec![], vec![], 5, 1.0, 1),
            MemoryRows::new([0.5, 0.0, 1.0, 0.0, 0.0].repeat(9), vec![1.0; 9], 5, 2.0, 1),
        ] {
            for price in ["1e-12", "1", "100000"] {
                let model = trainer(1, price).fit(&rows, &mut seeded(2)).unwrap();
                let likely = model.probabilities(&[0.2, f64::NAN, 0.0, 0.0, 1.0]);
                assert!((likely.iter().sum::<f64>() - 1.0).abs() < 1e-9 && likely.iter().all(|p| *p >= 0.0));
            }
        }
        assert!(
            NaiveBayes::new(vec![Number { column: 0, low: 1.0, high: 1.0 }], vec![], 2, 5, 1, rho("1"))
                .is_err()
        );
        assert!(NaiveBayes::new(vec![], vec![], 1, 5, 1, rho("1")).is_err());
        assert_eq!(trainer(1, "1/7").loss(), Loss::zcdp(rho("1/7")));
    }
}
