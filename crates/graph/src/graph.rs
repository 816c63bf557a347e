//! A simple undirected graph in memory: no loops, no repeated ties, no directions.
//!
//! **Guarantee.** What is dropped or merged is decided pair by pair: whether `{u, v}` is a tie of the graph depends on
//! the records between u and v alone. So one tie stays one unit of edge privacy, and one person with all their ties one
//! unit of node privacy, however many records there are.
//! **Labels.** Every node carries a label of 128 bits that follows from its id in the file alone, never from other
//! nodes, from degrees or from the order of lines. Mechanisms that need a fixed order of pairs take it from labels: that
//! order stays the same when a node comes or goes, while positions do not.
//! **Layout.** Rows of neighbours, sorted, one after the other: four bytes a direction, eight bytes a tie.

mod rows;

/// A simple undirected graph whose nodes are `0 .. nodes`.
#[derive(Clone, PartialEq, Eq)]
pub struct Graph {
    /// Where each node's neighbours begin; one more than there are nodes.
    offsets: Vec<u64>,
    /// All rows of neighbours, each sorted.
    neighbours: Vec<u32>,
    labels: Vec<u128>,
}

impl Graph {
    /// The graph of these pairs over the nodes `0 .. nodes`, each labelled by its position. Loops are dropped, repeated
    /// and reversed pairs merged.
    ///
    /// # Panics
    /// When a pair names a node that is not there.
    pub fn from_pairs(nodes: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self::with_labels((0..u128::from(nodes)).collect(), pairs)
    }

    /// The same with a label for every node, all different.
    ///
    /// # Panics
    /// When a pair names a node that has no label, or there are 2^32 labels or more.
    pub fn with_labels(labels: Vec<u128>, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self::from_pieces(labels, vec![pairs.into_iter().collect()])
    }

    /// The same from pairs in pieces, as several threads make them: ten million pairs take about a second.
    ///
    /// # Panics
    /// As [`Graph::with_labels`].
    pub fn from_pieces(labels: Vec<u128>, pieces: Vec<Vec<(u32, u32)>>) -> Self {
        let nodes = u32::try_from(labels.len()).expect("a graph has fewer than 2^32 nodes");
        let (offsets, neighbours) = rows::from_pieces(nodes, pieces);
        Self { offsets, neighbours, labels }
    }

    /// How many nodes there are.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.labels.len() as u32
    }

    /// How many ties there are.
    #[inline]
    pub fn edges(&self) -> u64 {
        self.neighbours.len() as u64 / 2
    }

    /// How many ties a node has.
    #[inline]
    pub fn degree(&self, node: u32) -> u32 {
        (self.offsets[node as usize + 1] - self.offsets[node as usize]) as u32
    }

    /// The nodes tied to this one, in rising order.
    #[inline]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }

    /// Whether two nodes are tied.
    pub fn has_edge(&self, u: u32, v: u32) -> bool {
        self.neighbours(u).binary_search(&v).is_ok()
    }

    /// The label of a node.
    #[inline]
    pub fn label(&self, node: u32) -> u128 {
        self.labels[node as usize]
    }

    /// Every tie once, as `(u, v)` with `u < v`, in rising order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.nodes()).flat_map(move |u| {
            let row = self.neighbours(u);
            row[row.partition_point(|v| *v <= u)..].iter().map(move |v| (u, *v))
        })
    }
}

/// What is in a graph is private, and stays out of logs.
impl std::fmt::Debug for Graph {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Graph").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_dropped_and_repeated_pairs_merged() {
        let graph = Graph::from_pairs(4, [(2, 1), (1, 2), (1, 2), (3, 3), (0, 2)]);
        assert_eq!((graph.nodes(), graph.edges()), (4, 2));
        assert_eq!(graph.pairs().collect::<Vec<_>>(), [(0, 2), (1, 2)]);
        assert_eq!(graph.neighbours(2), [0, 1]);
        assert_eq!(graph.degree(3), 0);
        assert!(graph.has_edge(1, 2) && graph.has_edge(2, 1) && !graph.has_edge(0, 1));
        assert_eq!(Graph::from_pairs(0, []).edges(), 0);
        assert_eq!(format!("{graph:?}"), "Graph { .. }");
    }
}
