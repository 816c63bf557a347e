//! Counts that one tie moves by one: ties, components, the maximum degree, the degeneracy.
//!
//! **Guarantee.** ε-differentially private: the count plus discrete Laplace noise of scale `1/ε`.
//! **Neighbours.** Graphs over the same nodes that differ in one tie.
//! **Proof.** Adding a tie adds one to the number of ties; joins two components or none; and raises two degrees by one
//! and no other, so the largest degree rises by one or not at all. A part of the graph that gives every member k ties
//! still gives them k − 1 when one tie is taken away, so the degeneracy falls by one or not at all. The rest is the
//! theorem of the geometric mechanism.
//! **Error.** Beyond `ln(20)/ε`, about `3/ε`, with probability 5 %, whatever the graph.
//! **Exactness.** Integers throughout.
//! **Not covered.** Timing: counting takes a time that depends on the graph.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::kernel::{components, cores, degrees};
use crate::{Answer, Estimate, Graph, GraphError, Mechanism, Outlook};

/// A count that one tie moves by at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Ties.
    Edges,
    /// Connected components, isolated nodes included.
    Components,
    /// The largest degree.
    MaxDegree,
    /// The largest k for which there is a k-core.
    Degeneracy,
}

impl Counted {
    fn of(self, graph: &Graph) -> i128 {
        match self {
            Self::Edges => i128::from(graph.edges()),
            Self::Components => i128::from(components::count(graph)),
            Self::MaxDegree => i128::from(degrees::max(graph)),
            Self::Degeneracy => i128::from(cores::degeneracy(graph)),
        }
    }
}

/// A count with discrete Laplace noise.
#[derive(Clone, Debug)]
pub struct UnitCount {
    counted: Counted,
    noise: GeometricMechanism,
}

impl UnitCount {
    /// The count at this price.
    pub fn new(counted: Counted, epsilon: &Epsilon) -> Result<Self, GraphError> {
        let noise = GeometricMechanism::new(&SensitivityL1::parse("1")?, epsilon)?;
        Ok(Self { counted, noise })
    }

    fn error_95(&self) -> f64 {
        // The bound is reached with probability at most 5 %: the whole numbers below it are the interval.
        self.noise.error_bound(&FailureProbability::parse("0.05").expect("a probability")) as f64 - 1.0
    }
}

impl Mechanism for UnitCount {
    fn name(&self) -> &'static str {
        "geometric"
    }

    fn loss(&self) -> Loss {
        self.noise.loss()
    }

    fn outlook(&self) -> Outlook {
        let words = "one tie moves the count by at most one, whatever the graph".to_owned();
        Outlook { error_95: Some(self.error_95()), words: vec![words] }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        vec![self.noise.release(self.counted.of(graph), bits)]
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [noisy] = *released else { return None };
        Some(Answer { estimates: vec![Estimate::count(noisy, self.error_95())], notes: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::kernel::testing::all_graphs;

    /// Specification: over all graphs with at most five nodes, one tie moves each count by at most one, and by one
    /// somewhere.
    #[test]
    fn one_tie_moves_each_count_by_at_most_one() {
        for counted in [Counted::Edges, Counted::Components, Counted::MaxDegree, Counted::Degeneracy] {
            let mut largest = 0;
            for graph in (0..=5).flat_map(all_graphs) {
                let before = counted.of(&graph.graph());
                let moved = graph.edge_neighbours().map(|next| (counted.of(&next.graph()) - before).abs());
                largest = largest.max(moved.max().unwrap_or(0));
            }
            assert_eq!(largest, 1, "{counted:?}");
        }
    }

    #[test]
    fn an_answer_says_what_was_released() {
        let mechanism = UnitCount::new(Counted::Edges, &Epsilon::parse("1").unwrap()).unwrap();
        let graph = Graph::from_pairs(3, [(0, 1), (1, 2)]);
        let released = mechanism.release(&graph, &mut seeded(1));
        let answer = mechanism.present(&released).unwrap();
        assert_eq!(answer.estimates[0].value.as_f64(), released[0] as f64);
        assert_eq!(answer.estimates[0].error_95(), 3.0);
        assert_eq!(mechanism.present(&[]), None);
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
    }
}
