//! The definition, by brute force: every data set, every neighbour, every distance.

use pointillist_errors::Explained as _;
use pointillist_testkit::{all_datasets, neighbours_replace_one};

use super::*;

/// Every multiset of exactly n values of 0 ..= top.
pub(crate) fn datasets(n: usize, top: i64) -> Vec<Vec<i64>> {
    let alphabet: Vec<i64> = (0..=top).collect();
    all_datasets(&alphabet, n).into_iter().filter(|rows| rows.len() == n).collect()
}

/// How many replacements lead from one sorted data set to another.
fn replacements(x: &[i64], y: &[i64]) -> usize {
    let mut rest = y.to_vec();
    let common = x.iter().filter(|value| {
        let found = rest.iter().position(|other| other == *value);
        found.map(|index| rest.remove(index)).is_some()
    });
    x.len() - common.count()
}

#[test]
fn local_sensitivities_at_every_distance_are_those_of_the_definition() {
    for (n, top) in [(1, 5), (2, 4), (3, 4), (4, 3), (5, 3)] {
        let alphabet: Vec<i64> = (0..=top).collect();
        let all = datasets(n, top);
        let of = |rows: &[i64]| MedianData::new(rows, 0, top).unwrap();
        let median = |rows: &[i64]| rows[n.div_ceil(2) - 1];
        let local: Vec<u64> = all
            .iter()
            .map(|rows| {
                let near = neighbours_replace_one(rows, &alphabet);
                near.iter().map(|other| median(other).abs_diff(median(rows))).max().unwrap()
            })
            .collect();
        for x in &all {
            assert_eq!(of(x).median(), median(x));
            let within = |k: u64| {
                let near = all.iter().zip(&local).filter(|(y, _)| replacements(x, y) as u64 <= k);
                near.map(|(_, local)| *local).max().unwrap()
            };
            for k in 0..=n as u64 + 2 {
                assert_eq!(of(x).local_sensitivity_at(k), within(k), "{x:?} at distance {k}");
            }
            for bound in 0..=top as u64 {
                let expected = (0..=n as u64).find(|k| within(*k) > bound);
                assert_eq!(of(x).distance_beyond(bound), expected, "{x:?} beyond {bound}");
            }
        }
    }
}

/// Reference values `smooth-median-*`, in whole units of each case's grid.
#[test]
fn local_sensitivities_match_the_reference() {
    let even_spread: Vec<i64> = (1..100).collect();
    let clustered: Vec<i64> = (0..101).map(|i| 300 + 4 * i).collect();
    let first_twelve: Vec<u64> = (1..13).collect();
    let cases: Vec<(Vec<i64>, i64, Vec<u64>)> = vec![
        (vec![1, 2, 3, 4, 5], 6, vec![1, 2, 3, 4, 5, 6]),
        (vec![0, 0, 3, 6, 6], 6, vec![3, 6, 6, 6, 6, 6]),
        (vec![2, 2, 2, 2, 2], 5, vec![0, 0, 3, 3, 3, 5]),
        (vec![3], 5, vec![3, 5]),
        (vec![0, 1, 5], 5, vec![4, 5, 5, 5]),
        (vec![1, 1, 2, 4, 4], 5, vec![2, 3, 3, 4, 4, 5]),
        (vec![2, 3, 3, 4], 6, vec![1, 3, 3, 4, 6]),
        (vec![2, 4, 5, 10, 15, 16, 18], 20, vec![5, 10, 11, 13, 15, 16, 18, 20]),
        (
            vec![20, 23, 24, 25, 26, 110, 160, 182, 198],
            200,
            vec![84, 134, 156, 172, 174, 175, 176, 182, 198, 200],
        ),
        (even_spread, 100, first_twelve.clone()),
        (vec![1; 51], 2, vec![0; 12]),
        (clustered, 1_000_000_000, first_twelve.iter().map(|k| 4 * k).collect()),
    ];
    for (values, upper, expected) in cases {
        let data = MedianData::new(&values, 0, upper).unwrap();
        let got: Vec<u64> = (0..expected.len() as u64).map(|k| data.local_sensitivity_at(k)).collect();
        assert_eq!(got, expected, "{values:?}");
    }
}

#[test]
fn values_outside_the_range_count_as_its_ends() {
    let data = MedianData::new(&[i64::MIN, 7, i64::MAX], -5, 5).unwrap();
    assert_eq!((data.median(), data.local_sensitivity_at(0)), (5, 10));
    let widest = MedianData::new(&[0], i64::MIN, i64::MAX).unwrap();
    assert_eq!(widest.local_sensitivity_at(u64::MAX), u64::MAX);
    assert_eq!(widest.distance_beyond(u64::MAX), None);
}

#[test]
fn ranges_and_data_that_cannot_be_are_refused_with_a_hint() {
    for (values, lower, upper) in [(vec![1], 3, 3), (vec![1], 4, 3), (vec![], 0, 3)] {
        let error = MedianData::new(&values, lower, upper).unwrap_err().explanation().text();
        assert!(error.contains("hint:"), "{error}");
    }
}
