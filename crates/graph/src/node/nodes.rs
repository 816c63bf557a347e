//! How many nodes there are.
//!
//! **Guarantee.** ε-differentially private: the number of nodes plus discrete Laplace noise of scale `1/ε`.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** One node is one node; the rest is the theorem of the geometric mechanism.
//! **Error.** Beyond `ln(20)/ε`, about `3/ε`, with probability 5 %.
//! **Exactness.** Integers throughout.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::{Answer, Estimate, Graph, GraphError, Mechanism, Outlook};

/// The number of nodes with discrete Laplace noise.
#[derive(Clone, Debug)]
pub struct NodeCount {
    noise: GeometricMechanism,
}

impl NodeCount {
    /// The count at this price.
    pub fn new(epsilon: &Epsilon) -> Result<Self, GraphError> {
        Ok(Self { noise: GeometricMechanism::new(&SensitivityL1::parse("1")?, epsilon)? })
    }

    fn error_95(&self) -> f64 {
        // The bound is reached with probability at most 5 %: the whole numbers below it are the interval.
        self.noise.error_bound(&FailureProbability::parse("0.05").expect("a probability")) as f64 - 1.0
    }
}

impl Mechanism for NodeCount {
    fn name(&self) -> &'static str {
        "geometric"
    }

    fn loss(&self) -> Loss {
        self.noise.loss()
    }

    fn outlook(&self) -> Outlook {
        Outlook { error_95: Some(self.error_95()), words: vec!["one node is one node".to_owned()] }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        vec![self.noise.release(i128::from(graph.nodes()), bits)]
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

    /// Specification: with the same bits, a graph with one node more, however tied, releases exactly one more, and the
    /// noise is that of the geometric mechanism at sensitivity one. A count that saw ties would differ between the two.
    #[test]
    fn one_node_moves_the_release_by_one_whatever_its_ties() {
        let epsilon = Epsilon::parse("0.5").unwrap();
        let count = NodeCount::new(&epsilon).unwrap();
        let path = Graph::from_pairs(4, [(0, 1), (1, 2), (2, 3)]);
        let lonely = Graph::from_pairs(5, [(0, 1), (1, 2), (2, 3)]);
        let hub = Graph::from_pairs(5, [(0, 1), (1, 2), (2, 3), (4, 0), (4, 1), (4, 2), (4, 3)]);
        let noise = GeometricMechanism::new(&SensitivityL1::parse("1").unwrap(), &epsilon).unwrap();
        for seed in 0..200 {
            let released = |graph: &Graph| count.release(graph, &mut seeded(seed))[0];
            assert_eq!(released(&path), noise.release(4, &mut seeded(seed)), "seed {seed}");
            assert_eq!(released(&lonely), released(&path) + 1, "seed {seed}");
            assert_eq!(released(&hub), released(&lonely), "seed {seed}");
        }
        assert_eq!(count.loss(), noise.loss());
    }
}
