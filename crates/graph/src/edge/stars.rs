//! Stars at smooth sensitivity: a node and k of its neighbours.
//!
//! **Guarantee.** ε-differentially private: the number of k-stars with noise at smooth sensitivity, and a
//! noisy level for its interval (`smooth_count.rs`).
//! **Neighbours.** Graphs over the same nodes that differ in one tie; how many nodes there are is public.
//! **Proof.** The number is `f = Σ C(d_v, k)` over degrees d. For a pair of nodes let D and E be the numbers
//! of ties that each has outside the pair. The tie of the pair moves f by `C(D, k−1) + C(E, k−1)`, whether it
//! comes or goes. Other ties change D or E by one, never both, and up to n − 2. So after s changes the
//! largest move of a pair with `D ≥ E` is the largest `C(D + u, k−1) + C(E + s − u, k−1)`, and because
//! `C(·, k−1)` is convex, it is reached by raising the larger as far as it goes, `u = min(s, n − 2 − D)`,
//! then the smaller: that pair majorises all others of its sum. The largest over all pairs is `LS^(s)`,
//! exactly.
//! *Which pairs.* The move grows with D and with E, so dominated pairs do not matter. Let `d₁ ≥ d₂` be the
//! two largest degrees, of nodes a and b. If a and b are not tied, `(d₁, d₂)` dominates every pair. If they
//! are, their pair is `(d₁ − 1, d₂ − 1)`, and a pair outside its reach is not tied and has a node of degree
//! d₁, or only nodes of degree at least d₂: the best other node not tied to a node of degree d₁, and two
//! nodes of degree d₂ not tied to each other. Three pairs at most, found in O(n + m).
//! *Level.* M is the least `m ≥ k − 2` with `C(m, k−1) ≥ LS^(0)`. One tie raises one of D and E by one, so
//! the move by `C(D, k−2) ≤ C(m, k−2)`, because `D ≤ m`: then `C(m + 1, k−1)` is enough. So M moves by at
//! most one, and `LS^(s) ≤ C(M + s, k−1)`: the ceiling. For 2-stars M is the largest D + E and the ceiling is
//! exact.
//! **Error.** About `1.2·LS/ε` on average where the larger degrees are well above `10·k/ε`; for 2-stars `LS`
//! is about the sum of the two largest degrees.
//! **Exactness.** Whole numbers of 128 bits that saturate far above the limit of the counts, `2^90`.
//! **Not covered.** Timing.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss};

use super::smooth_count::{COUNT_MAX, Setting, SmoothCount, check_nodes, counted};
use crate::kernel::stars::{self, choose};
use crate::{Answer, Graph, GraphError, Mechanism, Outlook};

/// One part in so many of ε pays for the level.
const LEVEL_SHARE: u32 = 10;

/// The number of stars with so many leaves.
#[derive(Clone, Debug)]
pub struct StarCount {
    leaves: u32,
    nodes: u32,
    count: SmoothCount,
}

impl StarCount {
    /// The number of stars with 2 to 8 leaves at this price, in graphs with this many nodes.
    pub fn new(leaves: u32, epsilon: &Epsilon, nodes: u32) -> Result<Self, GraphError> {
        if !(2..=8).contains(&leaves) {
            return Err(GraphError::refused(
                format!("stars with {leaves} leaves are not counted"),
                "ask for 2-stars to 8-stars; a star with one leaf is a tie",
            ));
        }
        let cap = choose(u64::from(nodes).saturating_sub(2), leaves - 1).saturating_mul(2);
        let level_max = level_of(cap, leaves);
        let setting = Setting { level_share: LEVEL_SHARE, floor: 1, cap, level_max };
        Ok(Self { leaves, nodes, count: SmoothCount::new(epsilon, &setting)? })
    }

    /// What the error exceeds with probability at most `failure`, from the noisy level.
    pub(crate) fn error_upper(&self, noisy_level: i128, failure: &Rational) -> f64 {
        self.count.error_upper(noisy_level, self.ceiling(), failure)
    }

    fn ceiling(&self) -> impl Fn(u64, u64) -> u128 {
        let leaves = self.leaves;
        move |level, distance| choose(level.saturating_add(distance), leaves - 1)
    }

    fn local_at(&self, pairs: &[(u64, u64)], distance: u64) -> u128 {
        let most = u64::from(self.nodes).saturating_sub(2);
        let moved = |(larger, smaller): &(u64, u64)| {
            let first = distance.min(most.saturating_sub(*larger));
            let second = smaller.saturating_add(distance - first).min(most);
            let stars = |ties: u64| choose(ties, self.leaves - 1);
            stars(larger + first).saturating_add(stars(second))
        };
        pairs.iter().map(moved).max().unwrap_or(0)
    }
}

impl Mechanism for StarCount {
    fn name(&self) -> &'static str {
        "smooth-stars"
    }

    fn loss(&self) -> Loss {
        self.count.loss()
    }

    fn outlook(&self) -> Outlook {
        let words = match self.leaves {
            2 => "the error is about 1.2/ε times the sum of the two largest degrees".to_owned(),
            leaves => format!(
                "the error is about 1.2/ε times the number of {}-stars around the two largest nodes",
                leaves - 1
            ),
        };
        Outlook { error_95: None, words: vec![words] }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        check_nodes(graph, self.nodes);
        let pairs = largest_pairs(graph);
        let level = level_of(self.local_at(&pairs, 0), self.leaves);
        let local = |distance| self.local_at(&pairs, distance);
        self.count.release(stars::count(graph, self.leaves), local, level, self.ceiling(), bits).to_vec()
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [noisy, level] = *released else { return None };
        let error = self.error_upper(level, &Rational::ratio(1, 20));
        let most = choose(u64::from(self.nodes).saturating_sub(1), self.leaves);
        let cut = most.saturating_mul(u128::from(self.nodes)) > COUNT_MAX;
        let notes = cut.then(|| "counts above 2^90 would be cut off there".to_owned());
        Some(Answer { estimates: vec![counted(noisy, error, cut)], notes: notes.into_iter().collect() })
    }
}

/// The least `m ≥ leaves − 2` with at least `local` stars of one leaf less around a node of degree m.
fn level_of(local: u128, leaves: u32) -> u64 {
    let enough = |level: u64| choose(level, leaves - 1) >= local.min(COUNT_MAX);
    let least = u64::from(leaves) - 2;
    if enough(least) {
        return least;
    }
    // A node of degree 2x has at least twice as many stars as one of degree x, and x is below 2^32.
    let (mut below, mut level) = (least, 1 << 34);
    while level - below > 1 {
        let middle = below.midpoint(level);
        if enough(middle) { level = middle } else { below = middle }
    }
    level
}

/// Pairs of nodes as their numbers of ties outside the pair, the larger first: at most three, and each pair
/// of nodes is at most as large, in both numbers, as one of them. None when there are fewer than two nodes.
pub(crate) fn largest_pairs(graph: &Graph) -> Vec<(u64, u64)> {
    let mut order: Vec<u32> = (0..graph.nodes()).collect();
    order.sort_unstable_by_key(|node| std::cmp::Reverse(graph.degree(*node)));
    let [first, second, ..] = order[..] else { return Vec::new() };
    let (largest, next) = (graph.degree(first), graph.degree(second));
    if !graph.has_edge(first, second) {
        return vec![(largest.into(), next.into())];
    }
    let mut pairs = vec![(u64::from(largest) - 1, u64::from(next) - 1)];
    // The search for a node that is not tied passes no more nodes than there are ties.
    let free = |node: u32, others: &[u32]| {
        others.iter().copied().find(|other| *other != node && !graph.has_edge(node, *other))
    };
    let of_degree = |degree: u32| {
        let start = order.partition_point(|node| graph.degree(*node) > degree);
        &order[start..start + order[start..].partition_point(|node| graph.degree(*node) == degree)]
    };
    let partners = of_degree(largest).iter().filter_map(|node| free(*node, &order));
    let best = partners.map(|other| graph.degree(other)).max();
    pairs.extend(best.map(|degree| (u64::from(largest), u64::from(degree))));
    let equals = of_degree(next);
    if next < largest && equals.iter().any(|node| free(*node, equals).is_some()) {
        pairs.push((next.into(), next.into()));
    }
    pairs
}

#[cfg(test)]
mod tests;
