use super::*;
use crate::kernel::testing::{all_graphs, graph_of_bits};
use crate::kernel::{components, degrees, stars, triangles};

const QUERIES: [Query; 5] =
    [Query::Edges, Query::MaxDegree, Query::Triangles, Query::TwoStars, Query::Components];
const CHANGES: [Change; 3] = [Change::Tie, Change::Node, Change::Rewire];

fn value(query: Query, graph: &Graph) -> u128 {
    match query {
        Query::Edges => graph.edges().into(),
        Query::MaxDegree => degrees::max(graph).into(),
        Query::Triangles => triangles::count(graph).into(),
        Query::TwoStars => stars::count(graph, 2),
        Query::Components => components::count(graph).into(),
    }
}

/// A graph over some of five possible nodes: which of them, and a bit for each pair of the five.
#[derive(Clone, Copy)]
struct Sub {
    nodes: u32,
    ties: u32,
}

/// The pairs of five nodes, by bit; with these, the pairs of the first four come first.
fn pair_bits() -> impl Iterator<Item = (u32, (u32, u32))> {
    (0..5u32).flat_map(|v| (0..v).map(move |u| (u, v))).enumerate().map(|(bit, pair)| (bit as u32, pair))
}

/// All ties between nodes of a set.
fn ties_within(nodes: u32) -> u32 {
    pair_bits().filter(|(_, (u, v))| nodes >> u & nodes >> v & 1 == 1).map(|(bit, _)| 1 << bit).sum()
}

/// Every graph over every set of the first `most` nodes.
fn all_subs(most: u32) -> Vec<Sub> {
    let mut found = Vec::new();
    for nodes in 0..1 << most {
        let within = ties_within(nodes);
        found.extend((0..1 << 10).filter(|ties| ties & !within == 0).map(|ties| Sub { nodes, ties }));
    }
    found
}

impl Sub {
    fn graph(self) -> Graph {
        let labels: Vec<u32> = (0..5).filter(|node| self.nodes >> node & 1 == 1).collect();
        let place = |node: u32| labels.iter().position(|label| *label == node).unwrap() as u32;
        let ties = pair_bits().filter(|(bit, _)| self.ties >> bit & 1 == 1);
        Graph::from_pairs(labels.len() as u32, ties.map(|(_, (u, v))| (place(u), place(v))))
    }

    /// How many changes lead from one graph to the other through all graphs; none when no number does.
    fn distance(self, other: Self, change: Change) -> Option<u32> {
        let apart = self.ties ^ other.ties;
        match change {
            Change::Tie => (self.nodes == other.nodes).then_some(apart.count_ones()),
            // Some nodes are touched, and the others must not differ.
            Change::Rewire => {
                let untouched = (0..32u32).filter(|rest| ties_within(*rest) & apart == 0);
                let touched = untouched.map(|rest| (self.nodes & !rest).count_ones()).min();
                touched.filter(|_| self.nodes == other.nodes)
            }
            // Some nodes stay, with the same ties between them; the others of the first go, those of the
            // second come.
            Change::Node => {
                let stays = (0..32u32).filter(|rest| {
                    rest & !(self.nodes & other.nodes) == 0 && ties_within(*rest) & apart == 0
                });
                let moved =
                    |rest: u32| (self.nodes & !rest).count_ones() + (other.nodes & !rest).count_ones();
                stays.map(moved).min()
            }
        }
    }
}

/// Specification: over all graphs with at most five nodes, the local sensitivity is the largest move to a
/// neighbour. For nodes that come, the graph has at most four.
#[test]
fn local_sensitivities_are_the_largest_moves_to_neighbours() {
    let subs = all_subs(5);
    let values: Vec<[u128; 5]> =
        subs.iter().map(|sub| QUERIES.map(|query| value(query, &sub.graph()))).collect();
    let first = |count: u32| move |sub: &Sub| sub.nodes == (1 << count) - 1;
    for count in 0..=5 {
        // The names of nodes do not matter, so graphs over the first few stand for all.
        for (place, sub) in subs.iter().enumerate().filter(|(_, sub)| first(count)(sub)) {
            for change in CHANGES {
                if change == Change::Node && count == 5 {
                    continue;
                }
                let mut largest = [0; 5];
                for (other, other_values) in subs.iter().zip(&values) {
                    // Quick refusals before the distance is computed.
                    let nodes_apart = (sub.nodes ^ other.nodes).count_ones();
                    if nodes_apart != u32::from(change == Change::Node) {
                        continue;
                    }
                    if sub.distance(*other, change) == Some(1) {
                        for (most, (one, another)) in
                            largest.iter_mut().zip(values[place].iter().zip(other_values))
                        {
                            *most = one.abs_diff(*another).max(*most);
                        }
                    }
                }
                for (query, most) in QUERIES.into_iter().zip(largest) {
                    let ours = local(query, change, &sub.graph());
                    assert_eq!(ours, most, "{query:?} {change:?} {:b} {:b}", sub.nodes, sub.ties);
                }
            }
        }
    }
}

/// Specification: global sensitivities are the largest local ones of their size, up to five nodes; a node
/// that comes makes at most N.
#[test]
fn global_sensitivities_are_the_largest_local_ones() {
    for query in QUERIES {
        for nodes in 0..=5 {
            for change in [Change::Tie, Change::Rewire] {
                let most = all_graphs(nodes).map(|small| local(query, change, &small.graph())).max();
                assert_eq!(Some(global(query, change, nodes)), most, "{query:?} {change:?} {nodes}");
            }
            let fewer = (0..nodes).flat_map(all_graphs).map(|small| small.graph());
            let most = fewer.map(|graph| local(query, Change::Node, &graph)).max().unwrap_or(0);
            assert_eq!(global(query, Change::Node, nodes), most, "{query:?} {nodes}");
        }
    }
}

/// Specification: for all pairs of graphs with degrees up to d over at most five nodes, values differ by at
/// most the restricted sensitivity times the distance through all graphs, and somewhere by that.
#[test]
fn restricted_sensitivities_hold_for_all_pairs() {
    let subs = all_subs(5);
    let largest_degree: Vec<u32> = subs.iter().map(|sub| degrees::max(&sub.graph())).collect();
    let values: Vec<[i64; 5]> =
        subs.iter().map(|sub| QUERIES.map(|query| value(query, &sub.graph()) as i64)).collect();
    let within: Vec<u32> = (0..32).map(ties_within).collect();
    for change in CHANGES {
        // The largest ratio of difference and distance for each bound of the degree, as a pair of whole
        // numbers.
        let mut worst = [[(0i64, 1i64); 5]; 5];
        for (one, sub) in subs.iter().enumerate() {
            for (two, other) in subs.iter().enumerate().take(one) {
                let apart = sub.ties ^ other.ties;
                let common = sub.nodes & other.nodes;
                let distance = match change {
                    Change::Node => (0..32usize)
                        .filter(|rest| *rest as u32 & !common == 0 && within[*rest] & apart == 0)
                        .map(|rest| {
                            (sub.nodes & !(rest as u32)).count_ones()
                                + (other.nodes & !(rest as u32)).count_ones()
                        })
                        .min(),
                    _ if sub.nodes != 31 || other.nodes != 31 => None,
                    Change::Tie => Some(apart.count_ones()),
                    Change::Rewire => (0..32usize)
                        .filter(|rest| within[*rest] & apart == 0)
                        .map(|rest| 5 - rest.count_ones())
                        .min(),
                };
                let Some(distance) = distance else { continue };
                let distance = i64::from(distance);
                for degree in largest_degree[one].max(largest_degree[two])..5 {
                    for (query, (over, under)) in worst[degree as usize].iter_mut().enumerate() {
                        let moved = (values[one][query] - values[two][query]).abs();
                        if moved * *under > *over * distance {
                            (*over, *under) = (moved, distance);
                        }
                    }
                }
            }
        }
        for degree in 0..5 {
            for (place, query) in QUERIES.into_iter().enumerate() {
                let (over, under) = worst[degree as usize][place];
                let claimed = restricted(query, change, degree) as i64;
                assert_eq!(over, claimed * under, "{query:?} {change:?} d = {degree}");
            }
        }
    }
}

#[test]
fn larger_graphs_have_their_sensitivities_too() {
    let star = Graph::from_pairs(1001, (1..1001).map(|leaf| (0, leaf)));
    assert_eq!(local(Query::Components, Change::Node, &star), 999);
    assert_eq!(local(Query::Components, Change::Rewire, &star), 1000);
    assert_eq!(local(Query::MaxDegree, Change::Node, &star), 1000);
    assert_eq!(local(Query::TwoStars, Change::Tie, &star), 999);
    assert_eq!(local(Query::Triangles, Change::Tie, &star), 1);
    for query in QUERIES {
        for change in CHANGES {
            assert!(local(query, change, &star) <= global(query, change, 1002));
        }
    }
    let ring = graph_of_bits(3, 0b111).graph();
    assert_eq!(local(Query::Components, Change::Tie, &ring), 0);
    assert_eq!(local(Query::MaxDegree, Change::Tie, &ring), 0);
}

#[test]
fn the_table_names_every_cell_once() {
    let table = table();
    assert_eq!(table.len(), QUERIES.len() * CHANGES.len());
    for query in QUERIES {
        for change in CHANGES {
            assert_eq!(table.iter().filter(|row| row.query == query && row.change == change).count(), 1);
        }
    }
    let text = rows_of_text(10, 4);
    assert_eq!(text[0], ["edges", "edge", "1", "1", "1"]);
    assert_eq!(
        text[7],
        ["triangles", "node, come or gone", "m", "C(N - 1, 2) = 36", "C(d, 2) = 6"].map(str::to_owned)
    );
    assert_eq!(text[13][3..], ["max(1, N - 2) = 8", "max(1, d - 1) = 3"]);
    // The head of this file shows the same formulas.
    let head =
        include_str!("../sensitivity.rs").replace('−', "-").replace("2·x_ij", "2 x_ij").replace("3·C", "3 C");
    for row in table {
        let cells = format!("| {} | {} | {} |", row.local, row.global, row.restricted);
        assert!(head.contains(&cells), "{cells}");
    }
}
