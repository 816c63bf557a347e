//! Copies of a pattern in a graph: triangles, 4-cliques, rectangles.
//!
//! A copy is the set of nodes it needs. Two copies may need the same nodes: four nodes that are all tied to
//! each other form one 4-clique and three rectangles. A rectangle is a ring of four ties; ties across it do
//! not matter.
//!
//! **Nodes come and go.** When a node goes, the copies that need it go and no others change. This is all that
//! [`packing`](super::packing) asks of a pattern.
//! **Memory.** Every copy is listed: four bytes for each of its nodes. The number of copies is private and
//! not bounded, so a host that could run out of memory would say something about the graph by failing.

use crate::Graph;
use crate::kernel::triangles;

/// The copies of one pattern in a graph.
#[derive(Clone, PartialEq, Eq)]
pub struct Copies {
    nodes: u32,
    arity: usize,
    /// The nodes of the first copy, of the second, …
    members: Vec<u32>,
}

impl Copies {
    /// Three nodes tied to each other.
    pub fn triangles(graph: &Graph) -> Self {
        Self { nodes: graph.nodes(), arity: 3, members: triangles::list(graph).into_flattened() }
    }

    /// Four nodes tied to each other.
    pub fn four_cliques(graph: &Graph) -> Self {
        let later = Later::of(graph);
        let mut members = Vec::new();
        let (mut pair, mut triple) = (Vec::new(), Vec::new());
        for u in 0..graph.nodes() {
            for v in later.row(u) {
                common(later.row(u), later.row(*v), &mut pair);
                for w in &pair {
                    common(&pair, later.row(*w), &mut triple);
                    triple.iter().for_each(|x| members.extend([u, *v, *w, *x]));
                }
            }
        }
        Self { nodes: graph.nodes(), arity: 4, members }
    }

    /// Four nodes tied in a ring. A ring is found from its corner with the most ties: the opposite corner and
    /// two of the neighbours that they share.
    pub fn rectangles(graph: &Graph) -> Self {
        let later = Later::of(graph);
        let mut members = Vec::new();
        let mut between: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes() as usize];
        let mut opposite: Vec<u32> = Vec::new();
        for corner in later.falling() {
            let earlier = |node: u32| later.rank[node as usize] < later.rank[corner as usize];
            for middle in graph.neighbours(corner).iter().copied().filter(|node| earlier(*node)) {
                for across in graph.neighbours(middle).iter().copied().filter(|node| earlier(*node)) {
                    if between[across as usize].is_empty() {
                        opposite.push(across);
                    }
                    between[across as usize].push(middle);
                }
            }
            for across in opposite.drain(..) {
                let shared = &mut between[across as usize];
                for (index, one) in shared.iter().enumerate() {
                    shared[..index].iter().for_each(|other| members.extend([corner, *one, across, *other]));
                }
                shared.clear();
            }
        }
        Self { nodes: graph.nodes(), arity: 4, members }
    }

    /// How many nodes the graph has.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How many nodes a copy needs.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// How many copies there are.
    pub fn count(&self) -> u64 {
        (self.members.len() / self.arity) as u64
    }

    /// The nodes of the first copy, of the second, …
    pub(super) fn members(&self) -> &[u32] {
        &self.members
    }
}

/// What is in a graph is private, and stays out of logs.
impl std::fmt::Debug for Copies {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Copies").field("arity", &self.arity).finish_non_exhaustive()
    }
}

/// Every tie once, from its end with fewer ties to the one with more: rows of at most `√(2m)` nodes.
struct Later {
    /// The position of each node when nodes are sorted by how many ties they have.
    rank: Vec<u32>,
    rows: Vec<Vec<u32>>,
}

impl Later {
    fn of(graph: &Graph) -> Self {
        let mut order: Vec<u32> = (0..graph.nodes()).collect();
        order.sort_by_key(|node| graph.degree(*node));
        let mut rank = vec![0; order.len()];
        for (position, node) in order.iter().enumerate() {
            rank[*node as usize] = position as u32;
        }
        let row = |node: u32| {
            let later = |other: &u32| rank[*other as usize] > rank[node as usize];
            graph.neighbours(node).iter().copied().filter(later).collect()
        };
        let rows = (0..graph.nodes()).map(row).collect();
        Self { rank, rows }
    }

    /// The neighbours of a node that have more ties, in rising order of their names.
    fn row(&self, node: u32) -> &[u32] {
        &self.rows[node as usize]
    }

    /// All nodes, those with the most ties first.
    fn falling(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.rank.len() as u32).collect();
        order.sort_unstable_by_key(|node| std::cmp::Reverse(self.rank[*node as usize]));
        order
    }
}

/// The nodes in two rising rows.
fn common(one: &[u32], other: &[u32], into: &mut Vec<u32>) {
    into.clear();
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            into.push(one[i]);
        }
        let (left, right) = (one[i], other[j]);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::all_graphs;

    /// All copies, each with its nodes in rising order, the list in rising order.
    fn sorted(copies: &Copies) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = copies.members.chunks(copies.arity).map(<[u32]>::to_vec).collect();
        all.iter_mut().for_each(|copy| copy.sort_unstable());
        all.sort_unstable();
        all
    }

    /// Specification: over all graphs with at most five nodes, every set of nodes is listed as often as it
    /// carries the pattern.
    #[test]
    fn every_copy_is_listed_once() {
        for small in (0..=5).flat_map(all_graphs) {
            let graph = small.graph();
            let tied = |nodes: &[u32], i: usize, j: usize| graph.has_edge(nodes[i], nodes[j]);
            let (mut triangles, mut cliques, mut rectangles) = (Vec::new(), Vec::new(), Vec::new());
            for bits in 0u32..1 << graph.nodes() {
                let set: Vec<u32> = (0..graph.nodes()).filter(|node| bits >> node & 1 == 1).collect();
                let ring = |order: [usize; 4]| (0..4).all(|i| tied(&set, order[i], order[(i + 1) % 4]));
                let all_tied = || (0..set.len()).all(|i| (0..i).all(|j| tied(&set, i, j)));
                if set.len() == 3 && all_tied() {
                    triangles.push(set.clone());
                }
                if set.len() == 4 && all_tied() {
                    cliques.push(set.clone());
                }
                if set.len() == 4 {
                    let rings = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3]].into_iter().filter(|r| ring(*r));
                    rectangles.extend(rings.map(|_| set.clone()));
                }
            }
            triangles.sort_unstable();
            cliques.sort_unstable();
            rectangles.sort_unstable();
            assert_eq!(sorted(&Copies::triangles(&graph)), triangles);
            assert_eq!(sorted(&Copies::four_cliques(&graph)), cliques);
            assert_eq!(sorted(&Copies::rectangles(&graph)), rectangles);
        }
    }

    #[test]
    fn four_tied_nodes_are_one_clique_and_three_rectangles() {
        let graph = Graph::from_pairs(4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(Copies::triangles(&graph).count(), 4);
        assert_eq!(Copies::four_cliques(&graph).count(), 1);
        assert_eq!(Copies::rectangles(&graph).count(), 3);
        assert_eq!(format!("{:?}", Copies::triangles(&graph)), "Copies { arity: 3, .. }");
    }
}
