use pointillist_errors::Explained as _;
use std::collections::HashMap;

use pointillist_testkit::{assert_distribution, hockey_stick, max_log_ratio, seeded};

use super::*;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};
use crate::node::bounded_projection::BoundedProjection;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn delta(text: &str) -> Delta {
    Delta::parse(text).unwrap()
}

fn of(graph: &Graph, bound: u32, crowd: u64) -> u64 {
    distance(&degrees::at_least(graph), graph.nodes(), &Rung { bound, crowd })
}

fn crowd_of(graph: &Graph, bound: u32) -> u64 {
    (0..graph.nodes()).filter(|node| graph.degree(*node) > bound).count() as u64
}

/// The graph with one node more, tied to the nodes of these bits.
fn with_a_node(graph: &Graph, ties: u32) -> Graph {
    let new = graph.nodes();
    let labels = (0..=u128::from(new)).collect();
    let tied = (0..new).filter(move |node| ties >> node & 1 == 1);
    Graph::with_labels(labels, graph.pairs().chain(tied.map(|node| (node, new))).collect::<Vec<_>>())
}

/// Specification: zero exactly for crowded graphs; otherwise one more than the least distance of a neighbour.
/// That determines the distance: checked against all ways of adding or taking away one node, for all graphs
/// with at most four nodes (whose larger neighbours have five) and all bounds and crowds that matter.
#[test]
fn the_distance_is_the_number_of_steps_to_a_crowded_graph() {
    for small in (0..=4).flat_map(all_graphs) {
        let graph = small.graph();
        let larger: Vec<Graph> = (0..1 << graph.nodes()).map(|ties| with_a_node(&graph, ties)).collect();
        let smaller: Vec<Graph> = small.without_a_node().map(|less| less.graph()).collect();
        for bound in 1..=6 {
            for crowd in 1..=8 {
                let here = of(&graph, bound, crowd);
                assert_eq!(here == 0, crowd_of(&graph, bound) >= crowd);
                if here == 0 {
                    continue;
                }
                let around = larger.iter().chain(&smaller).map(|next| of(next, bound, crowd));
                assert_eq!(around.min(), Some(here - 1), "bound {bound}, crowd {crowd}");
            }
        }
    }
}

/// Specification: with a node more the distance stays or falls by one, for all graphs with at most five nodes
/// and random ones with up to ten; it falls somewhere and stays somewhere.
#[test]
fn one_node_moves_the_distance_down_by_at_most_one() {
    let mut bits = seeded(3);
    let random: Vec<SmallGraph> = (6..=10)
        .flat_map(|nodes| (0..30).map(move |_| nodes))
        .map(|nodes| graph_of_bits(nodes, bits()))
        .collect();
    let mut moves = [0; 2];
    for small in (1..=5).flat_map(all_graphs).chain(random) {
        let with = small.graph();
        for without in small.without_a_node() {
            let without = without.graph();
            for (bound, crowd) in [(1, 1), (1, 3), (2, 2), (2, 5), (3, 3), (4, 4), (7, 2), (9, 9)] {
                let fall = of(&without, bound, crowd) - of(&with, bound, crowd);
                moves[fall as usize] += 1;
            }
        }
    }
    assert!(moves[0] > 0 && moves[1] > 0, "{moves:?}");
}

#[test]
fn known_distances() {
    let empty = Graph::from_pairs(0, []);
    assert_eq!(of(&empty, 3, 1), 5, "five nodes tied to each other have four ties each");
    assert_eq!(of(&empty, 3, 9), 9);
    let star = Graph::from_pairs(9, (1..9).map(|leaf| (0, leaf)));
    assert_eq!(of(&star, 7, 1), 0);
    assert_eq!(of(&star, 8, 1), 1);
    assert_eq!(of(&star, 7, 2), 1);
    assert_eq!(of(&star, 7, 100), 100 - 9, "after seven additions all old nodes count too");
}

fn mass(scale: f64, x: i64) -> f64 {
    (0.5 / scale).tanh() * (-(x.abs() as f64) / scale).exp()
}

#[test]
fn the_tail_of_two_noises_is_the_sum_of_their_law() {
    for text in ["1/2", "1", "4", "20"] {
        let scale = Rational::parse(text).unwrap();
        let s = scale.to_f64_upper();
        let reach = (50.0 * s) as i64 + 20;
        let upper: Vec<f64> = (-3 * reach..=3 * reach)
            .map(|k| (-reach..=reach).map(|z| mass(s, z) * mass(s, k + z)).sum())
            .collect();
        for x in [0, 1, 2, 7, 30] {
            let sum: f64 = upper[(3 * reach + x) as usize..].iter().sum();
            let closed = tail_upper(&scale, x as u64).to_f64_upper();
            assert!((closed / sum - 1.0).abs() < 1e-9, "scale {text}, x = {x}: {closed} against {sum}");
        }
    }
}

#[test]
fn the_threshold_is_the_least_that_keeps_delta() {
    for (eps, del, rungs) in [("1", "1e-6", 40), ("0.3", "1e-9", 1), ("4", "0.01", 3), ("1", "1e-60", 40)] {
        let (mechanism, threshold) = calibrated(rungs, &epsilon(eps), &delta(del)).unwrap();
        assert_eq!(mechanism.threshold_scale(), mechanism.query_scale());
        let scale = scale(&mechanism);
        let share = delta(del).value() / &Rational::from(rungs as u64);
        assert!(tail_upper(&scale, threshold - 1) <= share);
        assert!(tail_upper(&scale, threshold - 2) > share);
    }
    let (_, threshold) = calibrated(40, &epsilon("1"), &delta("1e-6")).unwrap();
    assert_eq!(threshold, 40);
}

/// The law of the chosen rung, none last, in floats.
fn law_of_choice(test: &SafetyTest, graph: &Graph) -> Vec<f64> {
    let scale = scale(&test.mechanism).to_f64_upper();
    let at_least = degrees::at_least(graph);
    let distances: Vec<i64> =
        test.rungs.iter().map(|rung| test.distance(&at_least, graph.nodes(), rung) as i64).collect();
    let tail = |j: i64| {
        let q = (-1.0 / scale).exp();
        let beyond = |j: i64| q.powf(j as f64) / (1.0 + q);
        if j >= 1 { beyond(j) } else { 1.0 - beyond(1 - j) }
    };
    let reach = (45.0 * scale) as i64 + 45;
    let mut law = vec![0.0; distances.len() + 1];
    for z in -reach..=reach {
        let mut open = mass(scale, z);
        for (rung, distance) in distances.iter().enumerate() {
            let passes = tail(test.threshold as i64 + z - distance);
            law[rung] += open * passes;
            open *= 1.0 - passes;
        }
        law[distances.len()] += open;
    }
    law
}

/// The rungs of the small worlds below: crowds so small that small graphs are far from them, near them and in
/// them.
fn small_test(nodes_max: Option<u32>, del: &str) -> SafetyTest {
    let rungs = [(1, 2), (2, 4), (3, 6)].map(|(bound, crowd)| Rung { bound, crowd });
    SafetyTest::new(rungs.to_vec(), nodes_max, &epsilon("3"), &delta(del)).unwrap()
}

/// The largest log-ratio of the choices of all neighbours with at most five nodes, and over the pairs of
/// which the larger is crowded at some rung the largest probability of choosing such a rung.
fn worst_choice(test: &SafetyTest) -> (f64, f64) {
    let laws: HashMap<SmallGraph, Vec<f64>> = (0..=5)
        .flat_map(all_graphs)
        .map(|small| (small.clone(), law_of_choice(test, &small.graph())))
        .collect();
    let (mut ratio, mut failing) = (0f64, 0f64);
    for (small, with) in &laws {
        let graph = small.graph();
        let bad: Vec<usize> = (0..test.rungs.len())
            .filter(|rung| {
                let rung = test.rungs[*rung];
                crowd_of(&graph, rung.bound) >= rung.crowd
                    || test.nodes_max.is_some_and(|max| graph.nodes() > max)
            })
            .collect();
        for less in small.without_a_node() {
            let less = less.graph();
            let without = law_of_choice(test, &less);
            ratio = ratio.max(max_log_ratio(with, &without)).max(max_log_ratio(&without, with));
            for law in [with, &without] {
                failing = failing.max(bad.iter().map(|rung| law[*rung]).sum());
            }
        }
    }
    (ratio, failing)
}

/// Specification: over all neighbours with at most five nodes the exact law of the choice keeps ε₁, and rungs
/// at which the larger graph is crowded are chosen with probability at most δ on both sides. Both are used up
/// to a good part.
#[test]
fn the_choice_keeps_epsilon_and_crowded_rungs_keep_delta() {
    for nodes_max in [None, Some(4)] {
        let (ratio, failing) = worst_choice(&small_test(nodes_max, "0.05"));
        assert!(ratio <= 3.0 + 1e-9 && ratio > 1.4, "{ratio}");
        assert!(failing <= 0.05 + 1e-9 && failing > 0.005, "{failing}");
        // A threshold one lower, as if the graph on the safe side of a pair were never tested, breaks δ.
        let mut lower = small_test(nodes_max, "0.05");
        lower.threshold -= 2;
        assert!(worst_choice(&lower).1 > 0.05);
    }
}

/// The joint law of a rung chosen by this law and a count of kept ties with noise for `max(D, l − 1)` at ε =
/// 2.
fn joint_law(test: &SafetyTest, graph: &Graph, choice: &[f64]) -> Vec<f64> {
    let projection = BoundedProjection::new(graph);
    let mut law = vec![choice[test.rungs.len()]];
    for (rung, chosen) in test.rungs.iter().zip(choice) {
        let kept = projection.ties(rung.bound).count() as i64;
        let scale = u64::from(rung.bound).max(rung.crowd - 1) as f64 / 2.0;
        law.extend((-40..=60).map(|value| chosen * mass(scale, value - kept)));
    }
    law
}

fn failure(p: &[f64], q: &[f64], epsilon: f64) -> f64 {
    hockey_stick(p, q, epsilon).max(hockey_stick(q, p, epsilon))
}

/// Specification: the joint law of rung and noisy count keeps (ε₁ + ε₂, δ) = (5, 0.05) over all neighbours
/// with at most five nodes, in both directions.
#[test]
fn choice_and_release_together_keep_epsilon_and_delta() {
    let test = small_test(None, "0.05");
    let joint = |graph: &Graph| joint_law(&test, graph, &law_of_choice(&test, graph));
    for small in (0..=5).flat_map(all_graphs) {
        let with = joint(&small.graph());
        for without in small.without_a_node() {
            assert!(failure(&with, &joint(&without.graph()), 5.0) <= 0.05 + 1e-9);
        }
    }
}

/// Specification: the test is needed, and does its work. Many pairs of friends, and one node tied to one of
/// each pair: at the bound 1 that node takes many kept ties away, and noise for `max(D, l − 1)` alone breaks
/// (ε₂, δ); with the test in front the pair keeps (ε₁ + ε₂, δ).
#[test]
fn a_crowded_pair_of_neighbours_is_caught_by_the_test() {
    let test = small_test(None, "0.05");
    let friends = |hub: Option<u128>| {
        let labels = (0..40).chain(hub).collect();
        let pairs = (0..20).map(|k| (2 * k, 2 * k + 1));
        let at_the_hub = (0..20).filter(|_| hub.is_some()).map(|k| (2 * k, 40));
        Graph::with_labels(labels, pairs.chain(at_the_hub))
    };
    let kept = |graph: &Graph| BoundedProjection::new(graph).ties(1).count();
    let hub = (40..200).min_by_key(|hub| kept(&friends(Some(*hub))));
    let (without, with) = (friends(None), friends(hub));
    assert!(kept(&without) - kept(&with) > 10);
    let first = [1.0, 0.0, 0.0, 0.0];
    assert!(failure(&joint_law(&test, &with, &first), &joint_law(&test, &without, &first), 2.0) > 0.9);
    let joint = |graph: &Graph| joint_law(&test, graph, &law_of_choice(&test, graph));
    assert!(failure(&joint(&with), &joint(&without), 5.0) <= 0.05);
}

/// False alarm: 1e-9 a graph (χ², 20,000 choices).
#[test]
fn choices_follow_the_law() {
    let test = small_test(None, "0.05");
    for (seed, graph) in
        [(1, graph_of_bits(5, 0b1100110101)), (2, graph_of_bits(4, 0)), (3, graph_of_bits(10, 0b11))]
    {
        let graph = graph.graph();
        let law = law_of_choice(&test, &graph);
        let mut bits = seeded(seed);
        let draws = (0..20_000).map(|_| test.choose(&graph, &mut bits).unwrap_or(3) as i64);
        assert_distribution(draws, |k| law[k as usize], 0..=3, "rungs");
    }
}

#[test]
fn a_ladder_begins_where_a_graph_can_pass_and_says_what_it_costs() {
    let test =
        SafetyTest::ladder(|bound, _| u64::from(bound), None, &epsilon("0.5"), &delta("1e-6")).unwrap();
    let needed = test.distance_needed(&FailureProbability::parse("0.05").unwrap());
    let first = test.rungs()[0];
    assert!(u64::from(first.bound) > needed && u64::from(first.bound) <= needed + needed / 4 + 3);
    assert_eq!(test.rungs().len(), LADDER_RUNGS);
    assert!(test.rungs().windows(2).all(|pair| pair[0].bound < pair[1].bound));
    assert_eq!(test.rung(i128::from(test.rungs()[7].bound)), Some(7));
    assert_eq!(test.rung(1), None);
    assert_eq!(test.loss().pure_epsilon(), Some(epsilon("0.5")));
    let joint = test.loss_with(&epsilon("0.5"), rho_of_pure(&epsilon("0.5"))).unwrap();
    assert_eq!(joint.approximate_epsilon(), Some((epsilon("1"), delta("1e-6"))));
    let (rho, failing) = joint.approximate_rho().unwrap();
    assert_eq!(failing, delta("1e-6"));
    assert!(rho.to_f64_upper() <= 0.25);
    // A graph of ties in pairs is as far from crowded as can be, and passes at the first rung.
    let pairs = Graph::from_pairs(2000, (0..1000).map(|k| (2 * k, 2 * k + 1)));
    let mut bits = seeded(5);
    assert!((0..50).filter(|_| test.choose(&pairs, &mut bits) == Some(0)).count() > 35);
}

#[test]
fn impossible_tests_are_refused() {
    let rungs = || vec![Rung { bound: 1, crowd: 1 }];
    let text = |refused: Result<SafetyTest, GraphError>| refused.unwrap_err().explanation().text();
    let (one, small) = (epsilon("1"), delta("1e-6"));
    assert!(text(SafetyTest::new(rungs(), None, &one, &Delta::zero())).contains("needs a δ"));
    assert!(text(SafetyTest::new(Vec::new(), None, &one, &small)).contains("hint:"));
    let zero = vec![Rung { bound: 0, crowd: 1 }];
    assert!(text(SafetyTest::new(zero, None, &one, &small)).contains("at least 1"));
    let tiny = epsilon("1e-12");
    assert!(text(SafetyTest::ladder(|_, _| 1, None, &tiny, &small)).contains("larger ε"));
}
