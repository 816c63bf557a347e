//! A released linear classifier.
//!
//! **Guarantee.** A model is made of released numbers only; what is computed from it costs nothing more.

use pointillist_noise::noisy_sum;
use serde::{Deserialize, Serialize};

use crate::{GridNumbers, MarginLoss, MarginProblem};

/// Coefficients of a linear classifier, one for each feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginModel {
    /// The loss that it was trained with.
    pub loss: MarginLoss,
    /// The coefficients.
    pub coefficients: GridNumbers,
}

impl MarginModel {
    /// Steps of a grid with noise added, at the ends of 64 bits where they would pass them.
    pub(crate) fn noisy(problem: &MarginProblem, grid_bits: i32, steps: &[i128], noise: &[i128]) -> Self {
        let number = |(step, noise): (&i128, &i128)| {
            let sum = noisy_sum(*step, *noise);
            i64::try_from(sum).unwrap_or(if sum < 0 { i64::MIN } else { i64::MAX })
        };
        let values = steps.iter().zip(noise).map(number).collect();
        Self { loss: problem.loss(), coefficients: GridNumbers { bits: grid_bits, values } }
    }

    /// x·θ: positive for the class 1, negative for the class −1.
    pub fn score(&self, row: &[f64]) -> f64 {
        self.coefficients.to_f64().iter().zip(row).map(|(coefficient, x)| coefficient * x).sum()
    }

    /// The probability of the class 1 that a logistic model says; of a support vector machine, the same function of its score.
    pub fn probability(&self, row: &[f64]) -> f64 {
        1.0 / (1.0 + (-self.score(row)).exp())
    }
}
