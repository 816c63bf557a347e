//! How many components there are, by forests of a bounded degree.
//!
//! **Guarantee.** ε-differentially private.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Method.** For every power of two D from 16 to 2^32, the nodes less the ties of a largest forest of degree D
//! ([`components`](super::components)) are a number that is never below the number of components. One D is chosen
//! ([`choice`](super::choice)), and noise of scale about `5/4·D/(⅗ε)` is added.
//! **Proof.** When a node comes, the forest's ties rise by at most `D + s` and fall by at most s, the slack of the family,
//! as shown there, and there is one node more. So the ties less the nodes, which is what is chosen by and released, rise
//! by at most `D + s − 1` and fall by at most `s + 1`. The rest is `thresholded.rs`.
//! **Error.** A graph whose components have spanning trees of small degree loses nothing by the bound, and noise is a few
//! times `16/ε`. Stars lose: a hub with a thousand neighbours that are tied to nobody else counts as about a thousand
//! components until D reaches it.
//! **Exactness.** Integers throughout.
//! **Not covered.** A lower end of the interval other than zero. Timing: the family is computed in a time that depends on
//! the graph; bounds below 16, where it can be long, are left out for that reason, and on graphs made for it it can be
//! long even so.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Loss};

use super::components::{fall_max, forest_family, rise_max};
use super::thresholded::{Level, ThresholdedCount, Tuning, powers_of_two};
use crate::{Answer, Draw, Estimate, Figure, Graph, GraphError, Mechanism, Outlook};

/// The number of components, from forests of a bounded degree.
#[derive(Clone, Debug)]
pub struct ForestComponents {
    count: ThresholdedCount,
}

impl ForestComponents {
    /// The count at this price.
    pub fn new(epsilon: &Epsilon) -> Result<Self, GraphError> {
        let level = |threshold: u64| Level {
            threshold,
            rise_max: u128::from(rise_max(threshold)) - 1,
            fall_max: u128::from(fall_max(threshold)) + 1,
        };
        let levels: Vec<Level> = powers_of_two(4..=32).into_iter().map(level).collect();
        let count = ThresholdedCount::new(&levels, &Tuning::of_forests(), epsilon)?;
        Ok(Self { count })
    }

    /// The ties of largest forests less the nodes: never above minus the number of components.
    fn values(&self, graph: &Graph) -> Vec<i128> {
        let ties = forest_family(graph, self.count.thresholds());
        ties.into_iter().map(|ties| i128::from(ties) - i128::from(graph.nodes())).collect()
    }
}

impl Mechanism for ForestComponents {
    fn name(&self) -> &'static str {
        "forest"
    }

    fn loss(&self) -> Loss {
        self.count.loss()
    }

    fn outlook(&self) -> Outlook {
        let words = [
            "the error grows with the degree that spanning trees need, divided by ε: about 50/ε for most graphs",
            "neighbours of a hub that are tied to nobody else may count as components of their own",
        ];
        Outlook { error_95: None, words: words.map(str::to_owned).to_vec() }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        self.count.counted(self.values(graph), &[])
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let read = self.count.read(released)?;
        // Fewer than none there are not.
        let value = read.count.checked_neg()?.max(0);
        let note = format!(
            "trees with at most {} ties a node are grown: whom they do not reach counts as a component, so the truth may be smaller",
            read.threshold
        );
        let upper = (value as f64 + read.excess_95).max(0.0);
        let estimate = Estimate { degree: None, value: Figure::Whole(value), lower: 0.0, upper };
        Some(Answer { estimates: vec![estimate], notes: vec![note] })
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::kernel::components;
    use crate::kernel::testing::{all_graphs, graph_of_bits};

    fn mechanism(epsilon: &str) -> ForestComponents {
        ForestComponents::new(&Epsilon::parse(epsilon).unwrap()).unwrap()
    }

    /// Specification: over all graphs with at most five nodes and many with ten, values rise and fall by no more than their
    /// bounds when a node comes, and are never above minus the number of components.
    #[test]
    fn a_node_moves_values_within_their_bounds() {
        let mechanism = mechanism("1");
        let mut word = seeded(3);
        let random = (0..60).map(|_| graph_of_bits(10, word()));
        for small in (0..=5).flat_map(all_graphs).chain(random.collect::<Vec<_>>()) {
            let with = mechanism.values(&small.graph());
            let components = i128::from(components::count(&small.graph()));
            assert!(with.iter().all(|value| *value <= -components));
            for without in small.without_a_node() {
                let without = mechanism.values(&without.graph());
                for (index, degree) in mechanism.count.thresholds().iter().enumerate() {
                    let rise = with[index] - without[index];
                    let (rise_most, fall_most) =
                        (i128::from(rise_max(*degree)) - 1, i128::from(fall_max(*degree)) + 1);
                    assert!((-fall_most..=rise_most).contains(&rise), "{small:?} {degree}");
                }
            }
        }
    }

    /// Specification: a thousand separate paths are about a thousand components. False alarm: noise of scale 32 or, with
    /// probability below 1e-6, more; the seed is fixed, leaves ±600 with probability below 1e-15.
    #[test]
    fn paths_are_counted_well() {
        let pairs = (0..1000).flat_map(|path| (0..4).map(move |step| (5 * path + step, 5 * path + step + 1)));
        let graph = Graph::from_pairs(5000, pairs);
        let mechanism = mechanism("1");
        let released = mechanism.release(&graph, &mut seeded(5));
        let answer = mechanism.present(&released).unwrap();
        let value = answer.estimates[0].value.as_f64();
        assert!((value - 1000.0).abs() < 600.0, "{value}");
        assert!(answer.estimates[0].lower <= value.max(0.0) && answer.notes.len() == 1);
        assert_eq!(mechanism.present(&[]), None);
        assert_eq!(mechanism.present(&[99, 1]), None);
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
    }
}
