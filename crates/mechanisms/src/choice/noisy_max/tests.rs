use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, assert_distribution, max_log_ratio, seeded};

use super::*;

fn mechanism(sensitivity: &str, movement: Movement, epsilon: &str) -> NoisyMax {
    let (sensitivity, epsilon) =
        (SensitivityLInf::parse(sensitivity).unwrap(), Epsilon::parse(epsilon).unwrap());
    NoisyMax::new(&sensitivity, movement, &epsilon).unwrap()
}

/// P[X ≥ r] for discrete Laplace noise.
fn tail(scale: f64, r: i64) -> f64 {
    let a = (-1.0 / scale).exp();
    if r >= 1 {
        (-r as f64 / scale).exp() / (1.0 + a)
    } else {
        1.0 - ((r - 1) as f64 / scale).exp() / (1.0 + a)
    }
}

/// The exact law by adding up, over every value v of the winner, the probability that all others stay
/// below; those at `before` in the order of ties must stay strictly below.
fn law_with_ties(scale: f64, scores: &[i64], before: impl Fn(usize, usize) -> bool) -> Vec<f64> {
    let a = (-1.0 / scale).exp();
    let reach = (42.0 * scale) as i64 + 42;
    let (low, high) = (scores.iter().min().unwrap() - reach, scores.iter().max().unwrap() + reach);
    let mut law = vec![0.0; scores.len()];
    // P[u(j) + X(j) < v] and P[u(j) + X(j) ≤ v] for all j.
    for v in low..=high {
        let below: Vec<[f64; 2]> =
            scores.iter().map(|u| [1.0 - tail(scale, v - u), 1.0 - tail(scale, v + 1 - u)]).collect();
        for i in 0..scores.len() {
            let own = (1.0 - a) / (1.0 + a) * (-((v - scores[i]).abs() as f64) / scale).exp();
            let others = (0..scores.len()).filter(|j| *j != i);
            law[i] += own * others.map(|j| below[j][usize::from(!before(j, i))]).product::<f64>();
        }
    }
    law
}

fn law(mechanism: &NoisyMax, scores: &[i64]) -> Vec<f64> {
    law_with_ties(mechanism.scale().to_f64_upper(), scores, |j, i| j < i)
}

/// Specification: on a fine grid the law approaches that of continuous Laplace noise. The order of ties
/// moves it by about one part in a scale; averaged over the order and its reverse the rest is of second
/// order. The references were computed elsewhere by exact integration.
#[test]
fn on_a_fine_grid_the_probabilities_match_continuous_noise() {
    type Reference = (&'static [i64], &'static str, &'static str, &'static [f64]);
    let references: [Reference; 7] = [
        (&[0, 1, 2], "1", "1", &[0.17464263057953658, 0.30570598203990446, 0.5196513873805589]),
        (&[5, 5, 5, 5], "0.1", "1", &[0.25; 4]),
        (
            &[10, 9, 3, 0],
            "0.5",
            "1",
            &[0.5031187884566323, 0.3879988998883886, 0.07498510939202147, 0.03389720226295767],
        ),
        (&[3, 1, 4, 1, 5, 9], "50", "1", &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        (&[7], "1", "1", &[1.0]),
        // Scores 0.5, 0.25, 0.75 at sensitivity 0.5, in quarters.
        (&[2, 1, 3], "2", "2", &[0.30570598203990446, 0.17464263057953658, 0.5196513873805589]),
        (
            &[-3, -1, -2, -8, 0],
            "3",
            "2",
            &[
                0.05037606153565738,
                0.2617088410106223,
                0.11339112390979272,
                0.001122534875429345,
                0.5734014386684982,
            ],
        ),
    ];
    for (scores, epsilon, sensitivity, probabilities) in references {
        let grid = 400;
        let fine = Rational::from(grid) * Rational::parse(sensitivity).unwrap();
        let mechanism = mechanism(&fine.to_string(), Movement::General, epsilon);
        let scores: Vec<i64> = scores.iter().map(|score| score * i64::from(grid)).collect();
        let scale = mechanism.scale().to_f64_upper();
        let forwards = law(&mechanism, &scores);
        let backwards = law_with_ties(scale, &scores, |j, i| j > i);
        for ((one, other), want) in forwards.iter().zip(&backwards).zip(probabilities) {
            assert!((one - want).abs() <= 1.0 / scale, "{one} instead of {want}");
            let got = (one + other) / 2.0;
            assert!((got - want).abs() <= 1.0 / scale.powi(2) + 1e-12, "{got} instead of {want} at {scale}");
        }
    }
}

/// Specification: scores 0 and 100 at ε = 1e-6 differ far below the scale. The difference D of two noises
/// has P[D = d] = c²·a^|d|·(|d| + (1 + a²)/(1 − a²)), c = (1 − a)/(1 + a), and the first wins when D ≥ 100;
/// half of the ties count, as above.
#[test]
fn at_a_tiny_epsilon_the_probabilities_match_continuous_noise() {
    let scale = mechanism("1", Movement::General, "1e-6").scale().to_f64_upper();
    let a = (-1.0 / scale).exp();
    let ratio = -(-1.0 / scale).exp_m1() / (1.0 + a);
    let difference = |d: i64| {
        let d = d.abs() as f64;
        ratio * ratio * (-d / scale).exp() * (d + (1.0 + a * a) / -(-2.0 / scale).exp_m1())
    };
    let first_wins = (1.0 - (-99..=99).map(difference).sum::<f64>()) / 2.0 - difference(100) / 2.0;
    assert!((first_wins - 0.4999875000000052).abs() <= 1e-12, "{first_wins}");
}

/// False alarm: about 1e-9 a case (χ², 50,000 draws). Power: with the largest index winning ties the draws
/// do not fit.
#[test]
fn draws_follow_the_law() {
    for (seed, (scores, epsilon)) in
        [(&[0, 1, 2][..], "1"), (&[4, 4, 4, 4], "2"), (&[7], "1")].into_iter().enumerate()
    {
        let mechanism = mechanism("1", Movement::General, epsilon);
        let law = law(&mechanism, scores);
        let mut bits = seeded(seed as u64);
        let draws = (0..50_000).map(|_| mechanism.release(scores, &mut bits).unwrap() as i64);
        assert_distribution(draws, |k| law[k as usize], 0..=law.len() as i64 - 1, "noisy max");
    }
}

#[test]
#[should_panic(expected = "do not fit")]
fn ties_to_the_largest_index_are_told_apart() {
    let mechanism = mechanism("1", Movement::General, "2");
    let law = law(&mechanism, &[4, 4, 4, 4]);
    let mut bits = seeded(5);
    let draws = (0..50_000).map(|_| 3 - mechanism.release(&[4, 4, 4, 4], &mut bits).unwrap() as i64);
    assert_distribution(draws, |k| law[k as usize], 0..=3, "planted");
}

/// The largest log-ratio between the laws of all neighbouring scores in {0, 1, 2}³, and of those that only
/// rise.
fn worst(scale: f64) -> [f64; 2] {
    let triples: Vec<[i64; 3]> = (0..27).map(|code| [code / 9, code / 3 % 3, code % 3]).collect();
    let laws: Vec<Vec<f64>> =
        triples.iter().map(|scores| law_with_ties(scale, scores, |j, i| j < i)).collect();
    let mut worst = [0f64; 2];
    for (x, p) in triples.iter().zip(&laws) {
        for (y, q) in triples.iter().zip(&laws) {
            let moves: Vec<i64> = x.iter().zip(y).map(|(a, b)| b - a).collect();
            if moves.iter().all(|step| step.abs() <= 1) {
                worst[0] = worst[0].max(max_log_ratio(p, q));
            }
            if moves.iter().all(|step| (0..=1).contains(step)) {
                worst[1] = worst[1].max(max_log_ratio(p, q));
            }
        }
    }
    worst
}

/// Specification: with the scale of the mechanism the exact law keeps ε between all small neighbours, ties
/// included; planted leaks with the monotone scale for general scores, and half of the monotone scale, do
/// not.
#[test]
fn no_probability_moves_by_more_than_epsilon() {
    for epsilon in ["0.5", "2"] {
        let claim = epsilon.parse::<f64>().unwrap();
        let scale = |movement| mechanism("1", movement, epsilon).scale().to_f64_upper();
        assert!(worst(scale(Movement::General))[0] <= claim * (1.0 + 1e-9));
        assert!(worst(scale(Movement::Monotone))[1] <= claim * (1.0 + 1e-9));
        assert!(worst(scale(Movement::Monotone))[0] > claim * 1.2);
        assert!(worst(scale(Movement::Monotone) / 2.0)[1] > claim * 1.2);
    }
}

/// The step of the proof: geometric tails fall by no more than a factor a for each unit, on both sides of
/// zero.
#[test]
fn tails_fall_slowly_on_both_sides_of_zero() {
    for scale in [0.3, 1.0, 7.5] {
        let a = (-1.0f64 / scale).exp();
        for r in -20..20 {
            assert!(tail(scale, r + 1) >= a * tail(scale, r) * (1.0 - 1e-12), "{scale} {r}");
        }
    }
}

/// False alarm: 1e-9 (split samples, Clopper-Pearson). Power: half of the sensitivity is caught.
#[test]
fn samples_on_neighbours_stay_within_epsilon() {
    let draws = |sensitivity: &str, scores: &[i64], seed| -> Vec<usize> {
        let mechanism = mechanism(sensitivity, Movement::General, "1");
        let mut bits = seeded(seed);
        (0..20_000).map(|_| mechanism.release(scores, &mut bits).unwrap()).collect()
    };
    let claim = Distinguisher::new(1.0, 0.0);
    claim.assert_private(&draws("1", &[1, 1], 10), &draws("1", &[2, 0], 11), "noisy max");
    claim.assert_leaks(&draws("0.5", &[1, 1], 12), &draws("0.5", &[2, 0], 13), "half of the sensitivity");
}

#[test]
fn the_error_bound_holds_for_the_exact_law() {
    for scores in [&[0, 1, 2][..], &[10, 9, 3, 0], &[0, 40, 20, 30, 25]] {
        let mechanism = mechanism("1", Movement::General, "0.5");
        let law = law(&mechanism, scores);
        for beta in ["0.5", "0.1", "0.01"] {
            let bound = mechanism.error_bound(scores.len(), &FailureProbability::parse(beta).unwrap());
            let floor = Rational::from(*scores.iter().max().unwrap()) - bound;
            let failing = scores.iter().zip(&law).filter(|(score, _)| Rational::from(**score) < floor);
            assert!(failing.map(|(_, p)| p).sum::<f64>() <= beta.parse::<f64>().unwrap());
        }
    }
    // The scale is 4, and 4·ln(100/0.01) = 36.8: all noises stay within 36, but for one run in a hundred.
    let bound = mechanism("1", Movement::General, "0.5")
        .error_bound(100, &FailureProbability::parse("0.01").unwrap());
    assert_eq!(bound, Rational::from(72));
    let single = mechanism("1", Movement::General, "0.5");
    assert!(single.error_bound(1, &FailureProbability::parse("0.1").unwrap()).is_zero());
}

#[test]
fn bad_requests_are_refused_and_extreme_scores_are_not() {
    let mechanism = mechanism("1", Movement::Monotone, "1");
    let mut bits = seeded(1);
    assert_eq!(mechanism.release(&[], &mut bits), Err(MechanismError::NoCandidates));
    assert_eq!(mechanism.release(&[i64::MIN, i64::MAX], &mut bits), Ok(1));
    assert_eq!(mechanism.loss().rho().unwrap().to_string(), "0.5");
    let (huge, tiny) = (SensitivityLInf::parse("1e38").unwrap(), Epsilon::parse("1e-6").unwrap());
    let error = NoisyMax::new(&huge, Movement::General, &tiny).unwrap_err();
    assert!(error.explanation().text().contains("hint:"), "{error}");
}
