//! Every table that follows from measurements, with its errors; all of them agree wherever they overlap.
//!
//! A cell is its parent's share plus its residual, along each axis: y(child) = y(parent)/k + r(child). The residuals sum to
//! zero in every family, so a table computed directly and the same table as sums of a finer one are the same numbers up
//! to floating point. Estimates are unbiased, and by least squares where several measurements tell of one residual
//! ([`crate::information`]). Only post-processing: nothing here sees data.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cube::{is_below, strides};
use crate::residual::project;
use crate::{Cube, Depths, Measurement, What, WorkloadError, influence, information};

/// A number and the variance of its noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number, as likely above the truth as below.
    pub value: f64,
    /// The variance of its noise.
    pub variance: f64,
}

/// What measurements say, residual by residual.
#[derive(Clone, Debug)]
pub struct Reconstruction {
    cube: Cube,
    /// For each residual its numbers and the variance of a row before projection.
    residuals: BTreeMap<Depths, (Vec<f64>, f64)>,
    /// A table that stands alone, and the variance of its cells.
    alone: Option<(Depths, Vec<f64>, f64)>,
}

impl Reconstruction {
    /// From measurements and the noisy integers that they released.
    pub fn new(cube: &Cube, measured: &[(Measurement, Vec<i128>)]) -> Result<Self, WorkloadError> {
        information::check(cube, measured.iter().map(|(measurement, _)| measurement.what()))?;
        let mut residuals: BTreeMap<Depths, (Vec<f64>, f64)> = BTreeMap::new();
        for (measurement, noisy) in measured {
            if measurement.cube() != cube {
                return Err(WorkloadError::Shape { what: "a measurement of another cube".to_owned() });
            }
            let numbers = measurement.numbers(noisy)?;
            let variance = measurement.variance();
            if let (What::Flat(depths), false) = (measurement.what(), cube.is_balanced()) {
                let alone = Some((depths.clone(), numbers, variance));
                return Ok(Self { cube: cube.clone(), residuals: BTreeMap::new(), alone });
            }
            for (depths, variance) in information::told(cube, measurement.what(), variance) {
                let values = match measurement.what() {
                    What::Residual(_) => numbers.clone(),
                    What::Flat(fine) => {
                        let mut values = cube.sum_to(fine, &numbers, &depths)?;
                        project(cube, &depths, &mut values);
                        values
                    }
                };
                combine(residuals.entry(depths), values, variance);
            }
        }
        Ok(Self { cube: cube.clone(), residuals, alone: None })
    }

    /// Every cell of a table.
    pub fn table(&self, depths: &[usize]) -> Result<Vec<Estimate>, WorkloadError> {
        let values = self.values(depths)?;
        let variances = self.variances(depths)?;
        let estimate = |(value, variance)| Estimate { value, variance };
        Ok(values.into_iter().zip(variances).map(estimate).collect())
    }

    /// The numbers of a table without their errors.
    pub fn values(&self, depths: &[usize]) -> Result<Vec<f64>, WorkloadError> {
        self.cube.check(depths)?;
        if let Some((fine, numbers, _)) = &self.alone {
            self.below_alone(fine, depths)?;
            return self.cube.sum_to(fine, numbers, depths);
        }
        self.assemble(depths, &mut Vec::new())
    }

    /// The variance of every cell of a table.
    pub fn variances(&self, depths: &[usize]) -> Result<Vec<f64>, WorkloadError> {
        let cells = self.cube.cells(depths)?;
        if let Some((fine, _, variance)) = &self.alone {
            self.below_alone(fine, depths)?;
            let counts = self.cube.sum_to(fine, &vec![1.0; self.cube.cells(fine)?], depths)?;
            return Ok(counts.into_iter().map(|count| count * variance).collect());
        }
        let known = self.known();
        let needed = self.cube.residuals_of(depths);
        if needed.iter().any(|residual| !known.contains_key(residual)) {
            return Err(WorkloadError::NotMeasured { depths: depths.to_vec() });
        }
        let mut variances = vec![0.0; cells];
        for residual in needed {
            let mut products = vec![known[&residual]];
            for ((attribute, depth), own) in self.cube.attributes().iter().zip(depths).zip(&residual) {
                let blocks = 0..attribute.blocks(*depth);
                let axis: Vec<f64> = match attribute.is_balanced() {
                    true => vec![influence::of_block(attribute, *depth, 0)[*own]; blocks.len()],
                    false => {
                        blocks.map(|block| influence::of_block(attribute, *depth, block)[*own]).collect()
                    }
                };
                products = products.iter().flat_map(|start| axis.iter().map(move |q| start * q)).collect();
            }
            variances.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        }
        Ok(variances)
    }

    /// The sum of a box of cells: along each axis a range of blocks of the table's depth.
    pub fn range(&self, depths: &[usize], ranges: &[Range<usize>]) -> Result<Estimate, WorkloadError> {
        self.cube.check(depths)?;
        let shape = self.cube.shape(depths);
        if ranges.len() != shape.len() || ranges.iter().zip(&shape).any(|(range, blocks)| range.end > *blocks)
        {
            return Err(WorkloadError::NoSuchTable { depths: depths.to_vec() });
        }
        let weights: Vec<Vec<f64>> = ranges
            .iter()
            .zip(&shape)
            .map(|(range, blocks)| (0..*blocks).map(|block| f64::from(range.contains(&block))).collect())
            .collect();
        let mut inside = vec![1.0];
        for axis in &weights {
            inside =
                inside.iter().flat_map(|start: &f64| axis.iter().map(move |weight| start * weight)).collect();
        }
        let value = self.values(depths)?.iter().zip(&inside).map(|(value, weight)| value * weight).sum();
        Ok(Estimate { value, variance: self.variance_of(depths, &weights)? })
    }

    /// The variance of a sum of cells with a weight for each block of each axis.
    fn variance_of(&self, depths: &[usize], weights: &[Vec<f64>]) -> Result<f64, WorkloadError> {
        if let Some((fine, _, variance)) = &self.alone {
            self.below_alone(fine, depths)?;
            let axes = self.cube.attributes().iter().zip(fine.iter().zip(depths)).zip(weights);
            let cells = axes.map(|((attribute, (fine, coarse)), weights)| {
                let of_cells = attribute.ancestors(*fine, *coarse).into_iter();
                of_cells.map(|block| weights[block] * weights[block]).sum::<f64>()
            });
            return Ok(variance * cells.product::<f64>());
        }
        let axes = self.cube.attributes().iter().zip(depths).zip(weights);
        let axes: Vec<Vec<f64>> = axes
            .map(|((attribute, depth), weights)| influence::of_weights(attribute, *depth, weights))
            .collect();
        information::variance(&self.cube, &self.known(), depths, &axes)
    }

    /// The variance of a row of the residual of these depths, before projection: its noise has this many times the covariance of the
    /// projection, and none in common with that of other residuals. None where it was not measured, or is always zero.
    pub fn residual_variance(&self, depths: &[usize]) -> Option<f64> {
        self.residuals.get(depths).map(|(_, variance)| *variance)
    }

    fn known(&self) -> BTreeMap<Depths, f64> {
        self.residuals.iter().map(|(depths, (_, variance))| (depths.clone(), *variance)).collect()
    }

    fn below_alone(&self, fine: &[usize], depths: &[usize]) -> Result<(), WorkloadError> {
        match is_below(depths, fine) {
            true => Ok(()),
            false => Err(WorkloadError::NotMeasured { depths: depths.to_vec() }),
        }
    }

    /// The table whose first axes are at the residual depths `start` and whose other axes are at `depths`.
    fn assemble(&self, depths: &[usize], start: &mut Depths) -> Result<Vec<f64>, WorkloadError> {
        let axis = start.len();
        if axis == depths.len() {
            return match self.residuals.get(start) {
                Some((values, _)) => Ok(values.clone()),
                None if !self.cube.has_residual(start) => {
                    Ok(vec![0.0; self.cube.shape(start).iter().product()])
                }
                None => Err(WorkloadError::NotMeasured { depths: depths.to_vec() }),
            };
        }
        let mut values: Vec<f64> = Vec::new();
        for depth in 0..=depths[axis] {
            start.push(depth);
            let residual = self.assemble(depths, start)?;
            if depth == 0 {
                values = residual;
            } else {
                let own: Depths = start.iter().chain(&depths[axis + 1..]).copied().collect();
                values = self.spread(&values, &own, axis);
                values.iter_mut().zip(residual).for_each(|(value, residual)| *value += residual);
            }
            start.pop();
        }
        Ok(values)
    }

    /// Each block of one axis, one depth above `depths`, spread evenly over its children.
    fn spread(&self, values: &[f64], depths: &[usize], axis: usize) -> Vec<f64> {
        let attribute = &self.cube.attributes()[axis];
        let (parents, families) = (attribute.parents(depths[axis]), attribute.families(depths[axis]));
        let shape = self.cube.shape(depths);
        let (outer, length, inner) = strides(&shape, axis);
        let mut children = Vec::with_capacity(outer * length * inner);
        for start in 0..outer {
            for parent in parents {
                let share = 1.0 / families[*parent] as f64;
                let from = &values[(start * families.len() + parent) * inner..][..inner];
                children.extend(from.iter().map(|value| value * share));
            }
        }
        children
    }
}

/// Adds what one more measurement says, by inverse variance.
fn combine(
    entry: std::collections::btree_map::Entry<'_, Depths, (Vec<f64>, f64)>,
    values: Vec<f64>,
    variance: f64,
) {
    use std::collections::btree_map::Entry;
    match entry {
        Entry::Vacant(place) => {
            place.insert((values, variance));
        }
        Entry::Occupied(mut place) => {
            let (old, old_variance) = place.get_mut();
            let share = variance / (variance + *old_variance);
            old.iter_mut().zip(values).for_each(|(old, new)| *old = share * *old + (1.0 - share) * new);
            *old_variance *= share;
        }
    }
}

#[cfg(test)]
mod tests;
