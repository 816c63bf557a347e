//! By how much one tie or one node can move a statistic: the table of the lecture on graphs of "Applied Privacy for Data
//! Science" (Harvard CS 208, 2022).
//!
//! Three kinds of change: a tie comes or goes; a node comes or goes with all its ties; a node's ties are
//! rewired. Three numbers for each: the *local* sensitivity is the largest move from a given graph, the
//! *global* one the largest from any graph of a size, and the *restricted* one the largest between graphs of
//! bounded degree, relative to their distance.
//!
//! n: nodes, m: ties, N: the most nodes there can be, d: the bound of the degrees; of a graph `d_v`: degree,
//! `d_min` and `d_max` its extremes, `a_ij`: common neighbours, `t_v`: triangles through a node, `c`:
//! components, `p_v`: pieces that the component of v falls into without it, `x_ij`: one for a tie and zero
//! otherwise.
//!
//! | statistic | change | local | global | restricted to degrees up to d |
//! | --- | --- | --- | --- | --- |
//! | ties | tie | 1 | 1 | 1 |
//! | ties | node | n | N − 1 | d |
//! | ties | rewire | max(n − 1 − d_min, d_max) | n − 1 | d |
//! | largest degree | tie | 1; 0 if three nodes have degree n − 1 | 1 | 1 |
//! | largest degree | node | max(n − d_max, its fall when a node goes) | N − 1 | d |
//! | largest degree | rewire | max(n − 1 − d_max, its fall when a node goes) | n − 1 | d |
//! | triangles | tie | max a_ij over all pairs | n − 2 | d − 1 |
//! | triangles | node | m | C(N − 1, 2) | C(d, 2) |
//! | triangles | rewire | max over v of t_v and m − d_v − t_v | C(n − 1, 2) | C(d, 2) |
//! | 2-stars | tie | max d_i + d_j − 2·x_ij over all pairs | 2(n − 2) | 2(d − 1) |
//! | 2-stars | node | 2m + C(n, 2) | 3·C(N − 1, 2) | 3·C(d, 2) |
//! | 2-stars | rewire | max over v of gain and loss | 3·C(n − 1, 2) | 3·C(d, 2) |
//! | components | tie | 1; 0 if connected without a bridge | 1 | 1 |
//! | components | node | max(1, c − 1, p_v − 1) | max(1, N − 2) | max(1, d − 1) |
//! | components | rewire | max(c − 1, p_v) | n − 1 | d |
//!
//! 2-stars that a rewired node v loses with all its ties: `C(d_v, 2) + Σ (d_u − 1)` over its neighbours; and
//! gains when it is tied to all: `C(n − 1, 2) − C(d_v, 2) + Σ d_u` over the others. The local column of
//! "node" assumes that a node may still come. Every cell is compared with brute force below, for all graphs
//! with at most five nodes: all neighbours for the local ones, all graphs for the global ones, all pairs of
//! graphs of bounded degree for the restricted ones.
//!
//! **Restricted sensitivity** is `max |q(G) − q(G')|/distance(G, G')` over graphs of bounded degree, the
//! distance taken through all graphs (Blocki, Blum, Datta, Sheffet 2013). Between graphs of bounded degree
//! there is a shortest way that stays among them: first everything goes in which they differ, then the rest
//! comes, and taking away raises no degree. So one step decides. It is a promise about graphs that are as
//! they are said to be, never a guarantee: a mechanism has to be private for all others too.
//!
//! **Not private.** Local sensitivities tell of the graph: none may leave without a mechanism.

mod global;
mod local;
mod restricted;

use std::fmt;

use crate::{Graph, Statistic};

/// A statistic of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// How many ties there are.
    Edges,
    /// The largest number of ties of a node.
    MaxDegree,
    /// Three nodes tied to each other.
    Triangles,
    /// A node and two of its neighbours.
    TwoStars,
    /// How many pieces the graph falls into.
    Components,
}

/// What happens between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// A tie comes or goes; the nodes stay.
    Tie,
    /// A node comes or goes, with any ties.
    Node,
    /// One node's ties become any others; the nodes stay.
    Rewire,
}

/// One statistic under one kind of change: three formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The statistic.
    pub query: Query,
    /// The change.
    pub change: Change,
    /// The largest move from a given graph.
    pub local: &'static str,
    /// The largest move from any graph with n nodes, or with N nodes at most.
    pub global: &'static str,
    /// The largest move between graphs whose degrees are at most d.
    pub restricted: &'static str,
}

/// By how much one change can move the statistic of this graph. Not private.
pub fn local(query: Query, change: Change, graph: &Graph) -> u128 {
    local::sensitivity(query, change, graph)
}

/// By how much one change can move the statistic of any graph with this many nodes; where nodes come and go,
/// with at most this many.
pub fn global(query: Query, change: Change, nodes: u32) -> u128 {
    global::sensitivity(query, change, u128::from(nodes))
}

/// By how much one change can move the statistic between graphs whose degrees are at most this.
pub fn restricted(query: Query, change: Change, degree: u32) -> u128 {
    restricted::sensitivity(query, change, u128::from(degree))
}

/// The whole table.
pub fn table() -> Vec<Row> {
    use Change::{Node, Rewire, Tie};
    use Query::{Components, Edges, MaxDegree, Triangles, TwoStars};
    let row = |(query, change, local, global, restricted)| Row { query, change, local, global, restricted };
    [
        (Edges, Tie, "1", "1", "1"),
        (Edges, Node, "n", "N - 1", "d"),
        (Edges, Rewire, "max(n - 1 - d_min, d_max)", "n - 1", "d"),
        (MaxDegree, Tie, "1; 0 if three nodes have degree n - 1", "1", "1"),
        (MaxDegree, Node, "max(n - d_max, its fall when a node goes)", "N - 1", "d"),
        (MaxDegree, Rewire, "max(n - 1 - d_max, its fall when a node goes)", "n - 1", "d"),
        (Triangles, Tie, "max a_ij over all pairs", "n - 2", "d - 1"),
        (Triangles, Node, "m", "C(N - 1, 2)", "C(d, 2)"),
        (Triangles, Rewire, "max over v of t_v and m - d_v - t_v", "C(n - 1, 2)", "C(d, 2)"),
        (TwoStars, Tie, "max d_i + d_j - 2 x_ij over all pairs", "2(n - 2)", "2(d - 1)"),
        (TwoStars, Node, "2m + C(n, 2)", "3 C(N - 1, 2)", "3 C(d, 2)"),
        (TwoStars, Rewire, "max over v of gain and loss", "3 C(n - 1, 2)", "3 C(d, 2)"),
        (Components, Tie, "1; 0 if connected without a bridge", "1", "1"),
        (Components, Node, "max(1, c - 1, p_v - 1)", "max(1, N - 2)", "max(1, d - 1)"),
        (Components, Rewire, "max(c - 1, p_v)", "n - 1", "d"),
    ]
    .map(row)
    .to_vec()
}

/// The table as text, with numbers for graphs of a size and degrees up to a bound: statistic, change, local
/// formula, global formula and number, restricted formula and number.
pub fn rows_of_text(nodes: u32, degree: u32) -> Vec<[String; 5]> {
    let with_number = |formula: &str, number: u128| {
        if formula == number.to_string() { formula.to_owned() } else { format!("{formula} = {number}") }
    };
    let text = |row: Row| {
        [
            row.query.to_string(),
            row.change.to_string(),
            row.local.to_owned(),
            with_number(row.global, global(row.query, row.change, nodes)),
            with_number(row.restricted, restricted(row.query, row.change, degree)),
        ]
    };
    table().into_iter().map(text).collect()
}

impl Query {
    /// The same statistic in the words of questions.
    pub fn statistic(self) -> Statistic {
        match self {
            Self::Edges => Statistic::Edges,
            Self::MaxDegree => Statistic::MaxDegree,
            Self::Triangles => Statistic::Triangles,
            Self::TwoStars => Statistic::Stars(2),
            Self::Components => Statistic::Components,
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statistic().fmt(out)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Tie => "edge",
            Self::Node => "node, come or gone",
            Self::Rewire => "node, rewired",
        })
    }
}

/// `C(x, 2)`.
fn pairs_of(x: u128) -> u128 {
    x * x.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests;
