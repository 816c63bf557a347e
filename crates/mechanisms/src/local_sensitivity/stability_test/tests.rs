use pointillist_errors::Explained as _;
use pointillist_testkit::{hoeffding_radius, seeded};

use super::*;
use crate::number::discrete_laplace_tail::tests::tail;

fn test(epsilon: &str, delta: &str) -> StabilityTest {
    StabilityTest::new(&Epsilon::parse(epsilon).unwrap(), &Delta::parse(delta).unwrap()).unwrap()
}

/// The exact probability of passing at distance zero: at most δ, and above δ with any smaller threshold.
#[test]
fn the_threshold_is_the_smallest_that_stops_unstable_data() {
    for (epsilon, delta) in
        [("1", "1e-3"), ("0.5", "1e-6"), ("1", "1e-5"), ("0.8", "1e-6"), ("0.01", "1e-9"), ("3", "0.2")]
    {
        let (tested, scale) = (test(epsilon, delta), 1.0 / Epsilon::parse(epsilon).unwrap().to_f64_upper());
        let delta = Delta::parse(delta).unwrap().to_f64_upper();
        let passing = |threshold: i128| tail(scale, threshold as i64 + 1);
        assert!(passing(tested.threshold()) <= delta * (1.0 + 1e-9), "ε = {epsilon}");
        // A planted leak: the threshold floored or otherwise one too small.
        assert!(
            tested.threshold() == 0 || passing(tested.threshold() - 1) > delta,
            "ε = {epsilon} wastes distance"
        );
        // Never worse than the continuous formulas.
        assert!((tested.threshold() as f64) <= (1.0 / delta).ln() * scale);
    }
    assert_eq!(test("50", "1e-15").threshold(), 0, "noise of scale 1/50 is nearly always zero");
}

/// Specification: data at distance g pass with probability P[X > τ − g]. False alarm: 1e-9 a distance
/// (Hoeffding).
#[test]
fn data_pass_as_often_as_the_noise_says() {
    let tested = test("0.7", "0.01");
    let (mut bits, n) = (seeded(1), 20_000u64);
    for distance in [0u64, 3, 6, 12] {
        let passed = (0..n).filter(|_| tested.passes(distance, &mut bits)).count();
        let expected = tail(1.0 / 0.7, tested.threshold() as i64 + 1 - distance as i64);
        assert!(
            (passed as f64 / n as f64 - expected).abs() <= hoeffding_radius(n, 1e-9),
            "distance {distance}"
        );
    }
    assert!((0..100).all(|_| tested.passes(u64::MAX, &mut bits)));
}

#[test]
fn stable_data_fail_no_more_often_than_stated() {
    let tested = test("0.5", "1e-6");
    for beta in ["0.1", "0.01", "1e-4"] {
        let beta = FailureProbability::parse(beta).unwrap();
        let needed = tested.distance_needed(&beta) as i64;
        let failing = |distance: i64| 1.0 - tail(2.0, tested.threshold() as i64 + 1 - distance);
        assert!(failing(needed) <= beta.to_f64_upper() * (1.0 + 1e-9));
        assert!(failing(needed - 1) > beta.to_f64_upper());
    }
}

#[test]
fn a_test_without_delta_is_refused_with_a_hint() {
    let error =
        StabilityTest::new(&Epsilon::parse("1").unwrap(), &Delta::zero()).unwrap_err().explanation().text();
    assert!(error.contains("hint:"), "{error}");
}
