//! Triangles: how many, through which nodes, and which.

use crate::Graph;

/// How many triangles there are.
pub fn count(graph: &Graph) -> u64 {
    list(graph).len() as u64
}

/// How many triangles pass through each node.
pub fn per_node(graph: &Graph) -> Vec<u64> {
    let mut counts = vec![0; graph.nodes() as usize];
    for triangle in list(graph) {
        triangle.iter().for_each(|node| counts[*node as usize] += 1);
    }
    counts
}

/// Every triangle once, its nodes in rising order, the list in rising order.
pub fn list(graph: &Graph) -> Vec<[u32; 3]> {
    let mut found = Vec::new();
    for (u, v) in graph.pairs() {
        let later = |node: &&u32| **node > v;
        let row = graph.neighbours(u).iter().filter(later);
        found.extend(row.filter(|w| graph.has_edge(v, **w)).map(|w| [u, v, *w]));
    }
    found
}
