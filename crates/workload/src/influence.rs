//! How much of each residual's noise reaches an answer.
//!
//! An answer is a sum of cells of one table: a cell, a range, a box. Along one axis it gives each block of the table's depth a
//! weight. A child is its parent's share plus its residual, y(child) = y(parent)/k + r(child), so a block one depth up has the
//! weight f(parent) = Σ f(child)/k, and the residual of depth s enters with the weights f at depth s. Its noise has
//! variance u in every row and is projected within families, so along this axis it contributes u times
//!
//! ```text
//! q(s) = Σ over families of (Σ f² − (Σ f)²/k)   for s > 0,      q(0) = f(everything)²
//! ```
//!
//! and over several axes the products: the variance of an answer is Σ over residuals S of u(S)·Π q(Sᵢ). This is exact, for
//! families of any sizes. Everything here is public arithmetic in floats.

use crate::Attribute;

/// The q of each depth from 0 to `depth`, for an answer with these weights on the blocks of `depth`.
pub(crate) fn of_weights(attribute: &Attribute, depth: usize, weights: &[f64]) -> Vec<f64> {
    let mut weights = weights.to_vec();
    let mut influences = vec![0.0; depth + 1];
    for level in (1..=depth).rev() {
        let (parents, families) = (attribute.parents(level), attribute.families(level));
        let mut sums = vec![(0.0, 0.0); families.len()];
        for (parent, weight) in parents.iter().zip(&weights) {
            sums[*parent].0 += weight;
            sums[*parent].1 += weight * weight;
        }
        let of_family = |((sum, squares), size): (&(f64, f64), &usize)| squares - sum * sum / *size as f64;
        influences[level] = sums.iter().zip(families).map(of_family).sum::<f64>().max(0.0);
        weights = sums.iter().zip(families).map(|((sum, _), size)| sum / *size as f64).collect();
    }
    influences[0] = weights[0] * weights[0];
    influences
}

/// The q of each depth, for one block of `depth`.
pub(crate) fn of_block(attribute: &Attribute, depth: usize, block: usize) -> Vec<f64> {
    let mut influences = vec![0.0; depth + 1];
    let (mut weight, mut block) = (1.0, block);
    for level in (1..=depth).rev() {
        block = attribute.parents(level)[block];
        let family = attribute.families(level)[block] as f64;
        influences[level] = (1.0 - 1.0 / family) * weight * weight;
        weight /= family;
    }
    influences[0] = weight * weight;
    influences
}

/// The different q that blocks of `depth` have, each with the number of blocks that have it.
pub(crate) fn of_blocks(attribute: &Attribute, depth: usize) -> Vec<(Vec<f64>, usize)> {
    if attribute.is_balanced() {
        return vec![(of_block(attribute, depth, 0), attribute.blocks(depth))];
    }
    let mut profiles: std::collections::BTreeMap<Vec<u64>, usize> = std::collections::BTreeMap::new();
    for block in 0..attribute.blocks(depth) {
        let bits = of_block(attribute, depth, block).into_iter().map(f64::to_bits).collect();
        *profiles.entry(bits).or_default() += 1;
    }
    let numbers = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect();
    profiles.into_iter().map(|(bits, blocks)| (numbers(bits), blocks)).collect()
}

/// The mean q of each depth over the blocks of `depth`.
pub(crate) fn mean_of_blocks(attribute: &Attribute, depth: usize) -> Vec<f64> {
    let mut means = vec![0.0; depth + 1];
    for (influences, blocks) in of_blocks(attribute, depth) {
        let share = blocks as f64 / attribute.blocks(depth) as f64;
        means.iter_mut().zip(influences).for_each(|(mean, influence)| *mean += share * influence);
    }
    means
}

/// The mean q of each depth over all ranges of blocks of `depth`, exactly.
///
/// A range is the difference of two beginnings, F(r) − F(l), and q is a quadratic form, so the sum over the pairs of N + 1
/// beginnings is (N + 1)·Σ q(F(x)) − q(Σ F(x)). Of a beginning only the family that it ends in has a part in q.
pub(crate) fn mean_of_ranges(attribute: &Attribute, depth: usize) -> Vec<f64> {
    let blocks = attribute.blocks(depth);
    let starts = blocks as f64 + 1.0;
    // Block b is in the beginnings that end after it: `blocks − b` of them.
    let all: Vec<f64> = (0..blocks).map(|block| (blocks - block) as f64).collect();
    let of_all = of_weights(attribute, depth, &all);
    let firsts: Vec<Vec<usize>> = (1..=depth).map(|level| first_children(attribute, level)).collect();
    // The beginning that is everything.
    let mut sums = vec![0.0; depth + 1];
    sums[0] = 1.0;
    for end in 0..blocks {
        // The first block outside, and the weight of its ancestor, all of whose elder siblings weigh one.
        let (mut block, mut weight) = (end, 0.0);
        for level in (1..=depth).rev() {
            let parent = attribute.parents(level)[block];
            let (elder, family) = (block - firsts[level - 1][parent], attribute.families(level)[parent]);
            let (elder, family) = (elder as f64, family as f64);
            sums[level] += elder + weight * weight - (elder + weight).powi(2) / family;
            (block, weight) = (parent, (elder + weight) / family);
        }
        sums[0] += weight * weight;
    }
    let ranges = blocks as f64 * starts / 2.0;
    sums.iter().zip(of_all).map(|(sum, all)| (starts * sum - all) / ranges).collect()
}

/// For each block above a level, its first child.
fn first_children(attribute: &Attribute, level: usize) -> Vec<usize> {
    let sizes = attribute.families(level).iter();
    sizes.scan(0, |next, size| Some(std::mem::replace(next, *next + size))).collect()
}

/// The product of the axes' influences at a residual's depths: zero where the residual is deeper than the answer.
pub(crate) fn product(axes: &[Vec<f64>], residual: &[usize]) -> f64 {
    axes.iter().zip(residual).map(|(axis, depth)| axis.get(*depth).copied().unwrap_or(0.0)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_over_ranges_is_that_of_all_ranges() {
        for (cells, branching) in [(1, 2), (5, 2), (16, 4), (23, 3), (30, 6)] {
            let attribute = Attribute::tree(cells, branching).unwrap();
            let depth = attribute.deepest();
            let mut sums = vec![0.0; depth + 1];
            let mut ranges = 0.0;
            for start in 0..cells {
                for end in start + 1..=cells {
                    let inside = |cell| if (start..end).contains(&cell) { 1.0 } else { 0.0 };
                    let weights: Vec<f64> = (0..cells).map(inside).collect();
                    let influences = of_weights(&attribute, depth, &weights);
                    sums.iter_mut().zip(influences).for_each(|(sum, influence)| *sum += influence);
                    ranges += 1.0;
                }
            }
            for (mean, sum) in mean_of_ranges(&attribute, depth).iter().zip(sums) {
                assert!(
                    (mean - sum / ranges).abs() < 1e-9 * (1.0 + mean),
                    "{cells} cells, {branching} branches"
                );
            }
        }
    }

    #[test]
    fn a_block_is_an_answer_of_weight_one() {
        let attribute = Attribute::levels(vec![vec![0, 0, 0], vec![0, 0, 1, 2, 2, 2]]).unwrap();
        let mut mean = [0.0; 3];
        for block in 0..6 {
            let mut weights = vec![0.0; 6];
            weights[block] = 1.0;
            let influences = of_weights(&attribute, 2, &weights);
            for (one, other) in influences.iter().zip(of_block(&attribute, 2, block)) {
                assert!((one - other).abs() < 1e-12);
            }
            mean.iter_mut().zip(influences).for_each(|(mean, influence)| *mean += influence / 6.0);
        }
        for (one, other) in mean.iter().zip(mean_of_blocks(&attribute, 2)) {
            assert!((one - other).abs() < 1e-12);
        }
        assert_eq!(of_blocks(&attribute, 2).len(), 3, "families of two, of one and of three");
    }
}
