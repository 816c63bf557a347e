//! Triangles in two steps: a noisy bound of the local sensitivity, then the count with noise for that bound.
//!
//! **Guarantee.** (ε, δ)-differentially private, and δ-approximate zCDP with half the sum of the squares of
//! the two shares.
//! **Neighbours.** Graphs over the same n nodes that differ in one tie; n is public.
//! **Source.** The lecture on graphs of "Applied Privacy for Data Science" (Harvard, 2022) for
//! [`Bound::MaxDegree`]. There each step costs ε, together (2ε, δ); here ε is the price of both, half each.
//! [`Bound::CommonNeighbours`] is ours.
//! **Proof.** The mechanism and its proofs stand in `noisy_local_bound.rs`. It asks for a number that is at
//! least the change that one tie makes, and that one tie moves by at most one. One tie changes the count by
//! the common neighbours of its ends, at most L, the largest number of common neighbours of *any* two nodes,
//! tied or not; and L is at most the largest degree, as common neighbours are neighbours. One tie moves L by
//! at most one (`triangle_sensitivity.rs`), and the largest degree too. Cut at n − 2, which no change
//! exceeds, both stay such numbers.
//! **Error.** The noise is `L̂/ε₂`, where `L̂` lies about `ln(1/δ)/ε₁` above the bound. With common
//! neighbours a fifth of ε is spent on it: the count wants most of ε, and the offset is paid only once. At δ
//! = 1e-6 this is worse than the pure [`SmoothTriangles`](super::triangles::SmoothTriangles) on all graphs we
//! know.
//! **Interval.** Made of the released bound and the exact law of the noise; the truth lies in it with
//! probability 95 % whether the bound holds or not.
//! **Exactness.** Integers throughout.
//! **Not covered.** Timing: counting takes a time that depends on the graph.

use pointillist_mechanisms::NoisyLocalBound;
use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss};

use super::triangle_sensitivity::cap;
use super::triangles::{count, shares};
use crate::kernel::{common_neighbours, degrees};
use crate::{Answer, Draw, Estimate, Graph, GraphError, Mechanism, Outlook};

/// What bounds the change that one tie makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The largest degree, as in the lecture named above; half of ε each step.
    MaxDegree,
    /// The largest number of common neighbours of two nodes; a fifth of ε for the bound.
    CommonNeighbours,
}

impl Bound {
    /// One part in how many of ε the bound costs.
    fn share(self) -> u64 {
        match self {
            Self::MaxDegree => 2,
            Self::CommonNeighbours => 5,
        }
    }

    fn of(self, graph: &Graph) -> u64 {
        match self {
            Self::MaxDegree => u64::from(degrees::max(graph)),
            Self::CommonNeighbours => u64::from(common_neighbours::max(graph)),
        }
    }
}

/// The number of triangles, with a released bound of its local sensitivity.
#[derive(Clone, Debug)]
pub struct TwoStepTriangles {
    bound: Bound,
    nodes: u32,
    mechanism: NoisyLocalBound,
}

impl TwoStepTriangles {
    /// The count at this price in all, for graphs with this many nodes.
    pub fn new(epsilon: &Epsilon, delta: &Delta, nodes: u32, bound: Bound) -> Result<Self, GraphError> {
        let (epsilon_bound, epsilon_count) = shares(epsilon, bound.share())?;
        // Fewer than three nodes have no sensitivity at all, and the mechanism is never asked.
        let most = cap(nodes).max(1);
        let mechanism = NoisyLocalBound::new(&epsilon_bound, &epsilon_count, delta, 1, most)?;
        Ok(Self { bound, nodes, mechanism })
    }

    fn error_95(&self, bound: u64) -> f64 {
        let failure = FailureProbability::parse("0.05").expect("a probability");
        self.mechanism.error_bound(bound, &failure) as f64
    }
}

impl Mechanism for TwoStepTriangles {
    fn name(&self) -> &'static str {
        match self.bound {
            Bound::MaxDegree => "noisy-max-degree",
            Bound::CommonNeighbours => "noisy-common-neighbours",
        }
    }

    fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    fn outlook(&self) -> Outlook {
        let most = cap(self.nodes);
        if most == 0 {
            return Outlook { error_95: Some(0.0), words: vec!["three nodes make a triangle".to_owned()] };
        }
        let what = match self.bound {
            Bound::MaxDegree => "the largest degree",
            Bound::CommonNeighbours => "the largest number of common neighbours of two nodes",
        };
        let unit = self.error_95(most) / most as f64;
        let words = format!(
            "the error exceeds {unit:.1} times a noisy bound with probability 5 %; the bound is shown, and \
             lies about {} above {what}, at most at {most}",
            self.mechanism.offset()
        );
        Outlook { error_95: None, words: vec![words] }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        if cap(self.nodes) == 0 {
            return Box::new(|_| vec![0, 0]);
        }
        let (count, bound) = (count(graph), self.bound.of(graph));
        Box::new(move |bits| {
            let released = self.mechanism.release(count, bound, bits);
            vec![i128::from(released.value), i128::from(released.bound)]
        })
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [noisy, bound] = *released else { return None };
        if cap(self.nodes) == 0 {
            let nothing = Answer { estimates: vec![Estimate::count(0, 0.0)], notes: Vec::new() };
            return (noisy == 0 && bound == 0).then_some(nothing);
        }
        let bound = u64::try_from(bound).ok().filter(|bound| (1..=cap(self.nodes)).contains(bound))?;
        let what = match self.bound {
            Bound::MaxDegree => "no node has many more ties",
            Bound::CommonNeighbours => "no two nodes have many more common neighbours",
        };
        let notes = vec![format!("noise for a sensitivity of {bound}: most likely {what} than that")];
        Some(Answer { estimates: vec![Estimate::count(noisy, self.error_95(bound))], notes })
    }
}

#[cfg(test)]
mod tests;
