//! Boosted additive models: one table of scores for each feature, improved in turn.
//!
//! **Guarantee.** Counts of all bins once and E rounds over F features are ρ-zCDP together; the tables are
//! post-processing.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A row is in one bin of each feature. Counts of all features' bins move by at most k√F in L2: k rows
//! add at most k to one bin of each feature. In each of the E·F steps the row adds its residual, clipped to [−1, 1]
//! and an integer of at most 2^20 steps, to one bin of the step's feature; so the bins' sums move by at most
//! k·2^20. Which feature is next is public. A tenth of ρ goes to the counts, the rest in equal parts to the steps,
//! exactly.
//! **Exactness.** A residual depends on the row and on released tables alone, is rounded to an integer, and
//! integers are added up exactly. Scores of a row are added in the order of features.
//! **Source.** Nori, Caruana, Bu, Shen, Kulkarni (2021), "Accuracy, interpretability, and differential privacy via
//! explainable boosting", arXiv:2106.09680, with integer noise, bins that are public and steps that are damped
//! where counts are small beside the noise.
//! **Empty bins** have noise like all others, in every step.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho, Spend};
use serde::{Deserialize, Serialize};

use crate::gram::check_shape;
use crate::grid_noise::GridNoise;
use crate::row_grid::{ROW_BITS, unit_steps};
use crate::{Block, Feature, GridNumbers, LearnError, Rows, RowsError};

/// What an additive model predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdditiveTarget {
    /// One of two classes, −1 and 1.
    Classes,
    /// A number from −1 to 1.
    Number,
}

/// Public settings of boosting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boosting {
    /// How often each feature's table is improved.
    pub rounds: u32,
    /// How much of a full step is taken, up to 1.
    pub rate: f64,
}

impl Default for Boosting {
    fn default() -> Self {
        Self { rounds: 8, rate: 0.6 }
    }
}

/// A trainer of additive models.
#[derive(Clone, Debug)]
pub struct Additive {
    target: AdditiveTarget,
    features: Vec<Feature>,
    boosting: Boosting,
    dimension: usize,
    rows_per_person: u32,
    rho: Rho,
    counts: GridNoise,
    residuals: GridNoise,
}

/// A table of scores for each feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdditiveModel {
    /// What is predicted.
    pub target: AdditiveTarget,
    /// The features.
    pub features: Vec<Feature>,
    /// The scores of each feature's bins, one feature after the other.
    pub scores: GridNumbers,
    /// About how many rows are in each bin.
    pub counts: GridNumbers,
}

/// Of the price, counts take 1 part and steps 9.
const COUNT_SHARES: [u64; 2] = [1, 9];
/// The step of a model's scores is 2^-30.
const MODEL_BITS: i32 = 30;
/// No score of a bin is farther from zero.
const SCORE_MAX: f64 = 8.0;

impl Additive {
    /// A trainer for these features of rows with `dimension` columns, at a price.
    pub fn new(
        target: AdditiveTarget,
        features: Vec<Feature>,
        boosting: Boosting,
        dimension: usize,
        rows_per_person: u32,
        rho: Rho,
    ) -> Result<Self, LearnError> {
        check_shape(dimension, rows_per_person)?;
        if features.is_empty() || boosting.rounds == 0 || boosting.rounds > 10_000 {
            return Err(LearnError::parameter("boosting takes at least one feature and 1 to 10000 rounds"));
        }
        if !(boosting.rate > 0.0 && boosting.rate <= 1.0) {
            return Err(LearnError::parameter("the rate of boosting is above 0 and at most 1"));
        }
        features.iter().try_for_each(|feature| feature.check(dimension))?;
        let shares = Spend::Concentrated(rho.clone()).split(&COUNT_SHARES)?;
        let people = Rational::from(rows_per_person).squared();
        let width = Rational::from(features.len() as u64);
        let counts = GridNoise::new(&(people.clone() * width.clone()), &shares[0].rho()?, 0)?;
        let steps = width * Rational::from(boosting.rounds);
        let each = Rho::new(shares[1].rho()?.value() / &steps)?;
        let square = people * Rational::power_of_two(2 * i64::from(ROW_BITS));
        let residuals = GridNoise::new(&square, &each, ROW_BITS)?;
        Ok(Self { target, features, boosting, dimension, rows_per_person, rho, counts, residuals })
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
    ) -> Result<AdditiveModel, LearnError> {
        if rows.dimension() != self.dimension || rows.rows_per_person() > self.rows_per_person {
            return Err(LearnError::parameter(
                "rows have other columns, or more of them to a person, than the noise is made for",
            ));
        }
        let starts = starts(&self.features);
        let cells = starts[self.features.len()];
        let count_noise = self.counts.draw(cells, bits);
        let rounds = self.boosting.rounds as usize;
        let noise = self.residuals.draw(cells * rounds, bits);
        let counts = self.counts.add(&self.bin_counts(rows, &starts)?, &count_noise);
        let numbers = counts.to_f64();
        let mut scores = vec![0.0; cells];
        let mut average = vec![0.0; cells];
        let averaged = rounds.div_ceil(3);
        for (round, noise) in noise.chunks_exact(cells).enumerate() {
            for at in 0..self.features.len() {
                let own = starts[at]..starts[at + 1];
                let sums = self.residual_sums(rows, &starts, at, &scores)?;
                let sums = self.residuals.add(&sums, &noise[own.clone()]).to_f64();
                self.improve(&mut scores[own.clone()], &sums, &numbers[own]);
            }
            if round >= rounds - averaged {
                average.iter_mut().zip(&scores).for_each(|(mean, score)| *mean += score / averaged as f64);
            }
        }
        let scale = f64::from(MODEL_BITS).exp2();
        let values = average.iter().map(|score| (score * scale).round() as i64).collect();
        let scores = GridNumbers { bits: MODEL_BITS, values };
        Ok(AdditiveModel { target: self.target, features: self.features.clone(), scores, counts })
    }

    /// Moves a table by what its bins miss, less where there are few rows beside the noise.
    fn improve(&self, scores: &mut [f64], sums: &[f64], counts: &[f64]) {
        // The second derivative of a row's loss, at most.
        let curvature = match self.target {
            AdditiveTarget::Classes => 0.25,
            AdditiveTarget::Number => 1.0,
        };
        let noise = self.residuals.variance().sqrt();
        for ((score, sum), count) in scores.iter_mut().zip(sums).zip(counts) {
            let step = sum / (curvature * count.max(0.0) + noise);
            *score = (*score + self.boosting.rate * step).clamp(-SCORE_MAX, SCORE_MAX);
        }
    }

    fn bin_counts(&self, rows: &dyn Rows, starts: &[usize]) -> Result<Vec<i128>, RowsError> {
        let mut counts = vec![0i128; starts[self.features.len()]];
        rows.for_each_block(&mut |block| {
            for row in 0..block.len() {
                let bins = self.features.iter().map(|feature| feature.bin(block.row(row)));
                bins.zip(starts).for_each(|(bin, start)| counts[start + bin] += 1);
            }
        })?;
        Ok(counts)
    }

    /// What is missed in each bin of a feature, in steps.
    fn residual_sums(
        &self,
        rows: &dyn Rows,
        starts: &[usize],
        at: usize,
        scores: &[f64],
    ) -> Result<Vec<i128>, RowsError> {
        let mut sums = vec![0i128; self.features[at].bins()];
        rows.for_each_block(&mut |block: &Block<'_>| {
            for row in 0..block.len() {
                let x = block.row(row);
                let mut own = 0;
                let mut score = 0.0;
                for (feature, (f, start)) in self.features.iter().zip(starts.iter().enumerate()) {
                    let bin = feature.bin(x);
                    if f == at {
                        own = bin;
                    }
                    score += scores[start + bin];
                }
                sums[own] += unit_steps(residual(self.target, score, block.y[row])) as i128;
            }
        })?;
        Ok(sums)
    }
}

/// What a score misses, from −1 to 1.
fn residual(target: AdditiveTarget, score: f64, y: f64) -> f64 {
    match target {
        AdditiveTarget::Classes => f64::from(u8::from(y > 0.0)) - 1.0 / (1.0 + (-score).exp()),
        AdditiveTarget::Number => (y.clamp(-1.0, 1.0) - score).clamp(-1.0, 1.0),
    }
}

/// Where each feature's bins begin, and where the last ones end.
fn starts(features: &[Feature]) -> Vec<usize> {
    let mut starts = vec![0];
    features.iter().for_each(|feature| starts.push(starts[starts.len() - 1] + feature.bins()));
    starts
}

impl AdditiveModel {
    /// The sum of a row's scores.
    pub fn score(&self, row: &[f64]) -> f64 {
        let step = (-f64::from(self.scores.bits)).exp2();
        let own = self.features.iter().zip(starts(&self.features));
        own.map(|(feature, start)| {
            self.scores.values.get(start + feature.bin(row)).map_or(0.0, |score| *score as f64 * step)
        })
        .sum()
    }

    /// The prediction: −1 or 1, or a number from −1 to 1.
    pub fn predict(&self, row: &[f64]) -> f64 {
        match self.target {
            AdditiveTarget::Classes if self.score(row) > 0.0 => 1.0,
            AdditiveTarget::Classes => -1.0,
            AdditiveTarget::Number => self.score(row).clamp(-1.0, 1.0),
        }
    }
}

#[cfg(test)]
mod tests;
