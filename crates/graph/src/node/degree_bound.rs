//! A bound on all degrees but a few, in place of the largest degree.
//!
//! **Guarantee.** ε-differentially private: the first D of a public ladder at which a noisy test finds the
//! graph far from having l nodes with more than D ties, or that there is none. No δ is spent, because nothing
//! follows the choice.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** The choice of `safety_test.rs`, which is private by itself.
//! **Error.** If l or more nodes had more than D ties, the distance at D would be 0 and D would be chosen
//! with probability at most 2.5 %, all rungs taken together. In the other direction, a rung that failed was
//! at a distance below the one needed, τ, but for 2.5 %: with τ nodes more it is crowded, so at least `l − τ`
//! nodes have more than `D − τ` ties.
//! **Why not the largest degree.** Every graph with n nodes has a neighbour with a node of degree n: the
//! largest degree moves by any amount, whatever the graph, and there is no noise that hides it and no class
//! of graphs for which it becomes safe. A bound that ignores fewer than l nodes can be had as soon as l is
//! larger than the noise.
//! **Exactness.** Integers throughout.
//! **Not covered.** Timing.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss};

use crate::node::safety_test::SafetyTest;
use crate::{Answer, Estimate, Figure, Graph, GraphError, Mechanism, Outlook};

/// Half of what an interval of 95 % leaves out.
const FAILURE: &str = "0.025";

/// A private degree bound for all but a few nodes.
#[derive(Clone, Debug)]
pub struct DegreeBound {
    test: SafetyTest,
    needed: u64,
}

impl DegreeBound {
    /// The bound at this price.
    pub fn new(epsilon: &Epsilon) -> Result<Self, GraphError> {
        // The δ of the test bounds here how often the statement is wrong; privacy does not fail with it.
        let test = SafetyTest::ladder(|_, needed| 2 * needed, None, epsilon, &Delta::parse(FAILURE)?)?;
        let needed = test.distance_needed(&FailureProbability::parse(FAILURE)?);
        Ok(Self { test, needed })
    }

    /// As many nodes as may be above the bound, and one more.
    pub fn crowd(&self) -> u64 {
        self.test.rungs()[0].crowd
    }
}

/// Why the largest degree is not released under node privacy, and what is.
pub fn max_degree_refusal() -> GraphError {
    GraphError::refused(
        "the largest degree cannot be released under node privacy: one new node can be tied to everybody, so \
         the largest degree of every graph is one node away from the number of nodes",
        "ask for a degree bound for all but a few nodes, or for the largest degree under edge privacy",
    )
}

impl Mechanism for DegreeBound {
    fn name(&self) -> &'static str {
        "degree-bound"
    }

    fn loss(&self) -> Loss {
        self.test.loss()
    }

    fn outlook(&self) -> Outlook {
        let (first, crowd) = (self.test.rungs()[0].bound, self.crowd());
        let words = vec![
            format!("the bound holds for all but fewer than {crowd} nodes, which are not looked at"),
            format!("it is {first} or larger, in steps of a quarter"),
        ];
        Outlook { error_95: None, words }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        let chosen = self.test.choose(graph, bits).map(|rung| self.test.rungs()[rung].bound);
        vec![i128::from(chosen.unwrap_or(0))]
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [bound] = *released else { return None };
        if bound == 0 {
            let notes = vec!["no degree bound passed the private test".to_owned()];
            return Some(Answer { estimates: Vec::new(), notes });
        }
        let rung = self.test.rung(bound)?;
        let crowd = self.crowd();
        let mut notes = vec![format!(
            "all but fewer than {crowd} nodes have at most {bound} ties, with probability at least 95 %"
        )];
        if let Some(below) = rung.checked_sub(1) {
            let below = u64::from(self.test.rungs()[below].bound);
            let (some, ties) = (crowd - self.needed, (below + 1).saturating_sub(self.needed));
            notes.push(format!("at least {some} nodes have {ties} ties or more, at the same confidence"));
        }
        let (value, upper) = (Figure::Whole(bound), bound as f64);
        Some(Answer { estimates: vec![Estimate { degree: None, value, lower: 0.0, upper }], notes })
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::seeded;

    use super::*;

    fn bound() -> DegreeBound {
        DegreeBound::new(&Epsilon::parse("1").unwrap()).unwrap()
    }

    /// 300 nodes with 60 ties each, and ten hubs tied to all of them: the hubs are too few to matter.
    fn hubs() -> Graph {
        let ring = (0..300u32).flat_map(|u| (1..=30).map(move |step| (u, (u + step) % 300)));
        let hubs = (300..310).flat_map(|hub| (0..300).map(move |u| (hub, u)));
        Graph::from_pairs(310, ring.chain(hubs))
    }

    /// Specification: the bound is at or above the degree of all but fewer than l nodes, and the second note
    /// is true. False alarm: 5 % a run by the statement itself; of 200 runs more than 30 fail with
    /// probability below 1e-7, and the seed is fixed.
    #[test]
    fn what_is_said_about_the_degrees_is_true() {
        let (mechanism, graph) = (bound(), hubs());
        let mut bits = seeded(1);
        let above = |ties: u64| (0..310).filter(|node| u64::from(graph.degree(*node)) > ties).count() as u64;
        let mut wrong = 0;
        for _ in 0..200 {
            let released = mechanism.release(&graph, &mut bits);
            if released[0] == 0 {
                continue;
            }
            let answer = mechanism.present(&released).unwrap();
            let below = mechanism.test.rung(released[0]).unwrap().checked_sub(1);
            let failed = below.map(|rung| u64::from(mechanism.test.rungs()[rung].bound));
            let upper = above(released[0] as u64) < mechanism.crowd();
            let lower = failed.is_none_or(|failed| {
                above(failed.saturating_sub(mechanism.needed)) >= mechanism.crowd() - mechanism.needed
            });
            assert_eq!(answer.notes.len(), 1 + usize::from(below.is_some()));
            wrong += usize::from(!(upper && lower));
        }
        assert!(wrong <= 30, "{wrong}");
    }

    #[test]
    fn the_bound_is_pure_and_refusals_are_answers() {
        let mechanism = bound();
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
        assert!(mechanism.present(&[0]).unwrap().estimates.is_empty());
        assert_eq!(mechanism.present(&[1]), None);
        assert_eq!(mechanism.present(&[]), None);
        assert_eq!(mechanism.crowd(), 2 * (mechanism.crowd() / 2));
        // A complete graph of 100 nodes is crowded at all low bounds: with one node more each has a tie more.
        let complete = Graph::from_pairs(100, (0..100).flat_map(|u| (0..u).map(move |v| (u, v))));
        let released = mechanism.release(&complete, &mut seeded(2));
        assert!(released[0] >= 99 || released[0] == 0);
    }

    #[test]
    fn the_largest_degree_is_refused_with_a_way_out() {
        let text = max_degree_refusal().explanation().text();
        assert!(
            text.contains("cannot be released under node privacy")
                && text.contains("hint: ask for a degree bound")
        );
    }
}
