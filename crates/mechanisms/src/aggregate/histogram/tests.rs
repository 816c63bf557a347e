use pointillist_errors::Explained as _;
use pointillist_privacy::{Epsilon, Rho};
use pointillist_testkit::{
    Distinguisher, all_datasets, hoeffding_radius, neighbours_add_remove, neighbours_replace_one, seeded,
};

use super::*;

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

fn bound(groups_max: u64, rows_max: u64) -> ContributionBound {
    ContributionBound::new(groups_max, rows_max).unwrap()
}

/// Brute force: all tables of at most three people, each with up to two rows over three declared keys and a stranger,
/// and all their neighbours of both kinds. The largest L1 distance is exactly what the noise was built for.
#[test]
fn counts_move_by_exactly_the_claimed_sensitivity() {
    let people = all_datasets(&['a', 'b', 'c', '?'], 2);
    for (groups_max, rows_max) in [(2, 2), (2, 1), (1, 2)] {
        // With one group a person only those who hold one key are bounded without a draw, which keeps this
        // exact.
        let usual = |person: &&Vec<char>| {
            let mut keys: Vec<_> = person.iter().filter(|key| **key != '?').collect();
            keys.dedup();
            keys.len() as u64 <= groups_max
        };
        let people: Vec<Vec<char>> = people.iter().filter(usual).cloned().collect();
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            let histogram =
                Histogram::new(vec!['c', 'a', 'b'], &bound(groups_max, rows_max), neighbours, &pure("1"))
                    .unwrap();
            let mut bits = seeded(1);
            let mut counts = |table: &[Vec<char>]| histogram.bounded(table.to_vec(), &mut bits);
            let (mut l1, mut l2) = (0, 0);
            for table in all_datasets(&people, 2) {
                let near = match neighbours {
                    Neighbours::AddRemove => neighbours_add_remove(&table, &people),
                    Neighbours::ReplaceOne => neighbours_replace_one(&table, &people),
                };
                let here = counts(&table);
                for other in near {
                    let moved: Vec<i128> =
                        here.iter().zip(counts(&other)).map(|(a, b)| (a - b).abs()).collect();
                    l1 = l1.max(moved.iter().sum());
                    l2 = l2.max(moved.iter().map(|d| d * d).sum());
                }
            }
            // A person of two rows cannot have two keys with two rows each; the claim covers that one as well.
            let attained = rows_max.min(2 / groups_max) * groups_max.min(2);
            let claimed_l1 = bound(groups_max, rows_max).sensitivity_l1(neighbours, 3).unwrap();
            let claimed_l2 = bound(groups_max, rows_max).sensitivity_l2(neighbours, 3).unwrap();
            assert!(claimed_l1.value() >= &l1.into() && claimed_l2.squared() >= &l2.into());
            if neighbours == Neighbours::AddRemove {
                assert_eq!(l1, i128::from(attained));
            }
            assert_eq!(
                histogram.noise().to_string(),
                format!("discrete Laplace of scale {}", claimed_l1.value())
            );
        }
    }
}

#[test]
fn every_declared_key_appears_in_order_and_no_other() {
    let histogram =
        Histogram::new(vec!["b", "a", "c"], &bound(3, 9), Neighbours::AddRemove, &pure("1")).unwrap();
    let mut bits = seeded(2);
    let keys =
        |released: Vec<(&'static str, i128)>| released.into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(histogram.release(Vec::<[&str; 0]>::new(), &mut bits)), ["b", "a", "c"]);
    assert_eq!(keys(histogram.release([["z"], ["a"]], &mut bits)), ["b", "a", "c"]);
    assert_eq!(histogram.bounded([vec!["z", "a", "a"], vec!["c"]], &mut bits), [0, 2, 1]);
    assert_eq!(histogram.keys(), ["b", "a", "c"]);
}

#[test]
fn a_person_in_many_groups_is_cut_to_a_few() {
    let histogram =
        Histogram::new((0..50).collect(), &bound(4, 1), Neighbours::AddRemove, &pure("1")).unwrap();
    let mut bits = seeded(3);
    for _ in 0..100 {
        let counts = histogram.bounded([Vec::from_iter(0..50)], &mut bits);
        assert_eq!((counts.iter().sum::<i128>(), counts.iter().max()), (4, Some(&1)));
    }
}

/// Specification: with probability at least 90 % no key of 200 is off by more than the bound; 1,000 releases.
/// False alarm: 1e-9 a price (Hoeffding). Power: half the bound is left almost always.
#[test]
fn all_keys_stay_within_the_error_bound() {
    for spend in [pure("0.5"), Spend::Concentrated(Rho::parse("0.05").unwrap())] {
        let histogram =
            Histogram::new((0..200).collect::<Vec<i32>>(), &bound(2, 3), Neighbours::AddRemove, &spend)
                .unwrap();
        let within = histogram.error_bound(&FailureProbability::parse("0.1").unwrap());
        let mut bits = seeded(4);
        let worst: Vec<i128> = (0..1000)
            .map(|_| {
                let released = histogram.release_bounded(&[1000; 200], &mut bits).unwrap();
                released.iter().map(|(_, count)| (count - 1000).abs()).max().unwrap()
            })
            .collect();
        let held = worst.iter().filter(|error| **error <= within).count() as f64 / 1000.0;
        assert!(held >= 0.9 - hoeffding_radius(1000, 1e-9), "{held}");
        let halved = worst.iter().filter(|error| **error <= within / 2).count();
        assert!(halved < 100, "{halved}");
    }
}

/// Distinguishing: a person of two keys cannot be told at ε = 1 from the sum and the larger of the two counts; noise for
/// one key only, the planted leak, is caught. False alarm: 1e-9 a view.
#[test]
fn a_person_of_two_groups_cannot_be_told() {
    let keys = vec!['a', 'b', 'c'];
    let right = Histogram::new(keys.clone(), &bound(2, 1), Neighbours::AddRemove, &pure("1")).unwrap();
    let wrong = Histogram::new(keys, &bound(1, 1), Neighbours::AddRemove, &pure("1")).unwrap();
    let mut bits = seeded(5);
    let mut draws = |histogram: &Histogram<char>, counts: [i128; 3]| -> Vec<Vec<i128>> {
        let release =
            |_| histogram.release_bounded(&counts, &mut bits).unwrap().into_iter().map(|(_, n)| n).collect();
        (0..6000).map(release).collect()
    };
    let claim = Distinguisher::new(1.0, 0.0);
    let view =
        |draws: &[Vec<i128>], look: fn(&[i128]) -> i128| draws.iter().map(|d| look(d)).collect::<Vec<_>>();
    // Both counts at or above their value on the larger side: the event that a joint shift moves most.
    let both: fn(&[i128]) -> i128 = |counts| counts[0].min(counts[1]);
    let (left, other) = (draws(&right, [5, 5, 0]), draws(&right, [6, 6, 0]));
    for look in [both, |counts: &[i128]| counts[0] + counts[1]] {
        claim.assert_private(&view(&left, look), &view(&other, look), "histogram");
    }
    let (left, other) = (draws(&wrong, [5, 5, 0]), draws(&wrong, [6, 6, 0]));
    claim.assert_leaks(&view(&left, both), &view(&other, both), "histogram with noise for one group");
}

#[test]
fn lists_of_keys_that_cannot_be_are_refused_with_a_hint() {
    let new = |keys: Vec<i32>| Histogram::new(keys, &bound(1, 1), Neighbours::AddRemove, &pure("1"));
    assert_eq!(new(vec![]).unwrap_err(), MechanismError::NoCandidates);
    assert!(new(vec![1, 2, 1]).unwrap_err().explanation().text().contains("hint:"));
    let error = new(vec![1, 2]).unwrap().release_bounded(&[0; 3], &mut seeded(6)).unwrap_err();
    assert!(error.explanation().text().contains("hint:"));
}
