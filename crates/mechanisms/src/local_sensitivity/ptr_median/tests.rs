use pointillist_errors::Explained as _;
use pointillist_testkit::{hockey_stick, neighbours_replace_one, seeded};

use super::*;
use crate::local_sensitivity::median_sensitivity::tests::datasets;
use crate::number::discrete_laplace_tail::tests::{pmf, tail};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn delta(text: &str) -> Delta {
    Delta::parse(text).unwrap()
}

/// Reference values `smooth-ptr-median-*`: distances exactly, and the pass probability of the textbook's
/// continuous test, which is not the one built here, as a check that the distances mean the same.
#[test]
fn distances_match_the_reference() {
    let even_spread: Vec<i64> = (1..100).collect();
    type Case = (Vec<i64>, i64, u64, f64, f64, u64, f64);
    let cases: Vec<Case> = vec![
        (vec![1, 2, 3, 4, 5], 6, 1, 1.0, 1e-3, 1, 1.359_140_914_229_522_6e-3),
        (vec![2, 2, 2, 2, 2], 5, 1, 0.5, 1e-6, 2, 1.359_140_914_229_522_6e-6),
        (vec![0, 0, 3, 6, 6], 6, 3, 1.0, 1e-5, 1, 1.359_140_914_229_522_6e-5),
        (even_spread, 100, 10, 1.0, 1e-6, 10, 0.011_013_232_897_403_358),
        (vec![5; 51], 10, 1, 0.8, 1e-6, 25, 0.998_969_423_188_780_7),
        (vec![1, 1, 2, 4, 4], 5, 4, 50.0, 1e-15, 5, 1.0),
    ];
    for (values, upper, bound, e, d, distance, passing) in cases {
        let data = MedianData::new(&values, 0, upper).unwrap();
        assert_eq!(data.distance_beyond(bound), Some(distance), "{values:?}");
        let excess = ((1.0 / d).ln() / e - distance as f64) * e;
        let continuous = if excess > 0.0 { (-excess).exp() / 2.0 } else { 1.0 - excess.exp() / 2.0 };
        assert!((continuous / passing - 1.0).abs() < 1e-10, "{values:?}");
    }
}

/// The exact law of every data set of five values on 0 ..= 3 and of all its neighbours, with B = 1. The same
/// check rejects a test that looks at the data's own local sensitivity only.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_epsilon_and_delta() {
    let median = PtrMedian::new(0, 3, 1, &epsilon("1"), &epsilon("2"), &delta("0.02")).unwrap();
    let threshold = median.mechanism().test().threshold() as i64;
    let law = |rows: &[i64], naive: bool| -> Vec<f64> {
        let data = MedianData::new(rows, 0, 3).unwrap();
        let distance = data.distance_beyond(1).unwrap() as i64;
        let passing = match naive {
            false => tail(1.0, threshold + 1 - distance),
            true => f64::from(data.local_sensitivity_at(0) <= 1),
        };
        let below = |value: i64| 1.0 - tail(0.5, value + 1 - data.median());
        let values = (0..=3).map(|value| match value {
            0 => below(0),
            3 => 1.0 - below(2),
            _ => pmf(0.5, value - data.median()),
        });
        std::iter::once(1.0 - passing).chain(values.map(|p| p * passing)).collect()
    };
    let worst = |naive: bool| {
        let mut worst: f64 = 0.0;
        for x in datasets(5, 3) {
            for y in neighbours_replace_one(&x, &[0, 1, 2, 3]) {
                worst = worst.max(hockey_stick(&law(&x, naive), &law(&y, naive), 3.0));
            }
        }
        worst
    };
    assert!(worst(false) <= 0.02 * (1.0 + 1e-9), "{}", worst(false));
    assert!(worst(true) > 0.5, "a test of the local sensitivity itself: {}", worst(true));
}

#[test]
fn dense_data_are_answered_and_thin_data_refused() {
    let median = PtrMedian::new(0, 1000, 2, &epsilon("1"), &epsilon("1"), &delta("1e-6")).unwrap();
    let mut bits = seeded(1);
    let dense: Vec<i64> = (0..401).map(|i| 300 + i).collect();
    let beta = FailureProbability::parse("1e-9").unwrap();
    // The local sensitivity of evenly spaced values is k + 1 at distance k.
    assert_eq!(MedianData::new(&dense, 0, 1000).unwrap().distance_beyond(2), Some(2));
    let tight: Vec<i64> = (0..401).map(|i| 490 + i / 20).collect();
    let TestedOutcome::Released { value } = median.release(&tight, &mut bits).unwrap() else {
        panic!("data far from instability were refused")
    };
    assert!(value.abs_diff(500) as i128 <= median.error_bound(&beta));
    let refused =
        (0..200).all(|_| median.release(&[0, 500, 1000], &mut bits).unwrap() == TestedOutcome::Refused);
    assert!(refused, "unstable data pass once in a million");
    assert_eq!(median.loss().approximate_epsilon(), Some((epsilon("2"), delta("1e-6"))));
}

#[test]
fn parameters_and_data_that_cannot_be_are_refused_with_a_hint() {
    let new = |lower, upper, bound| {
        PtrMedian::new(lower, upper, bound, &epsilon("1"), &epsilon("1"), &delta("1e-6"))
    };
    let errors = [
        new(5, 5, 1).unwrap_err(),
        new(0, 5, 5).unwrap_err(),
        new(0, 5, 0).unwrap_err(),
        new(0, 5, 1).unwrap().release(&[], &mut seeded(2)).unwrap_err(),
    ];
    for error in errors {
        assert!(error.explanation().text().contains("hint:"), "{error}");
    }
}
