//! Small systems of equations with a positive definite matrix, by Cholesky.

/// The x with M·x = right, for a positive definite M, row by row. Where a pivot is lost to rounding its unknown is zero.
pub(super) fn solved(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let (before, rest) = matrix.split_at_mut(row * size);
            let other = if column == row { &rest[..size] } else { &before[column * size..] };
            let product: f64 = rest[..column].iter().zip(&other[..column]).map(|(a, b)| a * b).sum();
            let left = rest[column] - product;
            let pivot = if column == row { 0.0 } else { before[column * size + column] };
            rest[column] = match column == row {
                true if left > 0.0 => left.sqrt(),
                true => f64::INFINITY,
                false => left / pivot,
            };
        }
    }
    for row in 0..size {
        let known: f64 = (0..row).map(|at| matrix[row * size + at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| matrix[at * size + row] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_solves() {
        let matrix = vec![4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 2.0];
        let x = solved(matrix.clone(), vec![1.0, 2.0, 3.0]);
        for (row, right) in [1.0, 2.0, 3.0].into_iter().enumerate() {
            let left: f64 = (0..3).map(|at| matrix[row * 3 + at] * x[at]).sum();
            assert!((left - right).abs() < 1e-12, "{x:?}");
        }
        assert!(solved(Vec::new(), Vec::new()).is_empty());
    }
}
