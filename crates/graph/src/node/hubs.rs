//! How many nodes stand out above a threshold, in a way that one node moves by at most one.
//!
//! **Definition.** `R_θ` is the largest k such that k nodes have at least `θ + k` ties each.
//! **Guarantee.** When a node comes, `R_θ` does not fall and rises by at most one.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** Degrees do not fall when a node w comes, so k nodes with `θ + k` ties stay such nodes. Now let
//! k nodes have at least `θ + k` ties with w there. At least k − 1 of them are not w, and each of these loses
//! at most one tie when w goes: k − 1 nodes with at least `θ + (k − 1)` ties remain.
//! **Use.** The plain count of nodes above θ has no such bound: one node tied to all can lift any number of
//! nodes above θ. Where few nodes are far above θ, both are the same. `R_θ` is close to the number of nodes
//! that would have to go for none to be above θ.

use crate::Graph;
use crate::kernel::degrees;

/// The largest k such that k nodes have at least `θ + k` ties, for each of several thresholds θ.
pub fn indices(graph: &Graph, thresholds: &[u64]) -> Vec<u64> {
    let at_least = degrees::at_least(graph);
    thresholds.iter().map(|threshold| index(&at_least, *threshold)).collect()
}

/// `at_least[d]` nodes have at least d ties.
fn index(at_least: &[u64], threshold: u64) -> u64 {
    let nodes_from = |degree: u64| {
        usize::try_from(degree).ok().and_then(|degree| at_least.get(degree)).copied().unwrap_or(0)
    };
    let last = (at_least.len() as u64).saturating_sub(threshold);
    // The condition holds for every k up to the index and for none beyond: fewer nodes have more ties.
    let (mut yes, mut no) = (0, last + 1);
    while no - yes > 1 {
        let middle = (yes + no) / 2;
        if nodes_from(threshold + middle) >= middle { yes = middle } else { no = middle }
    }
    yes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{all_graphs, graph_of_bits};

    fn by_definition(graph: &Graph, threshold: u64) -> u64 {
        let nodes_from =
            |degree: u64| (0..graph.nodes()).filter(move |v| u64::from(graph.degree(*v)) >= degree);
        (0..=u64::from(graph.nodes())).rfind(|k| nodes_from(threshold + k).count() as u64 >= *k).unwrap_or(0)
    }

    /// Specification: over all graphs with at most five nodes and many with eight, for every threshold, an
    /// index is as defined, does not fall when a node comes, and rises by at most one; it does both, stay and
    /// rise.
    #[test]
    fn a_node_raises_an_index_by_one_or_not_at_all() {
        let thresholds: Vec<u64> = (0..9).collect();
        let random =
            (0..2_000u64).map(|seed| graph_of_bits(8, seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20));
        let mut moves = [0u64; 2];
        for with in (0..=5).flat_map(all_graphs).chain(random) {
            let after = indices(&with.graph(), &thresholds);
            for (threshold, index) in thresholds.iter().zip(&after) {
                assert_eq!(*index, by_definition(&with.graph(), *threshold));
            }
            for without in with.without_a_node() {
                for (before, after) in indices(&without.graph(), &thresholds).iter().zip(&after) {
                    assert!((*before..=before + 1).contains(after), "{with:?} {without:?}");
                    moves[(after - before) as usize] += 1;
                }
            }
        }
        assert!(moves[0] > 0 && moves[1] > 0);
    }

    /// Specification: a star has one node that stands out, however high the threshold below its degree, and a
    /// node tied to all of many others lifts them all above a threshold without moving the index by more than
    /// one.
    #[test]
    fn hubs_are_counted_and_crowds_are_not() {
        let star = Graph::from_pairs(101, (1..101).map(|leaf| (0, leaf)));
        assert_eq!(indices(&star, &[0, 1, 50, 99, 100, u64::MAX]), [1, 1, 1, 1, 0, 0]);
        let cycle = (0..100).map(|v| (v, (v + 1) % 100));
        let wheel = Graph::from_pairs(101, cycle.clone().chain((0..100).map(|v| (v, 100))));
        assert_eq!(indices(&Graph::from_pairs(100, cycle), &[2]), [0]);
        assert_eq!(indices(&wheel, &[2]), [1]);
    }
}
