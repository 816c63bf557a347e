//! Connected components.

use crate::Graph;

/// How many pieces the graph falls into, isolated nodes included.
///
/// Trees of nodes are joined along ties. First every node is joined to its first two neighbours; in most graphs nearly
/// all nodes are then in one tree. A tie inside that tree joins nothing, so nodes of that tree skip their other ties: a
/// tie that leaves the tree has another end outside, and is followed from there.
pub fn count(graph: &Graph) -> u32 {
    let mut forest = Forest { parents: (0..graph.nodes()).collect(), trees: graph.nodes() };
    for node in 0..graph.nodes() {
        graph.neighbours(node).iter().take(FIRST).for_each(|other| forest.join(node, *other));
    }
    // A guess at the largest tree; any guess is right, a bad one is slow.
    let Some(hub) = (0..graph.nodes()).max_by_key(|node| graph.degree(*node)) else { return 0 };
    for node in 0..graph.nodes() {
        let row = graph.neighbours(node);
        if row.len() > FIRST && forest.root(node) != forest.root(hub) {
            row[FIRST..].iter().for_each(|other| forest.join(node, *other));
        }
    }
    forest.trees
}

/// How many ties of every node are followed at first.
const FIRST: usize = 2;

/// Trees of nodes, each known by its root.
struct Forest {
    parents: Vec<u32>,
    trees: u32,
}

impl Forest {
    /// The root of a node's tree. The way there is halved for the next time.
    fn root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let parent = self.parents[node as usize];
            let grandparent = self.parents[parent as usize];
            self.parents[node as usize] = grandparent;
            node = grandparent;
        }
        node
    }

    /// Makes one tree of two. Roots of larger number hang below those of smaller number.
    fn join(&mut self, u: u32, v: u32) {
        let (u, v) = (self.root(u), self.root(v));
        if u != v {
            self.parents[u.max(v) as usize] = u.min(v);
            self.trees -= 1;
        }
    }
}
