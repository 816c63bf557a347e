//! A noisy Gram matrix, as released.

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::triangle;
use crate::GridNumbers;

/// The lower half of a noisy Gram matrix, row by row; the target, where there is one, is last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GramRelease {
    numbers: GridNumbers,
    dimension: usize,
    target_scale: Option<f64>,
    noise_variance: f64,
}

impl GramRelease {
    pub(crate) fn new(
        numbers: GridNumbers,
        dimension: usize,
        target_scale: Option<f64>,
        noise_variance: f64,
    ) -> Self {
        Self { numbers, dimension, target_scale, noise_variance }
    }

    /// The released numbers: the lower half, row by row, the target's row multiplied by its scale.
    pub fn numbers(&self) -> &GridNumbers {
        &self.numbers
    }

    /// How many features a row has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The variance of the noise on the diagonal; below it is half of this.
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    /// Σ x_i·x_j, with noise.
    pub fn product(&self, i: usize, j: usize) -> f64 {
        self.numbers.values.get(triangle(i, j)).map_or(0.0, |value| *value as f64)
            * (-f64::from(self.numbers.bits)).exp2()
    }

    /// Σ x_j·y for each feature, with noise; none when the target was left out.
    pub fn target_products(&self) -> Option<Vec<f64>> {
        let scale = self.target_scale?;
        Some((0..self.dimension).map(|j| self.product(self.dimension, j) / scale).collect())
    }

    /// The variance of the noise in a product of a feature and the target.
    pub fn target_noise_variance(&self) -> Option<f64> {
        Some(self.noise_variance / (2.0 * self.target_scale?.powi(2)))
    }

    /// Σ y², with noise; none when the target was left out.
    pub fn target_square(&self) -> Option<f64> {
        Some(self.product(self.dimension, self.dimension) / self.target_scale?.powi(2))
    }

    /// The features' own block.
    pub(crate) fn features(&self) -> Mat<f64> {
        Mat::from_fn(self.dimension, self.dimension, |i, j| self.product(i, j))
    }
}
