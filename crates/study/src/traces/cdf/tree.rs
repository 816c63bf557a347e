//! A tree over ordered cells: its nodes, and what cells are by them.
//!
//! **Guarantee.** Every cell lies below exactly one node of each level, so a column of the matrix of nodes has the norm √levels. The
//! root is not measured: its children add up to it.
//! **Source.** Hay, Rastogi, Miklau, Suciu (2010), "Boosting the accuracy of differentially private histograms through consistency",
//! Theorem 3, for least squares in two sweeps; each child of the root is a tree of its own here.

/// A complete tree of some base; cells beyond the last are empty.
pub(super) struct Tree {
    base: usize,
    /// Below the root.
    levels: usize,
}

impl Tree {
    pub(super) fn new(base: usize, cells: usize) -> Self {
        let mut levels = 1;
        while base.pow(levels as u32) < cells {
            levels += 1;
        }
        Self { base, levels }
    }

    pub(super) fn levels(&self) -> usize {
        self.levels
    }

    /// Nodes of a level, 0 being the children of the root.
    fn width(&self, level: usize) -> usize {
        self.base.pow(level as u32 + 1)
    }

    /// Where the nodes of a level begin in a list of all of them.
    fn start(&self, level: usize) -> usize {
        (0..level).map(|above| self.width(above)).sum()
    }

    /// The sums of all nodes, level by level from the top.
    pub(super) fn nodes(&self, histogram: &[i128]) -> Vec<i128> {
        let mut levels = vec![histogram.to_vec()];
        levels[0].resize(self.width(self.levels - 1), 0);
        for _ in 1..self.levels {
            let below = levels.last().expect("there is a first level");
            levels.push(below.chunks(self.base).map(|children| children.iter().sum()).collect());
        }
        levels.into_iter().rev().flatten().collect()
    }

    /// The cells that fit all noisy nodes best, in the sum of squares.
    pub(super) fn least_squares(&self, nodes: &[f64]) -> Vec<f64> {
        let base = self.base as f64;
        // From the bottom: the best estimate of a node by what is at and below it.
        let mut estimates = nodes.to_vec();
        for level in (0..self.levels - 1).rev() {
            let (start, below) = (self.start(level), self.start(level + 1));
            let height = (self.levels - level) as i32;
            let (all, of_child) = (base.powi(height), base.powi(height - 1));
            let own = (all - of_child) / (all - 1.0);
            let rest = (of_child - 1.0) / (all - 1.0);
            for node in 0..self.width(level) {
                let children = below + node * self.base;
                let sum: f64 = estimates[children..children + self.base].iter().sum();
                estimates[start + node] = own * nodes[start + node] + rest * sum;
            }
        }
        // From the top: what a node has more than its children is shared among them.
        for level in 0..self.levels - 1 {
            let (start, below) = (self.start(level), self.start(level + 1));
            for node in 0..self.width(level) {
                let children = below + node * self.base;
                let children = children..children + self.base;
                let sum: f64 = estimates[children.clone()].iter().sum();
                let share = (estimates[start + node] - sum) / base;
                estimates[children].iter_mut().for_each(|child| *child += share);
            }
        }
        estimates.split_off(self.start(self.levels - 1))
    }

    /// The cells from the top down: children are cut off at zero and scaled to what their parent has; below a parent that
    /// has less than twice the noise of its children, what it has is spread evenly.
    pub(super) fn top_down(&self, nodes: &[f64], sigma: f64) -> Vec<f64> {
        let little = 2.0 * sigma * (self.base as f64).sqrt();
        let mut parents = vec![nodes[..self.base].iter().map(|node| node.max(0.0)).sum::<f64>()];
        for level in 0..self.levels {
            let start = self.start(level);
            let mut masses = Vec::with_capacity(self.width(level));
            for (place, mass) in parents.iter().enumerate() {
                let children = start + place * self.base;
                let children = nodes[children..children + self.base].iter().map(|node| node.max(0.0));
                let sum: f64 = children.clone().sum();
                match sum > 0.0 && (level == 0 || *mass >= little) {
                    true => masses.extend(children.map(|child| mass * child / sum)),
                    false => masses.extend(std::iter::repeat_n(mass / self.base as f64, self.base)),
                }
            }
            parents = masses;
        }
        parents
    }
}
