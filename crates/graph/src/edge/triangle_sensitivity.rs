//! How much one tie can change the number of triangles, here and a few ties away.
//!
//! **Guarantee.** [`TriangleSensitivity::at`] is `LS_s`, the largest local sensitivity of the number of triangles over all
//! graphs that differ in at most s ties, exactly. So `LS_0 ≥ |T(G) − T(G')|`, `LS_s(G) ≤ LS_{s+1}(G')` and
//! `|LS_s(G) − LS_s(G')| ≤ 1` for all neighbours, `LS_s + 1 ≥ LS_{s+1} ≥ LS_s`, and none is above n − 2.
//! **Neighbours.** Graphs over the same n nodes that differ in one tie.
//! **Proof.** Let `a` be the number of common neighbours of i and j, and `b` the number of other nodes tied to exactly one
//! of them. A tie between i and j that comes or goes moves the count by a, and the pair may be adjacent or not: so
//! `LS_0 = max a` over *all* pairs. With s changes to spend on a pair, a node tied to one of the two becomes common for
//! one change, a node tied to none for two, and nothing else helps. The best is `min(s, b)` of the first kind, then
//! `⌊(s − min(s, b))/2⌋` of the second while there are any: `LS_s = max min(a + ⌊(s + min(s, b))/2⌋, n − 2)`, the formula
//! of Nissim, Raskhodnikova and Smith (2007). A ball of radius s around G lies within the ball of radius s + 1 around G',
//! which is the second claim. A tie between i and k is in the common neighbours of i and j only as the node k, so one tie
//! moves every a by at most one; and the graph that differs from G in the same ties as some H' from G' differs from H' in
//! one tie. That is the third claim. Each pair gains at most one from s to s + 1, the fourth.
//! **Exactness.** Integers throughout. For `b ≥ s` the formula is `a + s`, else `⌊(2a + b + s)/2⌋`: with the pairs sorted
//! by b, a largest a from above and a largest `2a + b` from below answer every s.
//! **Not covered.** None of these numbers is private.

use crate::Graph;
use crate::kernel::common_neighbours;

/// The local sensitivities of one graph at every distance. They are not private.
#[derive(Clone)]
pub struct TriangleSensitivity {
    /// For every b that matters, in rising order: b, the largest a among pairs with that b or more, and the largest
    /// `2a + b` among pairs with that b or less.
    steps: Vec<(u64, u64, u64)>,
    cap: u64,
}

/// The numbers are computed from data and stay out of logs.
impl std::fmt::Debug for TriangleSensitivity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("TriangleSensitivity").finish_non_exhaustive()
    }
}

/// The most that one tie can change the number of triangles of a graph with this many nodes: n − 2.
pub fn cap(nodes: u32) -> u64 {
    u64::from(nodes).saturating_sub(2)
}

impl TriangleSensitivity {
    /// The local sensitivities of a graph with this many nodes, which is public.
    pub fn of(graph: &Graph, nodes: u32) -> Self {
        Self::from_frontier(&common_neighbours::frontier(graph), cap(nodes))
    }

    fn from_frontier(frontier: &[(u32, u32)], cap: u64) -> Self {
        let mut steps: Vec<(u64, u64, u64)> =
            frontier.iter().map(|(a, b)| (u64::from(*b), u64::from(*a), u64::from(*a))).collect();
        steps.sort_unstable();
        let mut below = 0;
        for (b, _, sum) in &mut steps {
            below = below.max(2 * *sum + *b);
            *sum = below;
        }
        let mut above = 0;
        for (_, a, _) in steps.iter_mut().rev() {
            above = above.max(*a);
            *a = above;
        }
        Self { steps, cap }
    }

    /// `LS_s` at distance s.
    pub fn at(&self, distance: u64) -> u64 {
        let next = self.steps.partition_point(|(b, _, _)| *b < distance);
        let straight = self.steps.get(next).map(|(_, a, _)| a.saturating_add(distance));
        let bent = next.checked_sub(1).map(|last| self.steps[last].2.saturating_add(distance) / 2);
        straight.max(bent).unwrap_or(0).min(self.cap)
    }

    /// The local sensitivity itself: the largest number of common neighbours.
    pub fn local(&self) -> u64 {
        self.at(0)
    }

    /// The most any graph over these nodes has.
    pub fn cap(&self) -> u64 {
        self.cap
    }

    /// The least distance s with `LS_s > bound`; none when no graph over these nodes exceeds the bound.
    ///
    /// Between neighbours it moves by at most one: `LS_{s−1}(G') ≤ LS_s(G)`, so a graph with `LS_s ≤ bound` has only
    /// neighbours with `LS_{s−1} ≤ bound`. Whether there is one is public.
    pub fn distance_beyond(&self, bound: u64) -> Option<u64> {
        if bound >= self.cap {
            return None;
        }
        // Two changes make any node a common neighbour, so the cap is reached within twice as many.
        let (mut least, mut most) = (0, 2 * self.cap);
        while least < most {
            let middle = least.midpoint(most);
            if self.at(middle) > bound { most = middle } else { least = middle + 1 }
        }
        Some(least)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use pointillist_testkit::seeded;

    use super::*;
    use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};
    use crate::kernel::triangles;

    fn sensitivity(small: &SmallGraph) -> TriangleSensitivity {
        TriangleSensitivity::of(&small.graph(), small.nodes())
    }

    /// Specification: `LS_s` by its definition, for every graph with at most five nodes and every distance: the largest
    /// change that one tie makes, first here, then in all neighbours, then in all of theirs.
    #[test]
    fn local_sensitivities_are_what_their_definition_says() {
        for nodes in 0..=5 {
            let count = |small: &SmallGraph| triangles::count(&small.graph());
            let counts: HashMap<SmallGraph, u64> =
                all_graphs(nodes).map(|small| (small.clone(), count(&small))).collect();
            let most = |small: &SmallGraph, of: &dyn Fn(&SmallGraph) -> u64| {
                small.edge_neighbours().map(|next| of(&next)).max().unwrap_or(0)
            };
            let mut level: HashMap<SmallGraph, u64> = (counts.iter())
                .map(|(small, here)| (small.clone(), most(small, &|next| counts[next].abs_diff(*here))))
                .collect();
            for distance in 0..=11 {
                for (small, expected) in &level {
                    assert_eq!(sensitivity(small).at(distance), *expected, "{small:?} at {distance}");
                }
                let next = |small: &SmallGraph| level[small].max(most(small, &|other| level[other]));
                level = level.keys().map(|small| (small.clone(), next(small))).collect();
            }
        }
    }

    /// Specification: the properties that mechanisms rely on, over random graphs of up to ten nodes and all their
    /// neighbours, and each of them reached.
    #[test]
    fn neighbours_differ_as_little_as_claimed() {
        let mut words = seeded(1);
        let (mut moved, mut shifted) = (0, 0);
        for round in 0..60 {
            let nodes = 6 + round % 5;
            // Sparse, even and dense graphs.
            let bits = [words() & words(), words(), words() | words()][round as usize % 3];
            let small = graph_of_bits(nodes, bits);
            let (here, count) = (sensitivity(&small), triangles::count(&small.graph()));
            for other in small.edge_neighbours() {
                let there = sensitivity(&other);
                let change = triangles::count(&other.graph()).abs_diff(count);
                assert!(change <= here.at(0).min(there.at(0)));
                for s in 0..=2 * cap(nodes) + 1 {
                    assert!(here.at(s) <= there.at(s + 1) && there.at(s) <= here.at(s + 1), "{small:?}, {s}");
                    assert!(here.at(s).abs_diff(there.at(s)) <= 1, "{small:?}, {s}");
                    assert!(here.at(s) <= here.at(s + 1) && here.at(s + 1) <= here.at(s) + 1);
                    assert!(here.at(s) >= (here.at(0) + s / 2).min(cap(nodes)) && here.at(s) <= cap(nodes));
                    moved = moved.max(here.at(s).abs_diff(there.at(s)));
                }
                for bound in 0..cap(nodes) {
                    let [near, far] = [&here, &there].map(|of| of.distance_beyond(bound).unwrap());
                    assert!(near.abs_diff(far) <= 1);
                    assert!(here.at(near) > bound && (near == 0 || here.at(near - 1) <= bound));
                    shifted = shifted.max(near.abs_diff(far));
                }
                assert_eq!(here.distance_beyond(cap(nodes)), None);
            }
        }
        assert_eq!((moved, shifted), (1, 1), "both claims are reached");
    }

    /// Golden values: adjacency sets and the formula, computed elsewhere.
    #[test]
    fn known_graphs_have_their_known_sensitivities() {
        let at = |nodes: u32, pairs: &[(u32, u32)]| -> Vec<u64> {
            let found = TriangleSensitivity::of(&Graph::from_pairs(nodes, pairs.iter().copied()), nodes);
            (0..=10).map(|s| found.at(s)).collect()
        };
        let star: Vec<_> = (1..9).map(|leaf| (0, leaf)).collect();
        let path: Vec<_> = (0..6).map(|node| (node, node + 1)).collect();
        let complete: Vec<_> = (0..10).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
        let sides: Vec<_> = (0..3).flat_map(|u| (3..7).map(move |v| (u, v))).collect();
        assert_eq!(at(9, &star), [1, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7]);
        assert_eq!(at(7, &path), [1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5]);
        assert_eq!(at(10, &complete), [8; 11]);
        assert_eq!(at(7, &sides), [4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
        assert_eq!(at(6, &[]), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4]);
        assert_eq!(at(34, &crate::edge::known_graphs::KARATE), [10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 18]);
        assert_eq!(at(15, &crate::edge::known_graphs::FLORENTINE), [2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10]);
        assert_eq!(at(10, &crate::edge::known_graphs::PETERSEN), [1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 8]);
        assert_eq!(at(0, &[]), [0; 11]);
        assert_eq!(at(2, &[(0, 1)]), [0; 11]);
    }
}
