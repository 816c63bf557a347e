//! How many ties there are, by ties kept under a threshold of the degree.
//!
//! **Guarantee.** ε-differentially private.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Method.** For every power of two θ up to 2^32, ties are dropped in a public order until no node has more
//! than θ ([`projection`](super::projection)). One θ is chosen ([`choice`](super::choice)), the ties kept
//! under it are counted, and noise of scale `θ/(⅗ε)` is added. The penalty of θ is at least the number of
//! nodes that stand out above θ ([`hubs`]).
//! **Proof.** Under one θ a new node adds between zero and θ kept ties; and it raises the number of nodes
//! that stand out by one or not at all: both are shown in their files. The rest is `thresholded.rs`.
//! **Error.** Ties of hubs beyond θ are cut off, and noise comes on top. No graph has a degree beyond 2^32,
//! so there is always a threshold that cuts off nothing; thresholds far beyond need are handicapped so much
//! that their number costs next to nothing. Mean errors at ε = 1 on graphs of 14 000 to 400 000 ties: 0.1 %
//! where the largest degree is 100, 0.5 % to 2 % for collaboration, mail and trust networks, 5 % where a few
//! nodes hold a large share of all ties. Graphs of a few hundred ties get useless answers: noise is θ over ε.
//! **Exactness.** Integers and rationals throughout.
//! **Not covered.** An upper end of the interval. A graph and one more node tied to all others are
//! neighbours, and any honest upper end would have to allow for several such nodes. Timing.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Loss};

use super::hubs;
use super::projection::OrderedTies;
use super::thresholded::{Level, ThresholdedCount, Tuning, powers_of_two};
use crate::{Answer, Draw, Graph, GraphError, Mechanism, Outlook};

/// Thresholds of the degree: powers of two from one to what no degree exceeds.
pub(crate) fn degree_thresholds() -> Vec<u64> {
    powers_of_two(0..=32)
}

/// Any count at a threshold of the degree that does not fall when a node comes and rises by at most the
/// threshold.
pub(crate) fn count_by_degree(epsilon: &Epsilon) -> Result<ThresholdedCount, GraphError> {
    let level = |threshold: u64| Level { threshold, rise_max: u128::from(threshold), fall_max: 0 };
    let levels: Vec<Level> = degree_thresholds().into_iter().map(level).collect();
    ThresholdedCount::new(&levels, &Tuning::of_degrees(), epsilon)
}

/// The number of ties, from ties kept under a threshold.
#[derive(Clone, Debug)]
pub struct ProjectedEdges {
    count: ThresholdedCount,
}

impl ProjectedEdges {
    /// The count at this price.
    pub fn new(epsilon: &Epsilon) -> Result<Self, GraphError> {
        Ok(Self { count: count_by_degree(epsilon)? })
    }

    fn values(&self, graph: &Graph) -> Vec<i128> {
        let kept = OrderedTies::of(graph).kept_edges(self.count.thresholds());
        kept.into_iter().map(i128::from).collect()
    }
}

impl Mechanism for ProjectedEdges {
    fn name(&self) -> &'static str {
        "projection"
    }

    fn loss(&self) -> Loss {
        self.count.loss()
    }

    fn outlook(&self) -> Outlook {
        edge_outlook()
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        let (values, floors) = (self.values(graph), hubs::indices(graph, self.count.thresholds()));
        self.count.counted(values, &floors)
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        self.count.read(released).map(|read| read.answer(cut_note(read.threshold)))
    }
}

/// What is known before a count of ties is paid for.
pub(crate) fn edge_outlook() -> Outlook {
    let words = [
        "the error grows with the degree at which few nodes stand out, divided by ε",
        "typical at ε = 1 and 10,000 ties or more: 0.1 % to 5 % of all ties",
        "ties beyond a threshold a node, chosen privately, are cut off: the truth may be larger",
    ];
    Outlook { error_95: None, words: words.map(str::to_owned).to_vec() }
}

/// What was cut off.
pub(crate) fn cut_note(threshold: u64) -> String {
    format!("of every node at most {threshold} ties are counted: the truth may be larger")
}

#[cfg(test)]
mod tests;
