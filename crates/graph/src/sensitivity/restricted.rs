//! The largest move between graphs of bounded degree. One step decides, as the table's head says; the worst
//! graphs are complete graphs of d + 1 nodes and stars with d leaves.

use super::{Change, Query, pairs_of};

pub(super) fn sensitivity(query: Query, change: Change, degree: u128) -> u128 {
    match (query, change) {
        // Without ties there is nothing to add or remove.
        (Query::Edges | Query::MaxDegree | Query::Components, Change::Tie) => degree.min(1),
        (Query::Edges | Query::MaxDegree, Change::Node | Change::Rewire) => degree,
        // Each end has at most d − 1 other ties.
        (Query::Triangles, Change::Tie) => degree.saturating_sub(1),
        (Query::TwoStars, Change::Tie) => 2 * degree.saturating_sub(1),
        (Query::Triangles, Change::Node | Change::Rewire) => pairs_of(degree),
        // Pairs of own ties, and each of d neighbours with its d − 1 other ties.
        (Query::TwoStars, Change::Node | Change::Rewire) => 3 * pairs_of(degree),
        // A node joins d components to one, or is one itself; rewired, it can do both.
        (Query::Components, Change::Node) => degree.saturating_sub(1).max(1),
        (Query::Components, Change::Rewire) => degree,
    }
}
