//! What measurements tell about each residual: by which variance it is known when all of them are combined.
//!
//! A residual that is measured itself is known by that variance u. A table of depths A measured with iid noise of variance
//! s tells of every residual S ≤ A: the sums of its cells at depths S have noise of variance s·n, with n cells of A in each
//! cell of S, the same for all cells in a balanced cube; their projections are the residuals, and the projections of iid
//! noise on orthogonal spaces are uncorrelated. So the measurements inform each residual independently, and combining
//! them by inverse variance is exact least squares. In a cube with families of different sizes n varies, and a table
//! that is measured stands alone: its sums are its only news, so nothing else may be measured with it.

use std::collections::BTreeMap;

use crate::cube::is_below;
use crate::{Cube, Depths, What, WorkloadError};

/// The variance by which each residual is known, from measurements given with the variances of their rows.
pub(crate) fn combined(cube: &Cube, measured: &[(What, f64)]) -> BTreeMap<Depths, f64> {
    let mut precision: BTreeMap<Depths, f64> = BTreeMap::new();
    for (what, variance) in measured {
        for (depths, variance) in told(cube, what, *variance) {
            *precision.entry(depths).or_default() += 1.0 / variance;
        }
    }
    precision.into_iter().map(|(depths, precision)| (depths, 1.0 / precision)).collect()
}

/// The residuals that one measurement tells of, each with its variance.
pub(crate) fn told(cube: &Cube, what: &What, variance: f64) -> Vec<(Depths, f64)> {
    match what {
        What::Residual(depths) => vec![(depths.clone(), variance)],
        What::Flat(depths) => {
            let of = |residual: Depths| {
                let cells = cells_within(cube, depths, &residual);
                (residual, variance * cells)
            };
            cube.residuals_of(depths).into_iter().map(of).collect()
        }
    }
}

/// Cells of a fine table in each cell of a coarse one, in the mean.
pub(crate) fn cells_within(cube: &Cube, fine: &[usize], coarse: &[usize]) -> f64 {
    let axes = cube.attributes().iter().zip(fine.iter().zip(coarse));
    axes.map(|(attribute, (fine, coarse))| attribute.blocks(*fine) as f64 / attribute.blocks(*coarse) as f64)
        .product()
}

/// Refuses measurements that cannot be combined.
pub(crate) fn check<'a>(
    cube: &Cube,
    mut measured: impl ExactSizeIterator<Item = &'a What>,
) -> Result<(), WorkloadError> {
    let alone = measured.len() == 1;
    let tables = measured.any(|what| matches!(what, What::Flat(_)));
    if tables && !alone && !cube.is_balanced() {
        return Err(WorkloadError::Shape {
            what: "a measured table with families of different sizes stands alone".to_owned(),
        });
    }
    Ok(())
}

/// The variance of an answer, if everything it needs is known.
pub(crate) fn variance(
    cube: &Cube,
    known: &BTreeMap<Depths, f64>,
    depths: &[usize],
    axes: &[Vec<f64>],
) -> Result<f64, WorkloadError> {
    let mut sum = 0.0;
    for residual in cube.residuals_of(depths) {
        debug_assert!(is_below(&residual, depths));
        let Some(variance) = known.get(&residual) else {
            return Err(WorkloadError::NotMeasured { depths: depths.to_vec() });
        };
        sum += variance * crate::influence::product(axes, &residual);
    }
    Ok(sum)
}
