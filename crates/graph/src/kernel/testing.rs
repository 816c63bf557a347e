//! Every small graph and its neighbours, for brute force in tests.

use crate::Graph;

/// A graph with at most eleven nodes, one bit for each pair. Nodes carry labels, so that a graph without one of its
/// nodes keeps the labels of the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SmallGraph {
    labels: Vec<u128>,
    ties: u64,
}

/// Every graph with exactly this many nodes, labelled by their positions.
pub(crate) fn all_graphs(nodes: u32) -> impl Iterator<Item = SmallGraph> {
    let pairs = nodes * nodes.saturating_sub(1) / 2;
    (0..1u64 << pairs).map(move |ties| SmallGraph { labels: (0..u128::from(nodes)).collect(), ties })
}

/// A graph whose ties are the low bits of a number.
pub(crate) fn graph_of_bits(nodes: u32, bits: u64) -> SmallGraph {
    let pairs = nodes * nodes.saturating_sub(1) / 2;
    SmallGraph { labels: (0..u128::from(nodes)).collect(), ties: bits & ((1 << pairs) - 1) }
}

impl SmallGraph {
    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> u32 {
        self.labels.len() as u32
    }

    /// The graph itself.
    pub(crate) fn graph(&self) -> Graph {
        let ties = pairs(self.nodes()).enumerate().filter(|(bit, _)| self.ties >> bit & 1 == 1);
        Graph::with_labels(self.labels.clone(), ties.map(|(_, pair)| pair))
    }

    /// All graphs over the same nodes with one tie more or less.
    pub(crate) fn edge_neighbours(&self) -> impl Iterator<Item = SmallGraph> + '_ {
        (0..pairs(self.nodes()).count())
            .map(|bit| SmallGraph { labels: self.labels.clone(), ties: self.ties ^ 1 << bit })
    }

    /// All graphs with one node less. With every graph in turn these are all pairs of node neighbours.
    pub(crate) fn without_a_node(&self) -> impl Iterator<Item = SmallGraph> + '_ {
        (0..self.nodes()).map(|gone| {
            let labels = self.labels.iter().enumerate().filter(|(node, _)| *node != gone as usize);
            let mut ties = 0;
            let mut next = 0;
            for (bit, (u, v)) in pairs(self.nodes()).enumerate() {
                if u != gone && v != gone {
                    ties |= (self.ties >> bit & 1) << next;
                    next += 1;
                }
            }
            SmallGraph { labels: labels.map(|(_, label)| *label).collect(), ties }
        })
    }
}

/// All pairs of nodes in a fixed order.
fn pairs(nodes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v)))
}

#[test]
fn small_graphs_and_their_neighbours_are_counted_right() {
    assert_eq!(all_graphs(0).count(), 1);
    assert_eq!(all_graphs(4).count(), 64);
    let path = graph_of_bits(3, 0b101);
    assert_eq!(path.graph().pairs().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!(path.edge_neighbours().count(), 3);
    let without: Vec<Graph> = path.without_a_node().map(|small| small.graph()).collect();
    assert_eq!(without.iter().map(Graph::edges).collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!(without[0].label(0), 1);
}
