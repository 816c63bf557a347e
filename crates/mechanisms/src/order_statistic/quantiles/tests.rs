use pointillist_errors::Explained as _;
use std::collections::BTreeMap;

use pointillist_privacy::Rho;
use pointillist_testkit::{
    Distinguisher, all_datasets, assert_distribution, max_log_ratio, neighbours_add_remove,
    neighbours_replace_one, renyi_divergence, seeded,
};

use super::*;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

fn quantiles(last: i64, list: &[&str], neighbours: Neighbours, spend: &Spend) -> Quantiles {
    let list: Vec<Rational> = list.iter().map(|text| rational(text)).collect();
    Quantiles::new(&Grid::integers(0, last).unwrap(), &list, 1, neighbours, spend).unwrap()
}

/// Evenly spaced quantiles 1/(k+1), …, k/(k+1).
fn evenly(k: u128) -> Vec<Rational> {
    (1..=k).map(|i| Rational::ratio(i as i128, k + 1)).collect()
}

/// The joint law of all answers, by the same parts, runs and decays.
fn law(mechanism: &Quantiles, problem: &Subproblem<'_>) -> BTreeMap<Vec<i64>, f64> {
    if problem.targets.is_empty() {
        return BTreeMap::from([(vec![], 1.0)]);
    }
    let part = problem.middle();
    let decay = mechanism.decay(&part).to_f64_upper();
    let runs = runs(problem.rows, problem.points.0, problem.points.1, &part);
    let weight = |imbalance: i128| (-decay * imbalance.abs() as f64).exp();
    let total: f64 = runs.iter().map(|run| run.length as f64 * weight(run.imbalance)).sum();
    let mut joint = BTreeMap::new();
    for run in &runs {
        for point in run.first..run.first + run.length as i64 {
            let [left, right] = problem.halves(point).map(|half| law(mechanism, &half));
            for (below, p) in &left {
                for (above, q) in &right {
                    let answer = [below.as_slice(), &[point], above].concat();
                    *joint.entry(answer).or_insert(0.0) += weight(run.imbalance) / total * p * q;
                }
            }
        }
    }
    joint
}

fn whole<'a>(mechanism: &'a Quantiles, rows: &'a [i64]) -> Subproblem<'a> {
    let points = (0, mechanism.grid.last_index());
    Subproblem { targets: &mechanism.targets, rows, points, between: (0, mechanism.under) }
}

/// The largest log-ratio and the largest Rényi divergence of order two between the joint laws on neighbours,
/// over all data sets of at most five rows.
fn worst(mechanism: &Quantiles, neighbours: Neighbours) -> (f64, f64) {
    let alphabet: Vec<i64> = (0..=mechanism.grid.last_index()).collect();
    let vector =
        |rows: &[i64]| -> Vec<f64> { law(mechanism, &whole(mechanism, rows)).into_values().collect() };
    let (mut ratio, mut divergence) = (0.0f64, 0.0f64);
    for rows in all_datasets(&alphabet, 5) {
        let near = match neighbours {
            Neighbours::AddRemove => neighbours_add_remove(&rows, &alphabet),
            Neighbours::ReplaceOne => neighbours_replace_one(&rows, &alphabet),
        };
        let here = vector(&rows);
        for other in near {
            let there = vector(&other);
            ratio = ratio.max(max_log_ratio(&here, &there));
            divergence = divergence.max(renyi_divergence(&here, &there, 2.0));
        }
    }
    (ratio, divergence)
}

/// Brute force, exact: the joint laws of three quantiles (two levels) on neighbours: log-probabilities move by at
/// most ε and D_α by at most α·ρ, for both relations. Two planted leaks exceed ε: the whole ε at every level,
/// and the loss for added rows read for replaced ones.
#[test]
fn neighbours_are_epsilon_close() {
    let epsilon = 1.5f64;
    for list in [["0.25", "0.5", "0.75"], ["0.1", "0.2", "0.9"], ["0", "0.5", "1"]] {
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            let mut mechanism = quantiles(2, &list, neighbours, &pure("1.5"));
            mechanism.offset_bits = 0;
            let rho = mechanism.loss().rho().unwrap().to_f64_upper();
            assert!((rho - epsilon * epsilon / 16.0).abs() < 1e-12, "two levels of (ε/2)²/8");
            let (ratio, divergence) = worst(&mechanism, neighbours);
            assert!(ratio <= epsilon * (1.0 + 1e-9), "{list:?}, {neighbours}: {ratio}");
            assert!(divergence <= 2.0 * rho, "{list:?}, {neighbours}: {divergence}");
        }
    }
    let mut undivided = quantiles(2, &["0.25", "0.5", "0.75"], Neighbours::AddRemove, &pure("3"));
    undivided.offset_bits = 0;
    assert!(
        worst(&undivided, Neighbours::AddRemove).0 > epsilon,
        "the whole ε at each of two levels is caught"
    );
    let mut added = quantiles(2, &["0.25", "0.5", "0.75"], Neighbours::AddRemove, &pure("1.5"));
    added.offset_bits = 0;
    assert!(worst(&added, Neighbours::ReplaceOne).0 > epsilon, "replaced rows cost twice as much");
}

/// The largest log-ratio between joint laws when a person with up to `rows_each` rows joins, leaves or is replaced by
/// another, over others with none, few or many rows at each point: a person's rows move the balance most against many.
fn worst_of_people(mechanism: &Quantiles, neighbours: Neighbours, rows_each: usize) -> f64 {
    let alphabet: Vec<i64> = (0..=mechanism.grid.last_index()).collect();
    let people = all_datasets(&alphabet, rows_each);
    let mut ratio = 0.0f64;
    for code in 0..3usize.pow(alphabet.len() as u32) {
        let times = |point: i64| [0, 4, 9][code / 3usize.pow(point as u32) % 3];
        let others: Vec<i64> = alphabet.iter().flat_map(|point| vec![*point; times(*point)]).collect();
        let with = |person: &Vec<i64>| -> Vec<f64> {
            let mut rows = [others.as_slice(), person].concat();
            rows.sort_unstable();
            law(mechanism, &whole(mechanism, &rows)).into_values().collect()
        };
        let laws: Vec<Vec<f64>> = people.iter().map(with).collect();
        // The first person has no rows: that is nobody. Replacing keeps the number of rows.
        let pairs = (0..people.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let allowed = pairs.filter(|(a, b)| match neighbours {
            Neighbours::AddRemove => *b == 0,
            Neighbours::ReplaceOne => people[*a].len() == people[*b].len(),
        });
        ratio = allowed.fold(ratio, |ratio, (a, b)| ratio.max(max_log_ratio(&laws[a], &laws[b])));
    }
    ratio
}

/// Brute force, exact: a person with up to two rows, or three, moves log-probabilities by at most ε, for both relations, when
/// the mechanism was told so. The planted leak: told of one row each, the same people exceed ε.
#[test]
fn people_with_several_rows_are_epsilon_close() {
    let list = ["0.25", "0.5", "0.75"].map(rational);
    for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
        for rows_each in [2u64, 3] {
            let worst = |told: u64| {
                let grid = Grid::integers(0, 2).unwrap();
                let mut mechanism = Quantiles::new(&grid, &list, told, neighbours, &pure("1.5")).unwrap();
                mechanism.offset_bits = 0;
                worst_of_people(&mechanism, neighbours, rows_each as usize)
            };
            let (kept, broken) = (worst(rows_each), worst(1));
            assert!(kept <= 1.5 * (1.0 + 1e-9), "{rows_each} rows each, {neighbours}: {kept}");
            assert!(broken > 1.5 * 1.1, "{rows_each} rows each, {neighbours}: {broken} is not caught");
        }
    }
}

/// Specification: the error bound grows with the rows of a person, as the noise does.
#[test]
fn the_error_bound_grows_with_the_rows_of_a_person() {
    let bound = |rows: u64| {
        let grid = Grid::integers(0, 1000).unwrap();
        let mechanism = Quantiles::new(&grid, &evenly(3), rows, Neighbours::AddRemove, &pure("1")).unwrap();
        mechanism.error_bound(&FailureProbability::parse("0.05").unwrap())
    };
    // Two ranks a level do not grow.
    let fixed = Rational::from(4);
    assert_eq!(bound(7) - fixed.clone(), (bound(1) - fixed) * Rational::from(7));
}

/// Specification: whatever is released, each row goes to exactly one side, and lies inside its side's points.
#[test]
fn each_row_goes_to_one_side() {
    let mechanism = quantiles(4, &["0.25", "0.5", "0.75"], Neighbours::AddRemove, &pure("1"));
    for rows in all_datasets(&[0, 1, 2, 3, 4], 4) {
        for point in 0..=4 {
            let [left, right] = whole(&mechanism, &rows).halves(point);
            assert_eq!([left.rows, right.rows].concat(), rows);
            for side in [left, right] {
                assert!(side.rows.iter().all(|row| side.points.0 <= *row && *row <= side.points.1));
            }
        }
    }
}

/// Specification: releases have the joint law above. False alarm: 1e-9 (χ²).
#[test]
fn releases_have_that_law() {
    let mut mechanism = quantiles(3, &["0.3", "0.6"], Neighbours::AddRemove, &pure("3"));
    mechanism.offset_bits = 0;
    let rows = [0, 1, 1, 3];
    let law = law(&mechanism, &whole(&mechanism, &rows));
    let codes: BTreeMap<i64, f64> =
        law.into_iter().map(|(answer, p)| (answer[0] * 4 + answer[1], p)).collect();
    let mut bits = seeded(1);
    let draws: Vec<i64> = (0..8000)
        .map(|_| {
            let answer = mechanism.release(rows, &mut bits);
            answer[0] * 4 + answer[1]
        })
        .collect();
    assert_distribution(draws, |code| codes.get(&code).copied().unwrap_or(0.0), 0..=15, "two quantiles");
}

#[test]
fn answers_never_fall_and_stay_on_the_grid() {
    let mut bits = seeded(2);
    for rows in [vec![], vec![5], vec![3; 50], (0..100).collect::<Vec<i64>>(), vec![i64::MIN, i64::MAX, 50]] {
        let mechanism = quantiles(
            99,
            &["0", "0.1", "0.25", "0.5", "0.9", "0.99", "1"],
            Neighbours::AddRemove,
            &pure("0.1"),
        );
        assert_eq!(mechanism.levels(), 3);
        for _ in 0..20 {
            let answers = mechanism.release(rows.iter().copied(), &mut bits);
            assert_eq!(answers.len(), 7);
            assert!(answers.is_sorted() && answers[0] >= 0 && answers[6] <= 99, "{answers:?}");
        }
    }
}

/// Specification: a point mass that holds several quantiles is the answer to all of them, wherever they fall
/// in it. Rows at one end make up 10 %, those at the other 5 %; the mass holds every quantile between 0.1 and
/// 0.95.
#[test]
fn a_point_mass_answers_all_quantiles_that_fall_into_it() {
    let rows: Vec<i64> = [vec![100; 1000], vec![5000; 8500], vec![9000; 500]].concat();
    let mechanism = quantiles(
        10_000,
        &["0.05", "0.15", "0.3", "0.5", "0.7", "0.9", "0.98"],
        Neighbours::AddRemove,
        &pure("2"),
    );
    let mut bits = seeded(3);
    for _ in 0..20 {
        let answers = mechanism.release(rows.iter().copied(), &mut bits);
        assert_eq!(answers, [100, 5000, 5000, 5000, 5000, 5000, 9000]);
    }
}

/// Reference: mean number of misplaced rows for rows from N(0, 25) on [−100, 100] at ε = 1: 2.4 for 3
/// quantiles, 5.8 for 9, 9.0 for 29, each of 1,000 rows. Ours must lie within a fifth of it: more would be
/// waste, less would be too little noise. Fixed seed, 40 runs each.
#[test]
fn errors_match_the_reference_table() {
    let grid = Grid::new(rational("-100"), rational("100"), rational("0.001")).unwrap();
    let mut bits = seeded(4);
    for (count, reference) in [(3, 2.4), (9, 5.8), (29, 9.0)] {
        let mechanism = Quantiles::new(&grid, &evenly(count), 1, Neighbours::AddRemove, &pure("1")).unwrap();
        let (mut misplaced, runs) = (0.0, 40);
        for _ in 0..runs {
            // Twelve uniform numbers, centred: close enough to a normal for ranks.
            let mut normal =
                || (0..12).map(|_| (bits() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0;
            let mut rows: Vec<i64> = (0..1000).map(|_| grid.index_of_f64(5.0 * normal()).unwrap()).collect();
            rows.sort_unstable();
            let answers = mechanism.release(rows.iter().copied(), &mut bits);
            for (answer, q) in answers.iter().zip(evenly(count)) {
                let rank = rows.partition_point(|row| row < answer) as f64;
                misplaced += (rank - 1000.0 * q.to_f64_upper()).abs();
            }
        }
        let mean = misplaced / (runs as f64 * count as f64);
        let off = (mean / reference - 1.0).abs();
        assert!(off <= 0.2, "{count} quantiles: {mean} against {reference}");
    }
}

#[test]
fn the_error_bound_is_generous_but_true() {
    let mechanism = quantiles(1_000_000, &["0.25", "0.5", "0.75"], Neighbours::AddRemove, &pure("1"));
    let bound = mechanism.error_bound(&FailureProbability::parse("1e-9").unwrap()).to_f64_upper();
    let mut bits = seeded(5);
    let rows: Vec<i64> = (0..4000).map(|k| 100 + 200 * k).collect();
    for _ in 0..30 {
        for (answer, q) in mechanism.release(rows.iter().copied(), &mut bits).iter().zip([0.25, 0.5, 0.75]) {
            let rank = rows.partition_point(|row| row < answer) as f64;
            assert!((rank - 4000.0 * q).abs() <= bound);
        }
    }
    assert!(bound < 500.0, "{bound}");
}

/// Distinguishing: one row cannot be told at ε = 2 from the first or the last of three quantiles. False alarm: 1e-9 a view.
#[test]
fn one_row_cannot_be_told() {
    let mechanism = quantiles(9, &["0.25", "0.5", "0.75"], Neighbours::AddRemove, &pure("2"));
    let mut bits = seeded(6);
    let mut draws = |rows: &[i64]| -> Vec<Vec<i64>> {
        (0..3000).map(|_| mechanism.release(rows.iter().copied(), &mut bits)).collect()
    };
    let (few, more) = (draws(&[1, 1, 8]), draws(&[1, 1, 8, 8]));
    let claim = Distinguisher::new(2.0, 0.0);
    claim.assert_private(&few, &more, "three quantiles, in lexicographic order");
    let last = |draws: &[Vec<i64>]| draws.iter().map(|answers| answers[2]).collect::<Vec<_>>();
    claim.assert_private(&last(&few), &last(&more), "the last of three quantiles");
}

#[test]
fn losses_add_up_to_the_price() {
    let four = quantiles(9, &["0.2", "0.4", "0.6", "0.8"], Neighbours::AddRemove, &pure("1"));
    assert_eq!(four.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
    assert_eq!(four.loss().rho(), Some(Rho::parse("1/24").unwrap()), "three levels of (1/3)²/8");
    let rho = Rho::parse("0.1").unwrap();
    let mechanism = quantiles(9, &["0.2", "0.8"], Neighbours::ReplaceOne, &Spend::Concentrated(rho.clone()));
    let charged = mechanism.loss().rho().unwrap();
    assert!(charged <= rho && *charged.value() > rho.value() * &rational("0.999999"));
}

#[test]
fn lists_that_cannot_be_are_refused_with_a_hint() {
    let new = |list: &[&str], rows: u64| {
        let list: Vec<Rational> = list.iter().map(|text| rational(text)).collect();
        Quantiles::new(&Grid::integers(0, 9).unwrap(), &list, rows, Neighbours::AddRemove, &pure("1"))
    };
    assert_eq!(new(&[], 1).unwrap_err(), MechanismError::NoCandidates);
    for list in
        [vec!["0.5", "0.25"], vec!["0.5", "0.5"], vec!["0.5", "1.5"], vec!["1/65537", "1/65539", "1/3"]]
    {
        assert!(new(&list, 1).unwrap_err().explanation().text().contains("hint:"), "{list:?}");
    }
    assert!(new(&["0.5"], 0).is_err());
    assert!(new(&["1/3", "0.5", "0.99"], 1).is_ok());
}

/// Specification: a quarter of a million different rows and 99 quantiles give sorted answers near the truth.
/// False alarm: below 1e-9 (the error bound at β = 1e-9 is a few hundred ranks of 250,000).
#[test]
fn many_rows_and_many_quantiles_work() {
    let grid = Grid::integers(0, 1 << 40).unwrap();
    let mechanism = Quantiles::new(&grid, &evenly(99), 1, Neighbours::AddRemove, &pure("1")).unwrap();
    let mut bits = seeded(7);
    let rows: Vec<i64> = (0..250_000).map(|_| (bits() >> 24) as i64).collect();
    let answers = mechanism.release(rows.clone(), &mut bits);
    assert!(answers.is_sorted());
    let mut sorted = rows;
    sorted.sort_unstable();
    for (index, answer) in answers.iter().enumerate() {
        let rank = sorted.partition_point(|row| row < answer) as i64;
        assert!((rank - (index as i64 + 1) * 2_500).abs() < 2_000, "quantile {index} has rank {rank}");
    }
}

/// Specification: the offsets are averaged over, which a bounded range does not survive; so none is claimed, not even for
/// one quantile.
#[test]
fn no_bounded_range_is_claimed() {
    let grid = Grid::integers(0, 100).unwrap();
    for count in [1, 3] {
        let mechanism = Quantiles::new(&grid, &evenly(count), 1, Neighbours::AddRemove, &pure("1")).unwrap();
        let ranges = |guarantee: &Guarantee| matches!(guarantee, Guarantee::BoundedRange { .. });
        assert!(!mechanism.loss().guarantees().iter().any(ranges));
        assert!(mechanism.loss().rho().is_some() && mechanism.loss().pure_epsilon().is_some());
    }
}
