//! The projection to bounded degree that one tie or one node moves little.
//!
//! **Guarantee.** [`BoundedProjection::ties`] keeps a tie `uv` when it is among the first D ties of u and
//! among the first D ties of v, counted in the whole graph, in the public order of pairs. Every kept degree
//! is at most D, and a graph whose degrees are at most D is kept whole. One tie more or less moves at most 3
//! kept ties. One node w more, with all its ties, adds at most `min(D, degree of w)` kept ties, all of them
//! at w, and takes away at most as many as w has neighbours with more than D ties.
//! **Neighbours.** Both: one tie, or one node with all its ties.
//! **Source.** Blocki, Blum, Datta, Sheffet (2013), arXiv:1208.4586. **Proof.** Let `first(u)` be the first D
//! ties of u. A new tie at u comes somewhere into the list of u; the order of the others does not change, so
//! `first(u)` loses nothing or, if the tie comes into it and u now has more than D ties, its last one. A tie
//! is kept when it is in the lists of both ends. *One tie uv more:* it may itself be kept; only the lists of
//! u and v change, and each loses at most one tie: 3 in all. *One node w more:* the list of every neighbour u
//! of w gets one tie, uw, and loses at most one, and that only if u now has more than D ties; no other list
//! changes. So kept ties between old nodes can only be lost, one for each such u, and the new kept ties are
//! ties of w, at most D of them. ∎ The counters run over all ties, kept or not: if they ran over kept ties,
//! one node could push its change through the whole graph.
//! **Exactness.** Integers. All bounds at once: a tie is kept from the D on that is the larger of its two
//! places, so one sort serves every D.
//! **Not covered.** How many nodes have more than D ties is not bounded here: see `safety_test.rs`.

use crate::Graph;
use crate::node::pair_order;

/// Every tie of a graph with the least D at which it is kept.
pub struct BoundedProjection<'a> {
    graph: &'a Graph,
    ties: Vec<Tie>,
}

struct Tie {
    u: u32,
    v: u32,
    /// The later of the tie's places, counted from one, in the lists of its two ends.
    kept_from: u32,
}

impl<'a> BoundedProjection<'a> {
    /// Sorts the ties once.
    pub fn new(graph: &'a Graph) -> Self {
        let hash = |u, v| {
            let (a, b) = (graph.label(u), graph.label(v));
            pair_order::spread(a.min(b), a.max(b))
        };
        let mut order: Vec<(u64, u32, u32)> = graph.pairs().map(|(u, v)| (hash(u, v), u, v)).collect();
        order.sort_unstable_by(|(hash_a, u_a, v_a), (hash_b, u_b, v_b)| {
            // Labels decide between equal hashes; positions never do, they change when a node comes or goes.
            let labels = |u: u32, v: u32| pair_order::key(graph.label(u), graph.label(v));
            hash_a.cmp(hash_b).then_with(|| labels(*u_a, *v_a).cmp(&labels(*u_b, *v_b)))
        });
        let mut seen = vec![0u32; graph.nodes() as usize];
        let mut place = |node: u32| {
            seen[node as usize] += 1;
            seen[node as usize]
        };
        let ties = order.into_iter().map(|(_, u, v)| Tie { u, v, kept_from: place(u).max(place(v)) });
        Self { graph, ties: ties.collect() }
    }

    /// The ties that are kept at this bound.
    pub fn ties(&self, bound: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.ties.iter().filter(move |tie| tie.kept_from <= bound).map(|tie| (tie.u, tie.v))
    }

    /// The graph of the kept ties over all the nodes.
    pub fn graph(&self, bound: u32) -> Graph {
        let labels = (0..self.graph.nodes()).map(|node| self.graph.label(node)).collect();
        Graph::with_labels(labels, self.ties(bound))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pointillist_noise::BitSource;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::kernel::degrees;
    use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

    /// The kept ties by their labels, straight from the definition.
    fn kept(graph: &Graph, bound: u32) -> BTreeSet<(u128, u128)> {
        let first = |u: u32| -> BTreeSet<(u64, u128, u128)> {
            let row = graph.neighbours(u).iter().map(|v| pair_order::key(graph.label(u), graph.label(*v)));
            let mut row: Vec<_> = row.collect();
            row.sort();
            row.into_iter().take(bound as usize).collect()
        };
        let both = |(u, v)| first(u).intersection(&first(v)).next().map(|(_, low, high)| (*low, *high));
        graph.pairs().filter_map(both).collect()
    }

    fn projected(graph: &Graph, bound: u32) -> BTreeSet<(u128, u128)> {
        let label = |(u, v)| {
            let (a, b) = (graph.label(u), graph.label(v));
            (a.min(b), a.max(b))
        };
        BoundedProjection::new(graph).ties(bound).map(label).collect()
    }

    fn some_graphs() -> impl Iterator<Item = SmallGraph> {
        let mut bits = seeded(1);
        let random = (6..=10).flat_map(move |nodes| {
            let drawn: Vec<u64> =
                (0..40).map(|k| if k % 2 == 0 { bits.word() } else { bits.word() & bits.word() }).collect();
            drawn.into_iter().map(move |ties| graph_of_bits(nodes, ties))
        });
        (0..=5).flat_map(all_graphs).chain(random)
    }

    #[test]
    fn kept_ties_are_those_of_the_definition() {
        for graph in some_graphs() {
            let graph = graph.graph();
            for bound in 0..=graph.nodes() {
                assert_eq!(projected(&graph, bound), kept(&graph, bound));
                let projected = BoundedProjection::new(&graph).graph(bound);
                assert!(degrees::max(&projected) <= bound);
                assert!(degrees::max(&graph) > bound || projected == graph);
            }
        }
    }

    /// Specification: for all graphs with at most five nodes and random ones with up to ten, one tie moves at
    /// most three kept ties, and three somewhere.
    #[test]
    fn one_tie_moves_at_most_three_kept_ties() {
        let mut largest = 0;
        for graph in some_graphs() {
            for bound in 1..=3 {
                let before = projected(&graph.graph(), bound);
                for next in graph.edge_neighbours() {
                    let after = projected(&next.graph(), bound);
                    largest = largest.max(before.symmetric_difference(&after).count());
                }
            }
        }
        assert_eq!(largest, 3);
    }

    /// Specification: one node w more adds at most D kept ties, all at w, and takes away at most as many as
    /// there are other nodes that then have more than D ties; both bounds are reached together.
    #[test]
    fn one_node_moves_kept_ties_within_the_bound() {
        let mut reached = BTreeSet::new();
        for graph in some_graphs() {
            let with = graph.graph();
            for (gone, without) in graph.without_a_node().enumerate() {
                let without = without.graph();
                for bound in 1..=4 {
                    let (before, after) = (projected(&without, bound), projected(&with, bound));
                    let new: Vec<_> = after.difference(&before).collect();
                    let label = with.label(gone as u32);
                    assert!(new.iter().all(|(a, b)| *a == label || *b == label));
                    let crowded = |u: &&u32| with.degree(**u) > bound;
                    let crowd = with.neighbours(gone as u32).iter().filter(crowded).count();
                    let lost = before.difference(&after).count();
                    assert!(new.len() <= bound as usize && lost <= crowd);
                    if new.len() == bound as usize && lost == crowd && crowd > 0 {
                        reached.insert(bound);
                    }
                }
            }
        }
        assert_eq!(reached.len(), 4, "{reached:?}");
    }
}
