//! How many triangles, 4-cliques or rectangles there are, by packings with a threshold of copies at every
//! node.
//!
//! **Guarantee.** ε-differentially private.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Method.** `Q_τ` is the largest sum of weights between zero and one on all copies of the pattern, at most
//! τ at every node: a linear programme. For every power of two τ from 32 on, a value is computed that is
//! certified to lie between `Q_τ − gap(τ)` and `Q_τ`. One τ is chosen ([`choice`](super::choice)), and noise
//! of scale `(τ + gap(τ))/(½ε)` is added to its value.
//! **Proof.** Let a node w come. Weights without w, and zero on the copies at w, are weights with w; and
//! weights with w lose at most τ when w goes. So `Q_τ` does not fall and rises by at most τ. The value is
//! below `Q_τ` by at most the gap, before and after, however it was found: it falls by at most `gap(τ)` and
//! rises by at most `τ + gap(τ)`. These are the bounds of `thresholded.rs`, which allows values to fall.
//! **Source.** Kasiviswanathan, Nissim, Raskhodnikova and Smith (2013), with `τ = C(D, 2)` for triangles. A
//! threshold of copies instead of ties is sharper: few of the pairs of a hub's neighbours are tied.
//! **Error.** Copies beyond τ at a node are cut off, and noise comes on top. Mean errors of triangles at ε =
//! 1, with gaps of a 32nd of τ: 1 % to 3 % on graphs with 30 000 triangles or more and no node in more than a
//! hundredth of them, 3 % to 8 % where a node is in a fortieth, 10 % to 13 % where a node is in a twentieth.
//! Graphs with fewer than some thousand copies get useless answers, as noise is at least `64/ε`.
//! **Exactness.** Integers and rationals throughout, given certified values.
//! **Not covered.** An upper end of the interval, as for [`edges`](super::edges). Thresholds end at 2^40:
//! nodes in more copies than that have the rest cut off. Timing.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Loss};

use super::packing;
use super::patterns::Copies;
use super::thresholded::{Level, ThresholdedCount, Tuning, powers_of_two};
use crate::{Answer, Draw, Graph, GraphError, Mechanism, Outlook};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Three nodes tied to each other.
    Triangles,
    /// Four nodes tied to each other.
    FourCliques,
    /// Four nodes tied in a ring.
    Rectangles,
}

impl Pattern {
    fn word(self) -> &'static str {
        match self {
            Self::Triangles => "triangles",
            Self::FourCliques => "4-cliques",
            Self::Rectangles => "rectangles",
        }
    }
}

/// Where certified values come from.
#[derive(Clone, Copy, Debug)]
pub struct Packer {
    /// How far below the optimum a value may lie, from the threshold alone.
    pub gap: fn(u64) -> u64,
    /// A value for each threshold: at most the optimum and at least the optimum less the gap, for every
    /// graph.
    pub packed: fn(Pattern, &Graph, &[u64]) -> Vec<u64>,
}

/// Values by the linear programme.
fn certified(pattern: Pattern, graph: &Graph, thresholds: &[u64]) -> Vec<u64> {
    let copies = match pattern {
        Pattern::Triangles => Copies::triangles(graph),
        Pattern::FourCliques => Copies::four_cliques(graph),
        Pattern::Rectangles => Copies::rectangles(graph),
    };
    packing::packed(&copies, thresholds).into_iter().map(|certified| certified.value).collect()
}

/// The number of copies of a pattern, from packings.
#[derive(Clone, Debug)]
pub struct PackedPatterns {
    pattern: Pattern,
    packer: Packer,
    count: ThresholdedCount,
}

impl PackedPatterns {
    /// The count at this price.
    pub fn new(pattern: Pattern, epsilon: &Epsilon) -> Result<Self, GraphError> {
        Self::with_packer(pattern, Packer { gap: packing::gap, packed: certified }, epsilon)
    }

    /// The count at this price, with values from this packer.
    pub fn with_packer(pattern: Pattern, packer: Packer, epsilon: &Epsilon) -> Result<Self, GraphError> {
        let level = |threshold: u64| {
            let gap = (packer.gap)(threshold);
            let rise_max = u128::from(threshold) + u128::from(gap);
            Level { threshold, rise_max, fall_max: u128::from(gap) }
        };
        let levels: Vec<Level> = powers_of_two(5..=40).into_iter().map(level).collect();
        let count = ThresholdedCount::new(&levels, &Tuning::of_packings(), epsilon)?;
        Ok(Self { pattern, packer, count })
    }

    fn values(&self, graph: &Graph) -> Vec<i128> {
        let packed = (self.packer.packed)(self.pattern, graph, self.count.thresholds());
        packed.into_iter().map(i128::from).collect()
    }
}

impl Mechanism for PackedPatterns {
    fn name(&self) -> &'static str {
        "packing"
    }

    fn loss(&self) -> Loss {
        self.count.loss()
    }

    fn outlook(&self) -> Outlook {
        let what = self.pattern.word();
        let words = [
            format!(
                "the error grows with how many {what} the nodes with the most of them have, divided by ε"
            ),
            "typical for triangles at ε = 1, where there are 30,000 or more: 1 % to 13 % of them".to_owned(),
            format!(
                "{what} beyond a threshold a node, chosen privately, are cut off: the truth may be larger"
            ),
        ];
        Outlook { error_95: None, words: words.to_vec() }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        self.count.counted(self.values(graph), &[])
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let note = |threshold| {
            let what = self.pattern.word();
            format!("of every node at most {threshold} {what} are counted: the truth may be larger")
        };
        self.count.read(released).map(|read| read.answer(note(read.threshold)))
    }
}

#[cfg(test)]
mod tests;
