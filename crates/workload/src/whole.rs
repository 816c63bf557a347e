//! Numbers for people: whole, not negative, equal wherever tables overlap, and close to the estimates.
//!
//! Estimates are signed and have fractions; people want counts. Tables are made whole from coarse to fine, and what several
//! tables share is fixed before them, so that they agree:
//!
//! * the total: rounded, at least zero;
//! * a table that one fixed table is a sum of: the cells of each fixed one are put on {x ≥ 0, Σ x = the fixed cell} at least
//!   distance, and rounded, the largest fractions up (`simplex.rs`);
//! * a table that two fixed tables are sums of: nearest between both, rounded along cycles (`transport.rs`);
//! * a table with three or more such: some of them are put together first, where what remains to be shared is fixed. So one
//!   table with all its one-way sums works, and three-way tables that share two-way ones do not: whole tables with these
//!   sums need not exist. Then all tables are sums of one whole joint table, found by proportional fitting, if that has at
//!   most 2^20 cells; they are further from the estimates.
//!
//! The truth is such a table itself, and coming nearest to an estimate among those with sums near the true ones moves, on
//! the whole, towards it: a projection on a convex set never moves away from a point of the set. Only post-processing:
//! nothing here sees data.

use std::collections::{BTreeMap, BTreeSet};

use crate::cube::{is_below, join, meet};
use crate::transport::{self, Margin};
use crate::{Cube, Depths, simplex};

/// The most cells of a joint table.
const JOINT_MAX: usize = 1 << 20;
/// Rounds of proportional fitting, and the most cells they may look at in all.
const ROUNDS: usize = 50;
const WORK_MAX: usize = 1 << 29;

/// The tables with whole numbers that are not negative and agree, in the given order; nothing where that is out of reach.
/// The estimates agree already, up to floating point.
pub fn whole_numbers(cube: &Cube, estimates: &[(Depths, Vec<f64>)]) -> Option<Vec<Vec<i128>>> {
    if estimates.is_empty() {
        return Some(Vec::new());
    }
    for (depths, values) in estimates {
        if cube.cells(depths).ok()? != values.len() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
    }
    let mut fixed = Fixed { cube, tables: BTreeMap::new() };
    for depths in closed(cube, estimates) {
        let (fine, values) = estimates.iter().find(|(fine, _)| is_below(&depths, fine))?;
        let estimate = cube.sum_to(fine, values, &depths).ok()?;
        match fixed.next(&depths, &estimate) {
            Some(whole) => fixed.tables.insert(depths, whole),
            None => return joint(cube, estimates),
        };
    }
    estimates.iter().map(|(depths, _)| fixed.tables.get(depths).cloned()).collect()
}

/// The total, the tables, and all that they share, coarse ones first.
fn closed(cube: &Cube, estimates: &[(Depths, Vec<f64>)]) -> Vec<Depths> {
    let mut all = BTreeSet::from([vec![0; cube.attributes().len()]]);
    for (depths, _) in estimates {
        // The levels above a single ordered axis: without them a range would lose what they know of it.
        let axes: Vec<usize> = (0..depths.len()).filter(|axis| depths[*axis] > 0).collect();
        if let [axis] = axes.as_slice() {
            let depth = if cube.attributes()[*axis].is_ordered() { depths[*axis] } else { 0 };
            all.extend((1..depth).map(|level| {
                let mut above = vec![0; depths.len()];
                above[*axis] = level;
                above
            }));
        }
    }
    for (depths, _) in estimates {
        let shared: Vec<Depths> = all.iter().map(|other| meet(depths, other)).collect();
        all.extend(shared);
        all.insert(depths.clone());
    }
    let mut all: Vec<Depths> = all.into_iter().collect();
    all.sort_by_key(|depths| depths.iter().sum::<usize>());
    all
}

struct Fixed<'a> {
    cube: &'a Cube,
    tables: BTreeMap<Depths, Vec<i128>>,
}

impl Fixed<'_> {
    /// A table with whole cells that adds up to everything fixed below it.
    fn next(&self, depths: &Depths, estimate: &[f64]) -> Option<Vec<i128>> {
        let mut below: Vec<(Depths, Vec<i128>)> = self.largest_below(depths);
        while below.len() > 2 {
            let (one, other, joined) = self.joinable(depths, &below)?;
            let coarse = self.cube.sum_to(depths, estimate, &joined).ok()?;
            let whole = self.between(&joined, &coarse, &below[one], &below[other])?;
            below = below
                .into_iter()
                .filter(|(lower, _)| !is_below(lower, &joined))
                .chain([(joined.clone(), whole)])
                .collect();
        }
        match below.as_slice() {
            [] => Some(vec![estimate[0].round().max(0.0) as i128]),
            [lower] => Some(self.under(depths, estimate, lower)),
            [one, other] => self.between(depths, estimate, one, other),
            _ => None,
        }
    }

    /// The fixed tables below one, without those that are below another of them.
    fn largest_below(&self, depths: &Depths) -> Vec<(Depths, Vec<i128>)> {
        let below: Vec<&Depths> =
            self.tables.keys().filter(|lower| *lower != depths && is_below(lower, depths)).collect();
        let largest = |lower: &&&Depths| !below.iter().any(|other| other != *lower && is_below(lower, other));
        below.iter().filter(largest).map(|lower| ((*lower).clone(), self.tables[*lower].clone())).collect()
    }

    /// Two of the tables below one whose join is coarser than it, and shares with each of the others, and with whatever
    /// else is fixed below, only what one of the two shares with it already.
    fn joinable(&self, depths: &Depths, below: &[(Depths, Vec<i128>)]) -> Option<(usize, usize, Depths)> {
        for one in 0..below.len() {
            for other in one + 1..below.len() {
                let joined = join(&below[one].0, &below[other].0);
                let shares_no_more = |third: &Depths| {
                    let shared = meet(&joined, third);
                    is_below(&shared, &below[one].0) || is_below(&shared, &below[other].0)
                };
                let others = below.iter().enumerate().filter(|(index, _)| *index != one && *index != other);
                if joined != *depths && others.map(|(_, (third, _))| third).all(shares_no_more) {
                    return Some((one, other, joined));
                }
            }
        }
        None
    }

    /// Cells under one fixed table.
    fn under(&self, depths: &[usize], estimate: &[f64], lower: &(Depths, Vec<i128>)) -> Vec<i128> {
        let mut children = vec![Vec::new(); lower.1.len()];
        for (cell, parent) in self.cube.ancestors(depths, &lower.0).into_iter().enumerate() {
            children[parent].push(cell);
        }
        let mut whole = vec![0; estimate.len()];
        for (cells, sum) in children.into_iter().zip(&lower.1) {
            let values: Vec<f64> = cells.iter().map(|cell| estimate[*cell]).collect();
            let rounded = simplex::round(&simplex::project(&values, *sum as f64), *sum);
            cells.into_iter().zip(rounded).for_each(|(cell, value)| whole[cell] = value);
        }
        whole
    }

    /// Cells under two fixed tables.
    fn between(
        &self,
        depths: &[usize],
        estimate: &[f64],
        one: &(Depths, Vec<i128>),
        other: &(Depths, Vec<i128>),
    ) -> Option<Vec<i128>> {
        let margin = |(lower, sums): &(Depths, Vec<i128>)| Margin {
            of_cell: self.cube.ancestors(depths, lower),
            sums: sums.clone(),
        };
        transport::between(estimate, &margin(one), &margin(other))
    }
}

/// All tables as sums of one whole table: fitted to each in turn, then rounded so that every beginning of it keeps its sum.
fn joint(cube: &Cube, estimates: &[(Depths, Vec<f64>)]) -> Option<Vec<Vec<i128>>> {
    let start = vec![0; cube.attributes().len()];
    let joined = estimates.iter().fold(start, |joined, (depths, _)| join(&joined, depths));
    let cells = cube.cells(&joined).ok().filter(|cells| *cells <= JOINT_MAX)?;
    let (_, first) = estimates.first()?;
    let total = first.iter().sum::<f64>().round().max(0.0);
    let targets: Vec<(Vec<usize>, Vec<f64>)> = estimates
        .iter()
        .map(|(depths, values)| (cube.ancestors(&joined, depths), simplex::project(values, total)))
        .collect();
    let mut values = vec![total / cells as f64; cells];
    let rounds = (WORK_MAX / (cells * targets.len())).clamp(3, ROUNDS);
    for _ in 0..rounds {
        for (ancestors, target) in &targets {
            let mut sums = vec![0.0; target.len()];
            ancestors.iter().zip(&values).for_each(|(cell, value)| sums[*cell] += value);
            let factor: Vec<f64> = target
                .iter()
                .zip(&sums)
                .map(|(target, sum)| if *sum > 0.0 { target / sum } else { 0.0 })
                .collect();
            values.iter_mut().zip(ancestors).for_each(|(value, cell)| *value *= factor[*cell]);
        }
    }
    let whole = rounded_along(&values, total);
    estimates.iter().map(|(depths, _)| cube.sum_to(&joined, &whole, depths).ok()).collect()
}

/// Differences of the rounded sums of all beginnings.
fn rounded_along(values: &[f64], total: f64) -> Vec<i128> {
    let sum: f64 = values.iter().sum();
    let scale = if sum > 0.0 { total / sum } else { 0.0 };
    let mut exact = 0.0;
    let mut before = 0;
    let mut next = |value: &f64| {
        exact += value * scale;
        let after = exact.round() as i128;
        let step = after - before;
        before = after;
        step
    };
    values.iter().map(&mut next).collect()
}

#[cfg(test)]
mod tests;
