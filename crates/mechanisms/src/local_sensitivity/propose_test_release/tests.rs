//! The exact law of a toy question on a path of data sets, for all neighbours.

use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, hockey_stick, hoeffding_radius, seeded};

use super::*;
use crate::number::discrete_laplace_tail::tests::{pmf, tail};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn mechanism() -> ProposeTestRelease {
    let bound = SensitivityL1::parse("2").unwrap();
    ProposeTestRelease::new(&bound, &epsilon("0.5"), &epsilon("1"), &Delta::parse("0.01").unwrap()).unwrap()
}

/// Data sets 0 ..= 40 on a path; the answer moves by 2 from one to the next, and by 50 between 20 and 21.
fn answer(position: i64) -> i64 {
    2 * position + if position > 20 { 48 } else { 0 }
}

/// Only 20 and 21 have a local sensitivity above 2.
fn distance(position: i64) -> i64 {
    if position <= 20 { 20 - position } else { position - 21 }
}

/// The law of (refused, released values): what the mechanism does, with everything that could be wrong as a
/// parameter.
fn law(position: i64, threshold: i64, distance: i64, noise_scale: f64) -> Vec<f64> {
    let passing = tail(2.0, threshold + 1 - distance);
    let values = (-150..=300).map(|value| passing * pmf(noise_scale, value - answer(position)));
    std::iter::once(1.0 - passing).chain(values).collect()
}

/// The largest δ at ε₁ + ε₂ over all neighbours, both ways.
fn worst_delta(law_of: impl Fn(i64) -> Vec<f64>) -> f64 {
    let pairs = (0..40).flat_map(|x| [(x, x + 1), (x + 1, x)]);
    pairs.map(|(x, y)| hockey_stick(&law_of(x), &law_of(y), 1.5)).fold(0.0, f64::max)
}

/// The theorem, exactly. The same check rejects a threshold that is one too small, a distance that is one too
/// large (to the change instead of to instability), noise for half the bound, and no test at all.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_epsilon_and_delta() {
    let threshold = mechanism().test().threshold() as i64;
    let right = worst_delta(|x| law(x, threshold, distance(x), 2.0));
    assert!(right <= 0.01 * (1.0 + 1e-9), "{right}");
    assert!(right >= 0.006, "{right}: the check would not see a leak");
    let low = worst_delta(|x| law(x, threshold - 1, distance(x), 2.0));
    assert!(low > 0.01, "threshold floored: {low}");
    let far = worst_delta(|x| law(x, threshold, distance(x) + 1, 2.0));
    assert!(far > 0.01, "distance to the change: {far}");
    let quiet = worst_delta(|x| law(x, threshold, distance(x), 1.0));
    assert!(quiet > 0.02, "half the noise: {quiet}");
    let untested = worst_delta(|x| law(x, -1000, distance(x), 2.0));
    assert!(untested > 0.9, "no test: {untested}");
}

/// Conditioned on refusal the two unstable data sets have the same law, and everywhere else the pair is pure;
/// so the ρ is that of the two steps, and smaller than (ε₁ + ε₂)²/2.
#[test]
fn the_loss_is_stated_in_both_currencies() {
    let loss = mechanism().loss();
    let delta = Delta::parse("0.01").unwrap();
    assert_eq!(loss.approximate_epsilon(), Some((epsilon("1.5"), delta.clone())));
    assert_eq!(loss.approximate_rho(), Some((Rho::parse("0.625").unwrap(), delta)));
    assert_eq!(loss.pure_epsilon(), None);
}

/// Specification: outcomes have the law computed above. False alarm: 1e-9 an outcome (Hoeffding).
#[test]
fn outcomes_have_the_law_that_was_checked() {
    let (mechanism, n, position) = (mechanism(), 20_000u64, 14);
    let expected = law(position, mechanism.test().threshold() as i64, distance(position), 2.0);
    let mut bits = seeded(1);
    let outcomes: Vec<_> =
        (0..n).map(|_| mechanism.release(answer(position), distance(position) as u64, &mut bits)).collect();
    let share =
        |of: TestedOutcome<i64>| outcomes.iter().filter(|outcome| **outcome == of).count() as f64 / n as f64;
    let radius = hoeffding_radius(n, 1e-9);
    assert!((share(TestedOutcome::Refused) - expected[0]).abs() <= radius);
    for value in [22, 26, 27, 28, 29, 33] {
        let probability = expected[(value + 151) as usize];
        assert!((share(TestedOutcome::Released { value }) - probability).abs() <= radius, "{value}");
    }
}

/// Specification: samples of two unstable neighbours with far answers do not refute (ε, δ). False alarm:
/// 1e-9. Power: with the test left out they do.
#[test]
fn unstable_neighbours_are_not_told_apart_by_samples() {
    let mechanism = mechanism();
    let mut bits = seeded(2);
    let mut draw = |position: i64, distance: u64| -> Vec<Option<i64>> {
        let outcomes = (0..4_000).map(|_| mechanism.release(answer(position), distance, &mut bits));
        let value = |outcome| match outcome {
            TestedOutcome::Released { value } => Some(value),
            TestedOutcome::Refused => None,
        };
        outcomes.map(value).collect()
    };
    let claim = Distinguisher::new(1.5, 0.01);
    claim.assert_private(&draw(20, 0), &draw(21, 0), "propose-test-release");
    claim.assert_leaks(&draw(20, 1000), &draw(21, 1000), "without a test");
}

#[test]
fn error_bounds_are_quantiles() {
    let mechanism = mechanism();
    let beta = FailureProbability::parse("0.05").unwrap();
    let bound = mechanism.error_bound(&beta) as i64;
    assert!(2.0 * tail(2.0, bound + 1) <= 0.05 && 2.0 * tail(2.0, bound) > 0.05);
    assert_eq!(mechanism.distance_needed(&beta), mechanism.test().distance_needed(&beta));
}

#[test]
fn parameters_that_cannot_be_are_refused_with_a_hint() {
    let bound = SensitivityL1::parse("2").unwrap();
    let error = ProposeTestRelease::new(&bound, &epsilon("1"), &epsilon("1"), &Delta::zero()).unwrap_err();
    assert!(error.explanation().text().contains("hint:"));
    let huge = SensitivityL1::parse("1e38").unwrap();
    let delta = Delta::parse("1e-6").unwrap();
    assert!(ProposeTestRelease::new(&huge, &epsilon("1"), &epsilon("1e-6"), &delta).is_err());
}
