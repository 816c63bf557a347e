//! Gradient descent on all rows at every step, with Gaussian noise on each sum of gradients.
//!
//! **Guarantee.** T steps, and the number of rows where it is not declared, are ρ-zCDP together, for every loss
//! below. The model is post-processing.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows; ‖x‖ ≤ R.
//! **Proof.** The gradient of a row is w·xᵀ, where w depends on the scores θx and the target alone: −y/(1 +
//! e^(y·θx)) for two classes, |w| ≤ 1; p − e_y for K classes, with p the softmax of the scores: ‖p − e_y‖² = (1 −
//! p_y)² + Σ_{c≠y} p_c² ≤ 2(1 − p_y)² ≤ 2; the difference of score and target clipped to [−C, C] for numbers. Both
//! factors are integers on grids before they are multiplied, with ‖w‖ ≤ W and ‖q‖ ≤ M enforced row by row
//! (`row_grid.rs`); so a row moves the sum by at most ‖w·qᵀ‖ = ‖w‖‖q‖ ≤ W·M in L2 and a person by k·W·M. Each step is
//! ρ'-zCDP with σ² = (kWM)²/(2ρ') given all earlier ones; T of them, ρ' each, and the count's share add up to ρ,
//! exactly.
//! **Exactness.** No rounding error grows with the number of rows: what a row adds is an integer that depends on
//! the row and on θ alone (scores are added up in one fixed order within a row, and not by a matrix product, whose
//! order depends on where in a block a row stands), and sums of integers are exact.
//! **Source.** Bassily, Smith, Thakurta (2014) with zCDP's accounting, Bun and Steinke (2016), Lemma 2.3; each
//! bound is brute-forced below.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho, Spend};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::gram::{check_rows, check_shape};
use crate::grid_noise::GridNoise;
use crate::row_grid::{RowGrid, squared};
use crate::{Block, GridNumbers, LearnError, Rows, RowsError};

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum GradientLoss {
    /// Two classes, targets −1 and 1.
    Logistic,
    /// Several classes, targets 0 to `classes` − 1.
    Softmax {
        /// How many classes there are.
        classes: usize,
    },
    /// Numbers from −1 to 1: half the square of what is missed, linear beyond `clip`.
    Squared {
        /// No row pulls harder than this.
        clip: f64,
    },
}

/// How many rows there are, by which sums are divided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RowCount {
    /// Somebody said so in public. A wrong number costs accuracy and no privacy.
    Declared(u64),
    /// Counted with noise, for a fiftieth of the price.
    Estimated,
}

/// What a mean gradient is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepSize {
    /// By a rule of public numbers and of the count as it was released: shorter where noise would carry
    /// coefficients away, at most 2 over the curvature.
    Automatic,
    /// This, in units of 1/R².
    Fixed(f64),
}

/// Public settings of the descent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Descent {
    /// How many steps are taken.
    pub steps: u32,
    /// What a mean gradient is multiplied by.
    pub step_size: StepSize,
    /// How much of the last step is taken again, from 0 to below 1.
    pub momentum: f64,
    /// λ of (λ/2)‖θ‖² beside the sum of losses.
    pub penalty: f64,
    /// By what sums are divided.
    pub rows: RowCount,
}

impl Default for Descent {
    fn default() -> Self {
        Self {
            steps: 100,
            step_size: StepSize::Automatic,
            momentum: 0.9,
            penalty: 0.0,
            rows: RowCount::Estimated,
        }
    }
}

/// A trainer by gradient descent.
#[derive(Clone, Debug)]
pub struct GradientDescent {
    loss: GradientLoss,
    descent: Descent,
    dimension: usize,
    norm_bound: f64,
    rows_per_person: u32,
    rho: Rho,
    rows: RowGrid,
    weights: RowGrid,
    noise: GridNoise,
    count_noise: Option<GridNoise>,
}

/// A linear model of one class, two or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientModel {
    /// What was minimised.
    pub loss: GradientLoss,
    /// The coefficients: of each feature, for one class after the other.
    pub coefficients: GridNumbers,
    /// About how many rows there were, at least one.
    pub rows: f64,
}

/// Of the price, the count of rows takes 1 part and the steps 49.
const COUNT_SHARES: [u64; 2] = [1, 49];
/// The step of a model's coefficients is 2^-30.
const MODEL_BITS: i32 = 30;
/// Rows that one thread goes through at once: within what is exact.
const CHUNK: usize = 256;

impl GradientDescent {
    /// A trainer for rows of so many features, none longer than the bound, at a price.
    pub fn new(
        loss: GradientLoss,
        descent: Descent,
        dimension: usize,
        norm_bound: f64,
        rows_per_person: u32,
        rho: Rho,
    ) -> Result<Self, LearnError> {
        check_shape(dimension, rows_per_person)?;
        if descent.steps == 0 || descent.steps > 100_000 {
            return Err(LearnError::parameter("gradient descent takes 1 to 100000 steps"));
        }
        let fixed = match descent.step_size {
            StepSize::Automatic => 0.0,
            StepSize::Fixed(size) => size,
        };
        let settings = [fixed, descent.momentum, descent.penalty];
        let finite = settings.iter().all(|setting| setting.is_finite() && *setting >= 0.0);
        if !finite || descent.momentum >= 1.0 {
            return Err(LearnError::parameter(
                "the step size and the penalty are at least zero, the momentum from 0 to below 1",
            ));
        }
        let weight_square = match loss {
            GradientLoss::Logistic => Rational::one(),
            GradientLoss::Softmax { classes } if (2..=10_000).contains(&classes) => Rational::from(2),
            GradientLoss::Softmax { .. } => {
                return Err(LearnError::parameter("there are 2 to 10000 classes"));
            }
            GradientLoss::Squared { clip } => squared(clip)?,
        };
        let (rows, weights) = (RowGrid::new(&squared(norm_bound)?)?, RowGrid::new(&weight_square)?);
        let people = Rational::from(rows_per_person).squared();
        let (count_noise, step_rho) = match descent.rows {
            RowCount::Declared(_) => (None, rho.clone()),
            RowCount::Estimated => {
                let shares = Spend::Concentrated(rho.clone()).split(&COUNT_SHARES)?;
                (Some(GridNoise::new(&people, &shares[0].rho()?, 0)?), shares[1].rho()?)
            }
        };
        let each = Rho::new(step_rho.value() / &Rational::from(descent.steps))?;
        let square = people * Rational::from(rows.square_max()) * Rational::from(weights.square_max());
        let noise = GridNoise::new(&square, &each, rows.bits() + weights.bits())?;
        Ok(Self {
            loss,
            descent,
            dimension,
            norm_bound,
            rows_per_person,
            rho,
            rows,
            weights,
            noise,
            count_noise,
        })
    }

    /// What a fit loses.
    pub fn loss(&self) -> Loss {
        Loss::zcdp(self.rho.clone())
    }

    /// The variance of the noise on each coordinate of a step's sum.
    pub fn noise_variance(&self) -> f64 {
        self.noise.variance()
    }

    /// A model of these rows.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<GradientModel, LearnError> {
        check_rows(rows, self.dimension, self.norm_bound, self.rows_per_person)?;
        let (size, steps) = (self.outputs() * self.dimension, self.descent.steps as usize);
        let count = self.count(rows, bits)?;
        let noise = self.noise.draw(size * steps, bits);
        let mut theta = vec![0.0; size];
        let mut velocity = vec![0.0; size];
        let mut average = vec![0.0; size];
        let averaged = steps.div_ceil(3);
        let step_size = self.step_size(count);
        for (step, noise) in noise.chunks_exact(size).enumerate() {
            let sum = self.noise.add(&self.sums(rows, &theta)?, noise).to_f64();
            for at in 0..size {
                let gradient = (sum[at] + self.descent.penalty * theta[at]) / count;
                velocity[at] = self.descent.momentum * velocity[at] - step_size * gradient;
                theta[at] = (theta[at] + velocity[at]).clamp(-COEFFICIENT_MAX, COEFFICIENT_MAX);
                if step >= steps - averaged {
                    average[at] += theta[at] / averaged as f64;
                }
            }
        }
        let scale = f64::from(MODEL_BITS).exp2();
        let values = average.iter().map(|value| (value * scale).round() as i64).collect();
        Ok(GradientModel {
            loss: self.loss,
            coefficients: GridNumbers { bits: MODEL_BITS, values },
            rows: count,
        })
    }

    fn outputs(&self) -> usize {
        match self.loss {
            GradientLoss::Softmax { classes } => classes,
            GradientLoss::Logistic | GradientLoss::Squared { .. } => 1,
        }
    }

    /// The step on a mean gradient. Steps of size η with momentum m go about T·η/(1 − m) times a steady gradient;
    /// noise goes as far as that times its own deviation, and the rule was found on one real table (Adult): the
    /// distance grows like the 0.6th power of what rows outweigh noise by.
    fn step_size(&self, count: f64) -> f64 {
        let unit = self.norm_bound * self.norm_bound;
        let curvature = match self.loss {
            GradientLoss::Logistic => 0.25,
            GradientLoss::Softmax { .. } => 0.5,
            GradientLoss::Squared { .. } => 1.0,
        };
        match self.descent.step_size {
            StepSize::Fixed(size) => size / unit,
            StepSize::Automatic => {
                let steps = f64::from(self.descent.steps);
                let noise = (self.noise.variance() / steps * self.dimension as f64).sqrt() / self.norm_bound;
                let far = 43.0 / curvature * (count / noise).powf(0.6);
                let size = far * (1.0 - self.descent.momentum) / steps;
                size.min(2.0 / curvature) / unit
            }
        }
    }

    /// The number of rows: declared, or with noise; at least one.
    fn count<B: SecureBits + ?Sized>(&self, rows: &dyn Rows, bits: &mut B) -> Result<f64, LearnError> {
        let Some(law) = &self.count_noise else {
            return Ok(match self.descent.rows {
                RowCount::Declared(count) => count.max(1) as f64,
                RowCount::Estimated => 1.0,
            });
        };
        let noise = law.draw(1, bits);
        let mut count = 0i128;
        rows.for_each_block(&mut |block| count += block.len() as i128)?;
        Ok(law.add(&[count], &noise).to_f64()[0].max(1.0))
    }

    /// The sum of all rows' gradients, in steps of both grids, exactly.
    fn sums(&self, rows: &dyn Rows, theta: &[f64]) -> Result<Vec<i128>, RowsError> {
        let mut sums = vec![0i128; theta.len()];
        rows.for_each_block(&mut |block| {
            let starts: Vec<usize> = (0..block.len()).step_by(CHUNK).collect();
            let parts: Vec<Vec<f64>> =
                starts.into_par_iter().map(|start| self.part(block, start, theta)).collect();
            for part in parts {
                sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part as i128);
            }
        })?;
        Ok(sums)
    }

    /// The sum of some rows' gradients: integers below 2^49 in absolute value.
    fn part(&self, block: &Block<'_>, start: usize, theta: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; theta.len()];
        let (mut raw, mut weights) = (vec![0.0; self.outputs()], vec![0.0; self.outputs()]);
        let mut features = vec![0.0; self.dimension];
        for row in start..(start + CHUNK).min(block.len()) {
            let x = block.row(row);
            raw.iter_mut()
                .zip(theta.chunks_exact(self.dimension))
                .for_each(|(raw, theta)| *raw = dot(x, theta));
            weigh(self.loss, block.y[row], &mut raw);
            self.weights.quantise(&raw, &mut weights);
            self.rows.quantise(x, &mut features);
            for (weight, sum) in weights.iter().zip(sum.chunks_exact_mut(self.dimension)) {
                sum.iter_mut().zip(&features).for_each(|(sum, feature)| *sum += weight * feature);
            }
        }
        sum
    }
}

/// No coefficient is larger: a step that runs away ends somewhere.
const COEFFICIENT_MAX: f64 = (1u64 << 30) as f64;

/// Scores become what the row is multiplied by in its gradient.
fn weigh(loss: GradientLoss, target: f64, scores: &mut [f64]) {
    match loss {
        GradientLoss::Logistic => {
            let sign = if target > 0.0 { 1.0 } else { -1.0 };
            scores[0] = -sign / (1.0 + (sign * scores[0]).exp());
        }
        GradientLoss::Softmax { classes } => {
            softmax(scores);
            // `as` takes what is no class to one: nobody's gradient is longer for it.
            scores[(target as usize).min(classes - 1)] -= 1.0;
        }
        GradientLoss::Squared { clip } => {
            scores[0] = (scores[0] - target.clamp(-1.0, 1.0)).clamp(-clip, clip);
        }
    }
}

fn softmax(scores: &mut [f64]) {
    let largest = scores.iter().fold(f64::NEG_INFINITY, |largest, score| largest.max(*score));
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let total: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= total);
}

/// A product in one fixed order, whatever stands beside the row.
fn dot(row: &[f64], theta: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (rows, thetas) = (row.chunks_exact(8), theta.chunks_exact(8));
    let rest: f64 = rows.remainder().iter().zip(thetas.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in rows.zip(thetas) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

impl GradientModel {
    /// The score of each class; one for two classes and for numbers.
    pub fn scores(&self, row: &[f64]) -> Vec<f64> {
        let theta = self.coefficients.to_f64();
        theta.chunks_exact(row.len().max(1)).map(|theta| dot(row, theta)).collect()
    }

    /// The prediction: −1 or 1, the number of a class, or a number from −1 to 1.
    pub fn predict(&self, row: &[f64]) -> f64 {
        let scores = self.scores(row);
        let first = scores.first().copied().unwrap_or(0.0);
        match self.loss {
            GradientLoss::Logistic => {
                if first > 0.0 {
                    1.0
                } else {
                    -1.0
                }
            }
            GradientLoss::Squared { .. } => first.clamp(-1.0, 1.0),
            GradientLoss::Softmax { .. } => {
                (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0) as f64
            }
        }
    }

    /// How likely each class is: of two, −1 first.
    pub fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let mut scores = self.scores(row);
        if scores.len() == 1 {
            scores.insert(0, 0.0);
        }
        softmax(&mut scores);
        scores
    }
}

#[cfg(test)]
mod tests;
