use pointillist_errors::Explained as _;
use pointillist_privacy::{Epsilon, Rho};
use pointillist_testkit::{Distinguisher, all_datasets, hoeffding_radius, neighbours_add_remove, seeded};

use super::*;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

fn beta(text: &str) -> FailureProbability {
    FailureProbability::parse(text).unwrap()
}

/// The exact sums as if they had been released without noise.
fn noiseless(variance: &Variance, rows: &[i64]) -> VarianceRelease {
    let [centred_sum, centred_squares, count] = variance.bounded(rows.iter().map(|row| [*row]));
    VarianceRelease { centred_sum, centred_squares, count }
}

fn exact_variance(grid: &Grid, rows: &[i64]) -> Rational {
    let values: Vec<Rational> = rows.iter().map(|row| grid.value_of(*row)).collect();
    let n = Rational::from(rows.len());
    let mean = values.iter().fold(Rational::zero(), |sum, value| sum + value.clone()) / n.clone();
    values.iter().fold(Rational::zero(), |sum, value| sum + (value - &mean).squared()) / n
}

/// Brute force: over all persons of at most four rows, the three sums move by exactly what their noise was built for.
#[test]
fn a_person_moves_the_three_sums_by_exactly_the_claim() {
    for (lower, upper) in [(0, 1), (0, 5), (-3, 4)] {
        let grid = Grid::integers(lower, upper).unwrap();
        let last = grid.last_index();
        for rows_max in [1, 2, 3] {
            let variance = Variance::new(&grid, rows_max, &pure("3")).unwrap();
            let mut largest = [0i128; 3];
            for person in all_datasets(&[i64::MIN, 0, 1, last / 2, last, i64::MAX], 4) {
                let sums = variance.bounded([person]);
                largest = [0, 1, 2].map(|part| largest[part].max(sums[part].abs()));
            }
            let noises = [&variance.sum_noise, &variance.square_noise, &variance.count_noise];
            for (noise, largest) in noises.iter().zip(largest) {
                assert_eq!(noise.to_string(), format!("discrete Laplace of scale {largest}"), "K = {last}");
            }
        }
    }
}

/// Brute force on whole data sets, one row a person; without the clamp, the planted leak, the same check fails.
#[test]
fn clamping_is_what_bounds_the_squares() {
    let grid = Grid::integers(0, 4).unwrap();
    let variance = Variance::new(&grid, 1, &pure("1")).unwrap();
    let alphabet = [-9, 0, 2, 4, 1000];
    let squares = |rows: &[i64]| variance.bounded(rows.iter().map(|row| [*row]))[1];
    let leaking = |rows: &[i64]| rows.iter().map(|row| 2 * i128::from(2 * row - 4).pow(2) - 16).sum::<i128>();
    let (mut worst, mut worst_leaking) = (0, 0);
    for rows in all_datasets(&alphabet, 4) {
        for other in neighbours_add_remove(&rows, &alphabet) {
            worst = worst.max((squares(&rows) - squares(&other)).abs());
            worst_leaking = worst_leaking.max((leaking(&rows) - leaking(&other)).abs());
        }
    }
    assert_eq!(worst, 16);
    assert!(worst_leaking > 16);
}

/// Without noise the formulas give the textbook variance, exactly, for every small table.
#[test]
fn the_formulas_are_exact() {
    let grid = Grid::new(rational("-1"), rational("1.5"), rational("0.5")).unwrap();
    let variance = Variance::new(&grid, 1, &pure("1")).unwrap();
    for rows in all_datasets(&[0, 1, 2, 4, 5], 4).iter().filter(|rows| !rows.is_empty()) {
        let released = noiseless(&variance, rows);
        let exact = exact_variance(&grid, rows);
        assert_eq!(variance.population(&released), exact);
        if rows.len() > 1 {
            let n = rows.len() as u128;
            assert_eq!(variance.sample(&released), &exact * &Rational::ratio(n as i128, n - 1));
        }
        let deviation = variance.standard_deviation(&released);
        let above = &deviation + &Rational::power_of_two(-65);
        assert!(deviation.squared() <= exact && exact < above.squared());
    }
}

#[test]
fn whatever_the_noise_the_variance_is_possible() {
    let grid = Grid::integers(0, 6).unwrap();
    let variance = Variance::new(&grid, 1, &pure("1")).unwrap();
    let radii = variance.radii(&beta("0.05"));
    let extremes = [i128::MIN, -1000, -1, 0, 1, 2, 3, 1000, i128::MAX];
    for centred_sum in extremes {
        for centred_squares in extremes {
            for count in extremes {
                let released = VarianceRelease { centred_sum, centred_squares, count };
                let population = variance.population(&released);
                assert!(!population.is_negative() && population <= Rational::from(9));
                assert!(variance.sample(&released) <= Rational::from(18), "two rows at the ends");
                assert!(variance.sample_standard_deviation(&released) <= rational("4.25"));
                let (low, high) = variance.interval_within(&released, radii);
                assert!(!low.is_negative() && low <= high && high <= Rational::from(9));
            }
        }
    }
}

/// Specification: with probability at least 90 % the interval holds the variance of the rows; 1,000 releases
/// each.
/// False alarm: 1e-9 a case (Hoeffding).
#[test]
fn intervals_hold_the_variance() {
    let grid = Grid::integers(0, 20).unwrap();
    let tables: [Vec<i64>; 2] = [(0..300).map(|k| k % 21).collect(), vec![0, 20]];
    let runs = 1000;
    for spend in [pure("1"), Spend::Concentrated(Rho::parse("0.1").unwrap())] {
        let variance = Variance::new(&grid, 1, &spend).unwrap();
        let radii = variance.radii(&beta("0.1"));
        let mut bits = seeded(21);
        for rows in &tables {
            let truth = exact_variance(&grid, rows);
            let held = (0..runs).filter(|_| {
                let released = variance.release(rows.iter().map(|row| [*row]), &mut bits);
                let (low, high) = variance.interval_within(&released, radii);
                low <= truth && truth <= high
            });
            let frequency = held.count() as f64 / runs as f64;
            assert!(frequency >= 0.9 - hoeffding_radius(runs, 1e-9), "{frequency}");
        }
    }
}

/// Distinguishing: one person at the end of the range cannot be told at ε = 1. False alarm: 1e-9 a view.
#[test]
fn one_person_cannot_be_told() {
    let grid = Grid::integers(0, 10).unwrap();
    let variance = Variance::new(&grid, 1, &pure("1")).unwrap();
    let mut bits = seeded(22);
    let mut draws = |rows: &[i64]| -> Vec<VarianceRelease> {
        (0..4000).map(|_| variance.release(rows.iter().map(|row| [*row]), &mut bits)).collect()
    };
    let (few, more) = (draws(&[5, 5]), draws(&[5, 5, 10]));
    let claim = Distinguisher::new(1.0, 0.0);
    let look = |draws: &[VarianceRelease], view: fn(&VarianceRelease) -> i128| {
        draws.iter().map(view).collect::<Vec<_>>()
    };
    let views: [fn(&VarianceRelease) -> i128; 3] = [|r| r.centred_squares, |r| r.centred_sum, |r| r.count];
    for view in views {
        claim.assert_private(&look(&few, view), &look(&more, view), "variance");
    }
    let values = |draws: &[VarianceRelease]| draws.iter().map(|r| variance.population(r)).collect::<Vec<_>>();
    claim.assert_private(&values(&few), &values(&more), "variance");
}

#[test]
fn the_price_has_three_equal_shares() {
    let grid = Grid::integers(0, 10).unwrap();
    let variance = Variance::new(&grid, 1, &pure("1")).unwrap();
    assert_eq!(variance.loss().pure_epsilon(), Some(Epsilon::parse("1").unwrap()));
    assert_eq!(variance.loss().rho(), Some(Rho::parse("1/6").unwrap()), "three times (1/3)²/2");
    assert_eq!(
        variance.to_string(),
        "variance of centred sum (ε = 0.333334, discrete Laplace of scale 30), centred squares (ε = 0.333334, discrete \
         Laplace of scale 300) and count (ε = 0.333334, discrete Laplace of scale 3)"
    );
}

#[test]
fn squares_that_could_overflow_are_refused_with_a_hint() {
    let fine = Grid::integers(0, 1 << 41).unwrap();
    assert!(Variance::new(&fine, 1, &pure("1")).unwrap_err().explanation().text().contains("hint:"));
    assert!(Variance::new(&Grid::integers(0, 1 << 40).unwrap(), 1, &pure("1")).is_ok());
}
