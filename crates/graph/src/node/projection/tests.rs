use pointillist_testkit::seeded;

use super::*;
use crate::kernel::testing::{SmallGraph, all_graphs};

/// The method as it is written: the ties in order of place and labels, kept while both ends may.
fn by_definition(graph: &Graph, threshold: u64) -> Vec<u32> {
    let mut ties: Vec<(u64, [u128; 2], u32, u32)> = graph
        .pairs()
        .map(|(u, v)| {
            let labels = in_order(graph.label(u), graph.label(v));
            (place(labels[0], labels[1]), labels, u, v)
        })
        .collect();
    ties.sort();
    let mut kept = vec![0u32; graph.nodes() as usize];
    for (_, _, u, v) in ties {
        if u64::from(kept[u as usize]) < threshold && u64::from(kept[v as usize]) < threshold {
            kept[u as usize] += 1;
            kept[v as usize] += 1;
        }
    }
    kept
}

/// A random graph with random labels, and the same without its last node, whose label is as random as the
/// others.
pub(crate) fn random_neighbours(nodes: u32, density: u64, bits: &mut impl FnMut() -> u64) -> [Graph; 2] {
    let labels: Vec<u128> = (0..nodes).map(|_| u128::from(bits()) << 64 | u128::from(bits())).collect();
    let all = (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v)));
    let ties: Vec<(u32, u32)> = all.filter(|_| bits() % 100 < density).collect();
    let rest = ties.iter().copied().filter(|(_, v)| *v + 1 < nodes);
    let without = Graph::with_labels(labels[..nodes as usize - 1].to_vec(), rest);
    [Graph::with_labels(labels, ties), without]
}

/// Kept degrees of all nodes but the one that came, and of that one, found by its label.
fn moved(with: &Graph, without: &Graph, threshold: u64) -> (Vec<[i64; 2]>, i64) {
    let [after, before] = [with, without].map(|graph| OrderedTies::of(graph).kept_degrees(threshold));
    let mut pairs = Vec::new();
    let mut new = None;
    for node in 0..with.nodes() {
        let same = (0..without.nodes()).find(|other| without.label(*other) == with.label(node));
        let kept = i64::from(after[node as usize]);
        match same {
            Some(same) => pairs.push([i64::from(before[same as usize]), kept]),
            None => new = Some(kept),
        }
    }
    (pairs, new.expect("one node came"))
}

fn counts(degrees: impl Iterator<Item = i64> + Clone, threshold: i64, at_most: bool) -> Vec<i64> {
    let counted = |degree: i64, i: i64| if at_most { degree <= i } else { degree >= i };
    (0..=threshold).map(|i| degrees.clone().filter(|degree| counted(*degree, i)).count() as i64).collect()
}

fn distance(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// What the theorem says of two neighbours, and how near its bounds were reached: gaps against θ, kept ties
/// against θ, cumulative counts against θ + 1, and cumulative counts from above against θ + 1.
fn check(with: &Graph, without: &Graph, threshold: u64, reached: &mut [bool; 4]) {
    let (pairs, new) = moved(with, without, threshold);
    let theta = threshold as i64;
    let gaps: i64 = pairs.iter().map(|[before, after]| (after - before).abs()).sum();
    assert!(gaps <= new && new <= theta, "Σ|k′ − k| = {gaps}, k′(w) = {new}, θ = {theta}");
    reached[0] |= gaps == theta;

    let [kept_with, kept_without] =
        [with, without].map(|graph| OrderedTies::of(graph).kept_edges(&[threshold])[0] as i64);
    assert!((0..=theta).contains(&(kept_with - kept_without)), "{kept_without} ties, then {kept_with}");
    reached[1] |= kept_with - kept_without == theta;

    let before = pairs.iter().map(|[before, _]| *before);
    let after = pairs.iter().map(|[_, after]| *after).chain([new]);
    let cumulative =
        |at_most| distance(&counts(before.clone(), theta, at_most), &counts(after.clone(), theta, at_most));
    assert!(cumulative(true) <= theta + 1, "cumulative counts move by {}", cumulative(true));
    reached[2] |= cumulative(true) == theta + 1;
    reached[3] |= cumulative(false) > theta + 1;
}

/// Specification: the theorem of this file on all neighbours among graphs with at most five nodes, under
/// every threshold; each bound is reached, and counts of nodes with at least i ties do break the bound of
/// counts with at most i.
#[test]
fn one_node_moves_kept_degrees_as_the_theorem_says() {
    for threshold in 1..=4 {
        let mut reached = [false; 4];
        for with in (1..=5).flat_map(all_graphs) {
            for without in with.without_a_node() {
                check(&with.graph(), &without.graph(), threshold, &mut reached);
            }
        }
        assert_eq!(reached, [true; 4], "θ = {threshold}");
    }
}

/// Specification: the same on random graphs with up to ten nodes and random labels, hence random orders.
#[test]
fn the_theorem_holds_in_every_order() {
    let mut bits = seeded(3);
    for round in 0..6_000u64 {
        let nodes = 2 + (round % 9) as u32;
        let [with, without] = random_neighbours(nodes, 20 + round % 80, &mut bits);
        for threshold in 1..=4 {
            check(&with, &without, threshold, &mut [false; 4]);
        }
    }
}

/// Specification: fast scans keep what the definition keeps, for all thresholds at once and one by one.
#[test]
fn scans_agree_with_the_definition() {
    let mut bits = seeded(4);
    let thresholds: Vec<u64> = vec![0, 1, 2, 3, 5, 8, 13, 40, 1 << 32];
    for round in 0..200 {
        let [graph, _] = random_neighbours(40, 1 + round % 60, &mut bits);
        let ties = OrderedTies::of(&graph);
        let kept = ties.kept_edges(&thresholds);
        for (threshold, kept) in thresholds.iter().zip(kept) {
            let degrees = by_definition(&graph, *threshold);
            assert_eq!(ties.kept_degrees(*threshold), degrees);
            assert_eq!(degrees.iter().map(|degree| u64::from(*degree)).sum::<u64>(), 2 * kept);
        }
        assert_eq!(*ties.kept_edges(&thresholds).last().unwrap(), graph.edges());
    }
}

/// Specification: nodes in another order with their labels keep the same degrees; with other labels they may
/// not.
#[test]
fn the_order_is_one_of_labels() {
    let mut bits = seeded(5);
    let mut differ = 0;
    for _ in 0..50 {
        let [graph, _] = random_neighbours(12, 50, &mut bits);
        let reversed = |node: u32| graph.nodes() - 1 - node;
        let pairs: Vec<(u32, u32)> = graph.pairs().map(|(u, v)| (reversed(u), reversed(v))).collect();
        let labels = (0..graph.nodes()).map(|node| graph.label(reversed(node))).collect();
        let mut renamed = OrderedTies::of(&Graph::with_labels(labels, pairs.clone())).kept_degrees(3);
        renamed.reverse();
        let kept = OrderedTies::of(&graph).kept_degrees(3);
        assert_eq!(renamed, kept);
        let mut relabelled = OrderedTies::of(&Graph::from_pairs(12, pairs)).kept_degrees(3);
        relabelled.reverse();
        differ += usize::from(relabelled != kept);
    }
    assert!(differ > 25, "labels decide in {differ} of 50 cases only");
}

/// Specification: pairs with the same place are put in order by their labels.
#[test]
fn places_are_spread_and_symmetric() {
    let places: std::collections::HashSet<u64> =
        (0..200u128).flat_map(|a| (0..a).map(move |b| place(a, b))).collect();
    assert_eq!(places.len(), 200 * 199 / 2);
    assert_eq!(place(3, 1 << 100), place(1 << 100, 3));
    assert_ne!(place(0, 1 << 64), place(0, 1));
}

#[test]
fn a_graph_without_ties_keeps_none() {
    let empty: SmallGraph = all_graphs(0).next().unwrap();
    assert_eq!(OrderedTies::of(&empty.graph()).kept_edges(&[1, 2]), [0, 0]);
    assert!(OrderedTies::of(&empty.graph()).kept_degrees(1).is_empty());
}
