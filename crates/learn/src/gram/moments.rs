//! Counts, means and covariance from a released Gram matrix: post-processing, at no price.
//!
//! They need a constant feature: with x_c = κ in every row, Σ x_c² = nκ² and Σ x_c·x_j = κ·Σ x_j. Where rows were
//! shortened to the norm bound, they are moments of the shortened rows, weighted by how much of the constant is
//! left.

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::GramRelease;

/// The constant feature: which it is, and its value in every row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// Which feature.
    pub column: usize,
    /// Its value.
    pub value: f64,
}

/// How many rows there are, about where, and how far apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// About how many rows there are: at least one.
    pub count: f64,
    /// The mean of each feature.
    pub mean: Vec<f64>,
    /// The covariance of features i and j at i·d + j. It may have negative eigenvalues, of noise.
    pub covariance: Vec<f64>,
}

impl GramRelease {
    /// The moments of rows that have this constant feature. Without one the means are those of nobody: all zero.
    pub fn moments(&self, constant: Constant) -> Moments {
        let Constant { column, value } = constant;
        let dimension = self.dimension();
        let usable = column < dimension && value.is_finite() && value != 0.0;
        if !usable {
            return Moments {
                count: 1.0,
                mean: vec![0.0; dimension],
                covariance: vec![0.0; dimension * dimension],
            };
        }
        let count = (self.product(column, column) / value.powi(2)).max(1.0);
        let mean: Vec<f64> = (0..dimension).map(|j| self.product(column, j) / value / count).collect();
        let entry = |i: usize, j: usize| self.product(i, j) / count - mean[i] * mean[j];
        let covariance = (0..dimension * dimension).map(|at| entry(at / dimension, at % dimension)).collect();
        Moments { count, mean, covariance }
    }
}

impl Moments {
    /// The variance of each feature: at least zero.
    pub fn variances(&self) -> Vec<f64> {
        (0..self.mean.len()).map(|j| self.covariance[j * self.mean.len() + j].max(0.0)).collect()
    }

    /// What a row becomes when each feature is centred and divided by its deviation; features that hardly vary are
    /// centred alone.
    pub fn standardise(&self, row: &mut [f64]) {
        let d = self.mean.len();
        for (j, value) in row.iter_mut().enumerate().take(d) {
            let deviation = self.covariance[j * d + j].max(0.0).sqrt();
            let divisor = if deviation > 1e-9 { deviation } else { 1.0 };
            *value = (*value - self.mean[j]) / divisor;
        }
    }

    pub(crate) fn covariance_matrix(&self) -> Mat<f64> {
        let d = self.mean.len();
        Mat::from_fn(d, d, |i, j| self.covariance[i * d + j])
    }
}
