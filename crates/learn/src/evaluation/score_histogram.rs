//! Scores of both classes in public buckets: the area under the ROC curve, and calibration.
//!
//! **Guarantee.** `noisy_counts.rs` with a cell for each bucket and class: everything below comes from one release at the
//! price of one count. Buckets are public and equally wide; scores outside of the range are in the first and last ones.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A row is in one cell, by its class and the score that the public model gives it alone (`noisy_counts.rs`).
//! **What is measured.** The model whose score is the middle of the bucket, a public model itself. Its area counts pairs in
//! one bucket as half; that of the finer score is at most half of [`Area::ties`] away.
//! **Area.** p and n are the true counts of positives and negatives by bucket, p̂ = p + u, n̂ = n + v. With M_ij = 1 for i > j, 1/2 for i
//! = j, 0 otherwise, the area A solves pᵀ(M − A)n = 0. So at the true A, M' = M − A:
//! p̂ᵀM'n̂ = uᵀM'n̂ + p̂ᵀM'v − uᵀM'v. u is independent of n̂, v of p̂: given those the first two are weighted sums of noise (`linear_tail.rs`).
//! In the third, every (M'v)_i is a weighted sum with weights of at most one, B of them; all B are below b but for β/4, and then it
//! is a weighted sum of u with weights of at most b. The interval has every A for which p̂ᵀM'n̂ is that close to zero.
//! **Calibration.** The share of positives in each bucket, all buckets at once (`share.rs`).

mod area;

pub use area::Area;

use pointillist_noise::SecureBits;
use pointillist_privacy::{FailureProbability, Loss, Spend};

use super::noisy_counts::{CellCounts, NoisyCounts};
use super::share;
use crate::{Interval, LearnError, Rows};

/// Counts scores of both classes in buckets.
#[derive(Clone, Debug)]
pub struct ScoreHistogram {
    low: f64,
    high: f64,
    buckets: usize,
    counts: CellCounts,
}

impl ScoreHistogram {
    /// The evaluation at this price, with so many buckets between two scores (for probabilities, 0 and 1), of rows of which
    /// one person has at most `rows_per_person`.
    ///
    /// # Errors
    /// When there is no bucket or no range, a person has no rows, or noise of this size cannot be drawn.
    pub fn new(
        (low, high): (f64, f64),
        buckets: usize,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, LearnError> {
        if !(low < high && (high - low).is_normal()) {
            return Err(LearnError::parameter("scores have a range, such as 0 and 1"));
        }
        let counts = CellCounts::new(buckets.saturating_mul(2), rows_per_person, spend)?;
        Ok(Self { low, high, buckets, counts })
    }

    /// What is lost.
    pub fn loss(&self) -> Loss {
        self.counts.loss()
    }

    /// How many buckets there are.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// All counts are within this of the truth, but for a probability of β.
    pub fn radius(&self, beta: &FailureProbability) -> f64 {
        self.counts.radius(beta)
    }

    /// Counts that were released before, of the negative class first; `None` where there are not two for each bucket.
    pub fn recorded(&self, counts: Vec<i64>) -> Option<ScoreHistogramRelease> {
        let counts = self.counts.recorded(counts)?;
        Some(ScoreHistogramRelease { low: self.low, width: self.width(), buckets: self.buckets, counts })
    }

    fn width(&self) -> f64 {
        (self.high - self.low) / self.buckets as f64
    }

    /// Counts. The class of a row is whether its target is above zero. A score that is no number is in the first bucket.
    ///
    /// # Errors
    /// When the rows declare more for each person than this was made for, or went away.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        score: &dyn Fn(&[f64]) -> f64,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<ScoreHistogramRelease, LearnError> {
        let width = self.width();
        // A float that is none or negative becomes zero.
        let bucket = |score: f64| (((score - self.low) / width).floor() as usize).min(self.buckets - 1);
        let cell = |row: &[f64], y: f64| usize::from(y > 0.0) * self.buckets + bucket(score(row));
        let counts = self.counts.release(rows, &cell, bits)?;
        Ok(ScoreHistogramRelease { low: self.low, width, buckets: self.buckets, counts })
    }
}

/// Noisy counts of both classes by score.
#[derive(Clone, Debug)]
pub struct ScoreHistogramRelease {
    low: f64,
    width: f64,
    buckets: usize,
    counts: NoisyCounts,
}

/// How often what a bucket's score says is so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reliability {
    /// The middle of the bucket.
    pub score: f64,
    /// How many rows there are, with noise.
    pub rows: i64,
    /// The share of the positive class.
    pub positive: Interval,
}

impl ScoreHistogramRelease {
    /// Rows of the negative class by bucket, with noise.
    pub fn negatives(&self) -> &[i64] {
        &self.counts.values[..self.buckets]
    }

    /// Rows of the positive class by bucket, with noise.
    pub fn positives(&self) -> &[i64] {
        &self.counts.values[self.buckets..]
    }

    /// The middle of a bucket.
    pub fn score(&self, bucket: usize) -> f64 {
        self.low + (bucket as f64 + 0.5) * self.width
    }

    /// The area under the ROC curve, within its interval but for a probability of β.
    pub fn area(&self, beta: &FailureProbability) -> Area {
        area::of(self.positives(), self.negatives(), &self.counts.noise, beta.value().to_f64_lower())
    }

    /// The share of positives by bucket; all are within their intervals but for a probability of β.
    pub fn calibration(&self, beta: &FailureProbability) -> Vec<Reliability> {
        let radius = self.counts.radius_of_all(2 * self.buckets, beta);
        let bucket = |at: usize| {
            let (positive, negative) = (self.positives()[at], self.negatives()[at]);
            Reliability {
                score: self.score(at),
                rows: positive.saturating_add(negative),
                positive: share::of_counts((positive as f64, radius), (negative as f64, radius)),
            }
        };
        (0..self.buckets).map(bucket).collect()
    }
}

#[cfg(test)]
mod tests;
