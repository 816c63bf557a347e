//! Common neighbours of all pairs that can still matter.
//!
//! Nodes are ranked by falling degree. For a node i, called *high*, every neighbour k of i and every j, called *low*,
//! that is tied to k and ranked after i make a path i, k, j: one common neighbour more for i and j. All paths are
//! `O(Σ d²)` steps. Most can be left out, because a [`Bound`] shows early, from hubs, which pairs cannot matter:
//!
//! * **Low degrees.** A pair has at most as many common neighbours as its smaller degree. Rows of neighbours are kept
//!   by falling degree, so each is left as soon as all that follow cannot matter.
//! * **Large middles.** If no pair of i with t common neighbours or fewer can matter, then t of the neighbours of i
//!   need not be followed: whoever is reached from none of the others has at most t common neighbours with i. The t
//!   with the most ties are set aside. Whoever is reached gets its common neighbours among those t counted one by
//!   one, or, if that is more work, the t are followed after all. So nothing takes more than `O(Σ d²)`.

use crate::Graph;
use crate::kernel::{ranks::Ranks, rows::Rows, work};

/// So many hubs are compared with each other before anything else, for a first bound.
const HUBS: usize = 16;
/// Steps that looking up one tie takes, roughly.
const LOOK_UP: usize = 8;

/// What is known so far, and which pairs could add to it. Shared by all threads.
pub(super) trait Bound: Sync {
    /// Whether a pair could add something that has at most so many common neighbours and at most these degrees. Once it
    /// could not, it never can, nor can pairs with less of each.
    fn improves(&self, common: u32, high: u32, low: u32) -> bool;

    /// Takes a pair into account that has these degrees and at least so many common neighbours.
    fn insert(&self, common: u32, high: u32, low: u32, tied: bool);
}

/// Shows all pairs to the bound, but for those that could add nothing.
pub(super) fn scan(graph: &Graph, bound: &impl Bound) {
    if graph.nodes() < 2 {
        return;
    }
    let small = work::is_small(graph);
    let ranks = Ranks::new(graph);
    compare_hubs(graph, &ranks, bound);
    let mut scan = Scan { graph, bound, ranks, candidates: graph.nodes(), rows: None };
    scan.candidates = scan.end(0);
    scan.rows = Some(scan.candidate_rows(small));
    work::in_order(
        scan.candidates,
        small,
        || Counters::new(graph, scan.candidates),
        |counters, high| scan.pairs_of(counters, high),
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

struct Scan<'a, B> {
    graph: &'a Graph,
    bound: &'a B,
    ranks: Ranks,
    /// Only so many of the first ranks can be in a pair that matters.
    candidates: u32,
    /// For every node the candidates it is tied to, by rank.
    rows: Option<Rows<u32>>,
}

/// What a worker counts with.
struct Counters {
    /// Common neighbours with the high rank, for each low rank.
    common: Vec<u32>,
    /// The low ranks with any.
    touched: Vec<u32>,
    /// The neighbours of the high rank.
    middles: Vec<u32>,
    /// Which of them are set aside.
    aside: Vec<bool>,
}

impl Counters {
    fn new(graph: &Graph, candidates: u32) -> Self {
        let aside = vec![false; graph.nodes() as usize];
        Self { common: vec![0; candidates as usize], touched: Vec::new(), middles: Vec::new(), aside }
    }

    fn follow(&mut self, lows: &[u32]) {
        for low in lows {
            let paths = &mut self.common[*low as usize];
            if *paths == 0 {
                self.touched.push(*low);
            }
            *paths += 1;
        }
    }
}

impl<B: Bound> Scan<'_, B> {
    fn node(&self, rank: u32) -> u32 {
        self.ranks.order[rank as usize]
    }

    fn degree(&self, rank: u32) -> u32 {
        self.ranks.degrees[rank as usize]
    }

    fn candidate_rows(&self, small: bool) -> Rows<u32> {
        let mut lengths = vec![0; self.graph.nodes() as usize];
        let row = |rank: u32| self.graph.neighbours(self.node(rank));
        (0..self.candidates).for_each(|rank| row(rank).iter().for_each(|node| lengths[*node as usize] += 1));
        Rows::transposed(lengths.into_iter(), small, self.candidates, row, |rank, _| rank)
    }

    /// The first rank after `high` that cannot matter to it, so that no later one can.
    fn end(&self, high: u32) -> u32 {
        let matters = |low: u32| self.bound.improves(self.degree(low), self.degree(high), self.degree(low));
        first_without(high + 1, self.candidates, matters)
    }

    /// The largest t such that no pair of `high` with at most t common neighbours can matter; zero if there is none.
    fn settled(&self, high: u32) -> u32 {
        let (own, next) = (self.degree(high), self.degree(high + 1));
        // Counted down from what a pair can have at most.
        next - first_without(0, next, |less| self.bound.improves(next - less, own, next))
    }

    /// The candidates between `high` and `end` that a node is tied to.
    fn lows(&self, middle: u32, high: u32, end: u32) -> &[u32] {
        let row = self.rows.as_ref().expect("rows are made before pairs are counted").row(middle);
        let row = &row[row.partition_point(|low| *low <= high)..];
        match row.last() {
            Some(last) if *last >= end => &row[..row.partition_point(|low| *low < end)],
            _ => row,
        }
    }

    /// Shows all pairs of `high` with later ranks that can matter; whether there may be more pairs after it.
    fn pairs_of(&self, counters: &mut Counters, high: u32) -> bool {
        let end = self.end(high);
        if end <= high + 1 {
            // Neither can later ranks matter to each other: their degrees are no larger.
            return false;
        }
        let mut middles = std::mem::take(&mut counters.middles);
        middles.extend_from_slice(self.graph.neighbours(self.node(high)));
        let aside = (self.settled(high) as usize).min(middles.len());
        if 0 < aside && aside < middles.len() {
            middles.select_nth_unstable_by_key(aside, |node| self.ranks.rank[*node as usize]);
        }
        let (aside, followed) = middles.split_at(aside);
        followed.iter().for_each(|middle| counters.follow(self.lows(*middle, high, end)));
        self.count_aside(counters, aside, high, end);

        let next_degree = self.degree(high + 1);
        for low in &counters.touched {
            let common = counters.common[*low as usize];
            // Most end here, before their own degree is fetched from memory.
            if self.bound.improves(common, self.degree(high), next_degree) {
                self.show(high, *low, common);
            }
        }
        // Pairs without a common neighbour: the first that is not tied is as good as all later ones, so this ends after
        // at most as many steps as there are touched ranks and ties.
        for low in high + 1..end {
            if !self.bound.improves(0, self.degree(high), self.degree(low)) {
                break;
            }
            if counters.common[low as usize] == 0 {
                self.show(high, low, 0);
            }
        }
        counters.touched.drain(..).for_each(|low| counters.common[low as usize] = 0);
        middles.clear();
        counters.middles = middles;
        true
    }

    /// Adds the common neighbours that were set aside, for all low ranks that were touched and can matter.
    fn count_aside(&self, counters: &mut Counters, aside: &[u32], high: u32, end: u32) {
        if aside.is_empty() {
            return;
        }
        counters.touched.retain(|low| {
            let common = &mut counters.common[*low as usize];
            let most = (*common + aside.len() as u32).min(self.degree(*low));
            let matters = self.bound.improves(most, self.degree(high), self.degree(*low));
            // It may be met again below, and shown with too few: that is true of it, and adds nothing.
            if !matters {
                *common = 0;
            }
            matters
        });
        let look_up = |low: u32| (self.degree(low) as usize).min(LOOK_UP * aside.len());
        let one_by_one: usize = counters.touched.iter().map(|low| look_up(*low)).sum();
        let by_following = aside.iter().map(|middle| self.lows(*middle, high, end).len() + LOOK_UP).sum();
        if one_by_one > by_following {
            aside.iter().for_each(|middle| counters.follow(self.lows(*middle, high, end)));
            return;
        }
        aside.iter().for_each(|node| counters.aside[*node as usize] = true);
        for low in &counters.touched {
            let node = self.node(*low);
            let row = self.graph.neighbours(node);
            counters.common[*low as usize] += if row.len() <= LOOK_UP * aside.len() {
                row.iter().filter(|node| counters.aside[**node as usize]).count() as u32
            } else {
                aside.iter().filter(|middle| self.graph.has_edge(node, **middle)).count() as u32
            };
        }
        aside.iter().for_each(|node| counters.aside[*node as usize] = false);
    }

    fn show(&self, high: u32, low: u32, common: u32) {
        if self.bound.improves(common, self.degree(high), self.degree(low)) {
            let tied = self.graph.has_edge(self.node(high), self.node(low));
            self.bound.insert(common, self.degree(high), self.degree(low), tied);
        }
    }
}

/// The first number from `from` on that lacks a property which, once lacking, is lacking for all later numbers; `to` if
/// there is none before. That it lacks there was seen, whatever other threads did meanwhile.
fn first_without(mut from: u32, mut to: u32, has: impl Fn(u32) -> bool) -> u32 {
    while from < to {
        let middle = from + (to - from) / 2;
        if has(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    to
}
