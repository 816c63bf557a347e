//! A classifier that sees how parts work together: small trees, each correcting those before it.
//!
//! Gradient boosting of the logistic loss (Friedman 2001) with Newton steps, on binned columns. It is trained to tell left
//! from right; how well it does is measured on releases it has not seen, so nothing here can raise a false alarm.

use crate::bins::Bins;

/// How many trees.
const TREES: usize = 40;
/// How deep each is.
const DEPTH: usize = 3;
/// How far each step goes.
const RATE: f64 = 0.3;
/// Bins a column.
const BINS: usize = 32;
/// Added to each leaf's weight, so that few releases do not decide.
const RIDGE: f64 = 4.0;

/// Trained trees.
#[derive(Clone, Debug)]
pub struct Trees {
    bins: Vec<Bins>,
    trees: Vec<Tree>,
}

/// A full tree of [`DEPTH`]: the children of node i are 2i + 1 and 2i + 2.
#[derive(Clone, Debug)]
struct Tree {
    /// A column and the last bin that goes left; no split sends everything left.
    splits: Vec<Option<(usize, usize)>>,
    leaves: Vec<f64>,
}

impl Tree {
    fn leaf(&self, row: &[u8]) -> usize {
        let mut node = 0;
        while node < self.splits.len() {
            let right = self.splits[node].is_some_and(|(column, last)| usize::from(row[column]) > last);
            node = 2 * node + 1 + usize::from(right);
        }
        node - self.splits.len()
    }
}

impl Trees {
    /// Learns to tell rows of the left from rows of the right.
    pub fn train(rows: &[Vec<f64>], is_left: &[bool]) -> Self {
        let width = rows.first().map_or(0, Vec::len);
        let bins: Vec<Bins> =
            (0..width).map(|column| Bins::learn(rows.iter().map(|row| row[column]), BINS)).collect();
        let mut model = Self { bins, trees: Vec::new() };
        let binned: Vec<Vec<u8>> = rows.iter().map(|row| model.binned(row)).collect();
        let mut scores = vec![0.0; rows.len()];
        for _ in 0..TREES {
            let steps: Vec<(f64, f64)> = scores
                .iter()
                .zip(is_left)
                .map(|(score, left): (&f64, _)| {
                    let chance = 1.0 / (1.0 + (-score).exp());
                    (f64::from(*left) - chance, (chance * (1.0 - chance)).max(1e-6))
                })
                .collect();
            let tree = model.grow(&binned, &steps);
            for (score, row) in scores.iter_mut().zip(&binned) {
                *score += tree.leaves[tree.leaf(row)];
            }
            model.trees.push(tree);
        }
        model
    }

    /// The higher, the more it looks like the left.
    pub fn score(&self, row: &[f64]) -> f64 {
        let binned = self.binned(row);
        self.trees.iter().map(|tree| tree.leaves[tree.leaf(&binned)]).sum()
    }

    fn binned(&self, row: &[f64]) -> Vec<u8> {
        self.bins.iter().zip(row).map(|(bins, value)| bins.of(*value) as u8).collect()
    }

    fn grow(&self, rows: &[Vec<u8>], steps: &[(f64, f64)]) -> Tree {
        let inner = (1 << DEPTH) - 1;
        let mut splits = Vec::with_capacity(inner);
        // The rows of each node, level by level.
        let mut members: Vec<Vec<u32>> = vec![(0..rows.len() as u32).collect()];
        for node in 0..inner {
            let here = std::mem::take(&mut members[node]);
            let split = self.best_split(rows, steps, &here);
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for place in here {
                let goes_right =
                    split.is_some_and(|(column, last)| usize::from(rows[place as usize][column]) > last);
                if goes_right { right.push(place) } else { left.push(place) }
            }
            splits.push(split);
            members.push(left);
            members.push(right);
        }
        let leaves = members[inner..].iter().map(|members| {
            let (mut gradient, mut weight) = (0.0, RIDGE);
            for place in members {
                gradient += steps[*place as usize].0;
                weight += steps[*place as usize].1;
            }
            RATE * gradient / weight
        });
        Tree { splits, leaves: leaves.collect() }
    }

    fn best_split(&self, rows: &[Vec<u8>], steps: &[(f64, f64)], members: &[u32]) -> Option<(usize, usize)> {
        let quality = |gradient: f64, weight: f64| gradient * gradient / (weight + RIDGE);
        let mut best = (1e-9, None);
        for (column, bins) in self.bins.iter().enumerate() {
            let mut sums = vec![(0.0, 0.0); bins.count()];
            for place in members {
                let (gradient, weight) = steps[*place as usize];
                let sum = &mut sums[usize::from(rows[*place as usize][column])];
                sum.0 += gradient;
                sum.1 += weight;
            }
            let total = sums.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            let mut left = (0.0, 0.0);
            for (last, sum) in sums.iter().enumerate() {
                left = (left.0 + sum.0, left.1 + sum.1);
                let gain = quality(left.0, left.1) + quality(total.0 - left.0, total.1 - left.1)
                    - quality(total.0, total.1);
                if gain > best.0 {
                    best = (gain, Some((column, last)));
                }
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use pointillist_noise::BitSource;
    use pointillist_testkit::seeded;

    use super::*;

    /// Two coins that agree on the left and disagree on the right: no column alone says anything.
    #[test]
    fn what_only_two_columns_together_tell_is_learnt() {
        let mut bits = seeded(1);
        let mut draw = |left: bool| {
            let coin = bits.coin();
            vec![f64::from(coin), f64::from(coin == left), bits.take(10) as f64]
        };
        let sides: Vec<bool> = (0..2000).map(|place| place % 2 == 0).collect();
        let rows: Vec<Vec<f64>> = sides.iter().map(|left| draw(*left)).collect();
        let model = Trees::train(&rows, &sides);
        let right = sides.iter().map(|left| (*left, draw(*left)));
        let right = right.filter(|(left, row)| (model.score(row) > 0.0) == *left).count();
        assert!(right == 2000, "{right} of 2000");
    }

    #[test]
    fn nothing_to_learn_is_no_trouble() {
        let model = Trees::train(&[vec![], vec![]], &[true, false]);
        assert_eq!(model.score(&[]), 0.0);
        let model = Trees::train(&[vec![f64::NAN], vec![f64::NAN]], &[true, false]);
        assert!(model.score(&[1.0]).is_finite());
    }
}
