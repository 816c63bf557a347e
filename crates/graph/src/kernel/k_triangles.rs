//! k-triangles: a tie and k common neighbours of its ends.
//!
//! With `a(u, v)` the number of common neighbours of u and v, adjacent or not, there are `Σ C(a(u, v), k)`
//! k-triangles, over ties. The tie of a pair i, j brings or takes
//! `C(a(i, j), k) + Σ_l (C(a'(i, l), k−1) + C(a'(j, l), k−1))` of them, over the common neighbours l, where
//! `a'` leaves the third node of the triangle out.
//!
//! **Method.** Nodes are ordered by falling degree. First every tie's number of common neighbours, by walking
//! through all triangles from the node that comes last: O(m^1.5). Then all pairs i, j by paths i, l, j with a
//! dense counter. A pair brings at most `C(c, k) + 2c·C(A, k−1)`, where c is its smaller degree or the
//! largest number A of common neighbours: as rows are sorted by falling degree, a path's last step ends where
//! no pair can win any more.

use std::sync::atomic::{AtomicU32, Ordering};

use super::stars::choose;
use super::{common_neighbours, ranks::Ranks, work};
use crate::Graph;

/// What there is to know about the k-triangles of a graph; numbers end at the largest there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KTriangles {
    /// How many there are.
    pub count: u128,
    /// The largest number that the tie of one pair of nodes brings or takes.
    pub local: u128,
    /// The largest number of common neighbours over all pairs of nodes.
    pub common: u32,
}

/// Counts the k-triangles and finds the pair whose tie changes their number most, for `k ≥ 1`. With k = 1
/// every triangle counts three times, once for each of its ties.
pub fn survey(graph: &Graph, k: u32) -> KTriangles {
    let common = common_neighbours::max(graph);
    let ranked = Ranked::new(graph);
    let count = ranked.count(k);
    KTriangles { count, local: ranked.largest_move(k, common), common }
}

/// A graph with its nodes in the order of falling degree, and each tie's number of common neighbours.
struct Ranked {
    /// Where each row begins; one more than there are nodes.
    offsets: Vec<usize>,
    /// Where in each row the nodes after its own begin.
    later: Vec<usize>,
    rows: Vec<u32>,
    /// For each entry of the rows.
    common: Vec<u32>,
    /// Too small for threads.
    small: bool,
}

impl Ranked {
    fn new(graph: &Graph) -> Self {
        let Ranks { order, rank, .. } = Ranks::new(graph);
        let mut offsets = vec![0];
        let mut later = Vec::with_capacity(order.len());
        let mut rows: Vec<u32> = Vec::with_capacity(2 * graph.edges() as usize);
        for (node, place) in order.iter().zip(0..) {
            let start = rows.len();
            rows.extend(graph.neighbours(*node).iter().map(|other| rank[*other as usize]));
            rows[start..].sort_unstable();
            later.push(start + rows[start..].partition_point(|other| *other < place));
            offsets.push(rows.len());
        }
        let mut ranked = Self { offsets, later, common: Vec::new(), rows, small: work::is_small(graph) };
        ranked.common = ranked.common_neighbours();
        ranked
    }

    fn nodes(&self) -> u32 {
        self.later.len() as u32
    }

    /// The entries of a row that come before its own node.
    fn earlier(&self, node: u32) -> std::ops::Range<usize> {
        self.offsets[node as usize]..self.later[node as usize]
    }

    fn row(&self, node: u32) -> std::ops::Range<usize> {
        self.offsets[node as usize]..self.offsets[node as usize + 1]
    }

    fn degree(&self, node: u32) -> u32 {
        self.row(node).len() as u32
    }

    fn common_neighbours(&self) -> Vec<u32> {
        let common: Vec<AtomicU32> = self.rows.iter().map(|_| AtomicU32::new(0)).collect();
        let add = |entry: usize| {
            common[entry].fetch_add(1, Ordering::Relaxed);
        };
        // A node's entry in the row of the last node, or none.
        let none = usize::MAX;
        work::in_order(
            self.nodes(),
            self.small,
            || vec![none; self.nodes() as usize],
            |entry_of, last| {
                self.earlier(last).for_each(|entry| entry_of[self.rows[entry] as usize] = entry);
                for middle in self.earlier(last) {
                    for first in self.earlier(self.rows[middle]) {
                        let closing = entry_of[self.rows[first] as usize];
                        if closing != none {
                            [middle, first, closing].into_iter().for_each(add);
                        }
                    }
                }
                self.earlier(last).for_each(|entry| entry_of[self.rows[entry] as usize] = none);
                true
            },
        );
        let mut common: Vec<u32> = common.into_iter().map(AtomicU32::into_inner).collect();
        // The same tie in the other row: rows are sorted, so its entries come up in order.
        let mut next = self.later.clone();
        for node in 0..self.nodes() {
            for entry in self.earlier(node) {
                let other = &mut next[self.rows[entry] as usize];
                common[*other] = common[entry];
                *other += 1;
            }
        }
        common
    }

    fn count(&self, k: u32) -> u128 {
        let ties = (0..self.nodes()).flat_map(|node| self.earlier(node));
        ties.map(|entry| choose(u64::from(self.common[entry]), k)).fold(0, u128::saturating_add)
    }

    fn largest_move(&self, k: u32, common: u32) -> u128 {
        let search = Search::new(self, k, common);
        let spaces = work::in_order(
            self.nodes(),
            self.small,
            || Space::new(self.nodes()),
            |space, node| search.from(node, space),
        );
        spaces.iter().map(|space| space.largest).max().unwrap_or(0)
    }
}

/// The search for the pair that moves the count most.
struct Search<'a> {
    ranked: &'a Ranked,
    k: u32,
    /// `C(a, k − 1)` for every number a of common neighbours.
    others: Vec<u128>,
    /// No pair with a node of a smaller degree can win.
    degree_least: AtomicU32,
}

/// The largest move seen by one thread, and numbers for each node, all zero between uses.
struct Space {
    largest: u128,
    common: Vec<u32>,
    moved: Vec<u128>,
    tied: Vec<bool>,
    touched: Vec<u32>,
}

impl Space {
    fn new(nodes: u32) -> Self {
        let (common, moved) = (vec![0; nodes as usize], vec![0; nodes as usize]);
        Self { largest: 0, common, moved, tied: vec![false; nodes as usize], touched: Vec::new() }
    }
}

impl<'a> Search<'a> {
    fn new(ranked: &'a Ranked, k: u32, common: u32) -> Self {
        let others = (0..=u64::from(common)).map(|number| choose(number, k - 1)).collect();
        Self { ranked, k, others, degree_least: AtomicU32::new(1) }
    }

    /// Looks at all pairs of this node and a later one that can be the largest. False when neither these nor
    /// pairs of later nodes can.
    fn from(&self, node: u32, space: &mut Space) -> bool {
        let (ranked, least) = (self.ranked, self.degree_least.load(Ordering::Relaxed));
        if ranked.degree(node) < least {
            return false;
        }
        let row = ranked.row(node);
        row.clone().for_each(|entry| space.tied[ranked.rows[entry] as usize] = true);
        for step in row.clone() {
            for last in ranked.row(ranked.rows[step]) {
                let other = ranked.rows[last];
                if other <= node {
                    continue;
                }
                if ranked.degree(other) < least {
                    break;
                }
                let place = other as usize;
                // The third node of the triangle is a common neighbour of both other pairs exactly when the
                // pair is tied.
                let tied = u32::from(space.tied[place]);
                let one = self.others[(ranked.common[step] - tied) as usize];
                let another = self.others[(ranked.common[last] - tied) as usize];
                if space.common[place] == 0 {
                    space.touched.push(other);
                }
                space.common[place] += 1;
                space.moved[place] = space.moved[place].saturating_add(one).saturating_add(another);
            }
        }
        for other in space.touched.drain(..) {
            let common = std::mem::take(&mut space.common[other as usize]);
            let moved = std::mem::take(&mut space.moved[other as usize]);
            space.largest = space.largest.max(choose(u64::from(common), self.k).saturating_add(moved));
        }
        row.for_each(|entry| space.tied[ranked.rows[entry] as usize] = false);
        self.degree_least.fetch_max(self.degree_that_exceeds(space.largest), Ordering::Relaxed);
        true
    }

    /// The least degree with which a pair could move the count further than this.
    fn degree_that_exceeds(&self, moved: u128) -> u32 {
        let top = self.others.len() as u32 - 1;
        let most = |degree: u32| {
            let ends = self.others[top as usize].saturating_mul(2 * u128::from(degree));
            choose(u64::from(degree), self.k).saturating_add(ends)
        };
        if most(top) <= moved {
            return u32::MAX;
        }
        let (mut below, mut degree) = (0, top);
        while degree - below > 1 {
            let middle = below.midpoint(degree);
            if most(middle) > moved { degree = middle } else { below = middle }
        }
        degree
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::kernel::testing::{all_graphs, graph_of_bits};

    fn common(graph: &Graph, u: u32, v: u32) -> u64 {
        graph.neighbours(u).iter().filter(|w| graph.has_edge(v, **w)).count() as u64
    }

    fn count(graph: &Graph, k: u32) -> u128 {
        graph.pairs().map(|(u, v)| choose(common(graph, u, v), k)).sum()
    }

    /// Specification: over all graphs with at most five nodes, and random ones with nine, the count is the
    /// sum over ties, the largest move is what all neighbours move by, and the common neighbours are those of
    /// all pairs.
    #[test]
    fn counts_and_moves_are_those_of_brute_force() {
        let mut words = seeded(1);
        let random: Vec<_> =
            (0..150).map(|round| graph_of_bits(9, words() | words() >> (round % 3))).collect();
        for small in (0..=5).flat_map(all_graphs).chain(random) {
            let graph = small.graph();
            for k in 1..=4 {
                let survey = survey(&graph, k);
                assert_eq!(survey.count, count(&graph, k), "{small:?}");
                let moves =
                    small.edge_neighbours().map(|next| count(&next.graph(), k).abs_diff(survey.count));
                assert_eq!(survey.local, moves.max().unwrap_or(0), "{small:?}, k = {k}");
            }
            let pairs = (0..graph.nodes()).flat_map(|u| (0..u).map(move |v| (u, v)));
            let largest = pairs.map(|(u, v)| common(&graph, u, v)).max().unwrap_or(0);
            assert_eq!(u64::from(survey(&graph, 2).common), largest);
        }
    }

    /// The move of one pair, by its formula.
    fn moved(graph: &Graph, i: u32, j: u32, k: u32) -> u128 {
        let tied = u64::from(graph.has_edge(i, j));
        let shared = graph.neighbours(i).iter().filter(|l| graph.has_edge(j, **l));
        let ends = shared
            .map(|l| choose(common(graph, i, *l) - tied, k - 1) + choose(common(graph, j, *l) - tied, k - 1));
        choose(common(graph, i, j), k) + ends.sum::<u128>()
    }

    /// Specification: in random graphs with 300 nodes, hubs among them, no pair moves the count further than
    /// the one that was found, so nothing was skipped that should not be.
    #[test]
    fn no_pair_is_skipped_that_could_win() {
        let mut words = seeded(2);
        for round in 0..4 {
            let nodes = 300;
            let mut pick = |skew: u32| (0..=skew).map(|_| words() % nodes).min().unwrap_or(0) as u32;
            let pairs: Vec<(u32, u32)> = (0..3000).map(|_| (pick(round), pick(2))).collect();
            let graph = Graph::from_pairs(nodes as u32, pairs);
            for k in [1, 2, 3] {
                let survey = survey(&graph, k);
                let all = (0..graph.nodes()).flat_map(|u| (0..u).map(move |v| (u, v)));
                assert_eq!(Some(survey.local), all.map(|(u, v)| moved(&graph, u, v, k)).max());
                assert_eq!(survey.count, count(&graph, k));
            }
        }
    }
}
