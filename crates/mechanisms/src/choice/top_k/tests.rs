use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, assert_distribution, max_log_ratio, renyi_divergence, seeded};

use super::*;

fn sensitivity() -> SensitivityLInf {
    SensitivityLInf::parse("1").unwrap()
}

fn mechanism(k: usize, movement: Movement, epsilon: &str) -> TopK {
    TopK::new(k, &sensitivity(), movement, &Epsilon::parse(epsilon).unwrap()).unwrap()
}

/// The law of the two choices among four candidates, as one number 4·first + second: a product of two
/// softmaxes.
fn law(mechanism: &TopK, scores: &[i64]) -> Vec<f64> {
    let exponents = Scores::from_integers(scores).unwrap().exponents(&mechanism.rate);
    let weights: Vec<f64> = exponents.iter().map(|gamma| (-gamma.to_f64_upper()).exp()).collect();
    let total: f64 = weights.iter().sum();
    let pair = |first: usize, second: usize| match first == second {
        true => 0.0,
        false => weights[first] / total * weights[second] / (total - weights[first]),
    };
    (0..16).map(|code| pair(code / 4, code % 4)).collect()
}

fn draws(mechanism: &TopK, scores: &[i64], count: usize, seed: u64) -> Vec<i64> {
    let scores = Scores::from_integers(scores).unwrap();
    let mut bits = seeded(seed);
    let code = |choice: Vec<usize>| 4 * choice[0] as i64 + choice[1] as i64;
    (0..count).map(|_| code(mechanism.release(&scores, &mut bits).unwrap())).collect()
}

/// False alarm: about 1e-9 a case (χ², 50,000 draws). Power: with the order of the two choices swapped they
/// do not fit.
#[test]
fn draws_follow_the_law() {
    for (seed, scores) in [[0, 1, 2, 3], [5, 5, 5, 5], [-2000, 0, 1, 1]].into_iter().enumerate() {
        let mechanism = mechanism(2, Movement::General, "2");
        let law = law(&mechanism, &scores);
        assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let draws = draws(&mechanism, &scores, 50_000, seed as u64);
        assert_distribution(draws, |k| law[k as usize], 0..=15, "top 2 of 4");
    }
}

#[test]
#[should_panic(expected = "do not fit")]
fn choices_in_the_wrong_order_are_caught() {
    let mechanism = mechanism(2, Movement::General, "2");
    let law = law(&mechanism, &[0, 1, 2, 3]);
    let draws = draws(&mechanism, &[0, 1, 2, 3], 50_000, 7).into_iter().map(|code| code % 4 * 4 + code / 4);
    assert_distribution(draws, |k| law[k as usize], 0..=15, "planted");
}

/// Specification: on all pairs of scores in {0, 1}⁴ that differ by at most one each, the exact law of both
/// choices stays within the pure loss and the divergences of orders 2 and 8 within ρ. Planted leak: each
/// round at the full ε does not.
#[test]
fn both_losses_hold_for_the_exact_law() {
    let all: Vec<[i64; 4]> =
        (0..16).map(|code| [code >> 3, code >> 2, code >> 1, code].map(|x| x & 1)).collect();
    let worst = |mechanism: &TopK, monotone: bool| {
        let (mut ratio, mut rho) = (0f64, 0f64);
        for x in &all {
            for y in all.iter().filter(|y| !monotone || x.iter().zip(*y).all(|(a, b)| a <= b)) {
                let (p, q) = (law(mechanism, x), law(mechanism, y));
                ratio = ratio.max(max_log_ratio(&p, &q));
                for order in [2.0, 8.0] {
                    rho = rho
                        .max(renyi_divergence(&p, &q, order) / order)
                        .max(renyi_divergence(&q, &p, order) / order);
                }
            }
        }
        (ratio, rho)
    };
    for movement in [Movement::General, Movement::Monotone] {
        let monotone = movement == Movement::Monotone;
        let honest = mechanism(2, movement, "1");
        let loss = honest.loss();
        let (ratio, rho) = worst(&honest, monotone);
        assert!(ratio <= loss.pure_epsilon().unwrap().to_f64_upper() * (1.0 + 1e-9), "{ratio}");
        assert!(rho <= loss.rho().unwrap().to_f64_upper() * (1.0 + 1e-9), "{rho}");
        let greedy = mechanism(2, movement, "2");
        let (ratio, rho) = worst(&greedy, monotone);
        assert!(
            ratio > loss.pure_epsilon().unwrap().to_f64_upper() || rho > loss.rho().unwrap().to_f64_upper()
        );
    }
}

/// False alarm: 1e-9 (split samples, Clopper-Pearson). Power: four times the ε is caught.
#[test]
fn samples_on_neighbours_stay_within_epsilon() {
    let claim = Distinguisher::new(1.0, 0.0);
    let (left, right) = ([1, 1, 0, 0], [0, 0, 1, 1]);
    let sample = |epsilon: &str, scores: &[i64], seed| {
        draws(&mechanism(2, Movement::General, epsilon), scores, 20_000, seed)
    };
    claim.assert_private(&sample("1", &left, 10), &sample("1", &right, 11), "top 2 of 4");
    claim.assert_leaks(&sample("4", &left, 12), &sample("4", &right, 13), "four times ε");
}

#[test]
fn losses_add_up_and_never_pass_the_budget() {
    let loss = mechanism(5, Movement::General, "1").loss();
    assert_eq!(loss.pure_epsilon().unwrap().to_string(), "1");
    assert_eq!(loss.rho().unwrap().to_string(), "0.025");
    for (k, budget) in [(1, "0.5"), (3, "0.1"), (10, "2"), (1000, "1/18446744073709551616"), (7, "1/3")] {
        let rho = Rho::parse(budget).unwrap();
        let mechanism = TopK::from_rho(k, &sensitivity(), Movement::General, &rho).unwrap();
        let spent = mechanism.loss().rho().unwrap();
        assert!(spent <= rho, "{k} {budget}");
        let exact = mechanism.epsilon_each().value().squared() * Rational::from(k) * Rational::ratio(1, 8);
        assert!(exact <= *rho.value() && exact <= *spent.value());
        assert!(exact >= rho.value() * &Rational::parse("0.999999999").unwrap(), "{k} {budget}");
    }
}

/// Specification: the probability that one of two choices falls to its rank's bound is at most β; exact.
#[test]
fn the_error_bound_holds_for_the_exact_law() {
    let scores = [0, 4, 9, 20];
    let mechanism = mechanism(2, Movement::Monotone, "1");
    let law = law(&mechanism, &scores);
    for beta in ["0.5", "0.1", "0.01"] {
        let bound = mechanism.error_bound(4, &FailureProbability::parse(beta).unwrap());
        let falls = |choice: usize, rank_score: i64| {
            Rational::from(scores[choice]) <= Rational::from(rank_score) - bound.clone()
        };
        let failing = (0..16).filter(|code| falls(code / 4, 20) || falls(code % 4, 9));
        assert!(failing.map(|code| law[code]).sum::<f64>() <= beta.parse::<f64>().unwrap());
    }
}

/// Specification: exponents are measured from the best candidate left, so a winner far ahead of all others does not
/// keep the next round waiting for a coin of bias exp(−500,000).
#[test]
fn a_winner_far_ahead_does_not_stall_the_next_round() {
    let scores = Scores::from_integers(&[0, 2_000_000, 1]).unwrap();
    let mechanism = mechanism(3, Movement::General, "3");
    let mut bits = seeded(3);
    assert_eq!(mechanism.release(&scores, &mut bits).unwrap()[0], 1);
}

#[test]
fn impossible_requests_are_refused() {
    let scores = Scores::from_integers(&[1, 2]).unwrap();
    let mut bits = seeded(0);
    let error = mechanism(3, Movement::General, "1").release(&scores, &mut bits).unwrap_err();
    assert_eq!(error, MechanismError::TooMany { asked: 3, available: 2 });
    let none = TopK::new(0, &sensitivity(), Movement::General, &Epsilon::parse("1").unwrap()).unwrap_err();
    assert!(none.explanation().text().contains("hint: ask for at least 1"));
    let mut all = mechanism(2, Movement::General, "1").release(&scores, &mut bits).unwrap();
    all.sort_unstable();
    assert_eq!(all, [0, 1]);
}
