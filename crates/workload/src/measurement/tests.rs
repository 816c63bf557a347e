use pointillist_privacy::{Epsilon, Rho};
use pointillist_testkit::{assert_distribution, seeded};

use super::*;
use crate::{Attribute, Depths};

fn rho(text: &str) -> Spend {
    Spend::Concentrated(Rho::parse(text).unwrap())
}

fn epsilon(text: &str) -> Spend {
    Spend::Pure(Epsilon::parse(text).unwrap())
}

fn cube() -> Cube {
    let places = Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap().named("place");
    Cube::new(vec![Attribute::categories(3).unwrap().named("sex"), places])
}

fn measurement(what: What, spend: &Spend) -> Measurement {
    let cube = cube();
    Measurement::new(&cube, what, Moved::one_row(&cube), spend).unwrap()
}

/// The loss that noise of the given scales really has for the worst single person: in ε, or in ρ.
fn true_loss(measurement: &Measurement) -> f64 {
    let cube = measurement.cube();
    let (finest, depths) = (cube.finest(), measurement.what().depths().to_vec());
    let cells = cube.cells(&finest).unwrap();
    let loss = |cell: usize| {
        let mut person = vec![0i128; cells];
        person[cell] = 1;
        let table = cube.sum_to(&finest, &person, &depths).unwrap();
        let rows = match measurement.what() {
            What::Residual(depths) => integer_rows(cube, depths, &table),
            What::Flat(_) => table,
        };
        let lost = |(row, scale): (&i128, &u128)| {
            let noise = measurement.noise[scale].scale_upper().to_f64_nearest();
            match measurement.spend() {
                Spend::Pure(_) => row.unsigned_abs() as f64 / noise,
                Spend::Concentrated(_) => (*row as f64 / noise).powi(2) / 2.0,
            }
        };
        rows.iter().zip(&measurement.scales).map(lost).sum::<f64>()
    };
    (0..cells).map(loss).fold(0.0, f64::max)
}

/// Specification: what the noise of the rows loses, row by row, for the worst person, is the price and no more.
#[test]
fn the_noise_that_is_drawn_loses_the_price() {
    for depths in cube().residuals_of(&cube().finest()) {
        for what in [What::Residual(depths.clone()), What::Flat(depths.clone())] {
            for (spend, price) in [(rho("0.25"), 0.25), (epsilon("0.5"), 0.5)] {
                let measurement = measurement(what.clone(), &spend);
                let loss = true_loss(&measurement);
                assert!((loss - price).abs() < 1e-9, "{what:?} loses {loss} for {price}");
                assert_eq!(measurement.loss(), spend.loss());
            }
        }
    }
}

/// Specification: rows have noise of the law and scale that the guarantee names, each row its own scale.
/// False alarm: that of `assert_distribution`, 1e-9 or less a law.
#[test]
fn rows_have_noise_of_their_own_scales() {
    let what = What::Residual(vec![0, 2]);
    let measurement = measurement(what, &rho("0.5"));
    assert_eq!(measurement.scales, [3, 1, 3, 3], "families of three and of one");
    let mut bits = seeded(11);
    let table = [0, 0, 0, 0];
    let draws: Vec<Vec<i128>> =
        (0..20_000).map(|_| measurement.release(&table, &mut bits).unwrap()).collect();
    // p = 2/3 at the largest family: σ² = (2/3)/(2·0.5) for a row of scale one, nine times that for scale three.
    for (row, variance) in [(0, 6.0), (1, 2.0 / 3.0), (3, 6.0)] {
        let of_row = draws.iter().map(|draw| draw[row] as i64);
        let weight = |value: i64| (-(value as f64).powi(2) / (2.0 * variance)).exp();
        let total: f64 = (-60..=60).map(weight).sum();
        assert_distribution(of_row, |value| weight(value) / total, -60..=60, &format!("row {row}"));
    }
}

#[test]
fn the_variance_is_that_of_the_law() {
    for (text, exact) in [("0.02", 25.0 * 2.0 / 3.0), ("8", 0.0)] {
        let measurement = measurement(What::Residual(vec![1, 0]), &rho(text));
        let mut bits = seeded(5);
        let mut squares = 0.0;
        for _ in 0..4000 {
            let rows = measurement.release(&[0, 0, 0], &mut bits).unwrap();
            squares += rows.iter().map(|row| (*row as f64 / 3.0).powi(2)).sum::<f64>() / 12_000.0;
        }
        let variance = measurement.variance();
        // Six standard deviations of a mean of 12,000 squares: √2·6/√12,000 = 8 %, a little more for discrete tails.
        assert!((squares / variance - 1.0).abs() < 0.1, "{squares} for {variance}");
        assert!(exact == 0.0 || (variance - exact).abs() < 1e-9);
    }
    let flat = measurement(What::Flat(vec![1, 2]), &epsilon("10"));
    let decay = (-10.0f64).exp();
    assert!((flat.variance() - 2.0 * decay / (1.0 - decay).powi(2)).abs() < 1e-12);
}

/// Specification: an accountant that composes the shifts sees each person exactly: the squares add up to the price, and they
/// are the moves that a person makes.
#[test]
fn shifts_are_the_moves_of_every_person() {
    let cube = Cube::new(vec![Attribute::categories(3).unwrap(), Attribute::tree(8, 4).unwrap()]);
    let finest = cube.finest();
    for depths in cube.residuals_of(&finest) {
        let what = What::Residual(depths.clone());
        let measurement = Measurement::new(&cube, what, Moved::one_row(&cube), &rho("1/7")).unwrap();
        let shifts = measurement.shifts().unwrap();
        let square = |shift: &Shift| {
            Rational::from(shift.distance).squared() * Rational::from(shift.rows)
                / (shift.variance.clone() * Rational::from(2))
        };
        let sum = shifts.iter().fold(Rational::zero(), |sum, shift| sum + square(shift));
        assert_eq!(sum, Rational::ratio(1, 7), "{depths:?}");
        for cell in 0..cube.cells(&finest).unwrap() {
            let mut person = vec![0i128; cube.cells(&finest).unwrap()];
            person[cell] = 1;
            let table = cube.sum_to(&finest, &person, &depths).unwrap();
            let mut counted: BTreeMap<u128, u128> = BTreeMap::new();
            for row in integer_rows(&cube, &depths, &table).into_iter().filter(|row| *row != 0) {
                *counted.entry(row.unsigned_abs()).or_default() += 1;
            }
            let said: BTreeMap<u128, u128> =
                shifts.iter().map(|shift| (shift.distance, shift.rows)).collect();
            assert_eq!(said, counted, "{depths:?}");
        }
    }
}

#[test]
fn people_who_differ_have_no_common_shifts() {
    let uneven = measurement(What::Residual(vec![0, 2]), &rho("1"));
    assert_eq!(uneven.shifts(), None);
    assert_eq!(measurement(What::Flat(vec![1, 2]), &epsilon("1")).shifts(), None);
    let cube = cube();
    let moved = Moved { groups: 2, ..Moved::one_row(&cube) };
    let several = Measurement::new(&cube, What::Residual(vec![1, 0]), moved, &rho("1")).unwrap();
    assert_eq!(several.shifts(), None);
    let flat = measurement(What::Flat(vec![1, 2]), &rho("0.5")).shifts().unwrap();
    assert_eq!(flat, [Shift { variance: Rational::one(), distance: 1, rows: 1 }]);
}

#[test]
fn each_difference_shows_in_the_canonical_text() {
    let cube = cube();
    let one = |what: What, groups, each, bounded_at: Depths, spend: &Spend| {
        Measurement::new(&cube, what, Moved { bounded_at, groups, each }, spend).unwrap().canonical()
    };
    let depths = || vec![1, 1];
    let texts = [
        one(What::Residual(depths()), 1, 1, vec![1, 2], &rho("1")),
        one(What::Flat(depths()), 1, 1, vec![1, 2], &rho("1")),
        one(What::Residual(vec![1, 0]), 1, 1, vec![1, 2], &rho("1")),
        one(What::Residual(depths()), 2, 1, vec![1, 2], &rho("1")),
        one(What::Residual(depths()), 1, 2, vec![1, 2], &rho("1")),
        one(What::Residual(depths()), 1, 1, vec![1, 1], &rho("1")),
        one(What::Residual(depths()), 1, 1, vec![1, 2], &rho("1/3")),
        one(What::Residual(depths()), 1, 1, vec![1, 2], &epsilon("1")),
    ];
    let different: std::collections::BTreeSet<_> = texts.iter().collect();
    assert_eq!(different.len(), texts.len());
}

#[test]
fn a_measurement_says_what_it_is() {
    let text = measurement(What::Residual(vec![1, 2]), &rho("0.02")).to_string();
    let expected = "what the table by sex and place (level 2 of 2) says beyond coarser ones, discrete Gaussian of σ = 3.33334, ρ = 0.02";
    assert_eq!(text, expected);
    let flat = measurement(What::Flat(vec![0, 0]), &epsilon("0.5")).to_string();
    assert_eq!(flat, "the total, discrete Laplace of scale 2, ε = 0.5");
}

#[test]
fn what_is_always_zero_is_not_bought() {
    let cube = Cube::new(vec![Attribute::categories(1).unwrap()]);
    let new = |what| Measurement::new(&cube, what, Moved::one_row(&cube), &rho("1"));
    assert!(matches!(new(What::Residual(vec![1])), Err(WorkloadError::AlwaysZero { .. })));
    let total = new(What::Residual(vec![0])).unwrap();
    assert!(total.release(&[1, 2], &mut seeded(1)).is_err(), "two cells for one");
}
