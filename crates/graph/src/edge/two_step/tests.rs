//! Both properties of both bounds, the exact joint law on hard pairs, and what samples say.

use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, clopper_pearson_lower, hockey_stick, seeded};

use super::*;
use crate::edge::known_graphs::KARATE;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

const BOUNDS: [Bound; 2] = [Bound::MaxDegree, Bound::CommonNeighbours];

fn mechanism(epsilon: &str, delta: &str, nodes: u32, bound: Bound) -> TwoStepTriangles {
    let (epsilon, delta) = (Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap());
    TwoStepTriangles::new(&epsilon, &delta, nodes, bound).unwrap()
}

fn complete(nodes: u32) -> Graph {
    Graph::from_pairs(nodes, (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v))))
}

fn two_hubs(nodes: u32, tied: bool) -> Graph {
    let spokes = (2..nodes).flat_map(|node| [(0, node), (1, node)]);
    Graph::from_pairs(nodes, spokes.chain(tied.then_some((0, 1))))
}

/// Specification: over all graphs with at most five nodes, random ones with up to ten, and all their
/// neighbours, both numbers bound the change and move by at most one, and both claims are reached.
#[test]
fn both_bounds_bound_the_change_and_move_by_at_most_one() {
    let mut words = seeded(1);
    let random: Vec<SmallGraph> = (0..200)
        .map(|i| graph_of_bits(6 + i % 5, [words() & words(), words(), words() | words()][i as usize % 3]))
        .collect();
    let (mut tight, mut moved) = ([false; 2], [0; 2]);
    for small in (0..=5).flat_map(all_graphs).chain(random) {
        let graph = small.graph();
        for other in small.edge_neighbours().map(|other| other.graph()) {
            let change = count(&graph).abs_diff(count(&other));
            for (index, bound) in BOUNDS.into_iter().enumerate() {
                let [here, there] = [bound.of(&graph), bound.of(&other)];
                assert!(change <= here.min(cap(small.nodes())) && here.abs_diff(there) <= 1, "{bound:?}");
                tight[index] |= change > 0 && change == here;
                moved[index] = here.abs_diff(there).max(moved[index]);
            }
        }
    }
    // With the largest degree, the pair itself is tied or not to the node of that degree.
    assert_eq!((tight, moved), ([true, true], [1, 1]));
}

/// P[X = j] for discrete Laplace X.
fn pmf(scale: f64, j: i64) -> f64 {
    (0.5 / scale).tanh() * (-(j.abs() as f64) / scale).exp()
}

/// P[X ≥ j].
fn tail(scale: f64, j: i64) -> f64 {
    let q = (-1.0 / scale).exp();
    let beyond = |j: i64| q.powf(j as f64) / (1.0 + q);
    if j >= 1 { beyond(j) } else { 1.0 - beyond(1 - j) }
}

/// The joint law of bound and count, counts around the truth of both neighbours.
fn law(mechanism: &TwoStepTriangles, graph: &Graph, local: u64, epsilon: f64) -> Vec<f64> {
    let share = 1.0 / mechanism.bound.share() as f64;
    let (first, second) = (epsilon * share, epsilon * (1.0 - share));
    let (most, truth) = (cap(mechanism.nodes) as i64, count(graph));
    let centre = local.min(most as u64) as i64 + mechanism.mechanism.offset() as i64;
    let bound = |l: i64| match l {
        1 => 1.0 - tail(1.0 / first, 2 - centre),
        _ if l == most => tail(1.0 / first, l - centre),
        _ => pmf(1.0 / first, l - centre),
    };
    let row = |l: i64| (-300..=400).map(move |y| bound(l) * pmf(l as f64 / second, y - truth));
    (1..=most).flat_map(row).collect()
}

/// The theorem with exact probabilities on hard pairs; the largest number of common neighbours over tied
/// pairs only is caught.
#[test]
fn the_worst_pairs_are_not_told_apart_by_more_than_epsilon_and_delta() {
    let star =
        |tied: bool| Graph::from_pairs(14, (1..14).map(|leaf| (0, leaf)).chain(tied.then_some((1, 2))));
    let less = Graph::from_pairs(14, complete(14).pairs().skip(1).collect::<Vec<_>>());
    let pairs = [[two_hubs(14, false), two_hubs(14, true)], [star(false), star(true)], [less, complete(14)]];
    let worst = |mechanism: &TwoStepTriangles, local: &dyn Fn(&Graph) -> u64| {
        let delta = |[left, right]: &[Graph; 2]| {
            let [left, right] = [left, right].map(|graph| law(mechanism, graph, local(graph), 2.0));
            hockey_stick(&left, &right, 2.0).max(hockey_stick(&right, &left, 2.0))
        };
        pairs.iter().map(delta).fold(0.0, f64::max)
    };
    for bound in BOUNDS {
        for delta in ["0.1", "0.01", "1e-6"] {
            let mechanism = mechanism("2", delta, 14, bound);
            let found = worst(&mechanism, &|graph| bound.of(graph));
            assert!(
                found <= Delta::parse(delta).unwrap().to_f64_upper() * (1.0 + 1e-9),
                "{bound:?}: {found}"
            );
        }
    }
    let tied_only = |graph: &Graph| {
        let common =
            |(u, v): (u32, u32)| graph.neighbours(u).iter().filter(|w| graph.has_edge(v, **w)).count();
        graph.pairs().map(common).max().unwrap_or(0) as u64
    };
    let found = worst(&mechanism("2", "0.1", 14, Bound::CommonNeighbours), &tied_only);
    assert!(found > 0.15, "tied pairs only: {found}");
}

/// Specification: samples do not refute (ε, δ). False alarm: 1e-9. Power: six times the price does.
#[test]
fn samples_of_the_worst_pair_do_not_refute_the_price() {
    let mut bits = seeded(2);
    let mut draw = |epsilon: &str, tied: bool| -> Vec<Vec<i128>> {
        let mechanism = mechanism(epsilon, "0.01", 14, Bound::CommonNeighbours);
        (0..4000).map(|_| mechanism.release(&two_hubs(14, tied), &mut bits)).collect()
    };
    let claim = Distinguisher::new(1.0, 0.01);
    claim.assert_private(&draw("1", false), &draw("1", true), "two steps");
    claim.assert_leaks(&draw("6", false), &draw("6", true), "a sixth of the noise");
}

/// Specification: intervals hold the truth with probability at least 95 %. False alarm: 1e-9 a case
/// (Clopper-Pearson).
#[test]
fn intervals_cover() {
    for bound in BOUNDS {
        for (epsilon, graph) in
            [("1", Graph::from_pairs(34, KARATE)), ("8", complete(30)), ("1", two_hubs(30, false))]
        {
            let mechanism = mechanism(epsilon, "1e-6", graph.nodes(), bound);
            let (mut bits, n, truth) = (seeded(3), 2000, count(&graph) as f64);
            let missed = |_: &u64| {
                let answer = mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap();
                estimate_misses(&answer.estimates[0], truth)
            };
            let misses = (0..n).filter(missed).count() as u64;
            assert!(clopper_pearson_lower(misses, n, 1e-9) <= 0.05, "{epsilon}: {misses} of {n}");
            assert!(misses > n / 50, "{epsilon}: {misses} of {n}, wider than need be");
        }
    }
}

fn estimate_misses(estimate: &Estimate, truth: f64) -> bool {
    estimate.lower > truth || estimate.upper < truth
}

#[test]
fn the_price_is_the_one_that_was_asked() {
    for (bound, rho) in [(Bound::MaxDegree, 0.25), (Bound::CommonNeighbours, 0.34)] {
        let loss = mechanism("1", "1e-6", 100, bound).loss();
        let delta = Delta::parse("1e-6").unwrap();
        assert_eq!(loss.approximate_epsilon(), Some((Epsilon::parse("1").unwrap(), delta.clone())));
        let (found, of) = loss.approximate_rho().unwrap();
        assert!((found.to_f64_upper() - rho).abs() < 1e-9 && of == delta);
    }
}

#[test]
fn every_number_of_nodes_has_a_mechanism() {
    for bound in BOUNDS {
        for nodes in [0, 1, 2, 3, 4, u32::MAX] {
            let mechanism = mechanism("0.1", "1e-9", nodes, bound);
            assert!(!mechanism.outlook().words.is_empty());
            assert_eq!(mechanism.present(&[0]), None);
            assert_eq!(mechanism.present(&[0, -1]), None);
            if nodes < 3 {
                assert_eq!(mechanism.release(&complete(nodes), &mut seeded(4)), [0, 0]);
                assert_eq!(mechanism.present(&[0, 0]).unwrap().estimates[0].error_95(), 0.0);
            } else if nodes < 9 {
                let released = mechanism.release(&complete(nodes), &mut seeded(4));
                assert_eq!(mechanism.present(&released).unwrap().estimates.len(), 1);
                assert_eq!(mechanism.present(&[0, 0]), None, "no bound is below one");
            }
        }
    }
    let without = TwoStepTriangles::new(&Epsilon::parse("1").unwrap(), &Delta::zero(), 9, Bound::MaxDegree);
    assert!(without.unwrap_err().explanation().text().contains("hint:"));
}
