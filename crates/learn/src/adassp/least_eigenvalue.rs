//! The least eigenvalue of an exact Gram matrix, between bounds that hold in floating point.
//!
//! **Guarantee.** Let G be a Gram matrix of integer rows, M² the largest square of a row, and f(G) = min(λ_min(G),
//! (C − tr G)₊) with the cap C = 2^32·M². The integer t returned by [`LeastEigenvalue::steps`] satisfies |t·step −
//! f(G)| ≤ step + e, e public. A person with k rows moves λ_min by at most kM², because λ_min(G + Σqqᵀ) − λ_min(G)
//! lies between 0 and ‖Σqqᵀ‖ ≤ kM² (Weyl), and C − tr G by at most kM²; so t moves by at most (kM² + 2e)/step + 2.
//! **Proof.** Write u = 2^-53, A for G − t·step·I with entries rounded to f64, which moves G by at most 3u·tr(G) in
//! norm. If Cholesky's algorithm runs through in floating point, A + ΔA = RᵀR ⪰ 0 with |ΔA| ≤ γ|Rᵀ||R|, γ =
//! (d+1)u/(1−(d+1)u), so ‖ΔA‖ ≤ γ·tr(RᵀR) ≤ γ·tr(A)/(1−γ) and λ_min(A) ≥ −that; if it meets a pivot that is not
//! positive, λ_min(A) ≤ dγ·tr(A)/(1−γ) (Higham 2002, Theorems 10.3 and 10.7). Both are below 4(d+2)²u·tr(G) ≤ e as
//! long as tr(G) ≤ C; beyond, f is zero and so is t. Bisection ends with a t at which it runs through (or zero) and
//! t + 1 at which it does not.
//! **Exactness.** G and its trace are exact integers. What is computed in floating point only decides between
//! neighbouring steps.

use pointillist_numbers::Rational;

use crate::gram::triangle;

/// Matrices of more rows than 2^32 have the least eigenvalue zero, as far as anybody is told.
const CAP_BITS: i64 = 32;
/// A step is M² divided by this power of two.
const STEP_BITS: i64 = 10;

/// How the least eigenvalue is found.
#[derive(Clone, Debug)]
pub(crate) struct LeastEigenvalue {
    dimension: usize,
    square_max: u64,
    rows_per_person: u32,
}

impl LeastEigenvalue {
    pub fn new(dimension: usize, square_max: u64, rows_per_person: u32) -> Self {
        Self { dimension, square_max, rows_per_person }
    }

    /// A step, in units of the matrix: at least one.
    pub fn step(&self) -> u64 {
        (self.square_max >> STEP_BITS).max(1)
    }

    /// By how many steps a person moves the answer, rounded up.
    pub fn sensitivity(&self) -> Rational {
        let square = Rational::from(self.square_max);
        let size = Rational::from(self.dimension as u64 + 2).squared();
        let error = size * Rational::from(4) * Rational::power_of_two(CAP_BITS - 53) * square.clone();
        let moved = square * Rational::from(self.rows_per_person) + error * Rational::from(2);
        Rational::from((moved / Rational::from(self.step())).ceil()) + Rational::from(2)
    }

    /// The least eigenvalue of the first rows and columns of a matrix, in steps.
    pub fn steps(&self, matrix: &[i128]) -> i128 {
        let trace: i128 = (0..self.dimension).map(|at| matrix[triangle(at, at)]).sum();
        let cap = (i128::from(self.square_max) << CAP_BITS) - trace;
        // The least eigenvalue is at most the least entry of the diagonal.
        let diagonal = (0..self.dimension).map(|at| matrix[triangle(at, at)]).min().unwrap_or(0);
        let step = i128::from(self.step());
        let (mut holds, mut fails) = (0, cap.min(diagonal).max(0) / step + 1);
        while fails - holds > 1 {
            let middle = holds + (fails - holds) / 2;
            if self.positive(matrix, middle * step) { holds = middle } else { fails = middle }
        }
        holds
    }

    /// Whether Cholesky's algorithm runs through for G − shift·I.
    fn positive(&self, matrix: &[i128], shift: i128) -> bool {
        let mut factor = vec![0.0f64; matrix.len().min(triangle(self.dimension, 0))];
        for row in 0..self.dimension {
            for column in 0..=row {
                let entry = matrix[triangle(row, column)] - if row == column { shift } else { 0 };
                let (a, b) = (triangle(row, 0), triangle(column, 0));
                let known: f64 = (0..column).map(|at| factor[a + at] * factor[b + at]).sum();
                let rest = entry as f64 - known;
                if row > column {
                    factor[a + column] = rest / factor[b + column];
                } else if rest > 0.0 {
                    factor[a + column] = rest.sqrt();
                } else {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// A matrix of integer rows of norm at most 2^20.
    fn gram(rows: &[Vec<i64>]) -> Vec<i128> {
        let d = rows.first().map_or(3, Vec::len);
        let mut sums = vec![0; d * (d + 1) / 2];
        for row in rows {
            for i in 0..d {
                for j in 0..=i {
                    sums[triangle(i, j)] += i128::from(row[i]) * i128::from(row[j]);
                }
            }
        }
        sums
    }

    #[test]
    fn known_matrices_have_their_least_eigenvalue() {
        let least = LeastEigenvalue::new(3, 1 << 40, 1);
        let unit = 1i64 << 20;
        let rows: Vec<Vec<i64>> = [3usize, 5, 4]
            .iter()
            .enumerate()
            .flat_map(|(axis, times)| {
                (0..*times).map(move |_| (0..3).map(|at| if at == axis { unit } else { 0 }).collect())
            })
            .collect();
        assert!((least.steps(&gram(&rows)) - (3 << 10)).abs() <= 1);
        assert_eq!(least.steps(&[0; 6]), 0, "nobody");
        assert_eq!(least.steps(&gram(&[vec![unit, 0, 0]])), 0, "fewer rows than features");
    }

    /// Specification: whichever hostile row joins, the answer moves by no more than the bound; and near rows come
    /// close to it.
    #[test]
    fn a_person_moves_the_least_eigenvalue_by_no_more_than_the_bound() {
        let mut words = seeded(3);
        let mut row = |d: usize| -> Vec<i64> {
            let raw: Vec<f64> = (0..d).map(|_| words() as f64 / u64::MAX as f64 - 0.5).collect();
            let norm = raw.iter().map(|v| v * v).sum::<f64>().sqrt();
            raw.iter().map(|v| (v / norm * (1u64 << 20) as f64).trunc() as i64).collect()
        };
        let mut largest = 0;
        for d in [1usize, 2, 5] {
            let least = LeastEigenvalue::new(d, 1 << 40, 1);
            let bound = least.sensitivity();
            for _ in 0..60 {
                let mut rows: Vec<Vec<i64>> = (0..8).map(|_| row(d)).collect();
                let before = least.steps(&gram(&rows));
                rows.push(row(d));
                let moved = (least.steps(&gram(&rows)) - before).abs();
                assert!(Rational::from(moved) <= bound, "{moved}");
                largest = largest.max(moved);
            }
        }
        assert!(largest > 1000, "one dimension reaches M²: {largest}");
    }

    #[test]
    fn more_rows_than_the_cap_are_nobody_smoothly() {
        let least = LeastEigenvalue::new(1, 1 << 40, 1);
        let at = |rows: i128| least.steps(&[rows << 40]);
        assert_eq!(at(1 << 33), 0);
        assert!((at((1 << 32) - 3) - (3 << 10)).abs() <= 1, "what is left of the cap");
        assert!((at(1000) - (1000 << 10)).abs() <= 1);
    }
}
