use pointillist_errors::Explained as _;
use pointillist_testkit::seeded;

use super::*;
use crate::kernel::testing::all_graphs;
use crate::node::projection::tests::random_neighbours;

fn mechanism(leaves: u32, epsilon: &str) -> ProjectedStars {
    ProjectedStars::new(leaves, &Epsilon::parse(epsilon).unwrap()).unwrap()
}

fn stars(graph: &Graph, leaves: u32) -> i128 {
    (0..graph.nodes()).map(|v| choose(u64::from(graph.degree(v)), leaves).unwrap() as i128).sum()
}

/// Specification: over all neighbours among graphs with at most five nodes, and random ones with up to
/// twelve, the stars of a threshold rise and fall within the bounds of its level. The bound on rises is
/// reached; falls do occur.
#[test]
fn one_node_moves_kept_stars_within_bounds() {
    for leaves in [2, 3] {
        let mechanism = mechanism(leaves, "1");
        let thresholds = mechanism.count.thresholds().iter();
        let levels: Vec<Level> = thresholds.map(|threshold| level(*threshold, leaves).unwrap()).collect();
        let mut highest = vec![0; levels.len()];
        let mut lowest = 0;
        let mut check = |with: &Graph, without: &Graph| {
            let (after, before) = (mechanism.values(with), mechanism.values(without));
            for (i, level) in levels.iter().enumerate() {
                let moved = after[i] - before[i];
                assert!(
                    moved <= level.rise_max as i128 && moved >= -(level.fall_max as i128),
                    "{level:?}: {moved}"
                );
                highest[i] = highest[i].max(moved);
                lowest = lowest.min(moved);
            }
        };
        for with in (1..=5).flat_map(all_graphs) {
            with.without_a_node().for_each(|without| check(&with.graph(), &without.graph()));
        }
        let mut bits = seeded(8);
        for round in 0..2_000 {
            let [with, without] = random_neighbours(5 + round % 8, 20 + u64::from(round) % 80, &mut bits);
            check(&with, &without);
        }
        if leaves == 2 {
            assert_eq!(highest[0], levels[0].rise_max as i128, "the smallest threshold's bound is reached");
        }
        assert!(lowest < 0, "some node lets kept stars fall");
    }
}

/// Specification: binomial coefficients, and none where they are beyond bounds.
#[test]
fn choices_are_counted() {
    assert_eq!(
        [choose(5, 2), choose(2, 3), choose(0, 2), choose(10, 8)],
        [Some(10), Some(0), Some(0), Some(45)]
    );
    assert_eq!(choose(1 << 32, 2), Some((1u128 << 31) * ((1 << 32) - 1)));
    assert_eq!(choose(1 << 32, 8), None);
}

/// Specification: every number of leaves from 2 to 8 has thresholds, all within bounds; others are refused
/// with a hint.
#[test]
fn levels_are_within_bounds() {
    for leaves in LEAVES {
        let mechanism = mechanism(leaves, "0.01");
        let thresholds = mechanism.count.thresholds();
        assert!(thresholds[0] >= u64::from(leaves) && thresholds[0] < 2 * u64::from(leaves));
        assert!(*thresholds.last().unwrap() >= 1 << 11, "{leaves} leaves: {thresholds:?}");
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("0.01").unwrap()));
    }
    for leaves in [0, 1, 9] {
        let error =
            ProjectedStars::new(leaves, &Epsilon::parse("1").unwrap()).unwrap_err().explanation().text();
        assert!(error.contains("hint:"), "{error}");
    }
}

/// Specification: with a huge ε the count is right, and the note says what was cut.
#[test]
fn without_noise_the_truth_is_released() {
    let graph = Graph::from_pairs(12, (1..12).map(|leaf| (0, leaf)).chain([(1, 2), (2, 3)]));
    for leaves in [2, 3, 4] {
        let mechanism = mechanism(leaves, "1000000");
        let answer = mechanism.present(&mechanism.release(&graph, &mut seeded(1))).unwrap();
        assert_eq!(answer.estimates[0].value.as_f64(), stars(&graph, leaves) as f64);
        assert!(answer.notes[0].contains("at most 16 ties"), "{:?}", answer.notes);
        assert!(mechanism.present(&[0]).is_none());
    }
}
