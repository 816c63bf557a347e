//! The law of the reports against the loss, the estimator against enumeration and golden variances.

use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, assert_distribution, max_log_ratio, renyi_divergence, seeded};

use super::*;
use crate::golden_numbers::{assert_encloses, assert_near};

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn response(epsilon: &str, categories: u64) -> KaryRandomizedResponse {
    KaryRandomizedResponse::new(&Epsilon::parse(epsilon).unwrap(), categories).unwrap()
}

fn law(response: &KaryRandomizedResponse, answer: u64) -> Vec<f64> {
    let [p, q] =
        [response.truth_probability(256), response.lie_probability(256)].map(|x| x.upper().to_f64_upper());
    (0..response.categories()).map(|category| if category == answer { p } else { q }).collect()
}

#[test]
fn probabilities_and_variances_match_golden_values() {
    let cases = [
        (
            "1",
            4,
            1000,
            "0.47536688641867169109765348261",
            "0.174877704527109436300782172463",
            "1598.06736888472410806623655793",
            "1947.253393006319962697237761",
        ),
        (
            "0.1",
            10,
            100,
            "0.109366870390957031097446899349",
            "0.0989592366232269965447281222946",
            "82318.3719293042145626497528092",
            "84600.3715960502264724208113637",
        ),
        (
            "5",
            2,
            50,
            "0.993307149075715144440638019619",
            "0.00669285092428485555936198038133",
            "0.341483644009602828119506988762",
            "0.341483644009602828119506988762",
        ),
        (
            "1e-6",
            100,
            10_000,
            "0.0100000099000048510015519903562",
            "0.00999999989999995099998432332974",
            "989999020000407499.918333337458",
            "989999314000260499.942833337458",
        ),
        (
            "50",
            3,
            10,
            "0.99999999999999999999961425003",
            "1.92874984796391778301659880133e-22",
            "1.92874984796391778301845883932e-21",
            "2.50737480235309311792377328656e-21",
        ),
        (
            "2",
            1024,
            100_000,
            "0.007171132161385461628621140377",
            "0.000970507202188284006228131827588",
            "2521773.89019756056257647356385",
            "7320604.8169023094473188254793",
        ),
    ];
    for (epsilon, categories, n, p, q, variance_at_0, variance_at_03) in cases {
        let response = response(epsilon, categories);
        assert_encloses(&response.truth_probability(256), p, "1e-11", epsilon);
        assert_encloses(&response.lie_probability(256), q, "1e-11", epsilon);
        let variance = |frequency: &str| response.variance_count(n, &rational(frequency)).unwrap();
        assert_near(&variance("0"), variance_at_0, "1e-11", epsilon);
        assert_near(&variance("0.3"), variance_at_03, "1e-11", epsilon);
        assert_eq!(response.loss().pure_epsilon().unwrap(), Epsilon::parse(epsilon).unwrap());
    }
}

/// Specification: the exact probabilities of reports on all pairs of answers keep ε and ρ, and reach ε.
#[test]
fn the_exact_report_probabilities_keep_the_loss() {
    for (epsilon, categories) in [("1", 2), ("1", 4), ("0.1", 10), ("3", 5)] {
        let response = response(epsilon, categories);
        let epsilon = response.loss().pure_epsilon().unwrap().to_f64_upper();
        let rho = response.loss().rho().unwrap().to_f64_upper();
        for left in 0..categories {
            for right in (0..categories).filter(|right| *right != left) {
                let (p, q) = (law(&response, left), law(&response, right));
                let spent = max_log_ratio(&p, &q);
                assert!((spent - epsilon).abs() <= epsilon * 1e-9, "{spent}");
                for order in [1.01, 2.0, 5.0, 30.0] {
                    assert!(renyi_divergence(&p, &q, order) <= order * rho * (1.0 + 1e-9));
                }
            }
        }
    }
}

/// Specification: reports have exactly the stated law, whatever the answer. False alarm: 1e-9 a case (χ²).
#[test]
fn reports_have_the_stated_law() {
    let mut bits = seeded(3);
    for (epsilon, categories) in [("1", 2), ("1", 4), ("0.2", 7)] {
        let response = response(epsilon, categories);
        for answer in [0, categories / 2, categories - 1] {
            let draws: Vec<i64> =
                (0..50_000).map(|_| response.release(answer, &mut bits).unwrap() as i64).collect();
            let law = law(&response, answer);
            assert_distribution(
                draws,
                |category| law[category as usize],
                0..=categories as i64 - 1,
                "k-ary response",
            );
        }
    }
}

/// Planted leak: lying uniformly over all k categories, the truth included, keeps the truth too often.
/// False alarm: 1e-9 a check.
#[test]
fn reports_of_neighbours_cannot_be_told_apart() {
    let mut bits = seeded(4);
    let response = response("1", 4);
    let claim = Distinguisher::new(1.0, 0.0);
    let mut honest =
        |answer| -> Vec<u64> { (0..40_000).map(|_| response.release(answer, &mut bits).unwrap()).collect() };
    claim.assert_private(&honest(0), &honest(3), "k-ary response");
    let mut bits = seeded(5);
    let mut planted = |answer| -> Vec<u64> {
        let mut one = || {
            if response.coin.sample(&mut bits) { answer } else { uniform_u64_below(4, &mut bits) }
        };
        (0..40_000).map(|_| one()).collect()
    };
    claim.assert_leaks(&planted(0), &planted(3), "a lie that may be the truth");
}

/// Specification: the estimates add up to the number of people, are unbiased, and all lie within the stated
/// bound.
/// False alarm: 1e-9 (Hoeffding and a union bound).
#[test]
fn estimates_recover_a_histogram_within_the_bound() {
    let mut bits = seeded(6);
    let response = response("2", 5);
    let truth = [12_000u64, 5_000, 2_000, 1_000, 0];
    let mut reported = [0u64; 5];
    for (category, people) in truth.iter().enumerate() {
        for _ in 0..*people {
            reported[response.release(category as u64, &mut bits).unwrap() as usize] += 1;
        }
    }
    let n: u64 = truth.iter().sum();
    let bound = response.error_bound(n, &FailureProbability::parse("1e-9").unwrap());
    let estimates = response.estimate(&reported).unwrap();
    for (estimate, people) in estimates.iter().zip(truth) {
        assert!((estimate - &Rational::from(people)).abs() <= bound);
    }
    assert!(bound < Rational::from(1200), "{}", bound.to_f64_upper());
    let sum = estimates.iter().fold(Rational::zero(), |sum, estimate| &sum + estimate);
    assert_near(&sum, &n.to_string(), "1e-30", "the sum of the estimates");
    // Expected reports are estimated as the truth: n·q + people·(p − q) reports of each category.
    let (p, q) = (response.truth_probability(200).upper(), response.lie_probability(200).upper());
    let expected = |people: u64| &Rational::from(n) * &q + Rational::from(people) * (&p - &q);
    let near = (expected(5_000) - Rational::from(n) * response.lie_near()) / response.gap_near();
    assert_near(&near, "5000", "1e-30", "unbiased");
}

#[test]
fn invalid_parameters_are_refused_with_a_hint_and_without_the_answer() {
    let epsilon = Epsilon::parse("1").unwrap();
    for categories in [0, 1] {
        let error = KaryRandomizedResponse::new(&epsilon, categories).unwrap_err();
        assert!(error.explanation().text().contains("hint: "));
    }
    let response = response("1", 3);
    let message = response.release(777, &mut seeded(1)).unwrap_err().explanation().text();
    assert!(message.contains("hint: ") && !message.contains("777"));
    assert!(response.estimate(&[1, 2]).is_err());
    assert!(response.variance_count(1, &rational("1.1")).is_err());
    assert!(response.variance_count(1, &rational("-0.1")).is_err());
}

#[test]
fn extreme_parameters_still_estimate() {
    let beta = FailureProbability::parse("0.05").unwrap();
    for (epsilon, categories) in [("1/18446744073709551616", u64::MAX), ("1e6", 2), ("1e6", u64::MAX)] {
        let response = response(epsilon, categories);
        assert!(response.error_bound(10, &beta).is_positive());
        assert!(response.release(1, &mut seeded(7)).is_ok());
    }
}
