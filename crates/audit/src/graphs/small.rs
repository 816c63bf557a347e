//! Small graphs that mechanisms find hard, each with the change that hurts.

use std::sync::Arc;

use pointillist_graph::Graph;

use super::{Change, GraphPair};

/// How many nodes all graphs for edge privacy have: the list of nodes is public.
pub(crate) const NODES: u32 = 20;

/// So many who know nobody: more than the degree bounds that are tested first.
const STRANGERS: u32 = 60;

/// Pairs that differ in one tie.
pub(crate) fn edge_pairs() -> Vec<GraphPair> {
    let half = NODES / 2;
    let bridge = clique(0..half).chain(clique(half..NODES)).chain([(0, half)]);
    [
        ("two hubs who share everybody are tied", Change::TieComes(0, 1), two_hubs(NODES)),
        ("a first tie comes", Change::TieComes(0, 1), Vec::new()),
        ("a second tie comes beside the first", Change::TieComes(1, 2), vec![(0, 1)]),
        ("a tie of the hub of a star goes", Change::TieGoes(0, 1), star(0..NODES)),
        ("a tie of a clique goes", Change::TieGoes(0, 1), clique(0..NODES).collect()),
        ("the bridge of two cliques goes", Change::TieGoes(0, half), bridge.collect()),
        ("a tie of a random graph goes", Change::TieGoes(0, 1), random(NODES)),
    ]
    .map(|(name, change, ties)| GraphPair::new(name, &Arc::new(Graph::from_pairs(NODES, ties)), change))
    .to_vec()
}

/// Pairs that differ in one node with all its ties.
pub(crate) fn node_pairs() -> Vec<GraphPair> {
    let everybody = || (0..NODES).collect::<Vec<u32>>();
    let strangers = (0..STRANGERS).collect();
    let half = NODES / 2;
    // The middle one holds two cliques together.
    let bow = clique(0..half).chain(clique(half - 1..NODES));
    [
        ("somebody tied to all comes among strangers", STRANGERS, Change::NodeComes(strangers), Vec::new()),
        ("somebody comes to an empty world", 0, Change::NodeComes(Vec::new()), Vec::new()),
        ("somebody tied to all comes among fours", NODES, Change::NodeComes(everybody()), fours(NODES)),
        ("one of a clique goes", NODES, Change::NodeGoes(0), clique(0..NODES).collect()),
        ("the one who holds two cliques together goes", NODES, Change::NodeGoes(half - 1), bow.collect()),
        ("one of two hubs goes", NODES, Change::NodeGoes(0), two_hubs(NODES)),
        ("one of a random graph goes", NODES, Change::NodeGoes(0), random(NODES)),
    ]
    .map(|(name, nodes, change, ties)| {
        GraphPair::new(name, &Arc::new(Graph::from_pairs(nodes, ties)), change)
    })
    .to_vec()
}

/// Two nodes tied to everybody else, and not to each other: one tie more makes a triangle with everybody.
pub(crate) fn two_hubs(nodes: u32) -> Vec<(u32, u32)> {
    (2..nodes).flat_map(|leaf| [(0, leaf), (1, leaf)]).collect()
}

/// Cliques of four: everybody has three ties, and one newcomer gives everybody a fourth.
pub(crate) fn fours(nodes: u32) -> Vec<(u32, u32)> {
    (0..nodes / 4).flat_map(|four| clique(4 * four..4 * four + 4)).collect()
}

/// The first of these tied to all others.
pub(crate) fn star(mut nodes: std::ops::Range<u32>) -> Vec<(u32, u32)> {
    let hub = nodes.next();
    nodes.filter_map(|leaf| Some((hub?, leaf))).collect()
}

fn clique(nodes: std::ops::Range<u32>) -> impl Iterator<Item = (u32, u32)> {
    nodes.clone().flat_map(move |v| (nodes.start..v).map(move |u| (u, v)))
}

/// A graph with no pattern: each pair is tied with probability about 0.3, by a fixed mixing of its numbers. The first
/// two are tied.
fn random(nodes: u32) -> Vec<(u32, u32)> {
    let mixed =
        |u: u32, v: u32| (u64::from(u) << 32 | u64::from(v)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    clique(0..nodes).filter(|(u, v)| (*u, *v) == (0, 1) || mixed(*u, *v) % 10 < 3).collect()
}
