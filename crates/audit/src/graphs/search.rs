//! Which changes of a given graph are likely to show: the extreme ones of every kind.
//!
//! Whoever audits holds the graph; the names say which kind of tie or person it was, not which one.

use std::sync::Arc;

use pointillist_graph::kernel::{cuts, triangles};
use pointillist_graph::{Graph, Privacy};

use super::{Change, GraphPair};

/// Ties are looked at one by one in graphs with at most this many, and at the ends with the most ties in others.
const TIES_LOOKED_AT: u64 = 1 << 17;
/// So many nodes with the most ties are looked at.
const HUBS: usize = 16;
/// So many ties are tried before the search for a bridge ends.
const BRIDGES_TRIED: usize = 256;

/// The graph and its neighbours that are worth trying.
pub fn graph_pairs(graph: Graph, privacy: Privacy) -> Vec<GraphPair> {
    let graph = Arc::new(graph);
    let changes = match privacy {
        Privacy::Edge => ties(&graph),
        Privacy::Node => nodes(&graph),
    };
    let mut pairs: Vec<GraphPair> = Vec::new();
    for (name, change) in changes {
        if pairs.iter().all(|pair| pair.change != change) {
            pairs.push(GraphPair::new(name, &graph, change));
        }
    }
    pairs
}

fn ties(graph: &Graph) -> Vec<(&'static str, Change)> {
    let hubs = by_degree(graph);
    let hubs = &hubs[..hubs.len().min(HUBS)];
    let all = graph.edges() <= TIES_LOOKED_AT;
    let looked_at = || graph.pairs().filter(move |(u, v)| all || hubs.contains(u) || hubs.contains(v));
    let gone = |tie: Option<(u32, u32)>| tie.map(|(u, v)| Change::TieGoes(u, v));
    let come = |tie: Option<(u32, u32)>| tie.map(|(u, v)| Change::TieComes(u, v));
    let degrees = |tie: &(u32, u32)| u64::from(graph.degree(tie.0)) + u64::from(graph.degree(tie.1));
    let apart = |u: u32, v: u32| (u != v && !graph.has_edge(u, v)).then_some((u, v));
    let untied_hubs = || {
        let pairs = hubs.iter().enumerate().flat_map(|(place, u)| hubs[..place].iter().map(|v| (*u, *v)));
        pairs.filter_map(|(u, v)| apart(u, v)).max_by_key(degrees)
    };
    let mut lonely = (0..graph.nodes()).filter(|node| graph.degree(*node) == 0);
    let changes = [
        ("the tie in the most triangles goes", gone(looked_at().max_by_key(|(u, v)| common(graph, *u, *v)))),
        ("a tie comes where most neighbours are common", come(most_in_common(graph, hubs))),
        ("the tie of those with the most ties goes", gone(looked_at().max_by_key(degrees))),
        ("those with the most ties are tied", come(untied_hubs())),
        ("a bridge goes", gone(bridge(graph))),
        ("the tie of those with the fewest ties goes", gone(looked_at().min_by_key(degrees))),
        ("two who had no tie are tied", come(lonely.next().zip(lonely.next()))),
    ];
    changes.into_iter().filter_map(|(name, change)| Some((name, change?))).collect()
}

fn nodes(graph: &Graph) -> Vec<(&'static str, Change)> {
    let hubs = by_degree(graph);
    let of_degree = |degree: u32| (0..graph.nodes()).find(|node| graph.degree(*node) == degree);
    let (inside, cuts) = (triangles::per_node(graph), cuts::find(graph).pieces);
    let most = |of: &dyn Fn(usize) -> u64| {
        (0..graph.nodes()).max_by_key(|node| of(*node as usize)).filter(|node| of(*node as usize) > 0)
    };
    let gone = |node: Option<u32>| node.map(Change::NodeGoes);
    let half = hubs[..hubs.len() / 2].to_vec();
    let changes = [
        ("somebody comes who is tied to everybody", Some(Change::NodeComes((0..graph.nodes()).collect()))),
        ("the one with the most ties goes", gone(hubs.first().copied())),
        ("the one in the most triangles goes", gone(most(&|node| inside[node]))),
        (
            "the one who holds most pieces together goes",
            gone(most(&|node| u64::from(cuts[node]).saturating_sub(1))),
        ),
        ("somebody with a single tie goes", gone(of_degree(1))),
        ("somebody without ties goes", gone(of_degree(0))),
        ("somebody comes who is tied to the half with the most ties", Some(Change::NodeComes(half))),
        ("somebody comes who is tied to nobody", Some(Change::NodeComes(Vec::new()))),
    ];
    changes.into_iter().filter_map(|(name, change)| Some((name, change?))).collect()
}

/// All nodes, those with the most ties first.
fn by_degree(graph: &Graph) -> Vec<u32> {
    let mut nodes: Vec<u32> = (0..graph.nodes()).collect();
    nodes.sort_by_key(|node| std::cmp::Reverse(graph.degree(*node)));
    nodes
}

/// How many neighbours two nodes have in common.
fn common(graph: &Graph, u: u32, v: u32) -> usize {
    let [few, many] = if graph.degree(u) < graph.degree(v) { [u, v] } else { [v, u] };
    graph.neighbours(few).iter().filter(|node| graph.has_edge(many, **node)).count()
}

/// The pair without a tie that shares the most neighbours, one of the two among the nodes with the most ties.
fn most_in_common(graph: &Graph, hubs: &[u32]) -> Option<(u32, u32)> {
    let mut best = None;
    for hub in hubs {
        let mut shared = vec![0u32; graph.nodes() as usize];
        for friend in graph.neighbours(*hub) {
            graph.neighbours(*friend).iter().for_each(|other| shared[*other as usize] += 1);
        }
        let others = (0..graph.nodes()).filter(|other| other != hub && !graph.has_edge(*hub, *other));
        best = best.max(others.map(|other| (shared[other as usize], *hub, other)).max());
    }
    best.filter(|(shared, ..)| *shared > 0).map(|(_, hub, other)| (hub, other))
}

/// A tie whose loss takes its component apart, preferably one between two that have other ties.
fn bridge(graph: &Graph) -> Option<(u32, u32)> {
    let lone = |tie: &(u32, u32)| graph.degree(tie.0) == 1 || graph.degree(tie.1) == 1;
    let inner = graph.pairs().filter(|tie| !lone(tie) && common(graph, tie.0, tie.1) == 0);
    inner.take(BRIDGES_TRIED).find(|tie| !is_round_about(graph, *tie)).or_else(|| graph.pairs().find(lone))
}

/// Whether there is another way between the ends of a tie.
fn is_round_about(graph: &Graph, (from, to): (u32, u32)) -> bool {
    let mut seen = vec![false; graph.nodes() as usize];
    seen[from as usize] = true;
    let mut way = vec![from];
    while let Some(node) = way.pop() {
        for next in graph.neighbours(node) {
            if (node, *next) == (from, to) {
                continue;
            }
            if *next == to {
                return true;
            }
            if !std::mem::replace(&mut seen[*next as usize], true) {
                way.push(*next);
            }
        }
    }
    false
}
