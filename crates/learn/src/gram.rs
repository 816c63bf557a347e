//! One noisy Gram matrix, of which scaling, covariance, principal components and linear models are post-processing.
//!
//! **Guarantee.** Let A have one row a = (x, η·y) for each row of data, ‖x‖ ≤ R, |y| ≤ 1, or a = x where the target
//! is left out. Releasing AᵀA with independent noise of variance σ² on the diagonal and σ²/2 below it, σ = k(R² +
//! η²)/√(2ρ), mirrored, is ρ-zCDP.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** Rows are integers q on a public grid before they are multiplied, with ‖q‖² ≤ M² = ⌊(R² + η²)·4^bits⌋
//! enforced row by row (`row_grid.rs`), and what a row becomes depends on that row alone. A person moves QᵀQ by Σ qqᵀ
//! over their rows, in Frobenius norm by at most Σ‖qqᵀ‖ = Σ‖q‖² ≤ kM²; rows that are all alike reach it. Rényi
//! divergences of order α of independent discrete Gaussians add up to α·Σ Δ_i²/(2σ_i²), here α·(Σ_i Δ_ii² +
//! 2·Σ_{i>j} Δ_ij²)/(2σ²) = α·‖Δ‖²/(2σ²) ≤ α·ρ with σ² = (kM²)²/(2ρ) in steps: an entry below the diagonal counts
//! twice in the norm, so half the variance pays for it.
//! **Exactness.** Sums of products are integers, exact in f64 within 2048 rows and carried on in 128
//! bits; the noise is integer too. Rounding a row to the grid moves each feature by at most one step, 2^-19 of the
//! bound or less, and never lengthens the row beyond the bound.
//! **Source.** Dwork, Talwar, Thakurta, Zhang, "Analyze Gauss" (2014), with the noise of the symmetric matrices'
//! own isometry. Checked here by brute force over hostile rows
//! (`a_person_moves_the_matrix_by_no_more_than_the_bound`).
//! **Not covered.** Timing of the matrix product, which is that of the number of rows.

mod components;
mod moments;
mod release;
mod ridge;

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho};

use crate::grid_noise::GridNoise;
use crate::row_grid::{DIMENSION_MAX, EXACT_ROWS, RowGrid, squared, unit_steps};
use crate::{Block, GridNumbers, LearnError, Rows, RowsError};

pub use components::Components;
pub use moments::{Constant, Moments};
pub use release::GramRelease;
pub use ridge::{LinearModel, Penalty};
pub(crate) use ridge::{Normal, RESIDUAL_VARIANCE};

/// A release of the Gram matrix of rows.
#[derive(Clone, Debug)]
pub struct Gram {
    shape: GramShape,
    rho: Rho,
    diagonal: GridNoise,
    beside: GridNoise,
}

/// The rows of a Gram matrix: how many columns, and their grid.
#[derive(Clone, Debug)]
pub(crate) struct GramShape {
    pub dimension: usize,
    pub norm_bound: f64,
    pub rows_per_person: u32,
    pub target: Target,
    pub grid: RowGrid,
}

/// Where the target of a row stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    Absent,
    /// In the row, multiplied by this, its square part of the row's.
    Within(f64),
    /// Beside the row, in steps of 2^-20: features alone keep the bound of their norm.
    Beside,
}

impl Gram {
    /// A release for rows of so many features, of which none is longer than the bound, at a price.
    ///
    /// `target_scale` is η: a smaller one has less noise on the features' own entries and more on their products
    /// with the target; ½ of the norm bound serves regression.
    pub fn new(
        dimension: usize,
        norm_bound: f64,
        rows_per_person: u32,
        target_scale: Option<f64>,
        rho: Rho,
    ) -> Result<Self, LearnError> {
        let target = target_scale.map_or(Target::Absent, Target::Within);
        let shape = GramShape::new(dimension, norm_bound, rows_per_person, target)?;
        let frobenius = shape.frobenius_max();
        let bits = 2 * shape.grid.bits();
        let diagonal = GridNoise::new(&frobenius.squared(), &rho, bits)?;
        let half = frobenius.squared() * Rational::ratio(1, 2);
        let beside = GridNoise::new(&half, &rho, bits)?.beside(&diagonal);
        Ok(Self { shape, rho, diagonal, beside })
    }

    /// What a release loses.
    pub fn loss(&self) -> Loss {
        Loss::zcdp(self.rho.clone())
    }

    /// The variance of the noise on the diagonal; below it is half of this.
    pub fn noise_variance(&self) -> f64 {
        self.diagonal.variance()
    }

    /// The noisy matrix of these rows.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<GramRelease, LearnError> {
        self.shape.check(rows)?;
        let columns = self.shape.columns();
        let mut on_diagonal = self.diagonal.draw(columns, bits).into_iter();
        let mut below = self.beside.draw(columns * (columns - 1) / 2, bits).into_iter();
        let sums = self.shape.sums(rows)?;
        let mut values = Vec::with_capacity(sums.len());
        for row in 0..columns {
            for column in 0..=row {
                let sum = sums[triangle(row, column)];
                let (law, noise) = if row == column {
                    (&self.diagonal, on_diagonal.next())
                } else {
                    (&self.beside, below.next())
                };
                values.push(law.released(sum, noise.expect("one for each entry")));
            }
        }
        let numbers = GridNumbers { bits: self.diagonal.released_bits(), values };
        let target_scale = match self.shape.target {
            Target::Within(scale) => Some(scale),
            _ => None,
        };
        Ok(GramRelease::new(numbers, self.shape.dimension, target_scale, self.noise_variance()))
    }
}

impl GramShape {
    pub fn new(
        dimension: usize,
        norm_bound: f64,
        rows_per_person: u32,
        target: Target,
    ) -> Result<Self, LearnError> {
        check_shape(dimension, rows_per_person)?;
        let mut norm_square = squared(norm_bound)?;
        if let Target::Within(scale) = target {
            norm_square = norm_square + squared(scale)?;
        }
        let grid = RowGrid::new(&norm_square)?;
        Ok(Self { dimension, norm_bound, rows_per_person, target, grid })
    }

    /// kM²: how far a person moves the matrix, in steps.
    pub fn frobenius_max(&self) -> Rational {
        Rational::from(self.grid.square_max()) * Rational::from(self.rows_per_person)
    }

    pub fn columns(&self) -> usize {
        self.dimension + usize::from(self.target != Target::Absent)
    }

    pub fn check(&self, rows: &dyn Rows) -> Result<(), LearnError> {
        check_rows(rows, self.dimension, self.norm_bound, self.rows_per_person)
    }

    /// The lower half of QᵀQ, row by row, in steps of 4^-bits, exactly.
    pub fn sums(&self, rows: &dyn Rows) -> Result<Vec<i128>, RowsError> {
        let columns = self.columns();
        let mut sums = vec![0i128; columns * (columns + 1) / 2];
        let mut waiting = vec![0.0; EXACT_ROWS * columns];
        let mut filled = 0;
        let mut row = vec![0.0; columns];
        let mut product = Mat::zeros(columns, columns);
        rows.for_each_block(&mut |block: &Block<'_>| {
            for at in 0..block.len() {
                let out = &mut waiting[filled * columns..(filled + 1) * columns];
                let y = block.y[at].clamp(-1.0, 1.0);
                match self.target {
                    Target::Absent => self.grid.quantise(block.row(at), out),
                    Target::Within(scale) => {
                        row[..self.dimension].copy_from_slice(block.row(at));
                        row[self.dimension] = y * scale;
                        self.grid.quantise(&row, out);
                    }
                    Target::Beside => {
                        let (features, target) = out.split_at_mut(self.dimension);
                        self.grid.quantise(block.row(at), features);
                        target[0] = unit_steps(y);
                    }
                }
                filled += 1;
                if filled == EXACT_ROWS {
                    carry(&waiting, columns, &mut product, &mut sums);
                    filled = 0;
                }
            }
        })?;
        carry(&waiting[..filled * columns], columns, &mut product, &mut sums);
        Ok(sums)
    }
}

/// Adds the products of some rows, at most [`EXACT_ROWS`], to the sums.
fn carry(rows: &[f64], columns: usize, product: &mut Mat<f64>, sums: &mut [i128]) {
    let rows = MatRef::from_row_major_slice(rows, rows.len() / columns, columns);
    matmul(
        product.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        rows.transpose(),
        BlockStructure::Rectangular,
        rows,
        BlockStructure::Rectangular,
        1.0,
        Par::rayon(0),
    );
    for row in 0..columns {
        for column in 0..=row {
            sums[triangle(row, column)] += product[(row, column)] as i128;
        }
    }
}

/// Where an entry of the lower half stands, row by row.
pub(crate) fn triangle(row: usize, column: usize) -> usize {
    let (row, column) = (row.max(column), row.min(column));
    row * (row + 1) / 2 + column
}

/// The number of features, and of one person's rows.
pub(crate) fn check_shape(dimension: usize, rows_per_person: u32) -> Result<(), LearnError> {
    if dimension == 0 || dimension > DIMENSION_MAX {
        return Err(LearnError::parameter(format!(
            "a row has 1 to {DIMENSION_MAX} features, not {dimension}"
        )));
    }
    if rows_per_person == 0 {
        return Err(LearnError::parameter("a person has at least one row"));
    }
    Ok(())
}

/// Whether rows are what a trainer was made for; all of it is public.
pub(crate) fn check_rows(
    rows: &dyn Rows,
    dimension: usize,
    norm_bound: f64,
    rows_per_person: u32,
) -> Result<(), LearnError> {
    if rows.dimension() != dimension {
        let got = rows.dimension();
        return Err(LearnError::parameter(format!("made for {dimension} features, and rows have {got}")));
    }
    // A bound that is no number is within nothing.
    if !(0.0..=norm_bound).contains(&rows.norm_bound()) {
        return Err(LearnError::parameter("rows may be longer than the bound that the noise is made for"));
    }
    if rows.rows_per_person() > rows_per_person {
        return Err(LearnError::parameter("a person may have more rows than the noise is made for"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
