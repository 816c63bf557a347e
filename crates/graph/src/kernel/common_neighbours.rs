//! Common neighbours of pairs of nodes, adjacent or not.

use crate::Graph;

/// The largest number of common neighbours over all pairs of nodes, adjacent or not: the local sensitivity of the number
/// of triangles under edge privacy.
pub fn max(graph: &Graph) -> u32 {
    frontier(graph).iter().map(|(common, _)| *common).max().unwrap_or(0)
}

/// For every number `a` of common neighbours that some pair has, the largest number `b` of nodes outside the pair that
/// are tied to exactly one of the two, among pairs with `a`; sorted by `a`. Empty when there are fewer than two nodes.
pub fn frontier(graph: &Graph) -> Vec<(u32, u32)> {
    let mut best = std::collections::BTreeMap::new();
    for i in 0..graph.nodes() {
        for j in i + 1..graph.nodes() {
            let common = graph.neighbours(i).iter().filter(|k| graph.has_edge(j, **k)).count() as u32;
            let tied = 2 * u32::from(graph.has_edge(i, j));
            let one = graph.degree(i) + graph.degree(j) - 2 * common - tied;
            let entry = best.entry(common).or_insert(one);
            *entry = one.max(*entry);
        }
    }
    best.into_iter().collect()
}
