//! Triangles by propose-test-release: somebody proposes a bound of the local sensitivity, and graphs near one
//! that breaks it are not answered.
//!
//! **Guarantee.** (ε, δ)-differentially private, and δ-approximate zCDP with half the sum of the squares of
//! the two shares. A refusal costs the same as an answer.
//! **Neighbours.** Graphs over the same n nodes that differ in one tie; n is public, and so is the bound B.
//! **Proof.** The mechanism and its proofs stand in `propose_test_release.rs` of the mechanisms. It asks for
//! the distance g to the nearest graph whose local sensitivity is above B. That is the least s with
//! `LS_s > B`, by the definition of `LS_s`, and one tie moves it by at most one: `LS_{s−1}(G') ≤ LS_s(G) ≤ B`
//! for every neighbour G' of a G with `LS_s(G) ≤ B`. No graph breaks a bound of n − 2 or more; then the
//! distance counts as `2^63` for every graph, and a constant moves not at all.
//! **Error.** The noise is `B/ε₂`. A graph is answered, but for probability 5 %, when it is about
//! `(ln(1/(2δ)) + 2.3)/ε₁` ties away from breaking the bound; proposing that much more than the largest
//! number of common neighbours is enough. A quarter of ε pays for the test: more would cost the noise more
//! than the bound could shrink.
//! **Exactness.** Integers throughout.
//! **Not covered.** Choosing B: it must not come from the graph. Timing: counting takes a time that depends
//! on the graph.

use pointillist_mechanisms::ProposeTestRelease;
use pointillist_mechanisms::TestedOutcome;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss, SensitivityL1};

use super::triangle_sensitivity::{TriangleSensitivity, cap};
use super::triangles::{count, shares};
use crate::{Answer, Estimate, Graph, GraphError, Mechanism, Outlook};

/// One part in how many of ε the test costs.
const TEST_SHARE: u64 = 4;
/// Farther than any noise.
const NEVER: u64 = 1 << 63;

/// The number of triangles with noise for a proposed bound, or a refusal.
#[derive(Clone, Debug)]
pub struct ProposedTriangles {
    nodes: u32,
    bound: u64,
    mechanism: ProposeTestRelease,
}

impl ProposedTriangles {
    /// The count at this price in all, for graphs with this many nodes, if no two nodes have more than
    /// `bound` common neighbours and the graph is not near one in which they have. The bound is public and
    /// positive.
    pub fn new(epsilon: &Epsilon, delta: &Delta, nodes: u32, bound: u64) -> Result<Self, GraphError> {
        if bound == 0 {
            return Err(GraphError::refused(
                "a proposed bound of zero would mean that no two nodes have a common neighbour",
                "propose how many common neighbours two nodes have at most, such as 50",
            ));
        }
        let (epsilon_test, epsilon_count) = shares(epsilon, TEST_SHARE)?;
        let proposed = SensitivityL1::new(Rational::from(bound.min(cap(nodes).max(1))))?;
        let mechanism = ProposeTestRelease::new(&proposed, &epsilon_test, &epsilon_count, delta)?;
        Ok(Self { nodes, bound, mechanism })
    }

    /// How many ties a graph must be away from breaking the bound to be answered but for probability 5 %.
    pub fn distance_needed(&self) -> i128 {
        self.mechanism.distance_needed(&five_percent())
    }

    /// The distance to the nearest graph that breaks the bound.
    fn distance(&self, graph: &Graph) -> u64 {
        TriangleSensitivity::of(graph, self.nodes).distance_beyond(self.bound).unwrap_or(NEVER)
    }

    fn error_95(&self) -> f64 {
        self.mechanism.error_bound(&five_percent()) as f64
    }
}

fn five_percent() -> FailureProbability {
    FailureProbability::parse("0.05").expect("a probability")
}

impl Mechanism for ProposedTriangles {
    fn name(&self) -> &'static str {
        "propose-test-release"
    }

    fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    fn outlook(&self) -> Outlook {
        if cap(self.nodes) == 0 {
            return Outlook { error_95: Some(0.0), words: vec!["three nodes make a triangle".to_owned()] };
        }
        let words = format!(
            "answered when two nodes have at most {} common neighbours, and would after {} ties more or \
             less; declined otherwise, at the same price",
            self.bound,
            self.distance_needed()
        );
        Outlook { error_95: Some(self.error_95()), words: vec![words] }
    }

    /// `[1, count]` for an answer, `[0, 0]` for a refusal.
    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        if cap(self.nodes) == 0 {
            return vec![1, 0];
        }
        match self.mechanism.release(count(graph), self.distance(graph), bits) {
            TestedOutcome::Released { value } => vec![1, i128::from(value)],
            TestedOutcome::Refused => vec![0, 0],
        }
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let error = if cap(self.nodes) == 0 { 0.0 } else { self.error_95() };
        match *released {
            [1, noisy] if cap(self.nodes) > 0 || noisy == 0 => {
                Some(Answer { estimates: vec![Estimate::count(noisy, error)], notes: Vec::new() })
            }
            [0, 0] if cap(self.nodes) > 0 => {
                let note = format!(
                    "declined: the graph is, or may be, too near to one where two nodes have more than {} \
                     common neighbours; propose a larger bound, or use a method without one",
                    self.bound
                );
                Some(Answer { estimates: Vec::new(), notes: vec![note] })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
