use pointillist_testkit::seeded;

use super::*;
use crate::kernel::degrees;
use crate::kernel::testing::all_graphs;
use crate::node::choice::tests::law;
use crate::node::projection::tests::random_neighbours;

fn mechanism(epsilon: &str) -> ProjectedDegrees {
    ProjectedDegrees::new(&Epsilon::parse(epsilon).unwrap()).unwrap()
}

/// Specification: groups begin with single degrees, grow by a quarter, end with the threshold alone, and are
/// few.
#[test]
fn groups_are_few() {
    assert_eq!(group_starts(1), [0, 1, 2]);
    assert_eq!(group_starts(4), [0, 1, 2, 3, 4, 5]);
    assert_eq!(group_starts(16), [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 16, 17]);
    assert!(group_starts(1 << 32).len() < 120);
}

/// Specification: group sums are sums of cumulative counts.
#[test]
fn sums_are_sums_of_cumulative_counts() {
    let mut bits = seeded(1);
    for threshold in [1u64, 2, 8, 16, 64, 256] {
        let kept: Vec<u32> = (0..50).map(|_| (bits() % (threshold.min(40) + 1)) as u32).collect();
        let at_most = |i: u64| kept.iter().filter(|degree| u64::from(**degree) <= i).count() as i128;
        let starts = group_starts(threshold);
        let sums: Vec<i128> =
            starts.windows(2).map(|group| (group[0]..group[1]).map(at_most).sum()).collect();
        assert_eq!(group_sums(&kept, threshold), sums);
    }
    assert_eq!(group_sums(&[], 2), [0, 0, 0]);
}

/// Specification: over all neighbours among graphs with at most five nodes, and random ones with up to
/// twelve, group sums move by at most θ + 1 in sum, and by exactly that somewhere.
#[test]
fn one_node_moves_group_sums_by_the_threshold_and_one() {
    for threshold in [1u64, 2, 4] {
        let sums = |graph: &Graph| group_sums(&OrderedTies::of(graph).kept_degrees(threshold), threshold);
        let mut largest = 0;
        let mut check = |with: &Graph, without: &Graph| {
            let moved: i128 =
                sums(with).iter().zip(sums(without)).map(|(after, before)| (after - before).abs()).sum();
            assert!(moved <= i128::from(threshold) + 1);
            largest = largest.max(moved);
        };
        for with in (1..=5).flat_map(all_graphs) {
            with.without_a_node().for_each(|without| check(&with.graph(), &without.graph()));
        }
        let mut bits = seeded(2);
        for round in 0..1_000 {
            let [with, without] = random_neighbours(6 + round % 7, 20 + u64::from(round) % 80, &mut bits);
            check(&with, &without);
        }
        assert_eq!(largest, i128::from(threshold) + 1);
    }
}

/// Specification: on all neighbours among graphs with at most four nodes the log-ratio of threshold and sums
/// together is at most ε: that of the threshold, plus what the sums move by over their scale.
#[test]
fn releases_of_neighbours_are_as_close_as_claimed() {
    for epsilon in [0.5, 5.0] {
        let mechanism = mechanism(&epsilon.to_string());
        let laws = |graph: &Graph| {
            let ties = OrderedTies::of(graph);
            let values: Vec<i128> =
                ties.kept_edges(&mechanism.thresholds).into_iter().map(i128::from).collect();
            let thresholds = mechanism.thresholds[..6].iter();
            let sums: Vec<Vec<i128>> =
                thresholds.map(|threshold| group_sums(&ties.kept_degrees(*threshold), *threshold)).collect();
            (law(&mechanism.choice.exponents(&values, &[])), sums)
        };
        let mut largest = 0.0f64;
        for with in (1..=4).flat_map(all_graphs) {
            let after = laws(&with.graph());
            for without in with.without_a_node() {
                let before = laws(&without.graph());
                for index in 0..6 {
                    let pairs = after.1[index].iter().zip(&before.1[index]);
                    let moved: i128 = pairs.map(|(after, before)| (after - before).abs()).sum();
                    let sums = moved as f64 / mechanism.noises[index].scale().to_f64_upper();
                    largest = largest.max((after.0[index] / before.0[index]).ln().abs() + sums);
                }
            }
        }
        assert!(largest <= epsilon + 1e-9 && largest > 0.8 * epsilon, "{largest}");
    }
}

/// Specification: with a huge ε every degree that stands alone is right, and figures in between are near.
#[test]
fn without_noise_the_truth_is_released() {
    let mut bits = seeded(3);
    let [graph, _] = random_neighbours(60, 12, &mut bits);
    let mechanism = mechanism("100000");
    let answer = mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap();
    let at_least = degrees::at_least(&graph);
    assert_eq!(answer.estimates.len(), 17);
    for (degree, estimate) in answer.estimates.iter().enumerate() {
        assert_eq!(estimate.degree, Some(degree as u64));
        let truth = at_least.get(degree).copied().unwrap_or(0) as f64;
        let allowed = if degree <= 8 { 0.0 } else { 5.0 };
        assert!(
            (estimate.value.as_f64() - truth).abs() <= allowed,
            "degree {degree}: {estimate:?}, not {truth}"
        );
    }
}

/// Specification: figures never rise with the degree, lie in their intervals, and intervals cover the truth
/// for at least 95 % of releases at every degree. False alarm: below 1e-9, as 85 % of 500 draws are more than
/// ten standard deviations below 95 %.
#[test]
fn intervals_are_honest() {
    let graph = Graph::from_pairs(400, (0..400).flat_map(|v| [(v, (v + 1) % 400), (v, (v * v + 3) % 400)]));
    let at_least = degrees::at_least(&graph);
    let mechanism = mechanism("2");
    let mut bits = seeded(4);
    let mut missed = vec![0; 2_000];
    for _ in 0..500 {
        let answer = mechanism.present(&mechanism.release(&graph, &mut bits)).unwrap();
        let mut before = f64::INFINITY;
        for estimate in &answer.estimates {
            let value = estimate.value.as_f64();
            let degree = estimate.degree.unwrap() as usize;
            assert!(value <= before, "degree {degree}");
            assert!(estimate.lower <= value && value <= estimate.upper, "{estimate:?}");
            before = value;
            let truth = at_least.get(degree).copied().unwrap_or(0) as f64;
            missed[degree.min(1_999)] += usize::from(truth < estimate.lower || truth > estimate.upper);
        }
    }
    assert!(missed.iter().all(|missed| *missed <= 75), "{missed:?}");
}

/// Specification: pooled values never fall, stay when in order, and keep weighted sums.
#[test]
fn values_are_brought_into_order() {
    assert_eq!(never_falling(&[(1.0, 1.0), (2.0, 5.0), (2.5, 1.0)]), [1.0, 2.0, 2.5]);
    assert_eq!(never_falling(&[(4.0, 1.0), (1.0, 2.0), (9.0, 1.0)]), [2.0, 2.0, 9.0]);
    assert!(never_falling(&[]).is_empty());
}

#[test]
fn the_price_is_what_was_asked_and_strange_integers_are_not_read() {
    let mechanism = mechanism("0.7");
    assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("0.7").unwrap()));
    for strange in [&[][..], &[0], &[40, 5], &[-1, 5], &[0, 1, 2, 3, 4]] {
        assert_eq!(mechanism.present(strange), None);
    }
    assert!(mechanism.present(&[0, i128::MAX, i128::MIN]).is_some());
}
