//! Nodes by falling degree.

use crate::Graph;
use crate::kernel::degrees;

/// The order of nodes by falling degree, ties by position: rank 0 has the most ties.
pub(super) struct Ranks {
    /// The node at each rank.
    pub(super) order: Vec<u32>,
    /// The rank of each node.
    pub(super) rank: Vec<u32>,
    /// The degree at each rank.
    pub(super) degrees: Vec<u32>,
}

impl Ranks {
    pub(super) fn new(graph: &Graph) -> Self {
        // Where the nodes of each degree begin: after all nodes of larger degree.
        let mut starts = degrees::at_least(graph);
        starts.push(0);
        starts.remove(0);
        let mut order = vec![0; graph.nodes() as usize];
        let mut rank = vec![0; graph.nodes() as usize];
        for node in 0..graph.nodes() {
            let place = &mut starts[graph.degree(node) as usize];
            order[*place as usize] = node;
            rank[node as usize] = *place as u32;
            *place += 1;
        }
        let degrees = order.iter().map(|node| graph.degree(*node)).collect();
        Self { order, rank, degrees }
    }
}
