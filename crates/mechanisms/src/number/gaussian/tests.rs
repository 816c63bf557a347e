//! The mechanism's noise against the certified curve, its losses and its error.

use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, assert_distribution, hockey_stick, renyi_divergence, seeded};

use super::*;
use crate::golden_numbers::assert_upper;
use crate::number::gaussian_calibration::delta_of;
use pointillist_numbers::Enclosure;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn parameters(epsilon: &str, delta: &str, sensitivity: &str) -> (Epsilon, Delta, SensitivityL2) {
    (
        Epsilon::parse(epsilon).unwrap(),
        Delta::parse(delta).unwrap(),
        SensitivityL2::parse(sensitivity).unwrap(),
    )
}

fn analytic(epsilon: &str, delta: &str, sensitivity: &str) -> GaussianMechanism {
    let (e, d, s) = parameters(epsilon, delta, sensitivity);
    GaussianMechanism::new(&e, &d, &s).unwrap()
}

fn tail(x: f64) -> f64 {
    Enclosure::of(&Rational::from_f64(x).unwrap(), 128).normal_tail().upper().to_f64_upper()
}

/// P[|round(σN)| = distance on one side], for distances up to `reach`; from upper tails, so that small ones
/// keep digits.
fn cells(sigma: f64, reach: i64) -> Vec<f64> {
    let tails: Vec<f64> = (0..=reach + 1).map(|k| tail((k as f64 - 0.5) / sigma)).collect();
    tails.windows(2).map(|pair| pair[0] - pair[1]).collect()
}

/// P[round(answer + σN) = value] for values within `reach` of zero, where `cells` reaches further by the
/// answer.
fn outputs(cells: &[f64], answer: i64, reach: i64) -> Vec<f64> {
    (-reach..=reach).map(|value| cells[usize::try_from((value - answer).abs()).unwrap()]).collect()
}

#[test]
fn losses_are_stated_as_approximate_and_as_concentrated() {
    let mechanism = analytic("1", "1e-5", "1");
    let loss = mechanism.loss();
    let (epsilon, delta, _) = parameters("1", "1e-5", "1");
    assert_eq!(loss.approximate_epsilon(), Some((epsilon, delta)));
    let rho = loss.rho().unwrap();
    let exact = Rational::ratio(1, 2) / mechanism.sigma().squared();
    assert!(*rho.value() >= exact && rho.value() - &exact < Rational::power_of_two(-150));
    let rho = Rho::parse("0.125").unwrap();
    let by_rho = GaussianMechanism::for_rho(&rho, &SensitivityL2::parse("3").unwrap()).unwrap();
    assert_eq!((by_rho.sigma().clone(), by_rho.loss()), (Rational::from(6), Loss::zcdp(rho)));
}

#[test]
fn the_classical_mechanism_adds_more_noise_and_knows_its_limits() {
    let (e, d, s) = parameters("0.5", "1e-9", "2");
    let classical = GaussianMechanism::classical(&e, &d, &s).unwrap();
    assert!(classical.sigma() > analytic("0.5", "1e-9", "2").sigma());
    let (e, _, _) = parameters("10", "1e-9", "2");
    let message = GaussianMechanism::classical(&e, &d, &s).unwrap_err().explanation().text();
    assert!(message.contains("hint: use the analytic calibration"), "{message}");
}

/// Specification: the exact probabilities of the rounded outputs keep (ε, δ) and ρ, for every integer shift
/// up to Δ. Planted leak: half the σ breaks both.
#[test]
fn exact_output_probabilities_keep_the_loss() {
    for (epsilon, delta, sensitivity) in [("1", "1e-5", 1i64), ("0.5", "0.01", 3), ("4", "1e-6", 2)] {
        let mechanism = analytic(epsilon, delta, &sensitivity.to_string());
        let sigma = mechanism.sigma().to_f64_upper();
        let reach = (6.0 * sigma) as i64 + sensitivity + 2;
        let (e, d) = (rational(epsilon).to_f64_upper(), rational(delta).to_f64_upper());
        let rho = mechanism.loss().rho().unwrap().to_f64_upper();
        let honest = cells(sigma, reach + sensitivity);
        for shift in 1..=sensitivity {
            let (p, q) = (outputs(&honest, 0, reach), outputs(&honest, shift, reach));
            assert!(hockey_stick(&p, &q, e) <= d * (1.0 + 1e-9), "ε = {epsilon}, shift {shift}");
            let orders = [1.5, 2.0, 4.0];
            assert!(
                orders.iter().all(|order| renyi_divergence(&p, &q, *order) <= order * rho * (1.0 + 1e-6))
            );
        }
        let planted = cells(sigma * 0.5, reach + sensitivity);
        let (p, q) = (outputs(&planted, 0, reach), outputs(&planted, sensitivity, reach));
        assert!(hockey_stick(&p, &q, e) > d * 2.0, "planted: half the σ");
    }
}

/// Specification: the noise is the rounded normal law. False alarm: 1e-9 (χ²).
#[test]
fn releases_have_the_stated_law() {
    let mechanism = analytic("1", "1e-5", "1");
    let exact = outputs(&cells(mechanism.sigma().to_f64_upper(), 50), 5, 45);
    let mut bits = seeded(1);
    let draws = mechanism.release_all(&[5; 20_000], &mut bits);
    let pmf = |value: i64| exact[usize::try_from(value + 45).unwrap()];
    assert_distribution(draws.iter().map(|value| *value as i64), pmf, -45..=45, "Gaussian");
}

/// Specification: no event tells neighbours apart better than (ε, δ) allows. Planted leak: half the σ.
/// (That the classical formula fails at ε = 10 is shown by the exact curve, in `gaussian_calibration`.)
/// False alarm: 1e-9 a check.
#[test]
fn neighbouring_answers_cannot_be_told_apart() {
    let draws = |sigma: &Rational, answer: i128, seed: u64| -> Vec<i128> {
        let noise = RoundedGaussian::new(sigma).unwrap();
        let mut bits = seeded(seed);
        (0..20_000).map(|_| answer + noise.sample(&mut bits)).collect()
    };
    let mechanism = analytic("1", "0.01", "1");
    let claim = Distinguisher::new(1.0, 0.01);
    let released = |answer: i128, seed: u64| mechanism.release_all(&[answer; 20_000], &mut seeded(seed));
    claim.assert_private(&released(7, 1), &released(8, 2), "Gaussian");
    let half = mechanism.sigma() * &Rational::ratio(1, 2);
    claim.assert_leaks(&draws(&half, 7, 1), &draws(&half, 8, 2), "half the σ");
}

/// Specification: the error is exceeded as rarely as stated, and the bound is σ·z + 1/2 with a certified z.
/// False alarm: 1e-9 (Hoeffding, 20,000 releases).
#[test]
fn the_error_is_as_stated() {
    let (_, _, s) = parameters("1", "1e-5", "5");
    let mechanism = GaussianMechanism::for_rho(&Rho::parse("0.5").unwrap(), &s).unwrap();
    let beta = FailureProbability::parse("0.01").unwrap();
    let bound = mechanism.error_bound(&beta);
    assert_upper(&bound, "13.379146517744503804892883743", "1e-10", "σ = 5");
    let draws = mechanism.release_all(&[0; 20_000], &mut seeded(3));
    let beyond = draws.iter().filter(|draw| Rational::from(draw.unsigned_abs()) > bound).count();
    let radius = pointillist_testkit::hoeffding_radius(20_000, 1e-9);
    assert!(beyond as f64 / 20_000.0 <= 0.01 + radius);
    let all = mechanism.error_bound_all(&beta, 100);
    assert_upper(&all, "19.9528060821102", "1e-2", "a hundred answers");
    assert_eq!(mechanism.error_bound_all(&beta, 0), bound);
}

#[test]
fn extreme_parameters_are_refused_or_served() {
    let (e, d, s) = parameters("1e6", "1e-9", "1");
    let mechanism = GaussianMechanism::new(&e, &d, &s).unwrap();
    assert!(delta_of(mechanism.sigma(), e.value(), &s).unwrap().upper() <= *d.value());
    assert!(mechanism.loss().approximate_epsilon().is_some());
    let (e, d, s) = parameters("1e-15", "1e-9", "1e30");
    let error = GaussianMechanism::new(&e, &d, &s).unwrap_err();
    assert!(error.explanation().text().contains("hint: "));
    let saturating =
        GaussianMechanism::for_rho(&Rho::parse("0.5").unwrap(), &SensitivityL2::parse("1e20").unwrap());
    assert_eq!(
        saturating.unwrap().release_all(&[i128::MAX; 30], &mut seeded(4)).iter().max(),
        Some(&(1 << 125))
    );
}
