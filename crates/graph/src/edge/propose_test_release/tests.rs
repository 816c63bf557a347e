//! The exact law over all small graphs, and what samples say.

use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, clopper_pearson_lower, hockey_stick, seeded};

use super::*;
use crate::edge::known_graphs::KARATE;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

fn mechanism(epsilon: &str, delta: &str, nodes: u32, bound: u64) -> ProposedTriangles {
    let (epsilon, delta) = (Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap());
    ProposedTriangles::new(&epsilon, &delta, nodes, bound).unwrap()
}

fn complete(nodes: u32) -> Graph {
    Graph::from_pairs(nodes, (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v))))
}

fn two_hubs(nodes: u32, tied: bool) -> Graph {
    let spokes = (2..nodes).flat_map(|node| [(0, node), (1, node)]);
    Graph::from_pairs(nodes, spokes.chain(tied.then_some((0, 1))))
}

/// Probabilities of a refusal and of counts, with what could be wrong as parameters.
fn law(mechanism: &ProposedTriangles, truth: i64, distance: u64, epsilon: f64) -> Vec<f64> {
    let (test, answer) = (4.0 / epsilon, mechanism.bound.min(cap(mechanism.nodes)) as f64 / (0.75 * epsilon));
    let pmf = |scale: f64, j: i64| (0.5 / scale).tanh() * (-(j.abs() as f64) / scale).exp();
    let q = (-1.0 / test).exp();
    let beyond =
        |j: i64| if j >= 1 { q.powf(j as f64) / (1.0 + q) } else { 1.0 - q.powf((1 - j) as f64) / (1.0 + q) };
    let threshold = mechanism.mechanism.test().threshold() as i64;
    let passing = beyond(threshold + 1 - distance.min(1 << 40) as i64);
    let counts = (-150..=200).map(|y| passing * pmf(answer, y - truth));
    std::iter::once(1.0 - passing).chain(counts).collect()
}

/// The theorem with exact probabilities: all graphs with three to five nodes and random ones with up to
/// eight, all their neighbours, every bound. A distance that is one too large, to the change instead of to
/// instability, is caught.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_epsilon_and_delta() {
    let mut words = seeded(1);
    let random: Vec<SmallGraph> = (0..6)
        .map(|i| graph_of_bits(6 + i % 3, [words() & words(), words(), words() | words()][i as usize % 3]))
        .collect();
    let (mut worst, mut careless) = (0.0f64, 0.0f64);
    for small in (3..=5).flat_map(all_graphs).chain(random) {
        // Beyond four nodes a sample of the graphs is enough.
        if small.nodes() == 5 && !words().is_multiple_of(8) {
            continue;
        }
        for bound in 1..=cap(small.nodes()) {
            let mechanism = mechanism("1", "0.05", small.nodes(), bound);
            let of = |graph: &Graph, more: u64| {
                law(&mechanism, count(graph), mechanism.distance(graph) + more, 1.0)
            };
            let graph = small.graph();
            let [here, here_more] = [0, 1].map(|more| of(&graph, more));
            for other in small.edge_neighbours().map(|other| other.graph()) {
                worst = worst.max(hockey_stick(&here, &of(&other, 0), 1.0));
                careless = careless.max(hockey_stick(&here_more, &of(&other, 1), 1.0));
            }
        }
    }
    assert!(worst <= 0.05 * (1.0 + 1e-9), "{worst}");
    // Hubs whose tie is worth far more than the bound: what the test is for.
    let mechanism = mechanism("1", "0.05", 42, 1);
    let hubs = |more: u64| {
        let [left, right] = [false, true].map(|tied| {
            let graph = two_hubs(42, tied);
            law(&mechanism, count(&graph), mechanism.distance(&graph) + more, 1.0)
        });
        hockey_stick(&left, &right, 1.0)
    };
    assert!(hubs(0) <= 0.05 * (1.0 + 1e-9) && hubs(0) > 0.04, "{}", hubs(0));
    assert!(hubs(1) > 0.05 && hubs(1_000) > 0.9, "a distance to something else: {}", hubs(1));
    assert!(careless <= hubs(1), "{careless}");
}

/// Specification: samples of two hubs do not refute (ε, δ). False alarm: 1e-9. Power: without the test they
/// do.
#[test]
fn samples_of_the_worst_pair_do_not_refute_the_price() {
    let mechanism = mechanism("1", "0.01", 14, 2);
    let mut bits = seeded(2);
    let mut draw = |tied: bool| -> Vec<Vec<i128>> {
        (0..4000).map(|_| mechanism.release(&two_hubs(14, tied), &mut bits)).collect()
    };
    let claim = Distinguisher::new(1.0, 0.01);
    claim.assert_private(&draw(false), &draw(true), "propose-test-release");
    let mut untested = |tied: bool| -> Vec<bool> {
        let truth = count(&two_hubs(14, tied));
        let outcomes = (0..4000).map(|_| mechanism.mechanism.release(truth, NEVER, &mut bits));
        outcomes.map(|outcome| matches!(outcome, TestedOutcome::Released { value } if value > 6)).collect()
    };
    claim.assert_leaks(&untested(false), &untested(true), "without the test");
}

/// Specification: a graph far from the bound is answered with probability at least 95 %, and its interval
/// holds the truth with probability at least 95 %. False alarm: 1e-9 each (Clopper-Pearson).
#[test]
fn stable_graphs_are_answered_and_intervals_cover() {
    let graph = Graph::from_pairs(34, KARATE);
    let mechanism = mechanism("8", "1e-6", 34, 20);
    assert!(i128::from(mechanism.distance(&graph)) >= mechanism.distance_needed());
    let (mut bits, n) = (seeded(3), 2000);
    let answers: Vec<Answer> =
        (0..n).map(|_| mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap()).collect();
    let refused = answers.iter().filter(|answer| answer.estimates.is_empty()).count() as u64;
    let missed = answers.iter().flat_map(|answer| &answer.estimates);
    let missed = missed.filter(|estimate| estimate.lower > 45.0 || estimate.upper < 45.0).count() as u64;
    for count in [refused, missed] {
        assert!(clopper_pearson_lower(count, n, 1e-9) <= 0.05, "{count}");
    }
    assert!(missed > n / 50, "{missed}: wider than need be");
}

#[test]
fn a_refusal_says_what_to_do_and_shows_nothing() {
    let mechanism = mechanism("1", "1e-6", 34, 10);
    let graph = Graph::from_pairs(34, KARATE);
    assert_eq!(mechanism.release(&graph, &mut seeded(4)), [0, 0]);
    let answer = mechanism.present(&[0, 0]).unwrap();
    assert!(answer.estimates.is_empty());
    assert!(answer.notes[0].contains("propose a larger bound"), "{:?}", answer.notes);
    assert_eq!(mechanism.present(&[1, 7]).unwrap().estimates[0].value.as_f64(), 7.0);
    for strange in [&[0, 7][..], &[2, 7], &[1], &[]] {
        assert_eq!(mechanism.present(strange), None);
    }
    let words = mechanism.outlook().words;
    assert!(words[0].contains("at most 10 common neighbours"), "{words:?}");
}

#[test]
fn every_number_of_nodes_has_a_mechanism() {
    for nodes in [0, 1, 2, 3, u32::MAX] {
        for bound in [1, 50, u64::MAX] {
            let mechanism = mechanism("0.1", "1e-9", nodes, bound);
            assert!(!mechanism.outlook().words.is_empty());
            if nodes < 3 {
                assert_eq!(mechanism.release(&complete(nodes), &mut seeded(5)), [1, 0]);
                assert_eq!(mechanism.present(&[1, 0]).unwrap().estimates[0].error_95(), 0.0);
                assert_eq!(mechanism.present(&[1, 1]), None);
                assert_eq!(mechanism.present(&[0, 0]), None);
            } else if nodes == 3 {
                // No graph with three nodes breaks any positive bound, so none is refused.
                assert!((0..50).all(|seed| mechanism.release(&complete(3), &mut seeded(seed))[0] == 1));
            }
        }
    }
    let new = |delta: Delta, bound| ProposedTriangles::new(&Epsilon::parse("1").unwrap(), &delta, 9, bound);
    for error in [new(Delta::zero(), 5).unwrap_err(), new(Delta::parse("1e-6").unwrap(), 0).unwrap_err()] {
        assert!(error.explanation().text().contains("hint:"), "{error}");
    }
    let loss = mechanism("1", "1e-6", 9, 5).loss();
    assert!((loss.approximate_rho().unwrap().0.to_f64_upper() - 0.3125).abs() < 1e-9);
}
