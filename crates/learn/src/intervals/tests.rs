use pointillist_noise::SecureBits;
use pointillist_privacy::Rho;
use pointillist_testkit::seeded;

use super::*;
use crate::{AdaSsp, Gram, MemoryRows};

const D: usize = 3;
const CONSTANT: Constant = Constant { column: 2, value: 0.4 };
/// At most 54 misses of 400 intervals that hold with probability 0.95: more with probability below 1e-9 (Chernoff:
/// 400 times the divergence of 0.1375 from 0.05 is 22).
const RUNS: u64 = 400;
const MISSES_MAX: usize = 54;

fn normal<B: SecureBits + ?Sized>(bits: &mut B) -> f64 {
    let mut uniform = || (bits.word() >> 11) as f64 / (1u64 << 53) as f64;
    let (a, b) = (1.0 - uniform(), uniform());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// Features that hang together, and a constant.
fn row<B: SecureBits + ?Sized>(bits: &mut B) -> [f64; D] {
    let a = normal(bits);
    let b = 0.5 * a + 0.8 * normal(bits);
    [(0.18 * a).clamp(-0.6, 0.6), (0.18 * b).clamp(-0.6, 0.6), 0.4]
}

const THETA: [f64; D] = [0.6, -0.4, 0.3];

fn score(row: &[f64]) -> f64 {
    row.iter().zip(&THETA).map(|(a, b)| a * b).sum()
}

fn missed(intervals: &[Interval], truth: &[f64], misses: &mut [usize; D]) {
    for (at, interval) in intervals.iter().enumerate() {
        assert!(interval.low <= interval.estimate && interval.estimate <= interval.high);
        misses[at] += usize::from(truth[at] < interval.low || truth[at] > interval.high);
    }
}

#[test]
fn intervals_of_least_squares_hold_the_coefficients() {
    let rho = Rho::parse("0.5").unwrap();
    let gram = Gram::new(D, 1.0, 1, Some(0.5), rho.clone()).unwrap();
    let adaptive = AdaSsp::new(D, 1.0, 1, rho).unwrap();
    let (mut misses, mut others, mut without) = ([0; D], [0; D], [0; D]);
    for seed in 0..RUNS {
        let mut bits = seeded(seed);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..4000 {
            let row = row(&mut bits);
            y.push((score(&row) + 0.1 * normal(&mut bits)).clamp(-1.0, 1.0));
            x.extend(row);
        }
        let rows = MemoryRows::new(x, y, D, 1.0, 1);
        let release = gram.fit(&rows, &mut bits).unwrap();
        let intervals = release.regression_intervals(CONSTANT, 0.95).expect("little noise");
        missed(&intervals, &THETA, &mut misses);
        missed(
            &adaptive.fit(&rows, &mut bits).unwrap().intervals(CONSTANT, 0.95).expect("little noise"),
            &THETA,
            &mut others,
        );
        // What an analyst would get who took the released numbers for exact ones.
        let mut blind = release.normal().unwrap();
        (blind.noise_variance, blind.target_noise_variance) = (0.0, 0.0);
        let total = release.target_square().unwrap();
        missed(&least_squares(&blind, 4000.0, Some((total, 0.5)), 0.95).unwrap(), &THETA, &mut without);
    }
    assert!(misses.iter().chain(&others).all(|misses| *misses <= MISSES_MAX), "{misses:?} {others:?}");
    assert!(misses.iter().any(|misses| *misses > 4), "they are not far too wide: {misses:?}");
    assert!(without[0] > MISSES_MAX, "the noise matters here: {without:?}");
}

/// The minimiser of Σl + (λ/2)‖θ‖² + b·θ by Newton's method.
fn perturbed_minimum(x: &[[f64; D]], y: &[f64], penalty: f64, b: &[f64; D]) -> Vec<f64> {
    let mut theta = vec![0.0; D];
    for _ in 0..12 {
        let mut gradient: Vec<f64> = (0..D).map(|at| b[at] + penalty * theta[at]).collect();
        let mut hessian = Mat::from_fn(D, D, |i, j| if i == j { penalty } else { 0.0 });
        for (row, y) in x.iter().zip(y) {
            let score: f64 = row.iter().zip(&theta).map(|(a, b)| a * b).sum();
            let p = 1.0 / (1.0 + (y * score).exp());
            for i in 0..D {
                gradient[i] -= y * p * row[i];
                (0..D).for_each(|j| hessian[(i, j)] += p * (1.0 - p) * row[i] * row[j]);
            }
        }
        let step = SymmetricEigen::new(&hessian).apply(&gradient, |value| 1.0 / value);
        theta.iter_mut().zip(step).for_each(|(theta, step)| *theta -= step);
    }
    theta
}

#[test]
fn intervals_of_a_perturbed_logistic_model_hold_the_coefficients() {
    let truth: Vec<f64> = THETA.iter().map(|theta| 5.0 * theta).collect();
    let gram = Gram::new(D, 1.0, 1, None, Rho::parse("0.5").unwrap()).unwrap();
    let (penalty, deviation) = (1.0, 8.0);
    let (mut misses, mut without) = ([0; D], [0; D]);
    for seed in 0..RUNS {
        let mut bits = seeded(9000 + seed);
        let mut uniform = seeded(5000 + seed);
        let x: Vec<[f64; D]> = (0..3000).map(|_| row(&mut bits)).collect();
        let y: Vec<f64> = x
            .iter()
            .map(|row| {
                let p = 1.0 / (1.0 + (-5.0 * score(row)).exp());
                if (uniform() as f64) < p * u64::MAX as f64 { 1.0 } else { -1.0 }
            })
            .collect();
        let b = std::array::from_fn(|_| deviation * normal(&mut bits));
        let coefficients = perturbed_minimum(&x, &y, penalty, &b);
        let rows = MemoryRows::new(x.concat(), y, D, 1.0, 1);
        let release = gram.fit(&rows, &mut bits).unwrap();
        let mut model = PerturbedLogistic {
            coefficients,
            penalty,
            noise_variance: deviation * deviation,
            output_variance: 0.0,
        };
        missed(
            &logistic_intervals(&release, CONSTANT, &model, 0.95).expect("little noise"),
            &truth,
            &mut misses,
        );
        model.noise_variance = 0.0;
        missed(
            &logistic_intervals(&release, CONSTANT, &model, 0.95).expect("little noise"),
            &truth,
            &mut without,
        );
    }
    assert!(misses.iter().all(|misses| *misses <= MISSES_MAX), "{misses:?}");
    assert!(misses.iter().any(|misses| *misses > 4), "they are not far too wide: {misses:?}");
    assert!(without.iter().any(|misses| *misses > MISSES_MAX), "the noise matters here: {without:?}");
}

#[test]
fn where_noise_hides_the_features_nothing_is_said() {
    let nobody = MemoryRows::new(vec![], vec![], D, 1.0, 1);
    let rho = Rho::parse("0.01").unwrap();
    let release = Gram::new(D, 1.0, 1, Some(0.5), rho.clone()).unwrap().fit(&nobody, &mut seeded(1)).unwrap();
    assert_eq!(release.regression_intervals(CONSTANT, 0.95), None);
    let model = PerturbedLogistic {
        coefficients: vec![0.0; D],
        penalty: 1.0,
        noise_variance: 1.0,
        output_variance: 0.0,
    };
    assert_eq!(logistic_intervals(&release, CONSTANT, &model, 0.95), None);
    let adaptive = AdaSsp::new(D, 1.0, 1, rho).unwrap().fit(&nobody, &mut seeded(1)).unwrap();
    assert_eq!(adaptive.intervals(CONSTANT, 0.95), None);
    let constant = Constant { column: 9, value: 1.0 };
    assert_eq!(adaptive.intervals(constant, 0.95), None);
}

#[test]
fn confidence_is_between_nothing_and_certainty() {
    assert!((quantile(0.95).unwrap() - 1.959_964).abs() < 1e-5);
    for confidence in [0.0, 1.0, -1.0, f64::NAN] {
        assert_eq!(quantile(confidence), None);
    }
}

/// Specification: of rows that were shortened to one, squares add up to their number, and intervals hold the coefficients of the
/// shortened rows. False alarm: below 1e-9, as above. Power: a tenth of the width is caught. (They are wide, as Σy² is only bounded, and
/// so do not notice how rows are counted.)
#[test]
fn intervals_of_shortened_rows_hold_the_coefficients() {
    let adaptive = AdaSsp::new(D, 1.0, 1, Rho::parse("0.5").unwrap()).unwrap();
    let (mut misses, mut narrow) = ([0; D], [0; D]);
    for seed in 0..RUNS {
        let mut bits = seeded(seed);
        let mut uniform = || (bits() >> 11) as f64 / (1u64 << 53) as f64;
        let mut x = Vec::new();
        for _ in 0..4000 {
            let row = [uniform(), uniform(), 1.0];
            let length = row.iter().map(|value| value * value).sum::<f64>().sqrt();
            x.extend(row.map(|value| value / length));
        }
        let noisy = |row: &[f64]| (score(row) + 0.1 * normal(&mut bits)).clamp(-1.0, 1.0);
        let y: Vec<f64> = x.chunks_exact(D).map(noisy).collect();
        let rows = MemoryRows::new(x, y, D, 1.0, 1);
        let release = adaptive.fit(&rows, &mut bits).unwrap();
        let intervals = release.intervals_of_unit_rows(0.95).expect("little noise");
        missed(&intervals, &THETA, &mut misses);
        let tenth = intervals.iter().map(|Interval { estimate, low, high }| Interval {
            estimate: *estimate,
            low: estimate + (low - estimate) / 10.0,
            high: estimate + (high - estimate) / 10.0,
        });
        missed(&tenth.collect::<Vec<_>>(), &THETA, &mut narrow);
    }
    assert!(narrow.iter().any(|misses| *misses > MISSES_MAX), "{narrow:?}");
    assert!(misses.iter().all(|misses| *misses <= MISSES_MAX), "{misses:?}");
}
