//! Triangles: how many, through which nodes, and which.
//!
//! Nodes are ranked by falling degree. Every triangle has a first, a second and a third rank, and is found at its
//! second: everything before the second that it is tied to is marked, then everything after it that it is tied to
//! looks for marks among its own ties, before the second. So every node looks at each pair of its earlier ties once.
//! No node has more than √(2m) earlier ties, since each of those has at least as many ties itself; so the work is
//! `O(m^1.5)`.

use rayon::prelude::*;

use crate::Graph;
use crate::kernel::{ranks::Ranks, rows::Rows, work};

/// How many triangles there are.
pub fn count(graph: &Graph) -> u64 {
    let found = Oriented::new(graph).visit(
        || 0u64,
        |found, _, _, row, marks| {
            *found += row.iter().map(|first| u64::from(marks[*first as usize])).sum::<u64>();
        },
    );
    found.into_iter().sum()
}

/// How many triangles pass through each node.
pub fn per_node(graph: &Graph) -> Vec<u64> {
    let oriented = Oriented::new(graph);
    let counts = oriented.visit(
        || vec![0u64; graph.nodes() as usize],
        |through, second, third, row, marks| {
            let mut found = 0;
            for first in row {
                let closed = u64::from(marks[*first as usize]);
                through[*first as usize] += closed;
                found += closed;
            }
            through[second as usize] += found;
            through[third as usize] += found;
        },
    );
    let rank_to_sum = |rank: &u32| counts.iter().map(|through| through[*rank as usize]).sum();
    oriented.ranks.rank.iter().map(rank_to_sum).collect()
}

/// Every triangle once, its nodes in rising order, the list in rising order.
pub fn list(graph: &Graph) -> Vec<[u32; 3]> {
    let oriented = Oriented::new(graph);
    let found = oriented.visit(Vec::new, |found, second, third, row, marks| {
        for first in row.iter().filter(|first| marks[**first as usize]) {
            let mut triangle = [*first, second, third].map(|rank| oriented.ranks.order[rank as usize]);
            triangle.sort_unstable();
            found.push(triangle);
        }
    });
    let mut found = found.into_iter().reduce(|mut all, part| {
        all.extend(part);
        all
    });
    match &mut found {
        Some(all) if oriented.small => all.sort_unstable(),
        Some(all) => all.par_sort_unstable(),
        None => {}
    }
    found.unwrap_or_default()
}

/// Every tie, seen from its later and from its earlier end.
struct Oriented {
    ranks: Ranks,
    /// The earlier ranks that each rank is tied to, in rising order.
    earlier: Rows<u32>,
    /// The later ranks that each rank is tied to, in rising order, with its own place in their `earlier`.
    later: Rows<(u32, u32)>,
    small: bool,
}

impl Oriented {
    fn new(graph: &Graph) -> Self {
        let small = work::is_small(graph);
        let ranks = Ranks::new(graph);
        let earlier_of = |rank: usize| {
            let row = graph.neighbours(ranks.order[rank]).iter().map(|node| ranks.rank[*node as usize]);
            row.filter(move |other| (*other as usize) < rank)
        };
        let all = 0..ranks.order.len();
        let lengths: Vec<usize> = if small {
            all.clone().map(|rank| earlier_of(rank).count()).collect()
        } else {
            all.clone().into_par_iter().map(|rank| earlier_of(rank).count()).collect()
        };
        let earlier = Rows::new(lengths.iter().copied(), small, |rows, starts, entries| {
            for rank in rows.clone() {
                let place = rank - rows.start;
                let row = &mut entries[starts[place] - starts[0]..starts[place + 1] - starts[0]];
                row.iter_mut().zip(earlier_of(rank)).for_each(|(entry, other)| *entry = other);
                row.sort_unstable();
            }
        });
        let later = Rows::transposed(
            all.map(|rank| ranks.degrees[rank] as usize - lengths[rank]),
            small,
            graph.nodes(),
            |rank| earlier.row(rank),
            |rank, place| (rank, place),
        );
        Self { ranks, earlier, later, small }
    }

    /// Hands over the state of a worker, the second and the third rank of possible triangles, all that the third is
    /// tied to before the second, and marks on what the second is tied to before itself.
    fn visit<S: Send>(
        &self,
        new: impl Fn() -> S + Sync,
        visit: impl Fn(&mut S, u32, u32, &[u32], &[bool]) + Sync,
    ) -> Vec<S> {
        let nodes = self.ranks.order.len();
        let new = || (new(), vec![false; nodes]);
        let states = work::in_order(nodes as u32, self.small, new, |(state, marks), second| {
            let row = self.earlier.row(second);
            if !row.is_empty() {
                row.iter().for_each(|first| marks[*first as usize] = true);
                for (third, place) in self.later.row(second) {
                    visit(state, second, *third, &self.earlier.row(*third)[..*place as usize], marks);
                }
                row.iter().for_each(|first| marks[*first as usize] = false);
            }
            true
        });
        states.into_iter().map(|(state, _)| state).collect()
    }
}
