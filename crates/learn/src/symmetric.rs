//! Symmetric matrices of released numbers: eigenvalues, and systems of equations that always have an answer.
//!
//! Nothing here is about privacy: what goes in has been released already.

use faer::{Mat, Side};

/// The eigenvalues of a symmetric matrix, rising, and its eigenvectors as columns.
#[derive(Clone, Debug)]
pub(crate) struct SymmetricEigen {
    pub values: Vec<f64>,
    pub vectors: Mat<f64>,
}

impl SymmetricEigen {
    /// Of the lower half of a matrix. Where the iteration does not end, the diagonal stands for the eigenvalues.
    pub fn new(matrix: &Mat<f64>) -> Self {
        let dimension = matrix.nrows();
        match matrix.self_adjoint_eigen(Side::Lower) {
            Ok(eigen) => Self {
                values: eigen.S().column_vector().iter().copied().collect(),
                vectors: eigen.U().to_owned(),
            },
            Err(_) => {
                let values = (0..dimension).map(|at| matrix[(at, at)]).collect();
                Self { values, vectors: Mat::identity(dimension, dimension) }
            }
        }
    }

    /// A vector in the coordinates of the eigenvectors.
    pub fn coordinates(&self, vector: &[f64]) -> Vec<f64> {
        let along =
            |at: usize| vector.iter().enumerate().map(|(row, value)| self.vectors[(row, at)] * value).sum();
        (0..self.values.len()).map(along).collect()
    }

    /// The product of a function of the matrix with a vector.
    pub fn apply(&self, vector: &[f64], function: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; self.values.len()];
        for (at, along) in self.coordinates(vector).into_iter().enumerate() {
            let factor = function(self.values[at]) * along;
            out.iter_mut().enumerate().for_each(|(row, out)| *out += factor * self.vectors[(row, at)]);
        }
        out
    }

    /// A function of the matrix.
    pub fn map(&self, function: impl Fn(f64) -> f64) -> Mat<f64> {
        let dimension = self.values.len();
        let scaled =
            Mat::from_fn(dimension, dimension, |row, at| self.vectors[(row, at)] * function(self.values[at]));
        &scaled * self.vectors.transpose()
    }
}
