//! The curve, the calibrations and the quantiles against numbers computed to 30 digits.

use super::*;
use crate::golden_numbers::{assert_encloses, assert_near, assert_upper, decimal};
use pointillist_errors::Explained as _;

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

/// ε, δ, Δ₂; the classical σ and whether its proof covers this ε; the smallest σ; the δ of the classical σ.
const CALIBRATIONS: [(&str, &str, &str, &str, bool, &str, &str); 13] = [
    (
        "1",
        "1e-5",
        "1",
        "4.84480526260538942125864215759",
        true,
        "3.73063163481594183224982257504",
        "4.113691953818491e-8",
    ),
    (
        "0.1",
        "1e-6",
        "1",
        "52.9880252685047395131263490446",
        true,
        "36.304690426195784938628643578",
        "2.048844324577809e-10",
    ),
    (
        "0.5",
        "1e-9",
        "2",
        "25.8898648205111312277110940649",
        true,
        "21.347793630160052258122986454",
        "7.066178700970170e-13",
    ),
    (
        "5",
        "1e-5",
        "1",
        "0.968961052521077884251728431517",
        false,
        "0.891868264951518032494864276155",
        "1.349003718602777e-6",
    ),
    (
        "10",
        "1e-8",
        "0.5",
        "0.30531806608245912335359746877",
        false,
        "0.307923177880060896914245632903",
        "1.403094689931080e-8",
    ),
    (
        "50",
        "1e-6",
        "1",
        "0.105976050537009479026252698089",
        false,
        "0.156592870391761949479279188124",
        "0.2473819104569010",
    ),
    (
        "1e-6",
        "1e-6",
        "1",
        "5298802.52685047395131263490446",
        true,
        "276029.903999201495605591187914",
        "1.949003727460601e-15",
    ),
    (
        "1e-6",
        "1e-15",
        "1",
        "8338095.69940581756765632235777",
        true,
        "5412218.04094956925159075931878",
        "5.283526895740628e-25",
    ),
    (
        "0.01",
        "1e-15",
        "3",
        "2501.42870982174527029689670733",
        true,
        "2043.66565065432719737413306064",
        "5.310007099835939e-21",
    ),
    (
        "50",
        "1e-15",
        "10",
        "1.66761913988116351353126447155",
        false,
        "2.05142711019056688348847455638",
        "2.405869097154237e-8",
    ),
    (
        "1",
        "0.1",
        "1",
        "2.24754472449749281503531806671",
        true,
        "1.08587776519185649839442108321",
        "0.003066319029762742",
    ),
    (
        "0.001",
        "0.01",
        "1",
        "3107.51146009223950659156183334",
        true,
        "38.0390054844692365582569825902",
        "8.373339892939163e-8",
    ),
    (
        "2",
        "1e-12",
        "1000",
        "3731.90063287078679178948013272",
        false,
        "3362.67250951483285386179614576",
        "3.931909947875441e-15",
    ),
];

#[test]
fn the_smallest_sigma_is_never_below_the_exact_one_nor_a_millionth_above() {
    for (epsilon, delta, sensitivity, _, _, exact, _) in CALIBRATIONS {
        let (e, d, s) = parameters(epsilon, delta, sensitivity);
        let sigma = sigma_analytic(&e, &d, &s).unwrap();
        let context = format!("ε = {epsilon}, δ = {delta}");
        assert_upper(&sigma, exact, "1e-6", &context);
        assert_upper(&sigma, exact, "1e-11", &context);
        assert!(delta_of(&sigma, e.value(), &s).unwrap().upper() <= *d.value(), "{context}");
    }
}

#[test]
fn the_classical_sigma_is_the_formula_and_ends_where_its_proof_ends() {
    for (epsilon, delta, sensitivity, classical, valid, _, delta_of_classical) in CALIBRATIONS {
        let (e, d, s) = parameters(epsilon, delta, sensitivity);
        let sigma = classical_formula(&e, &d, &s);
        assert_upper(&sigma, classical, "1e-12", epsilon);
        let curve = delta_of(&sigma, e.value(), &s).unwrap();
        assert_encloses(&curve, delta_of_classical, "1e-4", epsilon);
        match sigma_classical(&e, &d, &s) {
            Ok(same) => assert!(valid && same == sigma && curve.upper() <= *d.value()),
            Err(error) => {
                assert!(!valid && error.explanation().text().contains("use the analytic calibration"))
            }
        }
    }
}

/// Planted leak: beyond ε = 1 the classical formula can be too little noise; the exact curve sees it.
#[test]
fn the_classical_formula_breaks_its_promise_at_large_epsilon() {
    for (epsilon, delta, sensitivity) in [("10", "1e-8", "0.5"), ("50", "1e-6", "1"), ("50", "1e-15", "10")] {
        let (e, d, s) = parameters(epsilon, delta, sensitivity);
        let broken = classical_formula(&e, &d, &s);
        assert!(delta_of(&broken, e.value(), &s).unwrap().lower() > *d.value(), "ε = {epsilon}");
        assert!(broken < sigma_analytic(&e, &d, &s).unwrap());
    }
}

#[test]
fn the_delta_of_a_sigma_matches_thirty_digits() {
    let cases = [
        ("1", "1", "1", "0.126936737506643945800829624758"),
        ("0.1", "10", "1", "0.00875176814580959397888443364028"),
        ("50", "0.1", "1", "0.460493305898613997055481761506"),
        ("1e-6", "1000", "1", "0.000398442662471268206058364339026"),
        ("3", "2", "1.5", "0.0000225288996264958970504462336795"),
        ("0", "5", "1", "0.0796556745540579629308092364784"),
        ("10", "0.25", "1", "0.233698807862186166412029188863"),
    ];
    for (epsilon, sigma, sensitivity, delta) in cases {
        let sensitivity = SensitivityL2::parse(sensitivity).unwrap();
        let curve = delta_of(&rational(sigma), &rational(epsilon), &sensitivity).unwrap();
        assert_encloses(&curve, delta, "1e-25", epsilon);
        assert!(curve.upper() - curve.lower() < Rational::power_of_two(-140), "ε = {epsilon}");
    }
}

/// Specification: both forms of the second term agree on either side of ε = 16, and the convergents enclose
/// the ratio.
#[test]
fn the_continued_fraction_agrees_with_the_exponential() {
    for x in ["5.66", "8", "30"] {
        let x = Enclosure::of(&rational(x), 1600);
        let ratio = x.normal_tail().checked_div(&density(&x)).unwrap();
        let fraction = mills_ratio(&x.at_precision(300));
        assert!(fraction.lower() <= ratio.upper() && ratio.lower() <= fraction.upper());
        assert!(fraction.upper() - fraction.lower() < Rational::power_of_two(-140));
    }
    let s = SensitivityL2::parse("1").unwrap();
    let below = delta_of(&rational("0.3"), &rational("16"), &s).unwrap();
    let above = delta_of(&rational("0.3"), &rational("16.000000000000000001"), &s).unwrap();
    assert!(above.lower() < below.upper() && below.lower() - above.upper() < decimal("1e-15"));
}

#[test]
fn extreme_parameters_are_calibrated() {
    let extremes = [
        ("1e-19", "1e-60", "1"),
        ("1e-19", "0.999999", "1"),
        ("1000000", "1e-60", "1e30"),
        ("1000000", "0.99999999999999999999", "1e-9"),
        ("16.5", "1e-9", "1"),
        ("1", "1e-9", "1"),
    ];
    for (epsilon, delta, sensitivity) in extremes {
        let (e, d, s) = parameters(epsilon, delta, sensitivity);
        let sigma = sigma_analytic(&e, &d, &s).unwrap();
        assert!(delta_of(&sigma, e.value(), &s).unwrap().upper() <= *d.value(), "ε = {epsilon}, δ = {delta}");
        let less = &sigma * &(Rational::one() - Rational::power_of_two(-30));
        assert!(delta_of(&less, e.value(), &s).unwrap().upper() > *d.value(), "ε = {epsilon}, δ = {delta}");
    }
}

#[test]
fn irrational_sensitivities_round_up() {
    let (e, d, _) = parameters("1", "1e-6", "1");
    let root_two = SensitivityL2::from_squared(Rational::from(2)).unwrap();
    let sigma = sigma_analytic(&e, &d, &root_two).unwrap();
    assert!(delta_of(&sigma, e.value(), &root_two).unwrap().upper() <= *d.value());
    let rho = Rho::parse("0.1").unwrap();
    let sigma = sigma_for_rho(&rho, &root_two);
    assert!(sigma.squared() >= Rational::from(10));
    assert_near(&sigma, "3.16227766016837933199889354443", "1e-18", "√10");
    assert_eq!(
        sigma_for_rho(&Rho::parse("0.5").unwrap(), &SensitivityL2::parse("3").unwrap()),
        Rational::from(3)
    );
}

#[test]
fn a_delta_of_zero_is_refused_with_a_hint() {
    let (e, _, s) = parameters("0.5", "1e-6", "1");
    for result in [sigma_analytic(&e, &Delta::zero(), &s), sigma_classical(&e, &Delta::zero(), &s)] {
        assert!(result.unwrap_err().explanation().text().contains("hint: give a small positive δ"));
    }
    assert!(delta_of(&Rational::zero(), e.value(), &s).is_err());
    assert!(delta_of(&Rational::one(), &rational("-1"), &s).is_err());
}
