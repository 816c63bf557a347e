//! The largest move from any graph of a size. Where a node comes, the graph is best empty, complete, or a
//! star without its centre before; the worst graphs are named at each line.

use super::{Change, Query, pairs_of};

pub(super) fn sensitivity(query: Query, change: Change, nodes: u128) -> u128 {
    let others = nodes.saturating_sub(1);
    match (query, change) {
        // Any pair.
        (Query::Edges | Query::MaxDegree | Query::Components, Change::Tie) => others.min(1),
        // A node without ties that is tied to all.
        (Query::Edges | Query::MaxDegree, Change::Node | Change::Rewire) => others,
        // Two nodes of a complete graph.
        (Query::Triangles, Change::Tie) => nodes.saturating_sub(2),
        (Query::TwoStars, Change::Tie) => 2 * nodes.saturating_sub(2),
        // A node of a complete graph.
        (Query::Triangles, Change::Node | Change::Rewire) => pairs_of(others),
        (Query::TwoStars, Change::Node | Change::Rewire) => 3 * pairs_of(others),
        // The centre of a star; rewired, it becomes a component itself.
        (Query::Components, Change::Node) => others.saturating_sub(1).max(nodes.min(1)),
        (Query::Components, Change::Rewire) => others,
    }
}
