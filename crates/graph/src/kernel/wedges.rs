//! Common neighbours of all pairs that can still matter.
//!
//! Nodes are ranked by falling degree. For every node i and every neighbour k of i, each j tied to k and ranked after i
//! has one more common neighbour with i. That is `O(Σ d²)` steps for all pairs. But the neighbours of k are kept by falling
//! degree, and a pair whose smaller degree is d has at most d common neighbours: as soon as a [`Bound`] shows that j and
//! all that come after it cannot matter to i, they are left out. Good bounds come early, from hubs.

use crate::Graph;
use crate::kernel::{ranks::Ranks, rows::Rows, work};

/// So many hubs are compared with each other before anything else, for a first bound.
const HUBS: usize = 16;

/// What is known so far, and which pairs cannot add to it. Shared by all threads.
pub(super) trait Bound: Sync {
    /// Whether no pair can matter whose degrees are at most these, `low <= high`. Must hold for smaller degrees if it
    /// holds for larger ones, and stay true once it is true.
    fn settled(&self, high: u32, low: u32) -> bool;

    /// Whether a pair with these degrees and so many common neighbours would add something.
    fn improves(&self, common: u32, high: u32, low: u32) -> bool;

    /// Takes a pair into account.
    fn insert(&self, common: u32, high: u32, low: u32, tied: bool);
}

/// Shows all pairs to the bound, but for those that it settled before their turn.
pub(super) fn scan(graph: &Graph, bound: &impl Bound) {
    let ranks = Ranks::new(graph);
    compare_hubs(graph, &ranks, bound);
    let degree = |rank: u32| graph.degree(ranks.order[rank as usize]);
    // The first rank that cannot matter to `high` any more, up to `end`. Its being settled was seen at that very rank, so
    // it holds for all later ones whatever other threads do meanwhile.
    let limit = |high: u32, end: u32| {
        let (mut from, mut to) = (high + 1, end);
        while from < to {
            let middle = from + (to - from) / 2;
            if bound.settled(degree(high), degree(middle)) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        to
    };
    if graph.nodes() < 2 {
        return;
    }
    let candidates = limit(0, graph.nodes());
    let small = work::is_small(graph);
    let rows = candidate_rows(graph, &ranks, candidates, small);
    work::in_order(
        candidates,
        small,
        || (vec![0u32; candidates as usize], Vec::new()),
        |(common, touched), high| {
            let end = limit(high, candidates);
            if end <= high + 1 {
                // Neither can later ranks matter to each other: their degrees are no larger.
                return false;
            }
            let node = ranks.order[high as usize];
            for middle in graph.neighbours(node) {
                let row = rows.row(*middle);
                let start = row.partition_point(|low| *low <= high);
                for low in row[start..].iter().take_while(|low| **low < end) {
                    let paths = &mut common[*low as usize];
                    if *paths == 0 {
                        touched.push(*low);
                    }
                    *paths += 1;
                }
            }
            let show = |low: u32, paths: u32| {
                if bound.improves(paths, degree(high), degree(low)) {
                    let tied = graph.has_edge(node, ranks.order[low as usize]);
                    bound.insert(paths, degree(high), degree(low), tied);
                }
            };
            touched.iter().for_each(|low| show(*low, common[*low as usize]));
            // Pairs without a common neighbour: the first that is not tied is as good as all later ones, so this ends
            // after at most as many steps as there are touched ranks and ties.
            for low in high + 1..end {
                if !bound.improves(0, degree(high), degree(low)) {
                    break;
                }
                if common[low as usize] == 0 {
                    show(low, 0);
                }
            }
            touched.drain(..).for_each(|low| common[low as usize] = 0);
            true
        },
    );
}

/// Shows all pairs of the first few ranks.
fn compare_hubs(graph: &Graph, ranks: &Ranks, bound: &impl Bound) {
    let hubs = &ranks.order[..ranks.order.len().min(HUBS)];
    let mut marks = vec![false; graph.nodes() as usize];
    for (rank, high) in hubs.iter().enumerate() {
        graph.neighbours(*high).iter().for_each(|node| marks[*node as usize] = true);
        for low in &hubs[rank + 1..] {
            let common = graph.neighbours(*low).iter().filter(|node| marks[**node as usize]).count() as u32;
            bound.insert(common, graph.degree(*high), graph.degree(*low), marks[*low as usize]);
        }
        graph.neighbours(*high).iter().for_each(|node| marks[*node as usize] = false);
    }
}

/// For every node the candidates it is tied to, by rank. The candidates are the first ranks, so many.
fn candidate_rows(graph: &Graph, ranks: &Ranks, candidates: u32, small: bool) -> Rows<u32> {
    let mut lengths = vec![0; graph.nodes() as usize];
    let row = |rank: u32| graph.neighbours(ranks.order[rank as usize]);
    (0..candidates).for_each(|rank| row(rank).iter().for_each(|node| lengths[*node as usize] += 1));
    Rows::transposed(lengths.into_iter(), small, candidates, row, |rank, _| rank)
}
