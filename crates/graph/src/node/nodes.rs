//! How many nodes there are.
//!
//! **Guarantee.** ε-differentially private: the number of nodes plus discrete Laplace noise of scale `1/ε`.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** One node is one node; the rest is the theorem of the geometric mechanism.
//! **Error.** Beyond `ln(20)/ε`, about `3/ε`, with probability 5 %.
//! **Exactness.** Integers throughout.

use pointillist_mechanisms::geometric::GeometricMechanism;
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
