use pointillist_errors::Explained as _;
use pointillist_testkit::{Distinguisher, assert_distribution, seeded};

use super::*;

fn mechanism(tops_max: u32, epsilon: &str) -> NumericSparse {
    let (sensitivity, epsilon) = (SensitivityLInf::parse("1").unwrap(), Epsilon::parse(epsilon).unwrap());
    NumericSparse::new(&sensitivity, Movement::General, tops_max, &epsilon).unwrap()
}

fn mass(scale: f64, x: i64) -> f64 {
    let a = (-1.0 / scale).exp();
    (1.0 - a) / (1.0 + a) * (-(x.abs() as f64) / scale).exp()
}

/// P[X ≥ r].
fn tail(scale: f64, r: i64) -> f64 {
    let a = (-1.0 / scale).exp();
    if r >= 1 {
        (-r as f64 / scale).exp() / (1.0 + a)
    } else {
        1.0 - ((r - 1) as f64 / scale).exp() / (1.0 + a)
    }
}

/// The scales of the threshold, of the queries and of the values.
fn scales(mechanism: &NumericSparse) -> [f64; 3] {
    let finding = mechanism.finding();
    [finding.threshold_scale(), finding.query_scale(), mechanism.value_scale()].map(Rational::to_f64_upper)
}

/// The exact probability of a stream of answers at threshold zero: `None` is below, a number is the
/// released value.
fn probability([threshold, query, value]: [f64; 3], queries: &[i64], answers: &[Option<i64>]) -> f64 {
    let reach = (40.0 * threshold) as i64 + 40;
    let factor = |z: i64, (q, answer): (&i64, &Option<i64>)| match answer {
        None => tail(query, q - z + 1),
        Some(v) => tail(query, z - q) * mass(value, v - q),
    };
    let term = |z: i64| {
        mass(threshold, z) * queries.iter().zip(answers).map(|pair| factor(z, pair)).product::<f64>()
    };
    (-reach..=reach).map(term).sum()
}

/// The largest log-ratio over all neighbouring pairs of queries in {0, 1}³, all streams of answers with at
/// most two tops, and released values from −2 to 3.
fn worst(scales: [f64; 3]) -> f64 {
    let symbols: Vec<Option<i64>> = [None].into_iter().chain((-2..=3).map(Some)).collect();
    let pairs: Vec<[Option<i64>; 3]> = symbols
        .iter()
        .flat_map(|a| symbols.iter().flat_map(|b| symbols.iter().map(|c| [*a, *b, *c])))
        .filter(|answers| answers.iter().flatten().count() <= 2)
        .collect();
    let all: Vec<[i64; 3]> = (0..8).map(|code| [code >> 2 & 1, code >> 1 & 1, code & 1]).collect();
    let law =
        |queries: &[i64; 3]| pairs.iter().map(|answers| probability(scales, queries, answers)).collect();
    let laws: Vec<Vec<f64>> = all.iter().map(law).collect();
    let ratio =
        |p: &Vec<f64>, q: &Vec<f64>| p.iter().zip(q).map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max);
    laws.iter().flat_map(|p| laws.iter().map(move |q| ratio(p, q))).fold(0.0, f64::max)
}

/// Specification: no stream of answers and values moves by more than ε between small neighbours; exact law.
/// Planted leak: value noise that forgets how many values there are.
#[test]
fn no_stream_moves_by_more_than_epsilon() {
    for epsilon in ["1", "3"] {
        let claim = epsilon.parse::<f64>().unwrap();
        let [threshold, query, value] = scales(&mechanism(2, epsilon));
        let honest = worst([threshold, query, value]);
        assert!(honest <= claim * (1.0 + 1e-9) && honest > claim * 0.6, "{honest}");
        assert!(worst([threshold, query, value / 2.0]) > claim * 1.05);
    }
}

/// Planted leak: the compared value is released instead of a fresh one. After forty answers below, its loss
/// passes what the whole session is charged; with fresh noise it does not.
#[test]
fn releasing_the_compared_value_is_caught() {
    let [threshold, query, value] = scales(&mechanism(1, "1"));
    let answers = [vec![None; 40], vec![Some(0)]].concat();
    let queries = |below: i64, above: i64| [vec![below; 40], vec![above]].concat();
    let fresh = |below, above| probability([threshold, query, value], &queries(below, above), &answers);
    let compared = |below: i64, above: i64| {
        let term = |z: i64| mass(threshold, z) * tail(query, below - z + 1).powi(40);
        (-400..=0).map(term).sum::<f64>() * mass(query, -above)
    };
    assert!((fresh(0, 1) / fresh(1, 0)).ln() <= 1.0 + 1e-9);
    assert!((compared(0, 1) / compared(1, 0)).ln() > 1.5);
}

fn draws(mechanism: &NumericSparse, query: i64, count: usize, seed: u64) -> Vec<Answer> {
    let mut bits = seeded(seed);
    (0..count).map(|_| mechanism.start(&mut bits).ask(query, 0, &mut bits).unwrap()).collect()
}

/// Specification: below, or a value with fresh noise, independent of the comparison. False alarm: about
/// 1e-9 (χ², 40,000 sessions). Power: the compared value, which is never below the noisy threshold, would
/// not fit.
#[test]
fn answers_follow_the_law() {
    let mechanism = mechanism(1, "4");
    let law = |answer: Option<i64>| probability(scales(&mechanism), &[1], &[answer]);
    // Below is written as −61, under all values.
    let code = |answer: Answer| match answer {
        Answer::Below => -61,
        Answer::Above { value } => value.clamp(-60, 60) as i64,
    };
    let draws = draws(&mechanism, 1, 40_000, 1).into_iter().map(code);
    assert_distribution(draws, |k| law((k > -61).then_some(k)), -61..=60, "numeric sparse");
}

/// False alarm: 1e-9 (split samples, Clopper-Pearson). Power: a quarter of ε is refuted.
#[test]
fn samples_on_neighbours_stay_within_epsilon() {
    let mechanism = mechanism(1, "4");
    let (left, right) = (draws(&mechanism, 0, 20_000, 10), draws(&mechanism, 1, 20_000, 11));
    Distinguisher::new(4.0, 0.0).assert_private(&left, &right, "numeric sparse");
    Distinguisher::new(1.0, 0.0).assert_leaks(&left, &right, "a quarter of ε");
}

#[test]
fn a_session_ends_after_the_last_value_it_paid_for() {
    let mechanism = mechanism(2, "1");
    let mut bits = seeded(1);
    let mut session = mechanism.start(&mut bits);
    let reach = mechanism.error_bound(&FailureProbability::parse("1e-9").unwrap());
    for _ in 0..2 {
        assert_eq!(session.ask(-1_000_000, 0, &mut bits), Ok(Answer::Below));
        let Ok(Answer::Above { value }) = session.ask(1_000_000, 0, &mut bits) else { panic!("far above") };
        assert!((Rational::from(value) - Rational::from(1_000_000)).abs() <= reach);
    }
    assert_eq!((session.ask(5, 0, &mut bits), session.tops_left()), (Err(MechanismError::Spent), 0));
    assert!(!format!("{session:?}").contains("shift"));
}

#[test]
fn the_three_shares_add_up_to_epsilon() {
    let mechanism = mechanism(3, "1");
    let finding = mechanism.finding();
    // With Δ = 1 and c = 3: ε₁ = 1/scale, ε₂ = 6/scale, ε₃ = 3/scale.
    let share = |over: i32, scale: &Rational| Rational::from(over) / scale.clone();
    let total = share(1, finding.threshold_scale())
        + share(6, finding.query_scale())
        + share(3, mechanism.value_scale());
    assert_eq!(total, Rational::one());
    assert_eq!(mechanism.loss().pure_epsilon().unwrap().to_string(), "1");
    assert_eq!(mechanism.loss().rho().unwrap().to_string(), "0.5");
}

/// Specification: the exact probability that one of c values is off by more than the bound is at most β.
#[test]
fn the_error_bound_holds_for_the_exact_law() {
    for (tops_max, beta) in [(1, 0.1), (5, 0.1), (5, 1e-6)] {
        let mechanism = mechanism(tops_max, "1");
        let bound = mechanism.error_bound(&FailureProbability::from_f64(beta).unwrap());
        let bound = i64::try_from(bound.floor()).unwrap();
        let off = 2.0 * tail(mechanism.value_scale().to_f64_upper(), bound + 1);
        assert!(f64::from(tops_max) * off <= beta);
    }
}

#[test]
fn impossible_requests_are_refused() {
    let sensitivity = SensitivityLInf::parse("1").unwrap();
    let refused =
        NumericSparse::new(&sensitivity, Movement::General, 0, &Epsilon::parse("1").unwrap()).unwrap_err();
    assert!(refused.explanation().text().contains("hint: allow at least 1"));
}
