//! The degeneracy: the largest k for which some part of the graph gives every member k ties inside it.
//!
//! **Guarantee.** ε-differentially private: the degeneracy plus discrete Laplace noise of scale `1/ε`,
//! without a degree bound, a projection or a δ.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** Let `G' = G + w` have a part H in which everybody has k ties inside H. Without w, if it was in
//! H, everybody else has lost at most one tie, so `H − w` gives everybody k − 1 ties (for k ≥ 1 it is not
//! empty: w had ties in H). So the degeneracy of G is at least k − 1. It is at most k, as every part of G is
//! a part of G'. The rest is the theorem of the geometric mechanism. ∎
//! **Error.** Beyond `ln(20)/ε`, about `3/ε`, with probability 5 %, whatever the graph.
//! **Exactness.** Integers throughout.
//! **Not covered.** Timing. Which nodes are in which core: one node can move all of them.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::kernel::cores;
use crate::{Answer, Estimate, Graph, GraphError, Mechanism, Outlook};

/// The degeneracy with discrete Laplace noise.
#[derive(Clone, Debug)]
pub struct Degeneracy {
    noise: GeometricMechanism,
}

impl Degeneracy {
    /// The degeneracy at this price.
    pub fn new(epsilon: &Epsilon) -> Result<Self, GraphError> {
        Ok(Self { noise: GeometricMechanism::new(&SensitivityL1::parse("1")?, epsilon)? })
    }

    fn error_95(&self) -> f64 {
        // The bound is reached with probability at most 5 %: the whole numbers below it are the interval.
        self.noise.error_bound(&FailureProbability::parse("0.05").expect("a probability")) as f64 - 1.0
    }
}

impl Mechanism for Degeneracy {
    fn name(&self) -> &'static str {
        "geometric"
    }

    fn loss(&self) -> Loss {
        self.noise.loss()
    }

    fn outlook(&self) -> Outlook {
        let words =
            "one node with all its ties moves the degeneracy by at most one, whatever the graph".to_owned();
        Outlook { error_95: Some(self.error_95()), words: vec![words] }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        vec![self.noise.release(i128::from(cores::degeneracy(graph)), bits)]
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
    use crate::kernel::testing::{all_graphs, graph_of_bits};

    /// Specification: over all graphs with at most five nodes and random ones with up to ten, a node more
    /// raises the degeneracy by zero or one, and both happen.
    #[test]
    fn one_node_moves_the_degeneracy_by_at_most_one() {
        let mut bits = seeded(1);
        let random: Vec<_> = (0..200).map(|k| graph_of_bits(6 + k % 5, bits())).collect();
        let mut moves = [0; 2];
        for small in (1..=5).flat_map(all_graphs).chain(random) {
            let with = cores::degeneracy(&small.graph());
            for without in small.without_a_node() {
                moves[(with - cores::degeneracy(&without.graph())) as usize] += 1;
            }
        }
        assert!(moves[0] > 0 && moves[1] > 0);
    }

    #[test]
    fn an_answer_says_what_was_released() {
        let mechanism = Degeneracy::new(&Epsilon::parse("1").unwrap()).unwrap();
        let released = mechanism.release(&Graph::from_pairs(3, [(0, 1), (1, 2), (0, 2)]), &mut seeded(1));
        let answer = mechanism.present(&released).unwrap();
        assert_eq!(answer.estimates[0].value.as_f64(), released[0] as f64);
        assert_eq!(mechanism.present(&[1, 2]), None);
        assert_eq!(mechanism.outlook().error_95, Some(3.0));
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
    }
}
