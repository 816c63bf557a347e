use pointillist_testkit::seeded;

use super::*;
use crate::MemoryRows;

fn rho(text: &str) -> Rho {
    Rho::parse(text).unwrap()
}

fn features() -> Vec<Feature> {
    vec![Feature::equal(0, -1.0, 1.0, 8), Feature::Category { first: 1, count: 2 }]
}

fn trainer(target: AdditiveTarget, rows_per_person: u32, price: &str) -> Additive {
    Additive::new(target, features(), Boosting::default(), 3, rows_per_person, rho(price)).unwrap()
}

/// Specification: at whatever scores, a person's hostile rows move a feature's sums by at most k and all counts by
/// at most k√F; scores that are far off reach it.
#[test]
fn a_person_moves_sums_and_counts_by_no_more_than_the_bound() {
    for target in [AdditiveTarget::Classes, AdditiveTarget::Number] {
        for k in [1u32, 3] {
            let trainer = trainer(target, k, "0.1");
            let starts = starts(&trainer.features);
            let square = u128::from(k).pow(2) << (2 * ROW_BITS);
            let mut largest = 0;
            for far in [0.0, 40.0, -40.0] {
                let scores = vec![far; starts[2]];
                for row in [[0.3, 0.0, 1.0], [-9.0, 1.0, 0.0], [f64::NAN, 0.0, 0.0]] {
                    for y in [1.0, -1.0, 1e9, f64::NAN] {
                        let rows = MemoryRows::new(row.repeat(k as usize), vec![y; k as usize], 3, 10.0, k);
                        for at in 0..2 {
                            let sums = trainer.residual_sums(&rows, &starts, at, &scores).unwrap();
                            let moved = sums.iter().map(|sum| sum.unsigned_abs().pow(2)).sum::<u128>();
                            assert!(moved <= square);
                            largest = largest.max(moved);
                        }
                        let counts = trainer.bin_counts(&rows, &starts).unwrap();
                        let moved: i128 = counts.iter().map(|count| count * count).sum();
                        assert_eq!(moved, i128::from(k * k * 2));
                    }
                }
            }
            assert_eq!(largest, square);
        }
    }
}

#[test]
fn counts_and_steps_add_up_to_the_price() {
    let trainer = trainer(AdditiveTarget::Classes, 3, "1/3");
    assert_eq!(trainer.loss(), Loss::zcdp(rho("1/3")));
    let counts = 18.0 / (2.0 * trainer.counts.variance());
    let steps = 2.0 * 8.0 * 9.0 / (2.0 * trainer.residuals.variance());
    assert!(((counts + steps) * 3.0 - 1.0).abs() < 1e-9, "{counts} {steps}");
}

#[test]
fn classes_and_numbers_are_learnt() {
    let mut words = seeded(5);
    let mut x = Vec::new();
    for _ in 0..4000 {
        let z = words() as f64 / u64::MAX as f64 * 2.0 - 1.0;
        let category = words() % 2;
        x.extend([z, f64::from(u8::from(category == 0)), f64::from(u8::from(category == 1))]);
    }
    // Not linear in z: the middle is high.
    let truth = |row: &[f64]| if row[0].abs() < 0.5 { 0.4 } else { -0.4 } + 0.3 * (row[2] - row[1]);
    for target in [AdditiveTarget::Classes, AdditiveTarget::Number] {
        let y: Vec<f64> = x
            .chunks_exact(3)
            .map(|row| if target == AdditiveTarget::Classes { truth(row).signum() } else { truth(row) })
            .collect();
        let rows = MemoryRows::new(x.clone(), y.clone(), 3, 10.0, 1);
        let model = trainer(target, 1, "0.5").fit(&rows, &mut seeded(2)).unwrap();
        let right =
            x.chunks_exact(3).zip(&y).filter(|(row, y)| (model.predict(row) - **y).abs() < 0.15).count();
        assert!(right > 3900, "{target:?} {right}");
    }
}

#[test]
fn nobody_and_one_class_have_models() {
    for rows in
        [MemoryRows::new(vec![], vec![], 3, 1.0, 1), MemoryRows::new(vec![0.5; 12], vec![1.0; 4], 3, 1.0, 1)]
    {
        for price in ["1e-9", "1", "10000"] {
            let model = trainer(AdditiveTarget::Classes, 1, price).fit(&rows, &mut seeded(3)).unwrap();
            assert!(model.score(&[0.1, 0.0, f64::NAN]).is_finite());
            assert_eq!(model.scores.values.len(), 10, "empty bins have their noise");
        }
    }
    let make = |features, boosting| {
        Additive::new(AdditiveTarget::Number, features, boosting, 3, 1, rho("1")).is_err()
    };
    assert!(make(vec![], Boosting::default()));
    assert!(make(features(), Boosting { rounds: 0, rate: 0.5 }));
    assert!(make(features(), Boosting { rounds: 1, rate: f64::NAN }));
}
