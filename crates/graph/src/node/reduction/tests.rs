use pointillist_errors::Explained as _;
use std::collections::HashMap;

use pointillist_testkit::seeded;

use super::*;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn reduced(statistic: Statistic, price: &str) -> Reduced {
    Reduced::new(statistic, &epsilon(price), &Delta::parse("1e-6").unwrap()).unwrap()
}

const COUNTS: [Count; 5] =
    [Count::Edges, Count::Components, Count::Triangles, Count::Stars(2), Count::Stars(3)];

fn projected(graph: &Graph, bound: u32) -> Graph {
    BoundedProjection::new(graph).graph(bound)
}

/// How far every count moves when a node goes, over these graphs, for every bound and number of nodes above
/// it, not counting the node itself.
fn movements(graphs: impl Iterator<Item = SmallGraph>) -> HashMap<(usize, u32, u64), i128> {
    let mut moved = HashMap::new();
    for small in graphs {
        let with = small.graph();
        for less in small.without_a_node() {
            let without = less.graph();
            for bound in 1..=4 {
                let crowd = (0..with.nodes()).filter(|node| with.degree(*node) > bound).count() as u64 + 1;
                let (a, b) = (projected(&with, bound), projected(&without, bound));
                for (place, count) in COUNTS.iter().enumerate() {
                    let rung = Rung { bound, crowd };
                    let distance = (count.of(&a) - count.of(&b)).abs();
                    assert!(
                        distance <= count.sensitivity(&rung) as i128,
                        "{count:?} moves by {distance} at {rung:?}"
                    );
                    let largest = moved.entry((place, bound, crowd)).or_insert(0);
                    *largest = distance.max(*largest);
                }
            }
        }
    }
    moved
}

/// Specification: over all graphs with at most five nodes, and random ones with up to ten, with the smallest
/// crowd that the larger graph does not reach, one node moves no count of the projection by more than its
/// sensitivity. Power: for ties, components, triangles and stars the bound is reached where D or l is small.
#[test]
fn one_node_moves_every_count_by_at_most_its_sensitivity() {
    let mut bits = seeded(1);
    let random: Vec<SmallGraph> = (0..400)
        .map(|k| graph_of_bits(6 + k % 5, if k % 3 == 0 { bits() } else { bits() & bits() }))
        .collect();
    let moved = movements((1..=5).flat_map(all_graphs).chain(random));
    for (place, count) in COUNTS.iter().enumerate() {
        let reached = moved.iter().filter(|((which, bound, crowd), distance)| {
            let rung = Rung { bound: *bound, crowd: *crowd };
            *which == place && **distance == count.sensitivity(&rung) as i128 && **distance > 0
        });
        assert!(reached.count() >= 2, "{count:?}");
    }
}

/// Specification: many nodes above the bound can lower the number of kept ties by one each, so l is needed in
/// the noise: a node tied to one of each of many pairs of friends takes about half of their ties away at the
/// bound 1.
#[test]
fn the_crowd_is_needed_in_the_noise() {
    let friends = |hub: Option<u128>| {
        let pairs = (0..20).map(|k| (2 * k, 2 * k + 1));
        let at_the_hub = (0..20).filter(|_| hub.is_some()).map(|k| (2 * k, 40));
        Graph::with_labels((0..40).chain(hub).collect(), pairs.chain(at_the_hub))
    };
    let rung = Rung { bound: 1, crowd: 22 };
    for count in [Count::Edges, Count::Components] {
        let before = count.of(&projected(&friends(None), 1));
        let far = (40..300).map(|hub| (count.of(&projected(&friends(Some(hub)), 1)) - before).unsigned_abs());
        let far = far.max().unwrap();
        assert!(far > 13 && far <= count.sensitivity(&rung), "{far}");
    }
}

/// Specification: the crowd of the ladder makes both sides of the sensitivity equal up to rounding.
#[test]
fn crowds_are_balanced() {
    for count in COUNTS {
        for bound in [100, 1000, 12345] {
            let crowd = count.crowd(bound);
            let at = |crowd| count.sensitivity(&Rung { bound, crowd });
            assert_eq!(at(crowd), at(1), "{count:?}: the crowd costs nothing");
            assert!(at(crowd + 3) > at(1), "{count:?}: three more cost something");
        }
    }
}

#[test]
fn prices_are_kept_and_the_noise_is_that_of_the_table() {
    let mechanism = reduced(Statistic::Components, "1");
    assert_eq!(mechanism.loss().approximate_epsilon(), Some((epsilon("1"), Delta::parse("1e-6").unwrap())));
    let (rho, delta) = mechanism.loss().approximate_rho().unwrap();
    assert_eq!(delta, Delta::parse("1e-6").unwrap());
    assert!(rho.to_f64_upper() < 5.0 / 18.0, "ρ is below (1/9 + 4/9)/2: {rho}");
    for (rung, noise) in mechanism.test.rungs().iter().zip(&mechanism.noises) {
        assert_eq!(*noise[0].scale(), Rational::from(rung.bound - 1) * Rational::ratio(3, 2));
        assert_eq!(rung.crowd, u64::from(rung.bound) - 1);
    }
    let clustering = reduced(Statistic::GlobalClustering, "1");
    assert_eq!(clustering.loss().approximate_epsilon().unwrap().0, epsilon("1"));
    assert_eq!(clustering.noises[0].len(), 2);
    let first = clustering.test.rungs()[0];
    let scale = Rational::from(Count::Triangles.sensitivity(&first)) * Rational::from(3);
    assert_eq!(*clustering.noises[0][0].scale(), scale);
}

/// Specification: a large graph with small degrees is answered near the truth; a small one is refused;
/// neither fails.
#[test]
fn large_even_graphs_are_answered_and_small_ones_refused() {
    // 6000 rings of four nodes.
    let graph = Graph::from_pairs(
        24_000,
        (0..6000).flat_map(|k| (0..4).map(move |i| (4 * k + i, 4 * k + (i + 1) % 4))),
    );
    let mechanism = reduced(Statistic::Components, "1");
    let mut bits = seeded(1);
    let mut answered = 0;
    for _ in 0..20 {
        let answer = mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap();
        answered += usize::from(
            answer.estimates.iter().any(|one| one.lower == 0.0 && one.upper >= 6000.0 && one.upper < 8000.0),
        );
    }
    assert!(answered >= 12, "{answered}");
    let tiny = Graph::from_pairs(30, (0..30).flat_map(|u| (0..u).map(move |v| (u, v))));
    let released = reduced(Statistic::Triangles, "0.5").release(&tiny, &mut bits);
    assert!(released[0] == 0 || released.len() == 2);
    for empty in [Graph::from_pairs(0, []), Graph::from_pairs(1, [])] {
        for statistic in [Statistic::Edges, Statistic::Stars(8), Statistic::GlobalClustering] {
            let mechanism = reduced(statistic, "1");
            assert!(mechanism.present(&mechanism.release(&empty, &mut bits)).is_some());
        }
    }
}

#[test]
fn answers_say_what_was_cut_and_strangers_numbers_are_refused() {
    let mechanism = reduced(Statistic::Components, "1");
    let bound = i128::from(mechanism.test.rungs()[3].bound);
    let answer = mechanism.present(&[bound, 5000]).unwrap();
    assert_eq!(answer.estimates[0].value, Figure::Whole(5000));
    assert_eq!(answer.estimates[0].lower, 0.0);
    assert!(answer.notes[0].contains(&bound.to_string()) && answer.notes[1].contains("below"));
    let edges = reduced(Statistic::Edges, "1");
    let answer = edges.present(&[i128::from(edges.test.rungs()[0].bound), 5000]).unwrap();
    assert_eq!(answer.estimates[0].upper, f64::INFINITY);
    assert!(mechanism.present(&[0]).unwrap().estimates.is_empty());
    for strange in [&[][..], &[0, 1], &[1, 1], &[bound], &[bound, 1, 1]] {
        assert_eq!(mechanism.present(strange), None);
    }
    let clustering = reduced(Statistic::GlobalClustering, "1");
    let bound = i128::from(clustering.test.rungs()[0].bound);
    for (triangles, stars) in [(0, 0), (-5, -5), (10, -5), (1_000_000_000, 2), (7, 100_000_000)] {
        let answer = clustering.present(&[bound, triangles, stars]).unwrap();
        let ratio = answer.estimates[0].value.as_f64();
        assert!((0.0..=1.0).contains(&ratio));
    }
    assert!(mechanism.outlook().words.len() == 4);
}

#[test]
fn other_statistics_are_refused_with_a_way_out() {
    let refused = |statistic| {
        Reduced::new(statistic, &epsilon("1"), &Delta::parse("1e-6").unwrap())
            .unwrap_err()
            .explanation()
            .text()
    };
    assert!(refused(Statistic::MaxDegree).contains("degree bound"));
    for statistic in [Statistic::Nodes, Statistic::Degrees, Statistic::AverageClustering, Statistic::Stars(1)]
    {
        assert!(refused(statistic).contains("hint:"));
    }
    let without =
        Reduced::new(Statistic::Edges, &epsilon("1"), &Delta::zero()).unwrap_err().explanation().text();
    assert!(without.contains("δ"));
}
