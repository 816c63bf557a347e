//! Rows as trainers see them: features and a target, in blocks.
//!
//! **Guarantee.** Whoever implements [`Rows`] promises what the proofs of trainers begin with: every row has a Euclidean norm
//! of at most [`Rows::norm_bound`], no number is infinite or NaN, one person has at most [`Rows::rows_per_person`] rows, and
//! what the rows of one person are does not depend on anybody else. The blocks are the same, in the same order, every time.

/// Some rows, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The features, row by row.
    pub x: &'a [f64],
    /// The target of each row: −1 or 1 for two classes, the number of the class for several, a number from −1 to 1 otherwise.
    pub y: &'a [f64],
    /// How many features a row has.
    pub dimension: usize,
}

impl Block<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// The features of a row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.x[row * self.dimension..(row + 1) * self.dimension]
    }
}

/// Rows that can be gone through as often as a trainer needs to.
pub trait Rows: Sync {
    /// How many features a row has, the constant among them.
    fn dimension(&self) -> usize;

    /// No row is longer than this.
    fn norm_bound(&self) -> f64;

    /// Nobody has more rows than this.
    fn rows_per_person(&self) -> u32;

    /// Goes through all rows, block by block.
    ///
    /// # Errors
    /// When what is read is no longer what it was, whatever the rows say.
    fn for_each_block(&self, each: &mut dyn FnMut(&Block<'_>)) -> Result<(), RowsError>;
}

/// The rows are no longer there as they were: a file that somebody has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rows have changed while they were read")]
pub struct RowsError;

/// Rows in memory.
#[derive(Clone)]
pub struct MemoryRows {
    x: Vec<f64>,
    y: Vec<f64>,
    dimension: usize,
    norm_bound: f64,
    rows_per_person: u32,
}

/// How many rows a block has.
const BLOCK_ROWS: usize = 1024;

impl MemoryRows {
    /// These rows, each shortened to the bound where it is longer; a number that is none is zero.
    ///
    /// # Panics
    /// When there is not one target for each row.
    pub fn new(x: Vec<f64>, y: Vec<f64>, dimension: usize, norm_bound: f64, rows_per_person: u32) -> Self {
        assert_eq!(x.len(), y.len() * dimension, "one target for each row");
        let mut rows = Self { x, y, dimension, norm_bound, rows_per_person };
        for row in rows.x.chunks_exact_mut(dimension.max(1)) {
            shorten(row, norm_bound);
        }
        rows
    }
}

/// Moves a row to the ball of this radius, with a margin for rounding; numbers that are none become zero.
pub fn shorten(row: &mut [f64], norm_bound: f64) {
    row.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
    let largest = row.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 {
        return;
    }
    // Divided by the largest first: no square overflows or vanishes.
    let norm = largest * row.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt();
    // The sum of d squares is off by less than d + 4 roundings of 2^-53 each, relatively.
    let margin = 1.0 - (row.len() as f64 + 8.0) * f64::EPSILON;
    if norm > norm_bound * margin {
        let factor = norm_bound * margin / norm;
        row.iter_mut().for_each(|value| *value *= factor);
    }
}

impl Rows for MemoryRows {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn norm_bound(&self) -> f64 {
        self.norm_bound
    }

    fn rows_per_person(&self) -> u32 {
        self.rows_per_person
    }

    fn for_each_block(&self, each: &mut dyn FnMut(&Block<'_>)) -> Result<(), RowsError> {
        let blocks = self.x.chunks(BLOCK_ROWS * self.dimension.max(1)).zip(self.y.chunks(BLOCK_ROWS));
        for (x, y) in blocks {
            each(&Block { x, y, dimension: self.dimension });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_longer_than_the_bound() {
        for scale in [1e-300, 1.0, 1e150, 1e300] {
            for dimension in [1, 2, 109, 1000] {
                let mut row: Vec<f64> =
                    (0..dimension).map(|at| scale * ((at * 7 % 13) as f64 - 6.5)).collect();
                shorten(&mut row, 1.0);
                // Squares added up exactly enough: the largest error of this sum is far below the margin.
                let square: f64 = row.iter().map(|value| value * value).sum();
                assert!(square <= 1.0, "{scale} {dimension}: {square}");
                assert!(scale < 1.0 || square > 0.999, "it is shortened, not lost");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_zero() {
        let mut row = [f64::NAN, f64::INFINITY, 0.5];
        shorten(&mut row, 1.0);
        assert_eq!(row, [0.0, 0.0, 0.5]);
    }
}
