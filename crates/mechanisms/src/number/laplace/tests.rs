//! The grid's sensitivity by brute force, the law, the error, and the grid itself.

use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, assert_distribution, max_log_ratio, seeded};

use super::*;
use crate::golden_numbers::assert_upper;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn mechanism(sensitivity: &str, coordinates: u64, epsilon: &str, step: &str) -> LaplaceMechanism {
    let sensitivity = SensitivityL1::parse(sensitivity).unwrap();
    LaplaceMechanism::new(&sensitivity, coordinates, &Epsilon::parse(epsilon).unwrap(), &rational(step))
        .unwrap()
}

fn beta(text: &str) -> FailureProbability {
    FailureProbability::parse(text).unwrap()
}

/// The L1 distance of two rounded vectors, in steps.
fn rounded_distance(left: &[Rational], right: &[Rational], step: &Rational) -> Rational {
    let moved = |(a, b): (&Rational, &Rational)| Rational::from(nearest(a, step) - nearest(b, step)).abs();
    left.iter().zip(right).map(moved).fold(Rational::zero(), |sum, moved| sum + moved)
}

/// Specification: over all pairs of vectors with coordinates in a fine set, the rounded distance never
/// exceeds the stated one for their true distance and number of moved coordinates, and reaches it. Leaving
/// the rounding out, as the planted version does, is exceeded.
#[test]
fn rounding_moves_a_vector_by_no_more_than_stated() {
    let step = rational("1/3");
    let values: Vec<Rational> = (-5..=5).map(|k| Rational::ratio(k, 8)).collect();
    let mut exceeded = [false; 2];
    let mut reached = [false; 4];
    for dimensions in 1..=3usize {
        let vectors = (0..values.len().pow(dimensions as u32)).map(|index| -> Vec<Rational> {
            (0..dimensions)
                .map(|d| values[index / values.len().pow(d as u32) % values.len()].clone())
                .collect()
        });
        let vectors: Vec<Vec<Rational>> = vectors.step_by(if dimensions == 3 { 7 } else { 1 }).collect();
        for left in &vectors {
            for right in &vectors {
                let moved = left.iter().zip(right).filter(|(a, b)| a != b).count() as u64;
                if moved == 0 {
                    continue;
                }
                let differences = left.iter().zip(right).map(|(a, b)| (a - b).abs());
                let distance = differences.fold(Rational::zero(), |sum, d| sum + d);
                let rounded = rounded_distance(left, right, &step);
                let claimed = grid_distance(&distance, moved, &step);
                assert!(rounded <= claimed, "{left:?} {right:?}");
                reached[moved as usize] |= rounded == claimed;
                exceeded[0] |= rounded > Rational::from((&distance / &step).floor());
                exceeded[1] |= moved > 1 && rounded > Rational::from((&distance / &step).ceil());
            }
        }
    }
    assert_eq!(reached[1..], [true; 3], "the bound is tight for one, two and three coordinates");
    assert_eq!(exceeded, [true; 2], "planted: rounding down, or forgetting the coordinates, is not enough");
}

/// Specification: for answers anywhere between grid points, the exact output probabilities keep ε.
#[test]
fn exact_output_probabilities_keep_epsilon_wherever_answers_lie() {
    for (sensitivity, step, epsilon) in [("1", "1/3", "1"), ("1", "0.4", "0.5"), ("0.7", "1", "2")] {
        let mechanism = mechanism(sensitivity, 1, epsilon, step);
        let scale = mechanism.on_grid.scale().to_f64_upper();
        let claimed = rational(epsilon).to_f64_upper();
        let outputs = |answer: &Rational| -> Vec<f64> {
            let centre = i64::try_from(nearest(answer, mechanism.step())).unwrap();
            (-60..=60i64).map(|k| (-((k - centre).abs() as f64) / scale).exp()).collect()
        };
        let mut worst = 0.0f64;
        for offset in 0..40 {
            let answer = Rational::ratio(offset, 13);
            let neighbour = &answer + &rational(sensitivity);
            worst = worst.max(max_log_ratio(&outputs(&answer), &outputs(&neighbour)));
        }
        assert!(worst <= claimed * (1.0 + 1e-9) && worst >= claimed * (1.0 - 1e-9), "{worst} of {claimed}");
    }
}

#[test]
fn the_textbook_error_matches_golden_values() {
    let cases = [
        (10_000, "1", "0.05", "1", "12.2060726455301737295071893949"),
        (1, "1", "0.05", "1", "2.99573227355399099343522357614"),
        (100, "0.1", "0.01", "2", "184.206807439523654721439316375"),
        (1_000_000, "50", "1e-6", "1", "0.552620422318570964164317949124"),
    ];
    for (count, epsilon, rare, sensitivity, bound) in cases {
        let sensitivity = SensitivityL1::parse(sensitivity).unwrap();
        let error = textbook_error(&sensitivity, &Epsilon::parse(epsilon).unwrap(), &beta(rare), count);
        assert_upper(&error, bound, "1e-12", epsilon);
    }
    // scale·ln(1/β) for one answer.
    for (scale, rare, alpha) in [
        ("10", "0.01", "46.0517018598809136803598290937"),
        ("5/2", "1e-6", "34.5387763949106852602698718203"),
        ("100", "1e-15", "3453.87763949106852602698718203"),
        ("1/2", "0.5", "0.346573590279972654708616060729"),
    ] {
        let sensitivity = SensitivityL1::parse(scale).unwrap();
        let error = textbook_error(&sensitivity, &Epsilon::parse("1").unwrap(), &beta(rare), 1);
        assert_upper(&error, alpha, "1e-12", scale);
    }
}

/// Specification: on a fine grid the certified error is the textbook's, and a hundred thousand releases
/// exceed it as rarely as stated. False alarm: 1e-9 (the count of exceedances is binomial; 400 is 20 standard
/// deviations away).
#[test]
fn the_error_is_as_stated() {
    let fine = mechanism("1", 1, "1", "1/1024");
    let bound = fine.error_bound(&beta("0.001"));
    assert_upper(&bound, "6.90775527898213705205397436406", "1e-3", "a fine grid");
    let answer = rational("1/3");
    let releases = fine.release_all(&vec![answer.clone(); 100_000], &mut seeded(1));
    let beyond = releases.iter().filter(|release| (*release - &answer).abs() >= bound).count();
    assert!(beyond < 300, "{beyond} of an expected 100");
    assert!(fine.error_bound_all(&beta("0.001"), 50) > bound);
}

/// Specification: every answer is an exact multiple of the step, wherever the value lies (threat N3): nothing
/// about the value's own digits survives.
#[test]
fn every_answer_is_on_the_grid() {
    let mut bits = seeded(2);
    let mechanism = mechanism("0.01", 1, "0.5", "0.001");
    for answer in ["0", "0.0004999", "1/3", "1048576.123456789", "-7/9", "1e300"] {
        for _ in 0..20 {
            let release = mechanism.release(&rational(answer), &mut bits);
            assert!((release / rational("0.001")).is_integer(), "{answer}");
        }
    }
}

/// Specification: the noise has the discrete Laplace law in steps, for one answer and for many.
/// False alarm: 1e-9 a case (χ²).
#[test]
fn releases_have_the_stated_law() {
    let mechanism = mechanism("1", 1, "1", "1/4");
    let ratio = (-0.25f64).exp();
    let pmf = |k: i64| (1.0 - ratio) / (1.0 + ratio) * ratio.powi((k - 2).abs() as i32);
    let steps = |release: &Rational| i64::try_from((release * &Rational::from(4)).floor()).unwrap();
    let mut bits = seeded(3);
    let answer = rational("0.55");
    let single: Vec<i64> = (0..30_000).map(|_| steps(&mechanism.release(&answer, &mut bits))).collect();
    assert_distribution(single, pmf, -300..=300, "single answers");
    let many = mechanism.release_all(&vec![answer; 30_000], &mut bits);
    assert_distribution(many.iter().map(steps), pmf, -300..=300, "a vector");
}

/// Specification: no event tells neighbouring means apart better than ε allows. Planted leak: the scale of a
/// sensitivity rounded down to the grid, ⌊Δ/step⌋, is caught. False alarm: 1e-9 a check.
#[test]
fn neighbouring_answers_cannot_be_told_apart() {
    let claim = Distinguisher::new(1.0, 0.0);
    let draws = |mechanism: &LaplaceMechanism, answer: &str, seed: u64| {
        mechanism.release_all(&vec![rational(answer); 20_000], &mut seeded(seed))
    };
    // 0.29 rounds to 0 and 1.21 to 2 steps of 0.6: a move of 0.92 is two steps on the grid.
    let honest = mechanism("0.92", 1, "1", "0.6");
    assert_eq!(honest.on_grid.scale(), &Rational::from(2));
    claim.assert_private(&draws(&honest, "0.29", 1), &draws(&honest, "1.21", 2), "Laplace");
    let planted = mechanism("0.6", 1, "1", "0.6");
    claim.assert_leaks(&draws(&planted, "0.29", 1), &draws(&planted, "1.21", 2), "rounding forgotten");
}

#[test]
fn invalid_steps_are_refused_with_a_hint() {
    let sensitivity = SensitivityL1::parse("1").unwrap();
    let epsilon = Epsilon::parse("1").unwrap();
    for step in ["0", "-1", "1e-40"] {
        let error = LaplaceMechanism::new(&sensitivity, 1, &epsilon, &rational(step)).unwrap_err();
        assert!(error.explanation().text().contains("hint: "), "{step}");
    }
    assert_eq!(mechanism("1", 0, "1", "1").scale(), mechanism("1", 1, "1", "1").scale());
    assert_eq!(mechanism("1", 4, "1", "1/10").scale(), rational("1.3"));
}
