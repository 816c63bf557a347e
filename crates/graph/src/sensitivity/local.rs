//! The largest move from a given graph. Not private.

use super::{Change, Query, pairs_of};
use crate::Graph;
use crate::edge::stars::largest_pairs;
use crate::kernel::{common_neighbours, components, cuts, degrees, triangles};

pub(super) fn sensitivity(query: Query, change: Change, graph: &Graph) -> u128 {
    let nodes = u128::from(graph.nodes());
    let ties = u128::from(graph.edges());
    let others = nodes.saturating_sub(1);
    let largest = u128::from(degrees::max(graph));
    match (query, change) {
        (Query::Edges, Change::Tie) => others.min(1),
        // A new node is tied to all. A node that goes has fewer ties.
        (Query::Edges, Change::Node) => nodes,
        (Query::Edges, Change::Rewire) => over_nodes(graph, |node| {
            let degree = u128::from(graph.degree(node));
            degree.max(others - degree)
        }),
        // A tie more at a largest node, or the tie of the only one or two that are tied to all.
        (Query::MaxDegree, Change::Tie) => {
            let full = over_all(graph).filter(|node| u128::from(graph.degree(*node)) == others).count();
            u128::from(nodes >= 2 && full < 3)
        }
        (Query::MaxDegree, Change::Node) => (nodes - largest).max(largest - least_without_a_node(graph)),
        (Query::MaxDegree, Change::Rewire) => (others - largest).max(largest - least_without_a_node(graph)),
        (Query::Triangles, Change::Tie) => common_neighbours::max(graph).into(),
        // A new node tied to all makes a triangle of every tie. A node that goes takes at most as many.
        (Query::Triangles, Change::Node) => ties,
        (Query::Triangles, Change::Rewire) => {
            let through = triangles::per_node(graph);
            over_nodes(graph, |node| {
                let [own, degree] = [through[node as usize], graph.degree(node).into()].map(u128::from);
                own.max(ties - degree - own)
            })
        }
        (Query::TwoStars, Change::Tie) => {
            let pairs = largest_pairs(graph).into_iter();
            pairs.map(|(one, other)| u128::from(one) + u128::from(other)).max().unwrap_or(0)
        }
        // A new node tied to all: pairs of its ties, and each tie of the others with the new one. A node that
        // goes has fewer.
        (Query::TwoStars, Change::Node) => 2 * ties + pairs_of(nodes),
        (Query::TwoStars, Change::Rewire) => over_nodes(graph, |node| {
            let degree = u128::from(graph.degree(node));
            let around: u128 =
                graph.neighbours(node).iter().map(|other| u128::from(graph.degree(*other))).sum();
            let loss = pairs_of(degree) + around - degree;
            let gain = pairs_of(others) - pairs_of(degree) + (2 * ties - degree - around);
            loss.max(gain)
        }),
        (Query::Components, Change::Tie) => {
            let falls_apart = components::count(graph) > 1 || cuts::find(graph).bridge;
            u128::from(falls_apart)
        }
        // A node comes alone, or joins all components, or goes and leaves its pieces.
        (Query::Components, Change::Node) => {
            let pieces = u128::from(cuts::find(graph).pieces.into_iter().max().unwrap_or(0));
            let all = u128::from(components::count(graph));
            pieces.saturating_sub(1).max(all.saturating_sub(1)).max(1)
        }
        // A node lets go of its pieces and becomes one more, or joins all components.
        (Query::Components, Change::Rewire) => {
            let pieces = u128::from(cuts::find(graph).pieces.into_iter().max().unwrap_or(0));
            pieces.max(u128::from(components::count(graph)).saturating_sub(1))
        }
    }
}

/// The least that the largest degree can be after one node went; the largest degree itself without nodes.
fn least_without_a_node(graph: &Graph) -> u128 {
    let mut order: Vec<u32> = over_all(graph).collect();
    order.sort_unstable_by_key(|node| std::cmp::Reverse(graph.degree(*node)));
    let without = |gone: u32| {
        // Who is not tied keeps the degree; who is tied loses one. The first who is not tied decides with the
        // first.
        let mut others = order.iter().filter(|node| **node != gone);
        let first = others
            .clone()
            .next()
            .map_or(0, |node| graph.degree(*node) - u32::from(graph.has_edge(gone, *node)));
        let free = others.find(|node| !graph.has_edge(gone, **node)).map_or(0, |node| graph.degree(*node));
        u128::from(first.max(free))
    };
    over_all(graph).map(without).min().unwrap_or(0)
}

fn over_all(graph: &Graph) -> impl Iterator<Item = u32> {
    0..graph.nodes()
}

fn over_nodes(graph: &Graph, moved: impl Fn(u32) -> u128) -> u128 {
    over_all(graph).map(moved).max().unwrap_or(0)
}
