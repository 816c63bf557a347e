//! All graphs over at most a few names; neighbours are a graph and the same graph without one of its nodes and that
//! node's ties.
//!
//! Distances among them are those among all graphs: on a shortest way everything goes first in which two graphs differ, and
//! then the rest comes, so that no third name is needed.

use std::collections::HashMap;

use super::DataSets;
use crate::Graph;

/// The graphs, and which of them are neighbours.
pub(super) struct SmallGraphs {
    pub graphs: Vec<Graph>,
    pub data_sets: DataSets,
}

/// A graph as bits: its names, and its ties among all pairs of names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Bits {
    names: u32,
    ties: u32,
}

impl SmallGraphs {
    /// Every graph over every set of these names, each name the label of its node.
    pub fn all(names: u32) -> Self {
        let mut found: Vec<Bits> = Vec::new();
        for present in 0..1u32 << names {
            let within: u32 = pairs(names).filter(|pair| pair.is_within(present)).map(|pair| pair.bit).sum();
            found.extend(subsets(within).map(|ties| Bits { names: present, ties }));
        }
        let places: HashMap<Bits, usize> =
            found.iter().enumerate().map(|(place, bits)| (*bits, place)).collect();
        let without_one = |(place, bits): (usize, &Bits)| {
            let (bits, places) = (*bits, &places);
            let gone = (0..names).filter(move |name| bits.names >> name & 1 == 1);
            gone.map(move |name| (place, places[&bits.without(names, name)])).collect::<Vec<_>>()
        };
        let neighbours: Vec<(usize, usize)> = found.iter().enumerate().flat_map(without_one).collect();
        Self {
            data_sets: DataSets::new(found.len(), neighbours),
            graphs: found.iter().map(|bits| bits.graph(names)).collect(),
        }
    }
}

impl Bits {
    fn without(self, names: u32, gone: u32) -> Self {
        let present = self.names & !(1 << gone);
        let lost = pairs(names).filter(|pair| !pair.is_within(present)).map(|pair| pair.bit);
        Self { names: present, ties: lost.fold(self.ties, |ties, bit| ties & !bit) }
    }

    fn graph(self, names: u32) -> Graph {
        let present: Vec<u32> = (0..names).filter(|name| self.names >> name & 1 == 1).collect();
        let place = |name: u32| (self.names & ((1 << name) - 1)).count_ones();
        let ties = pairs(names).filter(|pair| self.ties & pair.bit != 0);
        let labels = present.into_iter().map(u128::from).collect();
        Graph::with_labels(labels, ties.map(|pair| (place(pair.one), place(pair.other))))
    }
}

/// Two names and their bit.
struct Pair {
    one: u32,
    other: u32,
    bit: u32,
}

impl Pair {
    fn is_within(&self, names: u32) -> bool {
        names >> self.one & names >> self.other & 1 == 1
    }
}

fn pairs(names: u32) -> impl Iterator<Item = Pair> {
    let pairs = (0..names).flat_map(|other| (0..other).map(move |one| (one, other)));
    pairs.enumerate().map(|(place, (one, other))| Pair { one, other, bit: 1 << place })
}

/// Every part of a set of bits.
fn subsets(of: u32) -> impl Iterator<Item = u32> {
    // Subtracting the whole carries through the bits that are not in it: the next part in rising order.
    let next = move |part: &u32| Some(part.wrapping_sub(of) & of).filter(|next| *next != 0);
    std::iter::successors(Some(0), next)
}
