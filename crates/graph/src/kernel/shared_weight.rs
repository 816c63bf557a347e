//! The largest weight that two nodes share: the sum over their common neighbours of a weight for each degree.
//!
//! **Method.** A pair shares at most what either node has in all. Nodes are ordered by what they have,
//! falling, and the first few are compared with everybody; after that only nodes count that have more than
//! the best pair so far, and the paths of length two between them are followed with a dense counter.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use super::work;
use crate::Graph;

/// So many nodes are compared with everybody for a first bound.
const FIRST: usize = 16;

/// The largest shared weight over all pairs of nodes, adjacent or not; zero when no pair has a common
/// neighbour. Sums must fit 64 bits.
pub fn max(graph: &Graph, weight_of_degree: impl Fn(u32) -> u64 + Sync) -> u64 {
    let weights: Vec<u64> = (0..graph.nodes()).map(|node| weight_of_degree(graph.degree(node))).collect();
    let all = |node: u32| graph.neighbours(node).iter().map(|middle| weights[*middle as usize]).sum::<u64>();
    let has: Vec<u64> = (0..graph.nodes()).map(all).collect();
    let mut order: Vec<u32> = (0..graph.nodes()).collect();
    order.sort_unstable_by_key(|node| Reverse(has[*node as usize]));
    let best = AtomicU64::new(0);
    let everybody = |middle: u32| graph.neighbours(middle);
    let mut space = Space::new(graph.nodes());
    for node in order.iter().take(FIRST) {
        let shared = space.largest(graph, &weights, *node, everybody, |other| other != *node);
        best.fetch_max(shared, Ordering::Relaxed);
    }
    // Who has no more than the best pair cannot be part of a better one.
    let first_bound = best.load(Ordering::Relaxed);
    order.truncate(order.partition_point(|node| has[*node as usize] > first_bound));
    let mut rank = vec![u32::MAX; graph.nodes() as usize];
    order.iter().zip(0..).for_each(|(node, place)| rank[*node as usize] = place);
    // Each node's neighbours among the candidates.
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes() as usize];
    for node in &order {
        graph.neighbours(*node).iter().for_each(|middle| rows[*middle as usize].push(*node));
    }
    let candidates = |middle: u32| rows[middle as usize].as_slice();
    work::in_order(
        order.len() as u32,
        work::is_small(graph),
        || Space::new(graph.nodes()),
        |space, place| {
            let node = order[place as usize];
            if has[node as usize] <= best.load(Ordering::Relaxed) {
                return false;
            }
            let shared =
                space.largest(graph, &weights, node, candidates, |other| rank[other as usize] > place);
            best.fetch_max(shared, Ordering::Relaxed);
            true
        },
    );
    best.into_inner()
}

/// A number for each node, zero between uses.
struct Space {
    shared: Vec<u64>,
    touched: Vec<u32>,
}

impl Space {
    fn new(nodes: u32) -> Self {
        Self { shared: vec![0; nodes as usize], touched: Vec::new() }
    }

    /// The most that this node shares with one of the ends of its paths that count.
    fn largest<'a>(
        &mut self,
        graph: &Graph,
        weights: &[u64],
        node: u32,
        ends: impl Fn(u32) -> &'a [u32],
        counts: impl Fn(u32) -> bool,
    ) -> u64 {
        for middle in graph.neighbours(node) {
            let weight = weights[*middle as usize];
            if weight == 0 {
                continue;
            }
            for end in ends(*middle).iter().filter(|end| counts(**end)) {
                let shared = &mut self.shared[*end as usize];
                if *shared == 0 {
                    self.touched.push(*end);
                }
                *shared += weight;
            }
        }
        let shared = &mut self.shared;
        self.touched.drain(..).map(|end| std::mem::take(&mut shared[end as usize])).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::kernel::testing::{all_graphs, graph_of_bits};

    fn by_brute_force(graph: &Graph, weight: impl Fn(u32) -> u64) -> u64 {
        let pairs = (0..graph.nodes()).flat_map(|u| (0..u).map(move |v| (u, v)));
        let shared = pairs.map(|(u, v)| {
            let common = graph.neighbours(u).iter().filter(|w| graph.has_edge(v, **w));
            common.map(|w| weight(graph.degree(*w))).sum::<u64>()
        });
        shared.max().unwrap_or(0)
    }

    /// Specification: the result is the largest over all pairs, in all graphs with at most five nodes, random
    /// ones with ten, and random ones with 200 where most nodes are left out early.
    #[test]
    fn the_best_pair_is_found() {
        let mut words = seeded(1);
        let mut graphs: Vec<Graph> = (0..=5).flat_map(all_graphs).map(|small| small.graph()).collect();
        graphs.extend((0..200).map(|_| graph_of_bits(10, words() & words()).graph()));
        for skew in 0..6 {
            let mut pick = || (0..=skew).map(|_| words() % 200).min().unwrap_or(0) as u32;
            graphs.push(Graph::from_pairs(200, (0..600).map(|_| (pick(), pick())).collect::<Vec<_>>()));
        }
        for graph in &graphs {
            let falling = |degree: u32| 1000 / u64::from(degree * degree + 1);
            assert_eq!(max(graph, falling), by_brute_force(graph, falling));
            let two = |degree: u32| u64::from(degree == 2);
            assert_eq!(max(graph, two), by_brute_force(graph, two));
        }
    }
}
