//! The programme at one threshold, as small as it gets.
//!
//! A node whose copies are no more than τ cannot be overfull: its constraint is dropped. A copy without
//! crowded nodes is packed whole. Copies with the same crowded nodes are interchangeable and become one
//! column, whose bound is their number. None of this changes the optimum, and a solution of the small
//! programme is one of the whole: within a column all copies get the same share.
//!
//! Nodes are numbered by falling crowding, so that at every threshold the crowded ones come first, and copies
//! are sorted by their nodes: then equal columns are neighbours at every threshold, and one sort serves all
//! of them. Columns that differ in their last node only form a run, and what the other nodes contribute is
//! worked out once a run.

use std::ops::Range;

use super::super::patterns::Copies;

/// Copies sorted so that equal columns are neighbours, whatever the threshold.
pub(super) struct Sorted {
    arity: usize,
    /// How many copies each node is in, falling.
    crowding: Vec<u64>,
    /// The nodes of each copy, numbered by falling crowding, in rising order; copies in rising order.
    members: Vec<u32>,
}

impl Sorted {
    pub(super) fn new(copies: &Copies) -> Self {
        let (nodes, arity) = (copies.nodes() as usize, copies.arity());
        let mut counts = vec![0u64; nodes];
        copies.members().iter().for_each(|node| counts[*node as usize] += 1);
        let mut order: Vec<u32> = (0..copies.nodes()).collect();
        order.sort_by_key(|node| std::cmp::Reverse(counts[*node as usize]));
        let mut position = vec![0; nodes];
        for (place, node) in order.iter().enumerate() {
            position[*node as usize] = place as u32;
        }
        let mut members: Vec<u32> = copies.members().iter().map(|node| position[*node as usize]).collect();
        members.chunks_exact_mut(arity).for_each(<[u32]>::sort_unstable);
        for place in (0..arity).rev() {
            members = sorted_by_member(&members, arity, place, nodes);
        }
        Self { arity, crowding: order.iter().map(|node| counts[*node as usize]).collect(), members }
    }

    /// How many copies there are.
    pub(super) fn copies(&self) -> u64 {
        (self.members.len() / self.arity) as u64
    }

    /// How many copies the most crowded node is in.
    pub(super) fn crowding_max(&self) -> u64 {
        self.crowding.first().copied().unwrap_or(0)
    }

    /// The programme at this threshold.
    pub(super) fn programme(&self, tau: u64) -> Programme {
        let crowded = self.crowding.partition_point(|count| *count > tau);
        let nobody = crowded as u32;
        let head = self.arity - 1;
        let mut columns = Runs::new(head);
        let mut bounds: Vec<u32> = Vec::new();
        let mut packed_whole = 0;
        let mut column = vec![u32::MAX; self.arity];
        let mut previous = column.clone();
        for copy in self.members.chunks_exact(self.arity) {
            if copy[0] >= nobody {
                packed_whole += 1;
                continue;
            }
            column.iter_mut().zip(copy).for_each(|(place, node)| *place = *node.min(&nobody));
            match bounds.last_mut() {
                // A bound that is full starts another column with the same nodes.
                Some(bound) if column == previous && *bound < u32::MAX => {
                    *bound += 1;
                    continue;
                }
                _ => {}
            }
            columns.push(&column[..head], column[head]);
            bounds.push(1);
            previous.copy_from_slice(&column);
        }
        let crowding = self.crowding[..crowded].to_vec();
        Programme { tau, crowding, packed_whole, columns, bounds }
    }
}

/// Maximise the sum of all columns, each between 0 and its bound, such that those at a node add up to at most
/// τ.
pub(super) struct Programme {
    /// The threshold.
    pub(super) tau: u64,
    /// How many copies each crowded node is in: more than τ.
    pub(super) crowding: Vec<u64>,
    /// Copies that cannot overfill any node: they count in full and are not in the columns.
    pub(super) packed_whole: u64,
    /// The crowded nodes of each column. The number after the last crowded node stands for none.
    pub(super) columns: Runs,
    /// How many copies each column stands for.
    pub(super) bounds: Vec<u32>,
}

impl Programme {
    /// How many crowded nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.crowding.len()
    }

    /// The programme with every copy so many times over and the threshold as many times as high.
    #[cfg(test)]
    pub(super) fn magnified(mut self, times: u32) -> Self {
        self.tau *= u64::from(times);
        self.packed_whole *= u64::from(times);
        self.crowding.iter_mut().for_each(|count| *count *= u64::from(times));
        self.bounds.iter_mut().for_each(|bound| *bound *= times);
        self
    }
}

/// Columns by their nodes, those that differ in the last node only side by side.
pub(super) struct Runs {
    head: usize,
    heads: Vec<u32>,
    ends: Vec<usize>,
    lasts: Vec<u32>,
}

impl Runs {
    pub(super) fn new(head: usize) -> Self {
        Self { head, heads: Vec::new(), ends: Vec::new(), lasts: Vec::new() }
    }

    /// One more column. Columns with the same head come one after the other.
    pub(super) fn push(&mut self, head: &[u32], last: u32) {
        if self.ends.is_empty() || self.heads[self.heads.len() - self.head..] != *head {
            self.heads.extend_from_slice(head);
            self.ends.push(self.lasts.len());
        }
        self.lasts.push(last);
        *self.ends.last_mut().expect("a run was opened") = self.lasts.len();
    }

    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.lasts.len()
    }

    /// The nodes that the columns of a run share.
    pub(super) fn head(&self, run: usize) -> &[u32] {
        &self.heads[run * self.head..(run + 1) * self.head]
    }

    /// Every run: the nodes its columns share, the last node of each, and which columns they are.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], &[u32], Range<usize>)> {
        let mut start = 0;
        self.heads.chunks_exact(self.head).zip(&self.ends).map(move |(head, end)| {
            let run = start..*end;
            start = *end;
            (head, &self.lasts[run.clone()], run)
        })
    }
}

/// Copies sorted by one of their nodes, in their former order where it is the same.
fn sorted_by_member(members: &[u32], arity: usize, place: usize, nodes: usize) -> Vec<u32> {
    let mut starts = vec![0usize; nodes + 1];
    for copy in members.chunks_exact(arity) {
        starts[copy[place] as usize + 1] += arity;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut sorted = vec![0; members.len()];
    for copy in members.chunks_exact(arity) {
        let start = &mut starts[copy[place] as usize];
        sorted[*start..*start + arity].copy_from_slice(copy);
        *start += arity;
    }
    sorted
}
