//! Where a graph falls apart: bridges, and the pieces that a node leaves behind.
//!
//! **Method.** One walk in depth. A node's *reach* is the earliest node, by the order of the walk, that can
//! be reached from it by going down the tree and then one tie up. A child whose reach is not before its
//! parent is cut off when the parent goes, and when its reach is after the parent, the tie between them is a
//! bridge. Tarjan (1972). O(n + m).

use crate::Graph;

/// What the graph falls into when one node or one tie goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// For every node the number of pieces that its component falls into without it; zero for nodes without
    /// ties.
    pub pieces: Vec<u32>,
    /// Whether there is a tie whose loss takes its component apart.
    pub bridge: bool,
}

/// Finds all cuts.
pub fn find(graph: &Graph) -> Cuts {
    const UNSEEN: u32 = u32::MAX;
    let nodes = graph.nodes() as usize;
    let mut cuts = Cuts { pieces: vec![0; nodes], bridge: false };
    let mut order = vec![UNSEEN; nodes];
    let mut reach = vec![0; nodes];
    // A node on the way down, its parent, and how many of its ties were followed.
    let mut way: Vec<(u32, u32, usize)> = Vec::new();
    let mut next = 0;
    for start in 0..graph.nodes() {
        if order[start as usize] != UNSEEN {
            continue;
        }
        way.push((start, UNSEEN, 0));
        while let Some((node, parent, followed)) = way.last_mut() {
            let (node, parent) = (*node, *parent);
            let place = node as usize;
            if *followed == 0 {
                (order[place], reach[place]) = (next, next);
                next += 1;
            }
            if let Some(other) = graph.neighbours(node).get(*followed) {
                *followed += 1;
                if order[*other as usize] == UNSEEN {
                    way.push((*other, node, 0));
                } else if *other != parent {
                    reach[place] = reach[place].min(order[*other as usize]);
                }
                continue;
            }
            way.pop();
            if parent == UNSEEN {
                continue;
            }
            // What is above a node other than the start is one piece.
            cuts.pieces[place] += 1;
            let above = parent as usize;
            reach[above] = reach[above].min(reach[place]);
            cuts.pieces[above] += u32::from(reach[place] >= order[above]);
            cuts.bridge |= reach[place] > order[above];
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::components;
    use crate::kernel::testing::all_graphs;

    /// Specification: over all graphs with at most six nodes, pieces are what appears without the node, and a
    /// bridge is a tie without which there is one component more.
    #[test]
    fn cuts_are_those_of_brute_force() {
        for small in (0..=6).flat_map(all_graphs) {
            let graph = small.graph();
            let (cuts, all) = (find(&graph), components::count(&graph));
            for (without, pieces) in small.without_a_node().zip(&cuts.pieces) {
                assert_eq!(components::count(&without.graph()) + 1 - all, *pieces, "{small:?}");
            }
            let mut fewer =
                small.edge_neighbours().map(|next| next.graph()).filter(|g| g.edges() < graph.edges());
            assert_eq!(fewer.any(|next| components::count(&next) > all), cuts.bridge, "{small:?}");
        }
    }

    /// A long path would break a walk that calls itself.
    #[test]
    fn long_paths_are_walked() {
        let cuts = find(&Graph::from_pairs(300_000, (1..300_000).map(|node| (node - 1, node))));
        assert!(cuts.bridge);
        assert_eq!((cuts.pieces[0], cuts.pieces[7], cuts.pieces[299_999]), (1, 2, 1));
    }
}
