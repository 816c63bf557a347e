//! Degrees: the largest, how many nodes have each, how many have at least each.

use crate::Graph;

/// The largest degree; zero without nodes.
pub fn max(graph: &Graph) -> u32 {
    (0..graph.nodes()).map(|node| graph.degree(node)).max().unwrap_or(0)
}

/// How many nodes have each degree, from zero to the largest; empty without nodes.
pub fn histogram(graph: &Graph) -> Vec<u64> {
    let mut counts = vec![0; if graph.nodes() == 0 { 0 } else { max(graph) as usize + 1 }];
    (0..graph.nodes()).for_each(|node| counts[graph.degree(node) as usize] += 1);
    counts
}

/// How many nodes have at least each degree, from zero to the largest.
pub fn at_least(graph: &Graph) -> Vec<u64> {
    let mut counts = histogram(graph);
    for degree in (1..counts.len()).rev() {
        counts[degree - 1] += counts[degree];
    }
    counts
}
