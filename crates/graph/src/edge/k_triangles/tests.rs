use pointillist_errors::Explained as _;
use std::collections::HashMap;

use pointillist_testkit::{hoeffding_radius, seeded};

use super::*;
use crate::kernel::k_triangles::survey;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

fn counted(k: u32, epsilon: &str, nodes: u32) -> KTriangleCount {
    KTriangleCount::new(k, &Epsilon::parse(epsilon).unwrap(), nodes).unwrap()
}

fn step(k: u32, common: u64) -> u128 {
    3 * choose(common, k - 1) + u128::from(common.max(4)) * choose(common, k - 2)
}

#[test]
fn the_sum_of_steps_is_that_of_its_terms() {
    for k in 2..=8 {
        for level in 0..20 {
            let terms: u128 = (0..level).map(|common| step(k, common)).sum();
            assert_eq!(steps_below(k, level), terms, "k = {k}, m = {level}");
        }
    }
}

#[test]
fn levels_are_the_least_that_is_enough() {
    for k in 2..=8 {
        let most = choose(u64::from(u32::MAX) - 2, k).saturating_mul(5);
        for local in [0, 1, 5, 6, 7, 1000, 1 << 40, 1 << 60, u128::MAX].map(|local: u128| local.min(most)) {
            for common in [0, 3, 77] {
                let level = level_of(k, local, common);
                assert!(level >= common && steps_below(k, level) >= local.min(COUNT_MAX));
                assert!(level == common || steps_below(k, level - 1) < local.min(COUNT_MAX));
            }
        }
    }
}

/// Neighbours keep the ladder's promise, the level's and the ceiling's. Returns the largest part of a step
/// that was used.
fn check(k: u32, one: &KTriangles, other: &KTriangles, ceiling: impl Fn(u64, u64) -> u128) -> f64 {
    let [level, next_level] = [one, other].map(|survey| level_of(k, survey.local, u64::from(survey.common)));
    assert!(level.abs_diff(next_level) <= 1);
    for distance in 0..6 {
        assert!(local_at(k, one, distance) <= local_at(k, other, distance + 1), "k = {k}");
        assert!(local_at(k, other, distance) <= local_at(k, one, distance + 1), "k = {k}");
        assert!(local_at(k, one, distance) <= ceiling(level, distance));
    }
    assert!(one.common.abs_diff(other.common) <= 1);
    assert!(one.count.abs_diff(other.count) <= one.local.min(other.local));
    let smaller = u64::from(one.common.min(other.common));
    one.local.abs_diff(other.local) as f64 / (step(k, smaller) as f64).max(1.0)
}

/// Specification: over all graphs with at most five nodes and random ones of up to ten, the ladder holds for
/// all neighbours. Power: half of a step and more is used somewhere, and a whole one with k = 2.
#[test]
fn neighbours_stay_within_what_the_noise_pays_for() {
    let mut words = seeded(1);
    let mut random = Vec::new();
    for round in 0..120 {
        let (dense, sparse) = (words() | words(), words() & words());
        random.push(graph_of_bits(6 + round % 5, if round % 2 == 0 { dense } else { sparse }));
    }
    let mut used = [0.0; 3];
    for graph in (2..=5).flat_map(all_graphs).chain(random) {
        for k in 2..=4 {
            let before = survey(&graph.graph(), k);
            let mechanism = counted(k, "1", graph.nodes());
            for next in graph.edge_neighbours() {
                let part = check(k, &before, &survey(&next.graph(), k), mechanism.ceiling());
                used[k as usize - 2] = part.max(used[k as usize - 2]);
            }
        }
    }
    assert!(used[0] == 1.0 && used.iter().all(|part| *part > 0.5), "{used:?}");
}

/// Specification: a tie between two common neighbours of a pair can raise four terms of its move. Here it
/// raises them by two each, eight in all, more than `3·C(2, 2) + 2·C(2, 1) = 7`: a ladder with these steps
/// would not be private.
#[test]
fn four_terms_can_grow_at_once() {
    // The pair 0, 1; its common neighbours 2, 3; and two further common neighbours for each of the four ties
    // between.
    let mut pairs = vec![(0, 2), (0, 3), (1, 2), (1, 3)];
    let mut next = 4;
    for (end, middle) in pairs.clone() {
        for _ in 0..2 {
            pairs.extend([(end, next), (middle, next)]);
            next += 1;
        }
    }
    let before = Graph::from_pairs(next, pairs.clone());
    let after = Graph::from_pairs(next, pairs.into_iter().chain([(2, 3)]));
    let [one, other] = [&before, &after].map(|graph| survey(graph, 3));
    assert_eq!((one.common, one.local, other.local), (2, 4, 12));
    check(3, &one, &other, counted(3, "1", next).ceiling());
}

/// Specification: the cap is what the complete graph reaches and no graph exceeds.
#[test]
fn the_cap_is_the_global_sensitivity() {
    for nodes in 2..=5 {
        for k in 2..=3 {
            let most = all_graphs(nodes).map(|graph: SmallGraph| survey(&graph.graph(), k).local).max();
            let others = u64::from(nodes - 2);
            let ends = 2 * u128::from(others) * choose(others.saturating_sub(1), k - 1);
            assert_eq!(most, Some(choose(others, k) + ends));
        }
    }
}

/// Specification: over all graphs with five nodes and all their neighbours, whole releases, level and count
/// together, are told apart by at most ε at every output looked at; and by most of it somewhere.
#[test]
fn releases_of_neighbours_differ_by_at_most_epsilon() {
    let mechanism = counted(2, "1", 5);
    let sides: HashMap<SmallGraph, _> = all_graphs(5)
        .map(|small| {
            let survey = survey(&small.graph(), 2);
            let level = level_of(2, survey.local, u64::from(survey.common));
            let side = mechanism.count.side(survey.count, |distance| local_at(2, &survey, distance), level);
            (small, side)
        })
        .collect();
    let mut largest = 0.0f64;
    for small in sides.keys().filter(|small| small.graph().edges() > 5) {
        for next in small.edge_neighbours() {
            let ratio = mechanism.count.log_ratio(&sides[small], &sides[&next], mechanism.ceiling());
            largest = largest.max(ratio);
        }
    }
    assert!((0.5..=1.0 + 1e-9).contains(&largest), "{largest}");
}

/// Ten cliques of six nodes around two nodes that are tied to all.
fn flower() -> Graph {
    let mut pairs = Vec::new();
    for clique in 0..10 {
        let members: Vec<u32> = (0..6).map(|member| 2 + 6 * clique + member).collect();
        for (place, member) in members.iter().enumerate() {
            pairs.extend(members[..place].iter().map(|other| (*other, *member)));
            pairs.extend([(0, *member), (1, *member)]);
        }
    }
    Graph::from_pairs(62, pairs)
}

/// Specification: the truth lies in the interval at least 95 times in a hundred.
/// False alarm: 1e-9 in all (Hoeffding, 400 releases each).
#[test]
fn intervals_hold() {
    let graph = flower();
    for (k, epsilon) in [(2, "0.3"), (2, "2"), (3, "1")] {
        let mechanism = counted(k, epsilon, graph.nodes());
        let truth = survey(&graph, k).count as f64;
        let mut bits = seeded(u64::from(k));
        let runs = 400;
        let mut held = 0;
        for _ in 0..runs {
            let answer = mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap();
            held += u32::from((answer.estimates[0].lower..=answer.estimates[0].upper).contains(&truth));
        }
        let least = 0.95 - hoeffding_radius(runs, 1e-9 / 3.0);
        assert!(f64::from(held) >= least * runs as f64, "k = {k}: {held} of {runs}");
    }
}

#[test]
fn huge_graphs_are_refused_or_work_before_any_data_is_seen() {
    for k in [2, 8] {
        for epsilon in ["1", "0.01", "1e-9"] {
            let mechanism = KTriangleCount::new(k, &Epsilon::parse(epsilon).unwrap(), u32::MAX);
            if let Ok(mechanism) = mechanism {
                assert!(mechanism.present(&[1, 1]).unwrap().estimates[0].upper.is_finite());
            }
        }
    }
    for nodes in 0..4 {
        let mechanism = counted(2, "1", nodes);
        let released = mechanism.release(&Graph::from_pairs(nodes, []), &mut seeded(1));
        assert!(mechanism.present(&released).is_some());
    }
}

#[test]
fn an_answer_says_what_was_released() {
    let mechanism = counted(2, "1", 34);
    assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
    assert_eq!(mechanism.present(&[151, 10]).unwrap().estimates[0].value.as_f64(), 151.0);
    assert_eq!(mechanism.present(&[151, 10, 0]), None);
    for k in [0, 1, 9] {
        let error = KTriangleCount::new(k, &Epsilon::parse("1").unwrap(), 5).unwrap_err();
        assert!(error.explanation().text().contains("hint: ask for 2-triangles"), "{error}");
    }
}
