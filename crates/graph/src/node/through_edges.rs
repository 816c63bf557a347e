//! Any statistic that has a mechanism for edge privacy, under node privacy.
//!
//! **Guarantee.** (ε₁ + ε₂, δ)-differentially private: a degree bound D is chosen by the test of
//! `safety_test.rs` at (ε₁, δ), the graph is projected to it, filled up with isolated nodes to a public
//! number N, its nodes are shuffled, and a mechanism that is ε′-private for one tie answers, with
//! `ε′ = ε₂/(D + l − 1)`. When no bound passes, nothing is answered.
//! **Neighbours.** Graphs that differ in one node with all its ties. How many nodes there are is private; N
//! is not.
//! **Source.** Blocki, Blum, Datta, Sheffet (2013) and Jain, Smith, Wagaman (2024), arXiv:2403.04630.
//! **Proof.** Let `G' = G + w` not be crowded at the rung (D, l): fewer than l of its nodes have more than D
//! ties, and it has at most N nodes. By `bounded_projection.rs` the projection of G' has at most D ties, all
//! at w, that the projection of G has not, and lacks at most as many as there are nodes other than w above D,
//! so at most l − 1. Give w the name of one of the isolated nodes that fill G up: now both are graphs over
//! the same N names that differ in at most `D + l − 1` ties. The shuffle is a uniform choice of places for
//! names. For every choice the mechanism's laws differ by at most `exp((D + l − 1)·ε′) = e^{ε₂}`, one tie
//! after the other; so do their means over all choices. Because the choice is uniform, it does not matter
//! which places the nodes have in memory, where w shifts all later ones: the mechanism may look at places and
//! labels as it likes. With the theorem of `safety_test.rs` the joint release is (ε₁ + ε₂, δ)-private, and
//! δ-approximately zCDP with the ρ of pure ε₁ and ε₂. ∎ A graph with more than N nodes passes with
//! probability at most δ; its last nodes are then left out, only so that nothing fails.
//! **Error.** That of the base at ε′, and what the projection cut off. D and l are above a hundred for ε = 1,
//! so ε′ is some thousandths: only statistics with little noise, of large graphs, survive this. Where a
//! statistic has a bound of its own under the projection, `reduction.rs` is better.
//! **Exactness.** That of the base; shares of ε are exact fractions.
//! **Not covered.** Timing. Bases that are not pure: the δ of a group grows by `e^{ε₂}` and more. A base must
//! not tell the number of nodes apart from N, which it does not know: a count of components would count the
//! isolated nodes too.

use pointillist_mechanisms::number::loss_upper::rho_of_pure;
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_privacy::{Delta, Epsilon, Loss};

use crate::node::bounded_projection::BoundedProjection;
use crate::node::reduction::{refusal, split, test_in_words};
use crate::node::safety_test::SafetyTest;
use crate::{Answer, Graph, GraphError, Mechanism, Outlook};

/// A mechanism for edge privacy behind a tested projection.
pub struct ThroughEdges {
    test: SafetyTest,
    nodes_max: u32,
    /// The base at every rung's own share of ε.
    bases: Vec<Box<dyn Mechanism>>,
    loss: Loss,
}

impl ThroughEdges {
    /// The statistic that `base` builds for one tie at a given ε, for graphs with `nodes_max` nodes. The
    /// number is the owner's, and public.
    ///
    /// # Errors
    /// When a share of ε is too small, when the base refuses it, or when the base is not pure.
    pub fn new(
        base: impl Fn(&Epsilon) -> Result<Box<dyn Mechanism>, GraphError>,
        nodes_max: u32,
        epsilon: &Epsilon,
        delta: &Delta,
    ) -> Result<Self, GraphError> {
        let [epsilon_test, epsilon_release] = split(epsilon)?;
        let crowd = |bound: u32, needed: u64| needed + u64::from(bound.div_ceil(4));
        let test = SafetyTest::ladder(crowd, Some(nodes_max), &epsilon_test, delta)?;
        let group = |rung: usize| u64::from(test.rungs()[rung].bound) + test.rungs()[rung].crowd - 1;
        let build = |rung: usize| -> Result<Box<dyn Mechanism>, GraphError> {
            let share = epsilon_release.divided_by(group(rung))?;
            let built = base(&share)?;
            match built.loss().pure_epsilon() {
                Some(pure) if pure <= share => Ok(built),
                _ => Err(GraphError::refused(
                    "only a pure mechanism can stand behind the projection to bounded degree",
                    "choose a method without δ",
                )),
            }
        };
        let bases = (0..test.rungs().len()).map(build).collect::<Result<_, _>>()?;
        let loss = test.loss_with(&epsilon_release, rho_of_pure(&epsilon_release))?;
        Ok(Self { test, nodes_max, bases, loss })
    }

    /// The projected graph over exactly `nodes_max` nodes in a uniformly random order.
    fn prepared(&self, graph: &Graph, bound: u32, bits: &mut dyn SecureBits) -> Graph {
        let mut places: Vec<u32> = (0..self.nodes_max).collect();
        for last in (1..places.len()).rev() {
            places.swap(last, uniform_u64_below(last as u64 + 1, bits) as usize);
        }
        let place = |node: u32| places.get(node as usize).copied();
        let projection = BoundedProjection::new(graph);
        let ties = projection.ties(bound).filter_map(|(u, v)| place(u).zip(place(v)));
        Graph::from_pairs(self.nodes_max, ties)
    }
}

impl Mechanism for ThroughEdges {
    fn name(&self) -> &'static str {
        "restricted"
    }

    fn loss(&self) -> Loss {
        self.loss.clone()
    }

    fn outlook(&self) -> Outlook {
        let mut words = test_in_words(&self.test);
        let first = self.bases[0].outlook();
        if let Some(error) = first.error_95 {
            words.push(format!("at the first bound the noise alone is up to {error:.0}"));
        }
        words.extend(first.words);
        Outlook { error_95: None, words }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        let Some(rung) = self.test.choose(graph, bits) else { return vec![0] };
        let bound = self.test.rungs()[rung].bound;
        let prepared = self.prepared(graph, bound, bits);
        let mut released = vec![i128::from(bound)];
        released.extend(self.bases[rung].release(&prepared, bits));
        released
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let (bound, rest) = released.split_first()?;
        if *bound == 0 {
            return rest.is_empty().then(refusal);
        }
        let mut answer = self.bases[self.test.rung(*bound)?].present(rest)?;
        answer.notes.push(format!(
            "answered for the graph in which nobody keeps more than {bound} ties; so are intervals"
        ));
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::FailureProbability;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::edge::unit_count::{Counted, UnitCount};
    use crate::kernel::{degrees, triangles};

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn edges(share: &Epsilon) -> Result<Box<dyn Mechanism>, GraphError> {
        Ok(Box::new(UnitCount::new(Counted::Edges, share)?))
    }

    fn through(nodes_max: u32) -> ThroughEdges {
        ThroughEdges::new(edges, nodes_max, &epsilon("3"), &Delta::parse("1e-6").unwrap()).unwrap()
    }

    fn ring(nodes: u32) -> Graph {
        Graph::from_pairs(nodes, (0..nodes).flat_map(|u| [(u, (u + 1) % nodes), (u, (u + 2) % nodes)]))
    }

    /// Specification: the base at every rung is private for one tie at exactly its share, and the shares of a
    /// group add up to the two thirds of ε that the release has.
    #[test]
    fn the_shares_of_a_group_add_up() {
        let mechanism = through(1000);
        for (rung, base) in mechanism.test.rungs().iter().zip(&mechanism.bases) {
            let group = u64::from(rung.bound) + rung.crowd - 1;
            assert_eq!(base.loss().pure_epsilon().unwrap().times(group).unwrap(), epsilon("2"));
        }
        let stated = mechanism.loss().approximate_epsilon().unwrap();
        assert_eq!(stated, (epsilon("3"), Delta::parse("1e-6").unwrap()));
    }

    /// Specification: what the base sees has the public number of nodes and the kept ties up to a renaming,
    /// whatever the number of nodes is, and the renaming is drawn anew.
    #[test]
    fn the_base_sees_a_shuffled_graph_of_public_size() {
        let graph = ring(50);
        let mut bits = seeded(1);
        for nodes_max in [50, 60, 200] {
            let mechanism = through(nodes_max);
            let (first, second) =
                (mechanism.prepared(&graph, 9, &mut bits), mechanism.prepared(&graph, 9, &mut bits));
            for prepared in [&first, &second] {
                assert_eq!((prepared.nodes(), prepared.edges()), (nodes_max, 100));
                assert_eq!((degrees::max(prepared), triangles::count(prepared)), (4, 50));
            }
            assert!(first != second);
        }
        // More nodes than agreed on: nothing fails.
        assert_eq!(through(20).prepared(&graph, 9, &mut bits).nodes(), 20);
        assert_eq!(through(0).prepared(&graph, 9, &mut bits).nodes(), 0);
    }

    /// Specification: a large graph with few ties a node is answered near the truth; one with more nodes than
    /// agreed on is refused.
    #[test]
    fn large_even_graphs_are_answered_and_too_large_ones_refused() {
        let graph = ring(5000);
        let mut bits = seeded(2);
        let mechanism = through(8000);
        let answers: Vec<Answer> =
            (0..20).map(|_| mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap()).collect();
        let near = |answer: &Answer| answer.estimates.iter().any(|one| one.lower <= 1e4 && one.upper >= 1e4);
        assert!(answers.iter().filter(|answer| near(answer)).count() >= 12);
        for _ in 0..20 {
            let answer = through(4999).release(&graph, &mut bits);
            assert_eq!(answer, [0]);
            assert!(mechanism.present(&answer).unwrap().estimates.is_empty());
        }
        assert_eq!(mechanism.present(&[]), None);
        assert_eq!(mechanism.present(&[0, 1]), None);
        assert_eq!(mechanism.present(&[1, 1]), None);
        assert!(mechanism.outlook().words.len() >= 3);
        let needed = mechanism.test.distance_needed(&FailureProbability::parse("0.05").unwrap());
        assert!(u64::from(mechanism.test.rungs()[0].bound) > needed);
    }

    #[test]
    fn a_base_with_a_delta_or_more_than_its_share_is_refused() {
        let small = Delta::parse("1e-6").unwrap();
        let greedy = |_: &Epsilon| edges(&epsilon("1"));
        let refused = ThroughEdges::new(greedy, 100, &epsilon("1"), &small).err().unwrap().to_string();
        assert!(refused.contains("only a pure mechanism"));
        assert!(ThroughEdges::new(edges, 100, &epsilon("1"), &Delta::zero()).is_err());
        assert!(ThroughEdges::new(edges, 100, &epsilon("1e-12"), &small).is_err());
    }
}
