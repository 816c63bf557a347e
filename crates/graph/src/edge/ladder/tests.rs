//! The exact law of the ladder over all small graphs, and what samples say.

use pointillist_testkit::{Distinguisher, assert_distribution, clopper_pearson_lower, seeded};

use super::*;
use crate::edge::known_graphs::KARATE;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

fn ladder(epsilon: &str) -> Ladder {
    Ladder::new(Epsilon::parse(epsilon).unwrap()).unwrap()
}

fn mechanism(epsilon: &str, nodes: u32) -> LadderTriangles {
    LadderTriangles::new(&Epsilon::parse(epsilon).unwrap(), nodes).unwrap()
}

fn local(graph: &Graph) -> TriangleSensitivity {
    TriangleSensitivity::of(graph, graph.nodes())
}

fn complete(nodes: u32) -> Graph {
    Graph::from_pairs(nodes, (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v))))
}

fn two_hubs(nodes: u32, tied: bool) -> Graph {
    let spokes = (2..nodes).flat_map(|node| [(0, node), (1, node)]);
    Graph::from_pairs(nodes, spokes.chain(tied.then_some((0, 1))))
}

/// The logarithms of the probabilities of the outputs `−reach ..= reach`: rungs by their definition, normalised by a
/// sum over rungs until nothing is left.
fn law(epsilon: f64, truth: i64, local: &TriangleSensitivity, reach: i64) -> Vec<f64> {
    let rungs = (200.0 / epsilon) as u64;
    let weight = |t: u64| 2.0 * local.at(t - 1) as f64 * (-epsilon * t as f64 / 2.0).exp();
    let total: f64 = 1.0 + (1..=rungs).map(weight).sum::<f64>();
    let rung = |output: i64| {
        let distance = output.abs_diff(truth);
        let (mut t, mut height) = (0, 0);
        while height < distance {
            height += local.at(t);
            t += 1;
        }
        t
    };
    (-reach..=reach).map(|output| -epsilon * rung(output) as f64 / 2.0 - total.ln()).collect()
}

fn log_ratio(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max)
}

/// The theorem with exact probabilities: all graphs with three to five nodes, random ones with six to ten, all their
/// neighbours. Never above ε; and the range of the log-ratio, which is what ρ is charged for, never above ε either.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_the_price() {
    let mut words = seeded(1);
    for (epsilon, least) in [(1.0, 0.7), (0.1, 0.05), (4.0, 2.0)] {
        let law_of = |small: &SmallGraph| {
            let graph = small.graph();
            law(epsilon, count(&graph), &local(&graph), 60)
        };
        let exhaustive = (3..=5).flat_map(all_graphs);
        let random: Vec<SmallGraph> = (0..30)
            .map(|i| {
                graph_of_bits(6 + i % 5, [words() & words(), words(), words() | words()][i as usize % 3])
            })
            .collect();
        let (mut worst, mut range) = (0.0f64, 0.0f64);
        for small in exhaustive.chain(random) {
            let here = law_of(&small);
            for other in small.edge_neighbours() {
                let there = law_of(&other);
                worst = worst.max(log_ratio(&here, &there));
                let ratios = || here.iter().zip(&there).map(|(p, q)| p - q);
                range = range.max(ratios().fold(0.0, f64::max) - ratios().fold(f64::MAX, f64::min));
            }
        }
        assert!(worst <= epsilon + 1e-9 && range <= epsilon + 1e-9, "ε = {epsilon}: {worst}, {range}");
        assert!(worst >= least, "ε = {epsilon}: {worst} would not see a leak");
    }
}

/// The hard pairs, and two ways to be wrong that the same check sees: rungs of weight `e^{−εt}`, and the rungs of a graph
/// without ties, which a search over tied pairs only would find for two hubs.
#[test]
fn the_worst_pairs_are_not_told_apart() {
    let star =
        |tied: bool| Graph::from_pairs(12, (1..12).map(|leaf| (0, leaf)).chain(tied.then_some((1, 2))));
    let less = Graph::from_pairs(12, complete(12).pairs().skip(1).collect::<Vec<_>>());
    let pairs = [[two_hubs(12, false), two_hubs(12, true)], [star(false), star(true)], [less, complete(12)]];
    let worst = |epsilon: f64, local: &dyn Fn(&Graph) -> TriangleSensitivity| {
        let ratio = |[left, right]: &[Graph; 2]| {
            let [left, right] = [left, right].map(|graph| law(epsilon, count(graph), &local(graph), 400));
            log_ratio(&left, &right)
        };
        pairs.iter().map(ratio).fold(0.0, f64::max)
    };
    assert!(worst(1.0, &local) <= 1.0 + 1e-9);
    assert!(worst(2.0, &local) > 1.0, "e^(−εt) instead of e^(−εt/2)");
    assert!(worst(1.0, &|_| local(&Graph::from_pairs(12, []))) > 1.5);
}

/// Specification: errors have exactly the law that was checked: graphs with and without local sensitivity, both
/// envelopes. False alarm: 1e-9 a law (χ²).
#[test]
fn errors_have_the_law_that_was_checked() {
    let karate = Graph::from_pairs(34, KARATE);
    let graphs = [Graph::from_pairs(40, []), Graph::from_pairs(5, []), karate, complete(6), complete(3)];
    for (seed, graph) in graphs.iter().enumerate() {
        for (text, epsilon) in [("1", 1.0), ("0.2", 0.2), ("5", 5.0)] {
            let (ladder, local, mut bits) = (ladder(text), local(graph), seeded(seed as u64));
            let reach = 300;
            let draws = (0..4000).map(|_| ladder.error(&local, &mut bits).clamp(-reach, reach) as i64);
            let inside: Vec<f64> =
                law(epsilon, 0, &local, reach as i64 - 1).into_iter().map(f64::exp).collect();
            let outside = (1.0 - inside.iter().sum::<f64>()).max(0.0) / 2.0;
            let pmf =
                |error: i64| inside.get((error + reach as i64 - 1) as usize).copied().unwrap_or(outside);
            assert_distribution(
                draws,
                pmf,
                -(reach as i64)..=reach as i64,
                &format!("graph {seed}, ε = {text}"),
            );
        }
    }
}

/// Specification: samples of both released numbers do not refute ε on two hubs. False alarm: 1e-9. Power: with half the
/// noise they do.
#[test]
fn samples_of_the_worst_pair_do_not_refute_the_price() {
    let mut bits = seeded(2);
    let mut draw = |epsilon: &str, tied: bool| -> Vec<Vec<i128>> {
        let (mechanism, graph) = (mechanism(epsilon, 12), two_hubs(12, tied));
        (0..3000).map(|_| mechanism.release(&graph, &mut bits)).collect()
    };
    let claim = Distinguisher::new(1.0, 0.0);
    claim.assert_private(&draw("1", false), &draw("1", true), "ladder");
    claim.assert_leaks(&draw("6", false), &draw("6", true), "a sixth of the noise");
}

/// Specification: intervals hold the truth with probability at least 95 %. False alarm: 1e-9 a case (Clopper-Pearson).
#[test]
fn intervals_cover() {
    let cases = [
        ("1", Graph::from_pairs(34, KARATE)),
        ("20", complete(30)),
        ("3", two_hubs(30, false)),
        ("0.5", Graph::from_pairs(20, [])),
        ("8", Graph::from_pairs(60, [])),
    ];
    for (epsilon, graph) in &cases {
        let mechanism = mechanism(epsilon, graph.nodes());
        let (mut bits, n, truth) = (seeded(4), 500, count(graph) as f64);
        let missed = |_: &u64| {
            let answer = mechanism.present(&mechanism.release(graph, &mut bits)).unwrap();
            let [estimate] = &answer.estimates[..] else { panic!("one figure") };
            estimate.lower > truth || estimate.upper < truth
        };
        let misses = (0..n).filter(missed).count() as u64;
        assert!(clopper_pearson_lower(misses, n, 1e-9) <= 0.05, "{epsilon}: {misses} of {n}");
    }
}

/// The bound behind the interval, exactly: with the true sensitivity at both ends of the noisy bound, the error passes
/// the interval with probability at most 3 %.
#[test]
fn the_interval_bounds_the_exact_tail() {
    for graph in [Graph::from_pairs(34, KARATE), Graph::from_pairs(30, []), complete(8), two_hubs(40, false)]
    {
        for epsilon in ["0.3", "1", "4"] {
            let mechanism = mechanism(epsilon, graph.nodes());
            let local = local(&graph);
            let float = mechanism.ladder.epsilon.to_f64_upper();
            // The smallest and the largest released number for which both ends hold.
            let offset = mechanism.bound.middle(u64::MAX - 1).abs_diff(u64::MAX - 1);
            for bound in [local.local(), local.local() + 2 * offset].map(|bound| bound.min(local.cap())) {
                assert!(mechanism.bound.lower(bound) <= local.local());
                let reach = mechanism.error_95(bound) as i64;
                let inside: f64 = law(float, 0, &local, reach).into_iter().map(f64::exp).sum();
                assert!(inside >= 0.97, "ε = {epsilon}: {inside}");
            }
        }
    }
}

#[test]
fn every_number_of_nodes_has_a_mechanism() {
    for nodes in [0, 1, 2, 3, 4, u32::MAX] {
        let mechanism = mechanism("0.1", nodes);
        assert!(!mechanism.outlook().words.is_empty());
        assert!(mechanism.present(&[0, 0]).is_some());
        assert_eq!(mechanism.present(&[0]), None);
        assert_eq!(mechanism.present(&[0, -1]), None);
        if nodes < 3 {
            assert_eq!(mechanism.release(&complete(nodes), &mut seeded(5)), [0, 0]);
            assert_eq!(mechanism.present(&[1, 0]), None);
        }
    }
    let loss = mechanism("2", 9).loss();
    assert_eq!(loss.pure_epsilon(), Some(Epsilon::parse("2").unwrap()));
    // 1.8²/8 for the rungs and less than 0.2²/2 for the bound.
    assert!((0.405..0.4251).contains(&loss.rho().unwrap().to_f64_upper()), "{loss:?}");
}
