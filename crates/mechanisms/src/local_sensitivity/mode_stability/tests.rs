use pointillist_errors::Explained as _;
use pointillist_testkit::{hockey_stick, hoeffding_radius, seeded};

use super::*;
use crate::number::discrete_laplace_tail::tests::tail;

const RELATIONS: [Neighbours; 2] = [Neighbours::AddRemove, Neighbours::ReplaceOne];

fn stable(epsilon: &str, delta: &str, neighbours: Neighbours) -> StableMode {
    StableMode::new(&Epsilon::parse(epsilon).unwrap(), &Delta::parse(delta).unwrap(), neighbours).unwrap()
}

/// Every count vector over three categories with counts up to `top`.
fn all_counts(top: u64) -> Vec<Vec<u64>> {
    let range = || 0..=top;
    range().flat_map(|a| range().flat_map(move |b| range().map(move |c| vec![a, b, c]))).collect()
}

/// The number of steps between two count vectors, if there is one.
fn steps(x: &[u64], y: &[u64], neighbours: Neighbours) -> Option<u64> {
    let moved: u64 = x.iter().zip(y).map(|(a, b)| a.abs_diff(*b)).sum();
    match neighbours {
        Neighbours::AddRemove => Some(moved),
        Neighbours::ReplaceOne => (x.iter().sum::<u64>() == y.iter().sum::<u64>()).then_some(moved / 2),
    }
}

/// Reference values `smooth-mode-*`.
#[test]
fn distances_match_the_reference() {
    use Neighbours::{AddRemove, ReplaceOne};
    let cases: [(&[u64], Neighbours, usize, u64); 6] = [
        (&[5, 2, 1], AddRemove, 0, 4),
        (&[5, 2, 1], ReplaceOne, 0, 2),
        (&[1, 4, 4], AddRemove, 1, 1),
        (&[0, 7, 3, 2], AddRemove, 1, 5),
        (&[3, 3, 3], ReplaceOne, 0, 1),
        (&[2, 9, 1], ReplaceOne, 1, 4),
    ];
    for (counts, relation, index, change) in cases {
        assert_eq!(mode(counts), Some(index), "{counts:?}");
        assert_eq!(distance_to_change(counts, relation), Some(change), "{counts:?}, {relation}");
    }
}

/// The definition by brute force: the nearest of all count vectors with another mode.
#[test]
fn distances_are_those_of_the_definition() {
    for relation in RELATIONS {
        for x in all_counts(3) {
            let others = all_counts(10).into_iter().filter(|y| mode(y) != mode(&x));
            let nearest = others.filter_map(|y| steps(&x, &y, relation)).min();
            assert_eq!(distance_to_change(&x, relation), nearest, "{x:?}, {relation}");
        }
    }
    assert_eq!(distance_to_change(&[4], Neighbours::AddRemove), None);
    assert_eq!(distance_to_change(&[], Neighbours::AddRemove), None);
    assert_eq!(distance_to_change(&[u64::MAX, 0], Neighbours::AddRemove), Some(u64::MAX));
}

/// The largest δ at ε = 0.6 over all neighbours when the test sees `distance + error`.
fn worst_delta(relation: Neighbours, error: i64) -> f64 {
    let mechanism = stable("0.6", "0.01", relation);
    let law = |counts: &[u64]| {
        let distance = distance_to_change(counts, relation).map_or(1 << 40, |change| change as i64 - 1);
        let passing = tail(1.0 / 0.6, mechanism.test.threshold() as i64 + 1 - distance - error);
        let mut law = vec![1.0 - passing, 0.0, 0.0, 0.0];
        law[1 + mode(counts).unwrap()] = passing;
        law
    };
    let all = all_counts(9);
    let mut worst: f64 = 0.0;
    for x in &all {
        for y in all.iter().filter(|y| steps(x, y, relation) == Some(1)) {
            worst = worst.max(hockey_stick(&law(x), &law(y), 0.6));
        }
    }
    worst
}

/// The theorem, exactly, on all neighbours with counts up to nine. The same check rejects the distance to the
/// change in place of the distance to instability.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_epsilon_and_delta() {
    for relation in RELATIONS {
        let right = worst_delta(relation, 0);
        assert!(right <= 0.01 * (1.0 + 1e-9), "{relation}: {right}");
        assert!(right >= 0.006, "{relation}: {right} would not see a leak");
        assert!(worst_delta(relation, 1) > 0.01, "{relation}: one step too many");
    }
}

/// Specification: a clear mode is released as often as the noise says, and only the mode. False alarm: 1e-9
/// (Hoeffding).
#[test]
fn a_clear_mode_is_released_and_a_close_race_refused() {
    let mechanism = stable("1", "1e-6", Neighbours::AddRemove);
    let (mut bits, n) = (seeded(1), 20_000u64);
    let beta = FailureProbability::parse("1e-3").unwrap();
    let lead = u64::try_from(mechanism.distance_needed(&beta)).unwrap() + 1;
    let outcomes: Vec<_> = (0..n).map(|_| mechanism.release(&[3, 3 + lead, 1], &mut bits).unwrap()).collect();
    assert!(
        outcomes.iter().all(|o| matches!(o, TestedOutcome::Refused | TestedOutcome::Released { value: 1 }))
    );
    let refused = outcomes.iter().filter(|o| **o == TestedOutcome::Refused).count();
    assert!(refused as f64 / n as f64 <= 1e-3 + hoeffding_radius(n, 1e-9));
    assert!((0..200).all(|_| mechanism.release(&[50, 49], &mut bits).unwrap() == TestedOutcome::Refused));
    let only = mechanism.release(&[4], &mut bits).unwrap();
    assert_eq!(only, TestedOutcome::Released { value: 0 }, "the only category is public");
}

#[test]
fn an_empty_list_of_categories_is_refused_with_a_hint() {
    let mechanism = stable("1", "1e-6", Neighbours::AddRemove);
    let error = mechanism.release(&[], &mut seeded(2)).unwrap_err();
    assert_eq!(error, MechanismError::NoCandidates);
    assert!(error.explanation().text().contains("hint:"));
    assert!(mechanism.loss().approximate_epsilon().is_some());
    assert!(StableMode::new(&Epsilon::parse("1").unwrap(), &Delta::zero(), Neighbours::AddRemove).is_err());
}
