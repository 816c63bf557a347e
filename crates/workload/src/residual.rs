//! Residuals: what a table says beyond its coarser tables, as integers, and how far one person moves them.
//!
//! **Guarantee.** Let T be the table of depths S, and K(c) the product of the sizes of the families that cell c belongs
//! to, one for each axis that is not summed out. The residual has one integer row for each cell, the composition over
//! these axes of v ↦ k·v(c) − Σ (v over c's family). With each row divided by its K, it is an orthogonal projection P of
//! T. If one person moves at most g cells of the table at depths B, S ≤ B, by at most m each, then P·T moves by at most
//! L1 = g·m·Π 2(1 − 1/k) and L2² = min((g·m)²·Π(1 − 1/k), g·min(g, c)·m²), and T itself by at most L1 = g·m and
//! L2² = g·min(g, c)·m², where k is the largest family of each axis, and c the most cells of B within one cell of S.
//! **Neighbours.** Add or remove everything one privacy unit contributed, its rows bounded once, at depths B.
//! **Proof.** Let d be how T moves. A person's moves at B are at most g integers of magnitude at most m; sums of cells,
//! also saturating ones, do not stretch: ‖d‖₁ ≤ g·m. At most min(g, c) of them fall into one cell of S: ‖d‖∞ ≤
//! min(g, c)·m. So ‖d‖₂² ≤ ‖d‖₁·‖d‖∞ ≤ g·min(g, c)·m², which is the claim about T. For P: along one axis, within one
//! family of k, it is I − 11ᵀ/k; this is symmetric and idempotent, families and axes do not mix, and a Kronecker product of
//! orthogonal projections is one; so ‖P·d‖₂ ≤ ‖d‖₂, the second bound. The column of a cell along one axis has the entry 1
//! − 1/k once and −1/k in k − 1 places: L1 = 2(1 − 1/k), and L2² = (1 − 1/k)² + (k − 1)/k² = 1 − 1/k. Norms of Kronecker
//! products multiply, and both grow with k: no column has more than Π 2(1 − 1/k) and Π(1 − 1/k) at the largest families.
//! P·d = Σ d(c)·column(c), so by the triangle inequality ‖P·d‖ ≤ ‖d‖₁·(largest column), which is g·m times it.
//! **Exactness.** Integers and rationals; cells are clamped to ±2^126/Π 2k first, which does not stretch d either, so
//! that no row overflows.

use pointillist_numbers::Rational;

use crate::cube::{is_below, strides};
use crate::{Cube, Depths, WorkloadError};

/// The product of family sizes beyond which no residual is measured.
const SCALE_MAX: u128 = 1 << 60;

/// What is measured of a cube.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// What the table of these depths says beyond its coarser tables.
    Residual(Depths),
    /// The table of these depths itself.
    Flat(Depths),
}

impl What {
    /// The depths of the table that is looked at.
    pub fn depths(&self) -> &[usize] {
        match self {
            Self::Residual(depths) | Self::Flat(depths) => depths,
        }
    }
}

/// How far one person moves the table at which rows are bounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moved {
    /// The table at which each person's rows are bounded: nothing finer is measured.
    pub bounded_at: Depths,
    /// The most cells of it that a person moves.
    pub groups: u64,
    /// The most by which a person moves one cell: rows, or units of a sum.
    pub each: i128,
}

impl Moved {
    /// One row a person: one cell of the cube's finest table moves by one.
    pub fn one_row(cube: &Cube) -> Self {
        Self { bounded_at: cube.finest(), groups: 1, each: 1 }
    }
}

/// How far one person moves a measurement whose rows are divided by their scales, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Norms {
    /// The sum of absolute moves.
    pub l1: Rational,
    /// The sum of squared moves.
    pub l2_squared: Rational,
}

impl Norms {
    /// The bounds of the theorem above.
    pub fn new(cube: &Cube, what: &What, moved: &Moved) -> Result<Self, WorkloadError> {
        let depths = what.depths();
        cube.check(depths)?;
        let bounded = moved.bounded_at.len() == depths.len() && is_below(depths, &moved.bounded_at);
        if !bounded || moved.bounded_at.iter().zip(cube.finest()).any(|(depth, deepest)| *depth > deepest) {
            return Err(WorkloadError::NotBounded {
                depths: depths.to_vec(),
                bounded_at: moved.bounded_at.clone(),
            });
        }
        if moved.groups == 0 || moved.each <= 0 {
            return Err(WorkloadError::Shape { what: "a person moves at least one cell by one".to_owned() });
        }
        let axes = cube.attributes().iter().zip(depths).zip(&moved.bounded_at);
        let within = axes.map(|((attribute, to), from)| attribute.blocks_within_max(*from, *to) as u128);
        let together = within.fold(1, u128::saturating_mul).min(u128::from(moved.groups));
        let (groups, each) = (Rational::from(moved.groups), Rational::from(moved.each));
        let l1 = &groups * &each;
        let l2_squared = groups * Rational::from(together) * each.squared();
        match what {
            What::Flat(_) => Ok(Self { l1, l2_squared }),
            What::Residual(_) => {
                let column = Self::largest_column(cube, depths);
                let by_columns = l1.squared() * column.l2_squared;
                Ok(Self { l1: l1 * column.l1, l2_squared: by_columns.min(l2_squared) })
            }
        }
    }

    /// Of the projection's columns, the largest norms.
    fn largest_column(cube: &Cube, depths: &[usize]) -> Self {
        let mut column = Self { l1: Rational::one(), l2_squared: Rational::one() };
        for (attribute, depth) in cube.attributes().iter().zip(depths).filter(|(_, depth)| **depth > 0) {
            let family = attribute.largest_family(*depth) as u128;
            let share = Rational::ratio(family as i128 - 1, family);
            column.l1 = column.l1 * Rational::from(2) * share.clone();
            column.l2_squared = column.l2_squared * share;
        }
        column
    }
}

/// For each row of a measurement, what its noise is multiplied by: K for a residual, one for a table.
pub(crate) fn row_scales(cube: &Cube, what: &What) -> Result<Vec<u128>, WorkloadError> {
    let depths = what.depths();
    let shape = cube.shape(depths);
    let What::Residual(_) = what else { return Ok(vec![1; cube.cells(depths)?]) };
    let mut scales = vec![1u128];
    for (attribute, depth) in cube.attributes().iter().zip(depths) {
        let (families, parents) = (attribute.families(*depth), attribute.parents(*depth));
        if *depth == 0 {
            continue;
        }
        let sizes: Vec<u128> = parents.iter().map(|parent| families[*parent] as u128).collect();
        scales = scales
            .iter()
            .flat_map(|scale| sizes.iter().map(move |size| scale.saturating_mul(*size)))
            .collect();
    }
    debug_assert_eq!(scales.len(), shape.iter().product::<usize>());
    match scales.iter().max() {
        Some(most) if *most > SCALE_MAX => {
            Err(WorkloadError::TooLarge { what: format!("families of the residual of depths {depths:?}") })
        }
        _ => Ok(scales),
    }
}

/// The integer rows of a residual, from the cells of its table.
pub(crate) fn integer_rows(cube: &Cube, depths: &[usize], table: &[i128]) -> Vec<i128> {
    let axes = || cube.attributes().iter().zip(depths).enumerate().filter(|(_, (_, depth))| **depth > 0);
    let stretch: i128 =
        axes().map(|(_, (attribute, depth))| 2 * attribute.largest_family(*depth) as i128).product();
    let most = (1i128 << 126) / stretch;
    let mut values: Vec<i128> = table.iter().map(|value| (*value).clamp(-most, most)).collect();
    let shape = cube.shape(depths);
    for (axis, (attribute, depth)) in axes() {
        let (parents, families) = (attribute.parents(*depth), attribute.families(*depth));
        let sums = crate::cube::sum_axis(&values, &shape, axis, parents, families.len());
        let (outer, length, inner) = strides(&shape, axis);
        for start in 0..outer {
            for block in 0..length {
                let family = families[parents[block]] as i128;
                let own = &mut values[(start * length + block) * inner..][..inner];
                let sum = &sums[(start * families.len() + parents[block]) * inner..][..inner];
                own.iter_mut().zip(sum).for_each(|(own, sum)| *own = family * *own - sum);
            }
        }
    }
    values
}

/// The part of a table that sums to zero in every family of every axis that is not summed out.
pub(crate) fn project(cube: &Cube, depths: &[usize], values: &mut [f64]) {
    let shape = cube.shape(depths);
    for (axis, (attribute, depth)) in cube.attributes().iter().zip(depths).enumerate() {
        let (parents, families) = (attribute.parents(*depth), attribute.families(*depth));
        if *depth == 0 {
            continue;
        }
        let sums = crate::cube::sum_axis(values, &shape, axis, parents, families.len());
        let (outer, length, inner) = strides(&shape, axis);
        for start in 0..outer {
            for block in 0..length {
                let family = families[parents[block]] as f64;
                let own = &mut values[(start * length + block) * inner..][..inner];
                let sum = &sums[(start * families.len() + parents[block]) * inner..][..inner];
                own.iter_mut().zip(sum).for_each(|(own, sum)| *own -= sum / family);
            }
        }
    }
}

#[cfg(test)]
mod tests;
