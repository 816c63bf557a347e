//! Principal components of a released covariance: post-processing, at no price.

use serde::{Deserialize, Serialize};

use super::{Constant, GramRelease};
use crate::symmetric::SymmetricEigen;

/// The directions in which rows vary most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Components {
    /// What is subtracted first.
    pub mean: Vec<f64>,
    /// Directions of length one, the one of largest variance first.
    pub directions: Vec<Vec<f64>>,
    /// The variance along each, at least zero.
    pub variances: Vec<f64>,
}

impl GramRelease {
    /// The first components of rows with this constant feature, at most as many as there are features. Eigenvalues
    /// below zero, which are noise, are zero.
    pub fn principal_components(&self, constant: Constant, count: usize) -> Components {
        let moments = self.moments(constant);
        let eigen = SymmetricEigen::new(&moments.covariance_matrix());
        let dimension = self.dimension();
        let largest_first = (0..dimension).rev().take(count);
        let directions = largest_first
            .clone()
            .map(|at| (0..dimension).map(|row| eigen.vectors[(row, at)]).collect())
            .collect();
        let variances = largest_first.map(|at| eigen.values[at].max(0.0)).collect();
        Components { mean: moments.mean, directions, variances }
    }
}

impl Components {
    /// A row in the coordinates of the components.
    pub fn project(&self, row: &[f64]) -> Vec<f64> {
        let centred: Vec<f64> = row.iter().zip(&self.mean).map(|(value, mean)| value - mean).collect();
        let along = |direction: &Vec<f64>| direction.iter().zip(&centred).map(|(a, b)| a * b).sum();
        self.directions.iter().map(along).collect()
    }
}
