//! Exact laws over all small graphs, golden sensitivities, and what samples say.

use pointillist_errors::Explained as _;
use std::collections::HashMap;
use std::rc::Rc;

use pointillist_mechanisms::SmoothNoise;
use pointillist_mechanisms::Smoothing;
use pointillist_testkit::{Distinguisher, assert_distribution, clopper_pearson_lower, seeded};

use super::*;
use crate::edge::known_graphs::{FLORENTINE, KARATE, PETERSEN};
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

const KINDS: [SmoothKind; 2] = [SmoothKind::PowerTail, SmoothKind::StudentT];

fn mechanism(epsilon: &str, nodes: u32, kind: SmoothKind) -> SmoothTriangles {
    SmoothTriangles::new(&Epsilon::parse(epsilon).unwrap(), nodes, kind).unwrap()
}

/// What the count costs.
fn price(epsilon: &str, kind: SmoothKind) -> f64 {
    let share = if kind == SmoothKind::PowerTail { BOUND_SHARE } else { BOUND_SHARE_STUDENT };
    shares(&Epsilon::parse(epsilon).unwrap(), share).unwrap().1.to_f64_upper()
}

fn graph(nodes: u32, pairs: &[(u32, u32)]) -> Graph {
    Graph::from_pairs(nodes, pairs.iter().copied())
}

fn complete(nodes: u32) -> Graph {
    Graph::from_pairs(nodes, (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v))))
}

/// Every node but the first two is tied to both of them; the two are tied to each other or not.
fn two_hubs(nodes: u32, tied: bool) -> Graph {
    let spokes = (2..nodes).flat_map(|node| [(0, node), (1, node)]);
    Graph::from_pairs(nodes, spokes.chain(tied.then_some((0, 1))))
}

/// P[|Z| ≥ t] of the noise of a stage.
fn tail(stage: &Stage, t: f64) -> f64 {
    match stage {
        Stage::PowerTail(mechanism) => {
            let k = f64::from(mechanism.noise().power());
            let w = (1.0 - 1.0 / k).powf(k - 1.0);
            let inside = (1.0 - t.min(1.0) / k).powf(k) + 2.0 * w / k;
            let beyond = w * (1.0 + 1.0 / k) * ((k + 1.0) / (k + t)).powf(k);
            (if t <= 1.0 { inside } else { beyond }) / (1.0 + 2.0 * w / k)
        }
        Stage::StudentT(_) => {
            // 1 − (2/π)·(u/(1 + u²) + atan u), and its series where that cancels.
            let u = t / 3f64.sqrt();
            if u > 300.0 {
                return (4.0 / 3.0 - 8.0 / (5.0 * u * u)) / u.powi(3) / std::f64::consts::PI;
            }
            (2.0 / std::f64::consts::PI) * ((1.0 / u).atan() - u / (1.0 + u * u))
        }
    }
}

/// The scale of the noise that a stage gives a graph.
fn scale(stage: &Stage, local: &TriangleSensitivity) -> f64 {
    let at = |distance| Rational::from(local.at(distance));
    let (smooth, alpha) = match stage {
        Stage::PowerTail(mechanism) => (mechanism.smoothing().of(at), mechanism.noise().alpha()),
        Stage::StudentT(mechanism) => (mechanism.smoothing().of(at), mechanism.noise().alpha()),
    };
    (smooth.value_upper() / alpha).to_f64_upper()
}

/// P[release = truth + error] at this scale, for a noise that is rounded to the nearest integer.
fn pmf(stage: &Stage, scale: f64, error: i64) -> f64 {
    let beyond = |x: f64| tail(stage, x / scale) / 2.0;
    match error.unsigned_abs() as f64 {
        0.0 => 1.0 - 2.0 * beyond(0.5),
        far => beyond(far - 0.5) - beyond(far + 0.5),
    }
}

/// Logarithms of the probabilities of near and far outputs.
fn law(stage: &Stage, graph: &Graph, local: &TriangleSensitivity) -> Vec<f64> {
    let (truth, scale) = (count(graph), scale(stage, local));
    let near = -40..=60;
    let far = (0..12).flat_map(|power| [-1, 1].map(|sign| sign * (100 << power)));
    near.chain(far).map(|output| pmf(stage, scale, output - truth).ln()).collect()
}

/// The largest log-ratio of two laws.
fn log_ratio(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max)
}

/// The worst log-ratio of a stage over these graphs and all their neighbours.
fn worst(stage: &Stage, graphs: impl Iterator<Item = SmallGraph>) -> f64 {
    let mut known = HashMap::new();
    let mut law_of = |small: &SmallGraph| -> Rc<Vec<f64>> {
        let fresh = || {
            let graph = small.graph();
            Rc::new(law(stage, &graph, &TriangleSensitivity::of(&graph, small.nodes())))
        };
        known.entry(small.clone()).or_insert_with(fresh).clone()
    };
    let mut worst = 0.0f64;
    for small in graphs {
        let here = law_of(&small);
        for other in small.edge_neighbours() {
            worst = worst.max(log_ratio(&here, &law_of(&other)));
        }
    }
    worst
}

/// The theorem with the exact law of the released integer: all graphs with three to five nodes and random
/// ones with up to ten, all their neighbours, at every β. Never above the price, and near it somewhere.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_the_price() {
    let mut words = seeded(1);
    let mut random =
        |nodes| graph_of_bits(nodes, [words() & words(), words(), words() | words()][nodes as usize % 3]);
    let mut reached = 0.0f64;
    for (epsilon, kind) in [("1", KINDS[0]), ("0.2", KINDS[0]), ("6", KINDS[0]), ("1", KINDS[1])] {
        for nodes in 3..=10 {
            let mechanism = mechanism(epsilon, nodes, kind);
            let count_epsilon = price(epsilon, kind);
            for stage in &mechanism.stages {
                let loss = match nodes {
                    3..=5 => worst(stage, all_graphs(nodes)),
                    _ => worst(stage, std::iter::once(random(nodes))),
                };
                let share = loss / count_epsilon;
                assert!(share <= 1.0 + 1e-6, "ε = {epsilon}, {nodes} nodes: {share}");
                reached = reached.max(share);
            }
        }
    }
    assert!(reached > 0.95, "{reached}: the check would not see a leak");
}

/// The same on pairs that are hard: two hubs whose common neighbours make the local sensitivity of a pair
/// that is not tied, a star and a tie between its leaves, complete graphs. Sensitivity over tied pairs only
/// is caught.
#[test]
fn the_worst_pairs_are_not_told_apart() {
    let star = |nodes: u32, tied: bool| {
        Graph::from_pairs(nodes, (1..nodes).map(|leaf| (0, leaf)).chain(tied.then_some((1, 2))))
    };
    let less = |nodes: u32| Graph::from_pairs(nodes, complete(nodes).pairs().skip(1).collect::<Vec<_>>());
    for nodes in [12, 40] {
        let mechanism = mechanism("1", nodes, SmoothKind::PowerTail);
        let price = price("1", SmoothKind::PowerTail);
        for stage in &mechanism.stages {
            let law_of = |graph: &Graph| law(stage, graph, &TriangleSensitivity::of(graph, nodes));
            for pair in [
                [two_hubs(nodes, false), two_hubs(nodes, true)],
                [star(nodes, false), star(nodes, true)],
                [less(nodes), complete(nodes)],
            ] {
                let ratio = log_ratio(&law_of(&pair[0]), &law_of(&pair[1]));
                assert!(ratio <= price * (1.0 + 1e-6), "{nodes} nodes: {ratio}");
            }
        }
        // Tied pairs of two hubs that are not tied have no common neighbour.
        let (stage, empty) = (&mechanism.stages[0], TriangleSensitivity::of(&graph(nodes, &[]), nodes));
        let blind = [false, true].map(|tied| law(stage, &two_hubs(nodes, tied), &empty));
        assert!(log_ratio(&blind[0], &blind[1]) > 1.5, "tied pairs only");
    }
}

/// Specification: samples of both released numbers do not refute ε on the hubs. False alarm: 1e-9. Power:
/// with the sensitivity of an empty graph they do.
#[test]
fn samples_of_the_worst_pair_do_not_refute_the_price() {
    let mechanism = mechanism("1", 12, SmoothKind::PowerTail);
    let mut bits = seeded(2);
    let mut draw = |graph: &Graph| -> Vec<Vec<i128>> {
        (0..2000).map(|_| mechanism.release(graph, &mut bits)).collect()
    };
    let claim = Distinguisher::new(1.0, 0.0);
    claim.assert_private(&draw(&two_hubs(12, false)), &draw(&two_hubs(12, true)), "two hubs");
    let empty = TriangleSensitivity::of(&graph(12, &[]), 12);
    let mut careless = |graph: &Graph| -> Vec<i64> {
        (0..2000).map(|_| mechanism.stages[0].release(count(graph), &empty, &mut bits)).collect()
    };
    claim.assert_leaks(
        &careless(&two_hubs(12, false)),
        &careless(&two_hubs(12, true)),
        "the wrong sensitivity",
    );
}

/// Golden values, computed elsewhere with 50 digits.
#[test]
fn known_graphs_have_their_known_smooth_sensitivities() {
    let betas = ["0.01", "0.1", "0.5", "1", "5"];
    let cases = [
        (graph(34, &KARATE), [23.470302599177256, 10.0, 10.0, 10.0, 10.0]),
        (graph(15, &FLORENTINE), [11.077869256560748, 4.390493088752211, 2.0, 2.0, 2.0]),
        (graph(10, &PETERSEN), [7.238699344287677, 3.351600230178196, 1.2130613194252668, 1.0, 1.0]),
        (complete(10), [8.0; 5]),
        (
            graph(6, &[]),
            [
                3.692465385546543,
                1.7973158564688863,
                0.3678794411714423,
                0.1353352832366126,
                4.539992976248485e-5,
            ],
        ),
    ];
    for (graph, expected) in cases {
        let local = TriangleSensitivity::of(&graph, graph.nodes());
        for (beta, expected) in betas.into_iter().zip(expected) {
            let floor = Rational::power_of_two(FLOOR_BITS);
            let smoothing =
                Smoothing::new(&Rational::parse(beta).unwrap(), &floor, &Rational::from(local.cap()));
            let found = smoothing.unwrap().of(|s| Rational::from(local.at(s))).value_upper().to_f64_upper();
            assert!((found / expected - 1.0).abs() < 1e-11, "β = {beta}: {found}");
        }
    }
}

/// Specification: the count has the rounded law of the noise at the smooth sensitivity. False alarm: 1e-9 a
/// noise (χ²).
#[test]
fn releases_have_the_law_that_was_checked() {
    for kind in KINDS {
        let graph = graph(34, &KARATE);
        let mechanism = mechanism("1", 34, kind);
        let local = TriangleSensitivity::of(&graph, 34);
        let mut bits = seeded(3);
        // At this price the bound never asks for another smoothing than the first.
        assert!((0..=32).all(|bound| std::ptr::eq(mechanism.stage(bound), &mechanism.stages[0])));
        let draws = (0..2500).map(|_| mechanism.release(&graph, &mut bits)[0].clamp(-155, 245) as i64 - 45);
        let (stage, scale) = (&mechanism.stages[0], scale(&mechanism.stages[0], &local));
        let law = |error: i64| match error.abs() {
            200 => tail(stage, 199.5 / scale) / 2.0,
            _ => pmf(stage, scale, error),
        };
        assert_distribution(draws, law, -200..=200, "triangles of the karate club");
    }
}

/// Specification: intervals hold the truth with probability at least 95 %. False alarm: 1e-9 a case
/// (Clopper-Pearson).
#[test]
fn intervals_cover() {
    let cases = [
        ("1", graph(34, &KARATE)),
        ("20", complete(30)),
        ("4", two_hubs(30, false)),
        ("0.5", graph(20, &[])),
    ];
    for kind in KINDS {
        for (epsilon, graph) in &cases {
            let mechanism = mechanism(epsilon, graph.nodes(), kind);
            let (mut bits, n, truth) = (seeded(4), 400, count(graph) as f64);
            let missed = |_: &u64| {
                let answer = mechanism.present(&mechanism.release(graph, &mut bits)).unwrap();
                let [estimate] = &answer.estimates[..] else { panic!("one figure") };
                estimate.lower > truth || estimate.upper < truth
            };
            let misses = (0..n).filter(missed).count() as u64;
            assert!(clopper_pearson_lower(misses, n, 1e-9) <= 0.05, "{epsilon}: {misses} of {n}");
        }
    }
}

/// How often an interval fails, at most: the expectation in the head of the file, for L and continuous noise
/// in units of the scale of the bound's noise.
fn failure_of_intervals(local: f64, allowance: f64, beta: f64, tail_at: &dyn Fn(f64) -> f64) -> f64 {
    let step = 0.002;
    let cell = |i: i32| {
        let noise = f64::from(i) * step;
        let bound = (local + noise + allowance).max(0.0);
        let missing = (local - bound).max(0.0);
        let share = (bound / local).max((-beta * missing).exp()).min(1.0);
        0.5 * (-noise.abs()).exp() * step * tail_at(share)
    };
    (-8000..8000).map(cell).sum()
}

/// Specification: the maximum that intervals rest on is below 5 %, and a little less allowance would not do.
#[test]
fn a_bound_that_is_too_low_is_allowed_for() {
    let failure = float(NOISE_FAILURE);
    let [allowance, allowance_student] =
        [ALLOWANCE, ALLOWANCE_STUDENT].map(|(over, under)| over as f64 / under as f64);
    let locals = || (1..=60).map(|i| f64::from(i) * 0.1).chain((0..12).map(|i| 6.5 * 1.6f64.powi(i)));
    let worst = |allowance: f64, beta: f64, tail_at: &dyn Fn(f64) -> f64| {
        locals().map(|local| failure_of_intervals(local, allowance, beta, tail_at)).fold(0.0, f64::max)
    };
    // β is ε'/8 at most and the scale 10/ε, nine tenths of ε being ε'; and ε'/12 and 16/ε with Student's t.
    let power = worst(allowance, 9.0 / 8.0, &|share| failure.powf(share));
    assert!((0.049..=0.05).contains(&power), "{power}");
    assert!(worst(1.4, 9.0 / 8.0, &|share| failure.powf(share)) > 0.05);
    let student = mechanism("1", 9, SmoothKind::StudentT);
    let quantile = quantile(&student.stages[0]);
    let reached = worst(allowance_student, 15.0 / 12.0, &|share| tail(&student.stages[0], share * quantile));
    assert!(reached <= 0.05, "{reached}");
}

fn float(text: &str) -> f64 {
    Rational::parse(text).unwrap().to_f64_upper()
}

fn quantile(stage: &Stage) -> f64 {
    let failure = FailureProbability::parse(NOISE_FAILURE).unwrap();
    let bound = match stage {
        Stage::PowerTail(mechanism) => mechanism.noise().deviation_upper(&failure),
        Stage::StudentT(mechanism) => mechanism.noise().deviation_upper(&failure),
    };
    bound.to_f64_upper()
}

/// Specification: P[|Z| > λq] ≤ 0.03^λ at every power, by the criterion in the head of the file and point by
/// point.
#[test]
fn power_tails_fall_at_least_as_fast_at_first_as_on_average() {
    for stage in &mechanism("1", 9, SmoothKind::PowerTail).stages {
        let Stage::PowerTail(inner) = stage else { panic!("power tails") };
        let (k, quantile, failure) =
            (f64::from(inner.noise().power()), quantile(stage), float(NOISE_FAILURE));
        let norm = 1.0 + 2.0 / k * (1.0 - 1.0 / k).powf(k - 1.0);
        assert!(-failure.ln() / quantile < 1.0 / norm, "k = {k}");
        for share in (0..=1000).map(|i| f64::from(i) / 1000.0) {
            assert!(tail(stage, share * quantile) <= failure.powf(share) * (1.0 + 1e-9), "k = {k}, {share}");
        }
    }
}

/// A large bound asks for the heaviest smoothing that still equals it, a small one for the lightest.
#[test]
fn the_released_bound_chooses_the_smoothing() {
    let mechanism = mechanism("1", 100_000, SmoothKind::PowerTail);
    let power = |bound| match mechanism.stage(bound) {
        Stage::PowerTail(mechanism) => mechanism.noise().power(),
        Stage::StudentT(_) => 0,
    };
    // The bound lies 18 above the middle, and 1/β is a little above k·10/9.
    assert_eq!([0, 30, 35, 36, 54, 90, 200, 90_000].map(power), [8, 8, 8, 16, 32, 64, 64, 64]);
}

#[test]
fn every_number_of_nodes_has_a_mechanism() {
    for kind in KINDS {
        for nodes in [0, 1, 2, 3, 4, u32::MAX] {
            let mechanism = mechanism("0.1", nodes, kind);
            assert!(!mechanism.outlook().words.is_empty());
            if nodes > 4 {
                continue;
            }
            let released = mechanism.release(&complete(nodes), &mut seeded(5));
            let answer = mechanism.present(&released).unwrap();
            assert_eq!(answer.estimates[0].value.as_f64(), released[0] as f64);
            if nodes < 3 {
                assert_eq!((released, answer.estimates[0].error_95()), (vec![0, 0], 0.0));
                assert_eq!(mechanism.present(&[1, 0]), None);
            }
        }
    }
}

#[test]
fn an_answer_is_read_from_what_was_released() {
    let mechanism = mechanism("1", 34, SmoothKind::PowerTail);
    assert_eq!(mechanism.present(&[]), None);
    assert_eq!(mechanism.present(&[45]), None);
    assert_eq!(mechanism.present(&[45, 33]), None, "above the cap");
    assert_eq!(mechanism.present(&[45, -1]), None);
    let errors =
        [0, 10, 20, 32].map(|bound| mechanism.present(&[45, bound]).unwrap().estimates[0].error_95());
    assert!(errors.windows(2).all(|pair| pair[0] < pair[1]), "{errors:?}");
    assert_eq!((mechanism.name(), mechanism.outlook().error_95), ("smooth", None));
    let loss = mechanism.loss();
    assert_eq!(loss.pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
    // Two pure steps cost less ρ than one.
    assert!(loss.rho().unwrap().to_f64_upper() < 0.5 * (81.0 + 1.0) / 100.0 + 1e-9);
    let error = SmoothTriangles::new(&Epsilon::parse("1e-9").unwrap(), 9, SmoothKind::PowerTail).unwrap_err();
    assert!(error.explanation().text().contains("hint:"), "{error}");
}
