//! The global clustering coefficient: three times the triangles, divided by the 2-stars.
//!
//! **Guarantee.** ε-differentially private: the number of triangles for two thirds of ε, the number of
//! 2-stars for one third, each with the level of its interval. Their ratio is computed from these.
//! **Neighbours.** Graphs over the same nodes that differ in one tie; how many nodes there are is public.
//! **Proof.** Two releases, one after the other. Triangles: the local sensitivities `LS_s` of
//! [`triangle_sensitivity`](crate::edge::triangle_sensitivity), the level is `LS_0`, which one tie moves by
//! at most one, and the ceiling `LS_s ≤ LS_0 + s`; the rest is the proof in `smooth_count.rs`. 2-stars:
//! [`StarCount`].
//! **Error.** The relative errors of both counts add up. Triangles are the rarer of the two and have the
//! larger relative error, on the graphs we measured two to thirty times the other at equal shares: so they
//! get the larger share. Each interval fails with probability at most 2.5 %; if neither does, the coefficient
//! lies between the least and the largest quotient.
//! **Exactness.** The counts are those of their files; quotients are floats, for showing only.
//! **Not covered.** A graph without 2-stars has no coefficient; ours is zero.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss};

use super::share;
use crate::edge::smooth_count::{Setting, SmoothCount, check_nodes};
use crate::edge::stars::StarCount;
use crate::edge::triangle_sensitivity::{TriangleSensitivity, cap};
use crate::kernel::triangles;
use crate::{Answer, Graph, GraphError, Mechanism, Outlook};

/// One part in so many of the triangles' ε pays for their level.
const LEVEL_SHARE: u32 = 10;

/// The share of 2-stars that are closed.
#[derive(Clone, Debug)]
pub struct GlobalClustering {
    nodes: u32,
    triangles: SmoothCount,
    stars: StarCount,
    loss: Loss,
}

impl GlobalClustering {
    /// The coefficient at this price, in graphs with this many nodes.
    pub fn new(epsilon: &Epsilon, nodes: u32) -> Result<Self, GraphError> {
        let for_stars = epsilon.divided_by(3)?;
        let for_triangles = Epsilon::new(epsilon.value() - for_stars.value())?;
        let most = cap(nodes);
        let setting = Setting { level_share: LEVEL_SHARE, floor: 1, cap: most.into(), level_max: most };
        let triangles = SmoothCount::new(&for_triangles, &setting)?;
        let stars = StarCount::new(2, &for_stars, nodes)?;
        Ok(Self { nodes, triangles, stars, loss: Loss::pure(epsilon.clone()) })
    }
}

fn ceiling(level: u64, distance: u64) -> u128 {
    u128::from(level) + u128::from(distance)
}

impl Mechanism for GlobalClustering {
    fn name(&self) -> &'static str {
        "smooth-global-clustering"
    }

    fn loss(&self) -> Loss {
        self.loss.clone()
    }

    fn outlook(&self) -> Outlook {
        let words = "the relative error is about 2/ε times the largest number of common neighbours, divided by \
                     the number of triangles, and a smaller part for the 2-stars";
        Outlook { error_95: None, words: vec![words.to_owned()] }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        check_nodes(graph, self.nodes);
        let sensitivity = TriangleSensitivity::of(graph, self.nodes);
        let local = |distance| u128::from(sensitivity.at(distance));
        let count = u128::from(triangles::count(graph));
        let mut released = self.triangles.release(count, local, sensitivity.local(), ceiling, bits).to_vec();
        released.extend(self.stars.release(graph, bits));
        released
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [closed, closed_level, stars, stars_level] = *released else { return None };
        let failure = Rational::ratio(1, 40);
        let closed_error = self.triangles.error_upper(closed_level, ceiling, &failure);
        let stars_error = self.stars.error_upper(stars_level, &failure);
        let (closed, stars) = (closed as f64, stars as f64);
        let lower = quotient(closed - closed_error, stars + stars_error);
        let upper = quotient(closed + closed_error, stars - stars_error);
        Some(share(
            quotient(closed, stars),
            lower,
            upper,
            "the share of 2-stars that are closed to triangles",
        ))
    }
}

/// Three times the triangles by the 2-stars, at most one.
fn quotient(triangles: f64, stars: f64) -> f64 {
    if triangles <= 0.0 {
        0.0
    } else if stars <= 3.0 * triangles {
        1.0
    } else {
        3.0 * triangles / stars
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{hoeffding_radius, seeded};

    use super::*;
    use crate::kernel::stars;
    use crate::kernel::testing::all_graphs;

    fn clustering(epsilon: &str, nodes: u32) -> GlobalClustering {
        GlobalClustering::new(&Epsilon::parse(epsilon).unwrap(), nodes).unwrap()
    }

    /// So many triangles in a row, each sharing a node with the next: one of every few 2-stars is closed.
    fn chain(triangles: u32) -> Graph {
        let row = (0..triangles).flat_map(|link| {
            [(2 * link, 2 * link + 1), (2 * link, 2 * link + 2), (2 * link + 1, 2 * link + 2)]
        });
        Graph::from_pairs(2 * triangles + 1, row)
    }

    /// Specification: over all graphs with at most five nodes, the triangles' level moves by at most one and
    /// the ceiling is above every local sensitivity.
    #[test]
    fn the_level_of_the_triangles_moves_by_at_most_one() {
        let mut moved = 0;
        for small in (2..=5).flat_map(all_graphs) {
            let one = TriangleSensitivity::of(&small.graph(), small.nodes());
            assert!((0..8).all(|distance| u128::from(one.at(distance)) <= ceiling(one.local(), distance)));
            for next in small.edge_neighbours() {
                let other = TriangleSensitivity::of(&next.graph(), small.nodes());
                moved = moved.max(one.local().abs_diff(other.local()));
            }
        }
        assert_eq!(moved, 1);
    }

    /// Specification: the truth lies in the interval at least 95 times in a hundred.
    /// False alarm: 1e-9 in all (Hoeffding, 300 releases each).
    #[test]
    fn intervals_hold() {
        let graph = chain(300);
        let truth = 3.0 * triangles::count(&graph) as f64 / stars::count(&graph, 2) as f64;
        for epsilon in ["0.3", "3"] {
            let mechanism = clustering(epsilon, graph.nodes());
            let mut bits = seeded(3);
            let runs = 300;
            let mut held = 0;
            for _ in 0..runs {
                let answer = mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap();
                let estimate = &answer.estimates[0];
                assert!(0.0 <= estimate.lower && estimate.upper <= 1.0);
                assert!((estimate.lower..=estimate.upper).contains(&estimate.value.as_f64()));
                held += u32::from((estimate.lower..=estimate.upper).contains(&truth));
            }
            let least = 0.95 - hoeffding_radius(runs, 1e-9 / 2.0);
            assert!(f64::from(held) >= least * runs as f64, "ε = {epsilon}: {held} of {runs}");
        }
    }

    #[test]
    fn with_little_noise_the_truth_comes_back() {
        let graph = chain(300);
        let mechanism = clustering("100", graph.nodes());
        let answer = mechanism.present(&mechanism.release(&graph, &mut seeded(1))).unwrap();
        let truth = 3.0 * triangles::count(&graph) as f64 / stars::count(&graph, 2) as f64;
        assert!((answer.estimates[0].value.as_f64() - truth).abs() < 0.01);
        assert!(answer.estimates[0].error_95() < 0.05);
    }

    #[test]
    fn quotients_are_shares() {
        for (triangles, stars, share) in [
            (1.0, 6.0, 0.5),
            (-1.0, 6.0, 0.0),
            (0.0, 0.0, 0.0),
            (2.0, 0.0, 1.0),
            (2.0, -5.0, 1.0),
            (9.0, 1.0, 1.0),
        ] {
            assert_eq!(quotient(triangles, stars), share);
        }
        let mechanism = clustering("1", 10);
        assert_eq!(mechanism.present(&[1, 2, 3]), None);
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
        for nodes in 0..3 {
            let mechanism = clustering("1", nodes);
            let released = mechanism.release(&Graph::from_pairs(nodes, []), &mut seeded(1));
            assert_eq!(mechanism.present(&released).unwrap().estimates[0].lower, 0.0);
        }
    }
}
