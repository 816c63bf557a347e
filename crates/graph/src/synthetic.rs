//! A made-up graph with the degrees and about the triangles that were released.
//!
//! **Guarantee.** None of its own, and none is needed: everything here is a function of released numbers and of coins that everybody
//! may know, so that the made-up graph loses what those numbers lost and nothing more, for the neighbours that they were released for.
//! **Method.** The numbers of nodes with at least each degree become a sequence of degrees (`degree_sequence.rs`); the sequence becomes a simple graph
//! (`havel_hakimi.rs`), exactly where any simple graph has it, and else without the ties that find no place; then pairs of ties are
//! switched at random, which keeps every degree (`switches.rs`): first to forget how the graph was built, then only where the number of
//! triangles comes nearer to the released one.
//! **What is promised.** That [`Distance`] is true: how far degrees, ties and triangles of the made-up graph are from those that were released.
//! **What is not.** Everything else: communities, distances, who is tied to whom, which degrees tie to which. Nodes are numbers and stand for nobody.
//! That the released triangles are reached: switches climb, and may get stuck below.
//! **Cost.** About linear in the number of ties, as long as few of them are between nodes with very many.

mod degree_sequence;
mod havel_hakimi;
mod switches;

use pointillist_synth::PublicCoins;

use crate::{Estimate, Figure, Graph, GraphError};

use self::switches::Switches;

/// The most nodes of a made-up graph.
pub const NODES_MAX: u64 = 1 << 24;
/// The most ties of a made-up graph.
pub const TIES_MAX: u64 = 1 << 24;

/// So many switches a tie are tried to forget how the graph was built.
const MIXING: u64 = 10;
/// So many switches a tie are tried to come nearer to the triangles.
const CLIMBING: u64 = 60;

/// Numbers that were released of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleasedNumbers {
    /// Degrees, and how many nodes have at least that many ties. Degree zero is among them: it counts all nodes.
    pub at_least: Vec<(u64, i128)>,
    /// How many triangles there are.
    pub triangles: i128,
}

/// How far a made-up graph is from the numbers that it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The sum over nodes, in the order of their degrees, of how far their degree is from the one that was released.
    pub degrees: u64,
    /// Half the sum of the released degrees, rounded down.
    pub ties_wanted: u64,
    /// The ties of the made-up graph.
    pub ties: u64,
    /// The released triangles; what is below zero is zero.
    pub triangles_wanted: u64,
    /// The triangles of the made-up graph.
    pub triangles: u64,
}

/// A made-up graph, and how far it is from the numbers that it was made of.
pub struct SyntheticGraph {
    /// The graph; its nodes are numbers in the order of falling degrees, and stand for nobody.
    pub graph: Graph,
    /// How far it is off.
    pub distance: Distance,
}

impl ReleasedNumbers {
    /// The numbers of a released distribution of degrees and a released count of triangles.
    ///
    /// # Errors
    /// When a mechanism declined to answer.
    pub fn new(degrees: &[Estimate], triangles: &[Estimate]) -> Result<Self, GraphError> {
        let whole = |estimate: &Estimate| match estimate.value {
            Figure::Whole(value) => value,
            Figure::Ratio(value) => value.round() as i128,
        };
        let at_least = degrees.iter().filter_map(|one| Some((one.degree?, whole(one)))).collect();
        let triangles = triangles.first().map(whole).ok_or_else(|| {
            GraphError::refused(
                "the number of triangles was not answered, and no graph is made up without it",
                "ask again at a higher price, or by another method",
            )
        })?;
        Ok(Self { at_least, triangles })
    }

    /// The coins that belong to these numbers.
    fn coins(&self) -> PublicCoins {
        let mut bytes = Vec::new();
        for (degree, count) in &self.at_least {
            bytes.extend(degree.to_be_bytes());
            bytes.extend(count.to_be_bytes());
        }
        PublicCoins::of(&[b"synthetic graph", &bytes, &self.triangles.to_be_bytes()])
    }
}

impl Distance {
    /// A name and a sentence for each thing that was released.
    pub fn lines(&self) -> [(&'static str, String); 2] {
        let left_out = match self.ties_wanted - self.ties {
            0 => String::new(),
            missing => format!("; {missing} ties found no place"),
        };
        let degrees = format!("{} off in all, over {} ties{left_out}", self.degrees, self.ties);
        let triangles = format!("{} made up, {} released", self.triangles, self.triangles_wanted);
        [("degrees", degrees), ("triangles", triangles)]
    }
}

impl SyntheticGraph {
    /// The ties, one a line, behind a line with the names of the columns.
    pub fn to_csv(&self) -> String {
        let mut text = String::from("from,to\n");
        for (one, other) in self.graph.pairs() {
            text += &format!("{one},{other}\n");
        }
        text
    }

    /// Makes up a graph: always the same one for the same numbers.
    ///
    /// # Errors
    /// When the numbers are of no graph, or of one that is too large.
    pub fn new(released: &ReleasedNumbers) -> Result<Self, GraphError> {
        let wanted = degree_sequence::of(&released.at_least)?;
        let mut switches = Switches::new(havel_hakimi::rows(&wanted), released.coins());
        let ties = switches.ties();
        switches.mix(MIXING * ties);
        let triangles_wanted = u64::try_from(released.triangles.max(0)).unwrap_or(u64::MAX);
        let triangles = switches.climb(triangles_wanted, CLIMBING * ties);
        let rows = switches.into_rows();
        let far = |(wanted, row): (&u32, &Vec<u32>)| u64::from(*wanted).abs_diff(row.len() as u64);
        let distance = Distance {
            degrees: wanted.iter().zip(&rows).map(far).sum(),
            ties_wanted: wanted.iter().map(|degree| u64::from(*degree)).sum::<u64>() / 2,
            ties,
            triangles_wanted,
            triangles,
        };
        let pairs = (0u32..).zip(&rows).flat_map(|(node, row)| row.iter().map(move |other| (node, *other)));
        let graph = Graph::from_pairs(wanted.len() as u32, pairs.filter(|(one, other)| one < other));
        Ok(Self { graph, distance })
    }
}

#[cfg(test)]
mod tests;
