use pointillist_testkit::seeded;

use super::*;
use crate::MemoryRows;

const LOSSES: [GradientLoss; 3] =
    [GradientLoss::Logistic, GradientLoss::Softmax { classes: 3 }, GradientLoss::Squared { clip: 0.7 }];

fn rho(text: &str) -> Rho {
    Rho::parse(text).unwrap()
}

fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut words = seeded(seed);
    (0..count).map(|_| words() as f64 / u64::MAX as f64 * 2.0 - 1.0).collect()
}

/// Specification: at whatever θ, a person's hostile rows move the sum of gradients by at most what σ² was made for;
/// the extremes reach it: a coefficient of −10^6 makes the loss's slope its largest. Power: rows that the grid does
/// not hold to its bound, or noise for one row of three, are seen.
#[test]
fn a_person_moves_a_sum_by_no_more_than_the_bound() {
    for loss in LOSSES {
        for rows_per_person in [1u32, 3] {
            let trainer =
                GradientDescent::new(loss, Descent::default(), 3, 2.0, rows_per_person, rho("0.1")).unwrap();
            let square = u128::from(rows_per_person).pow(2)
                * u128::from(trainer.rows.square_max())
                * u128::from(trainer.weights.square_max());
            let mut largest = 0.0f64;
            for (at, theta) in
                [numbers(9, 1), vec![0.0; 9], vec![-1e6, 0.0, 0.0, 1e6, 0.0, 0.0, 1.0, 0.0, 0.0]]
                    .iter()
                    .enumerate()
            {
                let theta = &theta[..3 * trainer.outputs()];
                let others = MemoryRows::new(numbers(30, 4), numbers(10, 5), 3, 2.0, rows_per_person);
                let before = trainer.sums(&others, theta).unwrap();
                for row in [[2.0, 0.0, 0.0], [1.2, -1.6, 0.0], [1e9, 1.0, f64::NAN], [-2.0, 0.0, 0.0]] {
                    for y in [1.0, -1.0, 0.0, 2.0, 1e9, f64::NAN] {
                        let mut x = numbers(30, 4);
                        let mut targets = numbers(10, 5);
                        for _ in 0..rows_per_person {
                            x.extend(row);
                            targets.push(y);
                        }
                        let with = MemoryRows::new(x, targets, 3, 2.0, rows_per_person);
                        let after = trainer.sums(&with, theta).unwrap();
                        let moved: u128 =
                            after.iter().zip(&before).map(|(a, b)| (a - b).unsigned_abs().pow(2)).sum();
                        assert!(moved <= square, "{loss:?} {at}: {moved} {square}");
                        largest = largest.max((moved as f64 / square as f64).sqrt());
                    }
                }
            }
            assert!(largest > 0.999, "{loss:?}: {largest}");
        }
    }
}

/// Specification: what a row adds does not depend on where it stands, so that a person who comes first moves nobody
/// else's gradient by a rounding error.
#[test]
fn a_row_adds_the_same_integers_wherever_it_stands() {
    let trainer =
        GradientDescent::new(GradientLoss::Logistic, Descent::default(), 37, 1.0, 1, rho("0.1")).unwrap();
    let theta = numbers(37, 2);
    let (x, y) = (numbers(37 * 1500, 3), numbers(1500, 4));
    let all = trainer.sums(&MemoryRows::new(x.clone(), y.clone(), 37, 1.0, 1), &theta).unwrap();
    for first in [1, 5, 255, 1024] {
        let cut = |from: usize, to: usize| {
            let rows = MemoryRows::new(x[from * 37..to * 37].to_vec(), y[from..to].to_vec(), 37, 1.0, 1);
            trainer.sums(&rows, &theta).unwrap()
        };
        let (a, b) = (cut(0, first), cut(first, 1500));
        assert!(all.iter().zip(a.iter().zip(&b)).all(|(all, (a, b))| *all == a + b), "{first}");
    }
}

#[test]
fn steps_and_the_count_add_up_to_the_price() {
    for rows in [RowCount::Declared(100), RowCount::Estimated] {
        let descent = Descent { steps: 7, rows, ..Descent::default() };
        let trainer = GradientDescent::new(LOSSES[1], descent, 3, 2.0, 2, rho("1/3")).unwrap();
        assert_eq!(trainer.loss(), Loss::zcdp(rho("1/3")));
        // kWM = 2·√2·2 for each of seven steps, and k = 2 for the count.
        let steps = 7.0 * 32.0 / (2.0 * trainer.noise_variance());
        let count = trainer.count_noise.as_ref().map_or(0.0, |noise| 4.0 / (2.0 * noise.variance()));
        assert!(((steps + count) * 3.0 - 1.0).abs() < 1e-5, "{rows:?}");
    }
}

/// Specification: the count of rows has noise, whatever the data: two fits of the same rows say different numbers.
#[test]
fn the_number_of_rows_is_never_exact() {
    let trainer =
        GradientDescent::new(LOSSES[0], Descent { steps: 1, ..Descent::default() }, 1, 1.0, 1, rho("0.001"))
            .unwrap();
    let rows = MemoryRows::new(vec![0.5; 1000], vec![1.0; 1000], 1, 1.0, 1);
    let counts: std::collections::BTreeSet<i64> =
        (0..20).map(|seed| trainer.fit(&rows, &mut seeded(seed)).unwrap().rows as i64).collect();
    assert!(counts.len() > 10, "{counts:?}");
}

#[test]
fn classes_and_numbers_are_learnt() {
    let (n, d) = (3000, 3);
    let mut x = numbers(n * d, 8);
    x.chunks_exact_mut(d).for_each(|row| row[2] = 1.0);
    x.iter_mut().for_each(|value| *value /= 2.0);
    let score = |row: &[f64]| row[0] - row[1] + 0.1 * row[2];
    for loss in LOSSES {
        let y: Vec<f64> = x
            .chunks_exact(d)
            .map(|row| match loss {
                GradientLoss::Logistic => score(row).signum(),
                GradientLoss::Softmax { .. } => {
                    f64::from(u8::from(score(row) > -0.2)) + f64::from(u8::from(score(row) > 0.3))
                }
                GradientLoss::Squared { .. } => score(row) / 2.0,
            })
            .collect();
        let rows = MemoryRows::new(x.clone(), y.clone(), d, 1.0, 1);
        let trainer = GradientDescent::new(loss, Descent::default(), d, 1.0, 1, rho("1")).unwrap();
        let model = trainer.fit(&rows, &mut seeded(6)).unwrap();
        let near = |row: &[f64], y: f64| match loss {
            GradientLoss::Squared { .. } => (model.predict(row) - y).abs() < 0.1,
            _ => model.predict(row) == y,
        };
        let right = x.chunks_exact(d).zip(&y).filter(|(row, y)| near(row, **y)).count();
        assert!(right as f64 > 0.8 * n as f64, "{loss:?} {right}");
        assert!((model.probabilities(&x[..3]).iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn nobody_one_class_and_wild_steps_have_models() {
    let wild = Descent { steps: 5, step_size: StepSize::Fixed(1e300), penalty: 1e300, ..Descent::default() };
    for loss in LOSSES {
        for descent in [Descent { steps: 3, ..Descent::default() }, wild] {
            for rows in [
                MemoryRows::new(vec![], vec![], 2, 1.0, 1),
                MemoryRows::new(vec![0.5; 8], vec![1.0; 4], 2, 1.0, 1),
            ] {
                let trainer = GradientDescent::new(loss, descent, 2, 1.0, 1, rho("0.5")).unwrap();
                let model = trainer.fit(&rows, &mut seeded(6)).unwrap();
                assert!(model.predict(&[0.5, 0.5]).is_finite());
                assert!(model.rows >= 1.0);
            }
        }
    }
}

#[test]
fn settings_that_no_proof_covers_are_refused() {
    let make = |loss, descent| GradientDescent::new(loss, descent, 2, 1.0, 1, rho("1")).is_err();
    assert!(make(GradientLoss::Softmax { classes: 1 }, Descent::default()));
    assert!(make(GradientLoss::Squared { clip: 0.0 }, Descent::default()));
    assert!(make(LOSSES[0], Descent { steps: 0, ..Descent::default() }));
    assert!(make(LOSSES[0], Descent { momentum: 1.0, ..Descent::default() }));
    assert!(make(LOSSES[0], Descent { step_size: StepSize::Fixed(f64::NAN), ..Descent::default() }));
}
