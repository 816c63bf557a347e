//! The coin against its loss, the estimator against enumeration, and a survey.

use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, max_log_ratio, renyi_divergence, seeded};

use super::*;
use crate::golden_numbers::{assert_encloses, assert_near, assert_upper};

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn with_gamma(text: &str) -> RandomizedResponse {
    RandomizedResponse::with_gamma(rational(text)).unwrap()
}

fn for_epsilon(text: &str) -> RandomizedResponse {
    RandomizedResponse::for_epsilon(&Epsilon::parse(text).unwrap())
}

/// The probabilities of a yes and a no.
fn law(response: &RandomizedResponse, answer: bool) -> [f64; 2] {
    let lie = response.lie_probability(512);
    let lie = lie.upper().to_f64_upper();
    if answer { [1.0 - lie, lie] } else { [lie, 1.0 - lie] }
}

#[test]
fn gamma_costs_its_golden_epsilon() {
    let cases = [
        ("0.25", "1.09861228866810969139524523692", "0.75"),
        ("0.1", "0.405465108108164381978013115464", "0.6"),
        ("0.4", "2.19722457733621938279049047385", "0.9"),
        ("0.001", "0.00400000533334613336990487568291", "0.501"),
        ("0.499", "6.9067547786485535185538313818", "0.999"),
        ("2.5e-7", "0.00000100000000000008333333333334583", "0.50000025"),
    ];
    for (gamma, epsilon, truth) in cases {
        let response = with_gamma(gamma);
        let claimed = response.loss().pure_epsilon().unwrap();
        assert_near(claimed.value(), epsilon, "1e-12", gamma);
        let ratio = rational(truth) / (Rational::one() - rational(truth));
        assert!(Enclosure::of(claimed.value(), 300).exp().lower() >= ratio, "ε is rounded up at γ = {gamma}");
        assert_near(&(Rational::one() - response.lie_probability(400).lower()), truth, "1e-30", gamma);
    }
    let ln_three = RandomizedResponse::coin().loss();
    assert_upper(
        ln_three.pure_epsilon().unwrap().value(),
        "1.09861228866810969139524523692",
        "1e-20",
        "two coins",
    );
}

#[test]
fn epsilon_gives_its_golden_gamma() {
    let cases = [
        ("1", "0.231058578630004879251159241822", "0.268941421369995120748840758178"),
        ("0.1", "0.0249791874789399860991931826041", "0.475020812521060013900806817396"),
        ("1e-6", "0.00000024999999999997916666666666875", "0.499999750000000000020833333333"),
        ("50", "0.499999999999999999999807125015", "1.92874984796391778301697080893e-22"),
    ];
    for (epsilon, gamma, lie) in cases {
        let response = for_epsilon(epsilon);
        assert_encloses(&response.gamma(256), gamma, "1e-12", epsilon);
        assert_encloses(&response.lie_probability(256), lie, "1e-12", epsilon);
        assert_eq!(response.loss().pure_epsilon().unwrap(), Epsilon::parse(epsilon).unwrap());
    }
}

#[test]
fn estimates_match_golden_values_exactly() {
    let cases = [
        ("0.25", 100, 60, ["70", "0.7", "75", "0.0075"]),
        ("0.1", 1000, 480, ["400", "0.4", "6000", "0.006"]),
        ("0.4", 10, 9, ["10", "1", "1.40625", "0.0140625"]),
        ("0.001", 1_000_000, 500_100, ["550000", "0.55", "62499750000", "0.06249975"]),
    ];
    for (gamma, n, reported, expected) in cases {
        let [count, fraction, variance_count, variance_fraction] = expected.map(rational);
        let golden = SurveyEstimate { count, fraction, variance_count, variance_fraction };
        assert_eq!(with_gamma(gamma).estimate(reported, n).unwrap(), golden);
    }
    // The same response by ε = ln 3, nearly, estimates nearly the same.
    let near = for_epsilon("1.0986122886681098").estimate(60, 100).unwrap();
    assert_near(&near.count, "70", "1e-15", "ln 3");
    assert_near(&near.variance_count, "75", "1e-15", "ln 3");
    assert_near(
        &for_epsilon("50").variance_count(1),
        "1.92874984796391778301771482394e-22",
        "1e-12",
        "ε = 50",
    );
}

/// Specification: mean and variance of the estimate are as stated, for every true count of five people, by
/// enumeration of all reports.
#[test]
fn the_estimate_is_unbiased_with_the_stated_variance() {
    let (n, gamma) = (5u32, rational("1/7"));
    let response = RandomizedResponse::with_gamma(gamma.clone()).unwrap();
    for ones in 0..=n {
        let (mut mean, mut second) = (Rational::zero(), Rational::zero());
        for reports in 0u32..1 << n {
            let probability = (0..n).fold(Rational::one(), |product, person| {
                let truthful = (reports >> person & 1 == 1) == (person < ones);
                let sign = if truthful { gamma.clone() } else { -gamma.clone() };
                product * (Rational::ratio(1, 2) + sign)
            });
            let count = response.estimate(reports.count_ones().into(), n.into()).unwrap().count;
            mean = &mean + &(&probability * &count);
            second = &second + &(&probability * &count.squared());
        }
        assert_eq!(mean, Rational::from(ones));
        assert_eq!(second - mean.squared(), response.variance_count(n.into()));
    }
}

/// Specification: both claims hold for the exact probabilities of the reports, and both are tight.
#[test]
fn the_exact_report_probabilities_keep_the_loss() {
    for response in [RandomizedResponse::coin(), with_gamma("0.01"), for_epsilon("1"), for_epsilon("5")] {
        let (yes, no) = (law(&response, true), law(&response, false));
        let loss = response.loss();
        let epsilon = loss.pure_epsilon().unwrap().to_f64_upper();
        let spent = max_log_ratio(&yes, &no);
        assert!(spent <= epsilon * (1.0 + 1e-9) && spent >= epsilon * (1.0 - 1e-9));
        let rho = loss.rho().unwrap().to_f64_upper();
        for order in [1.001, 2.0, 8.0, 100.0] {
            assert!(renyi_divergence(&yes, &no, order) <= order * rho * (1.0 + 1e-9));
        }
        assert!(renyi_divergence(&yes, &no, 1.0) >= rho * (1.0 - 1e-9));
    }
    // 2γ·ε = ln 3 / 2.
    let rho = RandomizedResponse::coin().loss().rho().unwrap();
    assert_upper(rho.value(), "0.549306144334054845697622618461", "1e-20", "two coins");
}

/// Planted leak: a γ computed as ε/2 instead of tanh(ε/2)/2, which first-order thinking suggests, costs more
/// than ε.
#[test]
fn a_miscomputed_gamma_is_caught() {
    for (epsilon, gamma) in [("0.5", "0.25"), ("0.9", "0.45")] {
        let honest = for_epsilon(epsilon);
        let planted = with_gamma(gamma);
        let spent =
            |response: &RandomizedResponse| max_log_ratio(&law(response, true), &law(response, false));
        let claimed = rational(epsilon).to_f64_upper();
        assert!(spent(&honest) <= claimed * (1.0 + 1e-9));
        assert!(spent(&planted) > claimed * 1.01);
        assert!(planted.loss().pure_epsilon().unwrap() > honest.loss().pure_epsilon().unwrap());
    }
}

/// Specification: no event tells a yes from a no better than ε allows; a response that lies half as often is
/// caught.
/// False alarm: 1e-9 a check.
#[test]
fn reports_of_neighbours_cannot_be_told_apart() {
    let mut bits = seeded(1);
    for response in [RandomizedResponse::coin(), for_epsilon("1")] {
        let claim = Distinguisher::new(response.loss().pure_epsilon().unwrap().to_f64_upper(), 0.0);
        let mut draws =
            |response: &RandomizedResponse, answer| response.release_all(&[answer; 20_000], &mut bits);
        claim.assert_private(&draws(&response, true), &draws(&response, false), "randomized response");
        let planted = with_gamma("3/8");
        claim.assert_leaks(&draws(&planted, true), &draws(&planted, false), "half the lies");
    }
}

/// Specification: a survey of 10,000 people, 30 % of whom would say yes, finds them within the stated
/// interval, for the two coins and for ε = 1. False alarm: 1e-9 each (Hoeffding).
#[test]
fn a_survey_recovers_the_share_within_its_interval() {
    let mut bits = seeded(2);
    let (n, ones) = (10_000u64, 3_000);
    let answers: Vec<bool> = (0..n).map(|person| person < ones).collect();
    let beta = FailureProbability::parse("1e-9").unwrap();
    for response in [RandomizedResponse::coin(), for_epsilon("1")] {
        let reports = response.release_all(&answers, &mut bits);
        let reported = reports.iter().filter(|yes| **yes).count() as u64;
        let estimate = response.estimate(reported, n).unwrap();
        let error = (&estimate.count - &Rational::from(ones)).abs();
        let bound = response.error_bound(n, &beta);
        assert!(error <= bound, "{} of {}", error.to_f64_upper(), bound.to_f64_upper());
        assert!(bound < Rational::from(n * 15 / 100), "the interval says something");
    }
    // √(10000·ln(40)/2)/(1/2) = 271.6…
    let bound = RandomizedResponse::coin().error_bound(n, &FailureProbability::parse("0.05").unwrap());
    assert_upper(&bound, "271.620303148123899", "1e-15", "two coins");
}

#[test]
fn invalid_parameters_are_refused_with_a_hint() {
    for gamma in ["0", "-0.1", "0.5", "0.6", "1e-30"] {
        let error = RandomizedResponse::with_gamma(rational(gamma)).unwrap_err();
        assert!(error.explanation().text().contains("hint: "), "{gamma}");
    }
    let response = RandomizedResponse::coin();
    assert!(response.estimate(0, 0).is_err());
    assert!(response.estimate(11, 10).unwrap_err().explanation().text().contains("hint: "));
}

#[test]
fn extreme_losses_still_estimate() {
    let beta = FailureProbability::parse("0.05").unwrap();
    for epsilon in ["1/18446744073709551616", "1e6"] {
        let response = for_epsilon(epsilon);
        assert!(response.estimate(5, 10).is_ok());
        assert!(response.error_bound(10, &beta).is_positive());
    }
    assert!(with_gamma("0.49999999999999999999999999999999").loss().pure_epsilon().is_some());
}
