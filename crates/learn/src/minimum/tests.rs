//! Minimisers against values computed elsewhere, certificates against exact gradients, and tables that are hard.

use pointillist_numbers::Rational;

use super::*;
use crate::MemoryRows;
use crate::golden::{cases, dataset, loss_of, numbers};

/// Specification: the minimisers of the golden file, which are right to 1e-10, within 1e-8; the objective within 1e-10.
#[test]
fn minimisers_are_those_computed_elsewhere() {
    let mut seen = 0;
    for case in cases("erm_exact") {
        let (rows, n) = dataset(&case, 1.0);
        let lambda = case["inputs"]["lambda"].as_f64().unwrap() * n;
        let linear = vec![0.0; rows.dimension()];
        let objective = Objective { rows: &rows, loss: loss_of(&case), lambda, linear: &linear };
        let found = minimum(&objective, 1e-10 * lambda).unwrap();
        let expected = numbers(&case["expected"]["minimiser"]);
        for (found, expected) in found.theta.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-8, "{}: {found} is not {expected}", case["id"]);
        }
        let value: f64 = case["expected"]["objective"].as_str().unwrap().parse().unwrap();
        assert!((found.value / n - value).abs() < 1e-10, "{}", case["id"]);
        assert!(found.passes < 30, "{}: {} passes", case["id"], found.passes);
        seen += 1;
    }
    assert_eq!(seen, 12);
}

/// Specification: L-BFGS and Newton's method agree within their certificates.
#[test]
fn both_methods_agree() {
    for case in cases("erm_exact") {
        let (rows, n) = dataset(&case, 1.0);
        let lambda = case["inputs"]["lambda"].as_f64().unwrap() * n;
        let linear: Vec<f64> = (0..rows.dimension()).map(|at| (at as f64).sin()).collect();
        let objective = Objective { rows: &rows, loss: loss_of(&case), lambda, linear: &linear };
        let first = newton(&objective, 1e-9).unwrap();
        let second = lbfgs::minimum(&objective, 1e-6).unwrap();
        assert!(second.gradient_norm_upper <= 1e-6, "{}: {second:?}", case["id"]);
        let distance = norm(&first.theta.iter().zip(&second.theta).map(|(a, b)| a - b).collect::<Vec<_>>());
        let allowed = (first.gradient_norm_upper + second.gradient_norm_upper) / lambda;
        assert!(distance <= allowed, "{}: {distance} against {allowed}", case["id"]);
    }
}

/// The gradient with a Huber hinge, which has only rational numbers in it, exactly.
fn exact_gradient(x: &[f64], y: &[f64], theta: &[f64], lambda: f64, linear: &[f64]) -> Vec<Rational> {
    let exact = |number: f64| Rational::from_f64(number).unwrap();
    let mut gradient: Vec<Rational> =
        theta.iter().zip(linear).map(|(at, along)| exact(lambda) * exact(*at) + exact(*along)).collect();
    for (x, y) in x.chunks(theta.len()).zip(y) {
        let margin = x
            .iter()
            .zip(theta)
            .fold(Rational::zero(), |sum, (x, at)| sum + exact(*x) * exact(*at) * exact(*y));
        // h = 1/4: the slope is −(5/4 − z)·2, between −1 and 0.
        let slope =
            ((Rational::ratio(5, 4) - margin) * Rational::from(2)).max(Rational::zero()).min(Rational::one());
        for (slot, x) in gradient.iter_mut().zip(x) {
            *slot = slot.clone() - slope.clone() * exact(*x) * exact(*y);
        }
    }
    gradient
}

/// Specification: the certificate is above the exact norm, computed with rationals, at minimisers and at points far away, and not
/// by more than a ten-millionth of n·R: a bound that forgets an error, or one that nobody could reach, fails.
#[test]
fn certificates_hold_in_exact_arithmetic() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let loss = MarginLoss::huber_hinge(0.25).unwrap();
    for (n, d, lambda) in [(1, 1, 1e-6), (40, 3, 0.1), (70, 9, 1e3), (200, 17, 1e-3)] {
        let x: Vec<f64> = (0..n * d).map(|_| 0.3 * next()).collect();
        let y: Vec<f64> = (0..n).map(|_| next().signum()).collect();
        let linear: Vec<f64> = (0..d).map(|_| 10.0 * next()).collect();
        let rows = MemoryRows::new(x.clone(), y.clone(), d, 2.0, 1);
        let objective = Objective { rows: &rows, loss, lambda, linear: &linear };
        let near = minimum(&objective, 1e-9).unwrap();
        let far: Vec<f64> = (0..d).map(|_| 1e4 * next()).collect();
        for theta in [near.theta, far] {
            let claimed = objective.evaluate(&theta, false).unwrap().gradient_norm_upper;
            let exact = exact_gradient(&x, &y, &theta, lambda, &linear);
            let square = exact.iter().fold(Rational::zero(), |sum, slope| sum + slope.squared());
            let claimed_square = Rational::from_f64(claimed).unwrap().squared();
            assert!(claimed_square >= square, "n = {n}, d = {d}: {claimed}");
            let exact = square.to_f64_upper().sqrt();
            assert!(
                claimed <= exact * (1.0 + 1e-9) + 1e-7 * n as f64,
                "n = {n}, d = {d}: {claimed}, {exact}"
            );
        }
    }
}

/// Specification: tables that are hard still end with a certificate: no rows, one class, constant columns, more features than
/// rows, separable rows with almost no penalty.
#[test]
fn hard_tables_end_with_a_certificate() {
    let tables: [(usize, usize, f64, f64); 6] = [
        (0, 3, 1.0, 1.0),
        (0, 3, 1e-9, 1e3),
        (50, 4, 1e-8, 0.0),
        (5, 60, 1e-3, 1.0),
        (500, 2, 1e-6, 100.0),
        (500, 2, 1e6, 1e9),
    ];
    for loss in [MarginLoss::Logistic, MarginLoss::huber_hinge(1e-3).unwrap()] {
        for (n, d, lambda, push) in tables {
            // Every column is constant and every label the same.
            let rows = MemoryRows::new(vec![1.0; n * d], vec![1.0; n], d, 1.0, 1);
            let linear = vec![push; d];
            let objective = Objective { rows: &rows, loss, lambda, linear: &linear };
            let tolerance = 1e-6 * (1.0 + push);
            let found = minimum(&objective, tolerance).unwrap();
            assert!(found.gradient_norm_upper <= tolerance, "{loss:?} {n} {d} {lambda} {push}: {found:?}");
        }
    }
}

/// Specification: sums of a million tenths are right to the last digit or two.
#[test]
fn compensated_sums_do_not_drift() {
    let mut sums = CompensatedSums::new(1);
    (0..1_000_000).for_each(|_| sums.add(&[0.1]));
    let exact = Rational::from_f64(0.1).unwrap() * Rational::from(1_000_000);
    assert!((sums.sums()[0] - exact.to_f64_nearest()).abs() <= 2e-11);
}
