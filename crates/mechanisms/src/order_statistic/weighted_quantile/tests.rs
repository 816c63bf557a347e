//! The law against its definition, brute force over people, and how far ranks are off.

use pointillist_privacy::Rho;
use pointillist_testkit::{assert_distribution, hoeffding_radius, max_log_ratio, seeded};

use super::*;

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

fn part(text: &str) -> Rank {
    Rank::Part(Rational::parse(text).unwrap())
}

fn ranks() -> Vec<Rank> {
    let parts = ["1/2", "0.1", "0.25", "0.9", "0", "1"].map(part);
    parts.into_iter().chain([Rank::Least, Rank::Greatest]).collect()
}

/// What people with these rows (grid indexes) weigh together.
fn weights(people: &[Vec<u32>], rows_max: u64) -> Vec<(u32, u64)> {
    let mut sums = std::collections::BTreeMap::new();
    for rows in people {
        let weight = row_weight(rows.len() as u64, rows_max, weight_bits(rows_max));
        rows.iter().for_each(|row| *sums.entry(*row).or_insert(0) += weight);
    }
    sums.into_iter().collect()
}

/// The probability of every grid point, from the words at the head of the file.
fn law(mechanism: &WeightedQuantile, rank: &Rank, weights: &[(u32, u64)]) -> Vec<f64> {
    let unit = (1u64 << mechanism.bits) as f64;
    let weigh = |of: &dyn Fn(i64) -> bool| {
        let chosen = weights.iter().filter(|(index, _)| of(i64::from(*index)));
        chosen.map(|(_, weight)| *weight as f64 / unit).sum::<f64>()
    };
    let all = weigh(&|_| true);
    let wanted = match rank {
        Rank::Part(q) => q.to_f64_nearest() * all,
        Rank::Least => mechanism.from_end().unwrap() as f64,
        Rank::Greatest => all - mechanism.from_end().unwrap() as f64,
    };
    let score = |point: i64| {
        let (below, up_to) = (weigh(&|index| index < point), weigh(&|index| index <= point));
        (below - wanted).max(wanted - up_to).max(0.0)
    };
    let scores: Vec<f64> = (0..=mechanism.last).map(score).collect();
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let rate = 1.0 / mechanism.scale().to_f64_upper();
    let likely: Vec<f64> = scores.iter().map(|score| (-rate * (score - least)).exp()).collect();
    let sum: f64 = likely.iter().sum();
    likely.iter().map(|likely| likely / sum).collect()
}

/// Specification: draws have the law of the definition, for people with one row and with many, for every rank.
/// False alarm: 1e-9 each (χ²).
#[test]
fn releases_have_the_law_of_the_definition() {
    let people = [vec![3, 3, 3, 9, 9], vec![0], vec![4, 5], vec![12], vec![3; 40]];
    for (seed, rank) in ranks().iter().enumerate() {
        // An extreme needs a price at which its rank is not beyond everybody.
        let epsilon = if matches!(rank, Rank::Part(_)) { "0.8" } else { "9" };
        let mechanism = WeightedQuantile::new(12, rank, 2, 1, &pure(epsilon)).unwrap();
        let weights = weights(&people, 2);
        let law = law(&mechanism, rank, &weights);
        let mut bits = seeded(seed as u64);
        let draws = (0..20_000).map(|_| mechanism.release(&weights, &mut bits));
        assert_distribution(draws, |point| law[point as usize], 0..=12, &format!("{rank:?}"));
    }
}

/// Every list of up to four rows over six points.
fn persons() -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    let mut longest = vec![vec![]];
    for _ in 0..4 {
        let longer = |person: &Vec<u32>| {
            (0..6).map(|index| [person.clone(), vec![index]].concat()).collect::<Vec<_>>()
        };
        longest = longest.iter().flat_map(longer).filter(|rows| rows.is_sorted()).collect();
        all.extend(longest.clone());
    }
    all
}

/// Brute force: with any one person of up to four rows, and somebody with four hundred, beside any of several crowds,
/// the log-ratio of any two points moves by at most the bounded range; and for every rank some person reaches it.
#[test]
fn one_person_moves_the_law_by_the_bounded_range_and_no_more() {
    let crowds = [
        vec![],
        vec![vec![2], vec![3]],
        vec![vec![0], vec![5], vec![5]],
        vec![vec![1, 4, 4], vec![2, 2], vec![3; 9]],
        vec![vec![5]; 30],
        vec![vec![3]; 30],
        vec![vec![0]; 30],
        vec![vec![3]],
    ];
    let mut persons = persons();
    persons.extend([vec![0; 400], vec![5; 400], [vec![0; 200], vec![5; 200]].concat()]);
    for rank in ranks() {
        for rows_max in [1u64, 2, 3] {
            // The rank of an extreme falls below the crowd only at a high price.
            let epsilon = if matches!(rank, Rank::Part(_)) { "1" } else { "60" };
            let mechanism = WeightedQuantile::new(5, &rank, rows_max, 1, &pure(epsilon)).unwrap();
            let claimed = mechanism.range().value().to_f64_upper();
            let mut reached = 0.0f64;
            for crowd in &crowds {
                let without = law(&mechanism, &rank, &weights(crowd, rows_max));
                for person in &persons {
                    let with = law(
                        &mechanism,
                        &rank,
                        &weights(&[crowd.clone(), vec![person.clone()]].concat(), rows_max),
                    );
                    let ratios: Vec<f64> =
                        with.iter().zip(&without).map(|(with, without)| (with / without).ln()).collect();
                    let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                    assert!(most - least <= claimed * (1.0 + 1e-9), "{rank:?} {person:?}: {}", most - least);
                    assert!(max_log_ratio(&with, &without) <= claimed * (1.0 + 1e-9));
                    reached = reached.max(most - least);
                }
            }
            // With more rows the rank of an extreme is too small here for all of them to lie below it.
            if matches!(rank, Rank::Part(_)) || rows_max == 1 {
                assert!(
                    reached >= 0.95 * claimed,
                    "{rank:?} with {rows_max} rows reaches {reached} of {claimed}"
                );
            }
        }
    }
}

#[test]
fn a_person_weighs_at_most_the_rows_that_count() {
    for rows_max in [1u64, 2, 3, 7, 1000, 1 << 12, 1 << 29, 1_000_000_000] {
        let bits = weight_bits(rows_max);
        assert!(u128::from(rows_max) << bits <= 1 << PERSON_BITS || bits == 0, "{rows_max}");
        for rows in [1u64, 2, 3, 5, 8, 1001, 1 << 20, (1 << 20) + 1, u64::MAX] {
            let weight = row_weight(rows, rows_max, bits);
            let all = u128::from(weight) * u128::from(rows);
            assert!(all <= u128::from(rows_max) << bits, "{rows} rows of {rows_max}");
            assert!(rows > rows_max || weight == 1 << bits);
        }
    }
    assert_eq!((weight_bits(1), weight_bits(1024), weight_bits(1025)), (20, 20, 19));
}

/// Specification: what is lost in g groups is the payment: g·e = ε, and g·e²/8 is at most ρ and nearly all of it.
#[test]
fn groups_share_one_payment() {
    let pure = WeightedQuantile::new(9, &part("1/2"), 1, 7, &pure("0.7")).unwrap();
    assert_eq!(*pure.range().value(), Rational::ratio(1, 10));
    let rho = Rho::parse("0.01").unwrap();
    let concentrated =
        WeightedQuantile::new(9, &part("1/2"), 1, 7, &Spend::Concentrated(rho.clone())).unwrap();
    let spent = concentrated.range().value().squared() * Rational::ratio(7, 8);
    assert!(spent <= *rho.value() && spent > rho.value() * &Rational::ratio(999_999, 1_000_000));
}

/// Specification: with probability at least 95 % ranks are off by no more than was promised before, for quantiles and for
/// extremes, on 5,000 people of up to 30 rows; and a minimum lies at or above the least value. 400 releases a rank.
/// False alarm: 1e-9 each (Hoeffding).
#[test]
fn ranks_are_off_by_no_more_than_promised() {
    let beta = FailureProbability::parse("0.05").unwrap();
    let mut bits = seeded(7);
    let people: Vec<Vec<u32>> = (0..5000)
        .map(|_| {
            let rows = 1 + bits() % 30;
            (0..rows).map(|_| 40_000 + (bits() % 30_000) as u32).collect()
        })
        .collect();
    let rows_max = 5;
    let weights = weights(&people, rows_max);
    let unit = (1u64 << weight_bits(rows_max)) as f64;
    let total: f64 = weights.iter().map(|(_, weight)| *weight as f64 / unit).sum();
    for rank in ranks() {
        if matches!(&rank, Rank::Part(q) if q.is_zero() || *q == Rational::one()) {
            continue;
        }
        let mechanism = WeightedQuantile::new(99_999, &rank, rows_max, 1, &pure("0.5")).unwrap();
        let promised = mechanism.rank_error(&beta).to_f64_upper();
        let held = (0..400).filter(|_| {
            let point = mechanism.release(&weights, &mut bits);
            let weigh = |of: &dyn Fn(i64) -> bool| {
                let chosen = weights.iter().filter(|(index, _)| of(i64::from(*index)));
                chosen.map(|(_, weight)| *weight as f64 / unit).sum::<f64>()
            };
            let (below, up_to) = (weigh(&|index| index < point), weigh(&|index| index <= point));
            let wanted = match &rank {
                Rank::Part(q) => q.to_f64_nearest() * total,
                Rank::Least => mechanism.from_end().unwrap() as f64,
                Rank::Greatest => total - mechanism.from_end().unwrap() as f64,
            };
            (below - wanted).max(wanted - up_to) <= promised && (40_000..70_000).contains(&point)
        });
        let frequency = held.count() as f64 / 400.0;
        assert!(frequency >= 0.95 - hoeffding_radius(400, 1e-9), "{rank:?}: {frequency}");
        assert!(promised < total / 2.0, "{promised} of {total} says nothing");
    }
}

/// Specification: the median of a million values at ε = 1 is off by at most 32 rows. False alarm: the law falls by e for
/// every row, so a draw is further off with probability below 3·e^-32 < 1e-13, 20 draws below 1e-11.
#[test]
fn the_median_of_a_million_values_is_off_by_a_few_rows() {
    let weights: Vec<(u32, u64)> = (0..1 << 20).map(|index| (index, 1 << 20)).collect();
    let mechanism = WeightedQuantile::new((1 << 20) - 1, &part("1/2"), 1, 1, &pure("1")).unwrap();
    let mut bits = seeded(3);
    for _ in 0..20 {
        let point = mechanism.release(&weights, &mut bits);
        assert!((point - (1 << 19)).abs() <= 32, "{point}");
    }
}

/// Specification: a value that holds the wanted rank is the answer, however many rows share it and whatever lies beside it:
/// the median of 60 % zeros is zero. False alarm: below 1e-9 a draw, as every other point is hundreds of rows off. The
/// least and the greatest of ties are those values with 95 %: 200 draws, false alarm 1e-9 (Hoeffding).
#[test]
fn a_value_that_many_share_is_its_own_quantile() {
    let row = 1u64 << 20;
    let weights: Vec<(u32, u64)> =
        std::iter::once((20, 60_000 * row)).chain((21..121).map(|index| (index, 400 * row))).collect();
    let mut bits = seeded(4);
    for rank in [part("1/2"), part("0.1"), part("0.59")] {
        let mechanism = WeightedQuantile::new(999, &rank, 1, 1, &pure("1")).unwrap();
        for _ in 0..50 {
            assert_eq!(mechanism.release(&weights, &mut bits), 20, "{rank:?}");
        }
    }
    for (rank, expected) in [(Rank::Least, 20), (Rank::Greatest, 120)] {
        let mechanism = WeightedQuantile::new(999, &rank, 1, 1, &pure("1")).unwrap();
        let hits = (0..200).filter(|_| mechanism.release(&weights, &mut bits) == expected).count();
        assert!(hits as f64 / 200.0 >= 0.95 - hoeffding_radius(200, 1e-9), "{rank:?}: {hits}");
    }
}

#[test]
fn a_group_without_rows_is_answered_from_the_whole_grid() {
    let mut bits = seeded(8);
    for rank in ranks() {
        let mechanism = WeightedQuantile::new(3, &rank, 1, 1, &pure("1")).unwrap();
        let draws = (0..20_000).map(|_| mechanism.release(&[], &mut bits));
        assert_distribution(draws, |_| 0.25, 0..=3, &format!("{rank:?}"));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (rows_max, groups_max) in [(0, 1), (1, 0)] {
        assert!(WeightedQuantile::new(3, &part("1/2"), rows_max, groups_max, &pure("1")).is_err());
    }
    assert!(WeightedQuantile::new(3, &part("3/2"), 1, 1, &pure("1")).is_err());
}
