//! Every closed form against every small data set and every neighbour of it.

use pointillist_errors::Explained as _;
use pointillist_testkit::{all_datasets, neighbours_add_remove, neighbours_replace_one};

use super::*;

const BOTH: [Neighbours; 2] = [Neighbours::AddRemove, Neighbours::ReplaceOne];

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn integers(values: &[i64]) -> Vec<Rational> {
    values.iter().map(|value| Rational::from(*value)).collect()
}

fn clamped_sum(rows: &[i64], lower: i64, upper: i64) -> i64 {
    rows.iter().map(|row| (*row).clamp(lower, upper)).sum()
}

/// The largest distances by the test tools' own enumeration, an independent route.
fn by_testkit<T: Clone + Ord>(
    alphabet: &[T],
    neighbours: Neighbours,
    query: impl Fn(&[T]) -> Vec<Rational>,
) -> [Rational; 3] {
    let mut largest = [Rational::zero(), Rational::zero(), Rational::zero()];
    for rows in all_datasets(alphabet, 4) {
        let others = match neighbours {
            // Five rows would leave the range that brute force looks at.
            Neighbours::AddRemove if rows.len() == 4 => continue,
            Neighbours::AddRemove => neighbours_add_remove(&rows, alphabet),
            Neighbours::ReplaceOne => neighbours_replace_one(&rows, alphabet),
        };
        for other in others {
            raise(&mut largest, &distances(&query(&rows), &query(&other)).unwrap());
        }
    }
    largest
}

fn assert_exact<T: Clone + Ord>(
    closed: &GlobalSensitivity,
    alphabet: &[T],
    neighbours: Neighbours,
    query: impl Fn(&[T]) -> Vec<Rational>,
) {
    let tried = brute_force(alphabet, 4, neighbours, &query).unwrap();
    assert_eq!(*closed, tried, "{neighbours}");
    let [l1, l2_squared, l_inf] = by_testkit(alphabet, neighbours, query);
    assert_eq!(
        (closed.l1.value(), closed.l2.squared(), closed.l_inf.value()),
        (&l1, &l2_squared, &l_inf),
        "{neighbours}"
    );
}

#[test]
fn a_count_moves_by_one() {
    for neighbours in BOTH {
        let alphabet = [i64::MIN, -1, 0, 1, 7, i64::MAX];
        assert_exact(&count(neighbours).unwrap(), &alphabet, neighbours, |rows| {
            vec![Rational::from(rows.iter().filter(|row| **row > 0).count())]
        });
    }
}

/// Extremes in the alphabet: clamping comes first, so they move a sum no further.
#[test]
fn a_clamped_sum_moves_by_its_bounds() {
    let alphabet = [i64::MIN, -4, 0, 3, 9, i64::MAX];
    for (lower, upper) in [(-4, 9), (0, 9), (2, 9), (-9, -2), (-9, 3), (0, 1)] {
        for neighbours in BOTH {
            let closed = bounded_sum(lower, upper, neighbours).unwrap();
            assert_exact(&closed, &alphabet, neighbours, |rows| integers(&[clamped_sum(rows, lower, upper)]));
        }
    }
    let widest = bounded_sum(i64::MIN, i64::MAX, Neighbours::ReplaceOne).unwrap();
    assert_eq!(*widest.l1.value(), Rational::from(u64::MAX));
    assert_eq!(
        *bounded_sum(i64::MIN, 0, Neighbours::AddRemove).unwrap().l1.value(),
        Rational::from(1u64 << 63)
    );
}

/// Planted leaks: the sum without its clamp, and an add/remove sensitivity of U − L for bounds far from zero.
#[test]
fn a_sum_without_its_clamp_exceeds_the_closed_form() {
    let alphabet = [-1000, 0, 5, 1000];
    let closed = bounded_sum(0, 10, Neighbours::AddRemove).unwrap();
    let unclamped =
        brute_force(&alphabet, 3, Neighbours::AddRemove, |rows| integers(&[rows.iter().sum()])).unwrap();
    assert!(unclamped.l1 > closed.l1);
    let far =
        brute_force(&[100, 110], 3, Neighbours::AddRemove, |rows| integers(&[rows.iter().sum()])).unwrap();
    assert!(*far.l1.value() > Rational::from(110 - 100));
    assert_eq!(far, bounded_sum(100, 110, Neighbours::AddRemove).unwrap());
}

#[test]
fn a_mean_moves_by_its_range_over_n() {
    let (lower, upper) = (rational("-0.5"), rational("2"));
    for n in 1..=4u64 {
        let closed = bounded_mean(&lower, &upper, n, Neighbours::ReplaceOne).unwrap();
        let tried = brute_force(&[-3i64, 0, 1, 5], 4, Neighbours::ReplaceOne, |rows| {
            // Only data sets of the public size are in question.
            if rows.len() as u64 != n {
                return integers(&[0]);
            }
            let clamped = rows.iter().map(|row| Rational::from(*row).max(lower.clone()).min(upper.clone()));
            vec![clamped.fold(Rational::zero(), |sum, value| sum + value) / Rational::from(n)]
        });
        assert_eq!(closed, tried.unwrap());
    }
    let message = bounded_mean(&lower, &upper, 3, Neighbours::AddRemove).unwrap_err().explanation().text();
    assert!(message.contains("hint: release a sum and a count"), "{message}");
    assert!(bounded_mean(&lower, &upper, 0, Neighbours::ReplaceOne).is_err());
}

/// A row is the set of cells a person is in, as a bit mask of at most g bits among three or four cells.
#[test]
fn a_histogram_moves_in_as_many_cells_as_a_person_has() {
    let histogram_of = |rows: &[u8]| -> Vec<Rational> {
        (0..4).map(|cell| Rational::from(rows.iter().filter(|row| **row >> cell & 1 == 1).count())).collect()
    };
    for (cells, alphabet) in
        [(1, vec![0u8, 0b1, 0b10, 0b100]), (2, vec![0, 0b11, 0b1100, 0b110, 0b1001, 0b1])]
    {
        for neighbours in BOTH {
            assert_exact(&histogram(cells, neighbours).unwrap(), &alphabet, neighbours, histogram_of);
        }
    }
    assert!(histogram(0, Neighbours::AddRemove).is_err());
    assert!(histogram(u64::MAX, Neighbours::ReplaceOne).unwrap_err().explanation().text().contains("hint: "));
}

#[test]
fn counting_queries_all_move_by_one() {
    for neighbours in BOTH {
        let queries = |rows: &[i64]| -> Vec<Rational> {
            [0, 5, 9].iter().map(|cut| Rational::from(rows.iter().filter(|row| *row > cut).count())).collect()
        };
        let closed = counting_queries(3, neighbours).unwrap();
        assert_exact(&closed, &[-1, 3, 7, 10], neighbours, queries);
        assert_eq!(closed.l2.squared(), &Rational::from(3));
    }
}

#[test]
fn what_cannot_be_answered_is_refused_with_a_hint() {
    let refused = [
        bounded_sum(1, 0, Neighbours::AddRemove),
        bounded_sum(0, 0, Neighbours::AddRemove),
        bounded_sum(4, 4, Neighbours::ReplaceOne),
        counting_queries(0, Neighbours::AddRemove),
        brute_force(&[0; 100], 4, Neighbours::AddRemove, |_| integers(&[0])),
        brute_force(&[0; 0], 2, Neighbours::AddRemove, |_| integers(&[0])),
        brute_force(&[0, 1], 2, Neighbours::AddRemove, |_| integers(&[0])),
        brute_force(&[0, 1], 2, Neighbours::AddRemove, |rows: &[i64]| integers(rows)),
    ];
    for result in refused {
        assert!(result.unwrap_err().explanation().text().contains("hint: "));
    }
}
