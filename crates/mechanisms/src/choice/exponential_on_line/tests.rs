use pointillist_errors::Explained as _;
use pointillist_testkit::{
    Distinguisher, all_datasets, assert_distribution, log_ratio_range, neighbours_add_remove,
    neighbours_replace_one, scripted, seeded,
};

use super::*;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn line(lower: &str, upper: &str, step: &str) -> Line {
    Line::new(rational(lower), rational(upper), rational(step)).unwrap()
}

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn median(line: &Line, neighbours: Neighbours, budget: &str) -> ContinuousMedian {
    ContinuousMedian::new(line, neighbours, &epsilon(budget)).unwrap()
}

fn integers(values: &[i64]) -> Vec<Rational> {
    values.iter().map(|value| Rational::from(*value)).collect()
}

/// The probability of every piece, from the very weights the sampler uses.
fn piece_law(mechanism: &ExponentialOnLine, pieces: &[Piece]) -> Vec<f64> {
    let weights = mechanism.weights(pieces);
    let weights: Vec<f64> =
        weights.iter().map(|(share, gamma)| share.to_f64_upper() * (-gamma.to_f64_upper()).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// The density on each unit cell [k, k + 1) of a line with integer bounds, for records that are integers.
fn cell_law(median: &ContinuousMedian, records: &[i64]) -> Vec<f64> {
    let pieces = median.pieces(&integers(records));
    let law = piece_law(&median.mechanism, &pieces);
    let cells = |piece: &Piece, p: &f64| {
        let count = piece.length.to_f64_upper();
        vec![p / count; count as usize]
    };
    pieces.iter().zip(&law).flat_map(|(piece, p)| cells(piece, p)).collect()
}

/// Records, bounds, ε, scores and probabilities of the pieces with a length; computed elsewhere, at sensitivity
/// one.
#[test]
fn the_continuous_median_matches_published_values() {
    type Case =
        (&'static [&'static str], [&'static str; 2], &'static str, &'static [&'static str], &'static [f64]);
    let cases: [Case; 5] = [
        (
            &["1", "2", "4"],
            ["0", "10"],
            "1",
            &["-1.5", "-0.5", "-0.5", "-1.5"],
            &[0.08370888058533824, 0.13801261196754414, 0.27602522393508827, 0.5022532835120294],
        ),
        // The piece between the two equal records has no length; its published probability is zero.
        (
            &["2.5", "2.5", "7.5", "9"],
            ["0", "10"],
            "0.5",
            &["-2", "0", "-1", "-2"],
            &[0.18288698026683659, 0.6030593090000962, 0.14089891862633258, 0.07315479210673465],
        ),
        (
            &["0.1", "0.2", "0.4", "0.8", "0.9"],
            ["0", "1"],
            "10",
            &["-2.5", "-1.5", "-0.5", "-0.5", "-1.5", "-2.5"],
            &[
                7.549584476855756e-6,
                0.0011204576821219358,
                0.3325813284889341,
                0.6651626569778682,
                0.0011204576821219358,
                7.549584476855756e-6,
            ],
        ),
        (&["3"], ["0", "4"], "1e-6", &["-0.5", "-0.5"], &[0.75, 0.25]),
        (
            &["10", "20", "30", "40", "50", "60", "70"],
            ["0", "100"],
            "50",
            &["-3.5", "-2.5", "-1.5", "-0.5", "-0.5", "-1.5", "-2.5", "-3.5"],
            &[
                1.3393184808854385e-33,
                9.643749239685657e-23,
                6.943971932385573e-12,
                0.49999999999305605,
                0.49999999999305605,
                6.943971932385573e-12,
                9.643749239685657e-23,
                4.0179554426563156e-33,
            ],
        ),
    ];
    for (records, [lower, upper], budget, scores, probabilities) in cases {
        let median = median(&line(lower, upper, "0.1"), Neighbours::ReplaceOne, budget);
        let mut records: Vec<Rational> = records.iter().map(|text| rational(text)).collect();
        records.reverse();
        let pieces = median.pieces(&records);
        assert_eq!(pieces.iter().map(|piece| piece.score.to_string()).collect::<Vec<_>>(), scores);
        let law = piece_law(&median.mechanism, &pieces);
        assert_eq!(law.len(), probabilities.len());
        for (got, want) in law.iter().zip(probabilities) {
            assert!((got - want).abs() <= 1e-11 * want, "{got} instead of {want}");
        }
    }
}

#[test]
fn the_mean_of_the_output_matches_the_published_value() {
    let median = median(&line("0", "10", "1"), Neighbours::ReplaceOne, "1");
    let mean: f64 = cell_law(&median, &[1, 2, 4]).iter().enumerate().map(|(k, p)| p * (k as f64 + 0.5)).sum();
    assert!((mean - 4.5927220146334555).abs() <= 1e-11, "{mean}");
}

/// Specification: the released grid point has the mass of its cell. Half-integer grid, integer records.
/// False alarm: about 1e-9 (χ², 30,000 draws). Power: the law at twice the sensitivity is rejected below.
fn median_draws() -> Vec<i64> {
    let median = median(&line("0", "10", "0.5"), Neighbours::ReplaceOne, "1");
    let records = integers(&[4, 1, 2]);
    let mut bits = seeded(1);
    let half = |_| i64::try_from((median.release(&records, &mut bits) * Rational::from(2)).floor()).unwrap();
    (0..30_000).map(half).collect()
}

#[test]
fn draws_follow_the_law() {
    let law = cell_law(&median(&line("0", "10", "1"), Neighbours::ReplaceOne, "1"), &[1, 2, 4]);
    assert_distribution(median_draws(), |k| law[k as usize / 2] / 2.0, 0..=19, "continuous median");
}

#[test]
#[should_panic(expected = "do not fit")]
fn draws_at_the_wrong_sensitivity_are_told_apart() {
    let law = cell_law(&median(&line("0", "10", "1"), Neighbours::AddRemove, "1"), &[1, 2, 4]);
    assert_distribution(median_draws(), |k| law[k as usize / 2] / 2.0, 0..=19, "planted");
}

/// Specification (all data sets of at most four rows over five values, all neighbours): the score moves by at
/// most the sensitivity that was taken at every point of the line, and by exactly that somewhere.
#[test]
fn the_sensitivity_of_the_median_score_is_exact() {
    let alphabet = [0, 1, 2, 3, 4];
    let doubled_score = |data: &[i64], below: i64| {
        let count = data.iter().filter(|x| **x <= below).count() as i64;
        -(2 * count - data.len() as i64).abs()
    };
    // The score is constant on the cells between integers; cell k lies just above k.
    let moved = |data: &[i64], neighbour: &[i64]| {
        (-1..=4).map(|k| (doubled_score(data, k) - doubled_score(neighbour, k)).abs()).max().unwrap()
    };
    let all = all_datasets(&alphabet, 4);
    let worst = |neighbours: &dyn Fn(&[i64]) -> Vec<Vec<i64>>| {
        let of = |data: &Vec<i64>| neighbours(data).iter().map(|other| moved(data, other)).max().unwrap_or(0);
        all.iter().map(of).max().unwrap()
    };
    assert_eq!(worst(&|data| neighbours_add_remove(data, &alphabet)), 1, "half a record");
    assert_eq!(worst(&|data| neighbours_replace_one(data, &alphabet)), 2, "one record");
}

/// Specification (all data sets of at most four rows over five values, all neighbours): the log-ratio of the
/// densities has range at most ε, and exactly ε somewhere. Planted leak: half of the sensitivity passes ε.
#[test]
fn the_range_is_epsilon_on_every_pair_of_small_neighbours() {
    let alphabet = [0, 1, 2, 3, 4];
    let line = line("0", "4", "1");
    let worst = |median: &ContinuousMedian, neighbours: Neighbours| {
        let mut worst = 0f64;
        for data in all_datasets(&alphabet, 4) {
            let others = match neighbours {
                Neighbours::AddRemove => neighbours_add_remove(&data, &alphabet),
                Neighbours::ReplaceOne => neighbours_replace_one(&data, &alphabet),
            };
            for other in others {
                worst = worst.max(log_ratio_range(&cell_law(median, &data), &cell_law(median, &other)));
            }
        }
        worst
    };
    for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
        let range = worst(&median(&line, neighbours, "0.8"), neighbours);
        assert!((range - 0.8).abs() <= 1e-9, "{neighbours}: {range}");
    }
    let too_sharp = median(&line, Neighbours::AddRemove, "0.8");
    assert!(worst(&too_sharp, Neighbours::ReplaceOne) > 1.5);
}

/// False alarm: 1e-9 (split samples, Clopper-Pearson). Power: records that reach beyond the bounds without
/// being clamped are caught, because they stretch what can be released.
#[test]
fn samples_on_neighbours_stay_within_epsilon_and_an_outlier_stays_inside() {
    let honest = line("0", "4", "1");
    let draws = |line: &Line, records: &[i64], seed| -> Vec<Rational> {
        let (median, records) = (median(line, Neighbours::AddRemove, "1"), integers(records));
        let mut bits = seeded(seed);
        (0..6000).map(|_| median.release(&records, &mut bits)).collect()
    };
    let claim = Distinguisher::new(1.0, 0.0);
    let (with, without) = (draws(&honest, &[1, 3, 1000], 10), draws(&honest, &[1, 3], 11));
    claim.assert_private(&with, &without, "continuous median");
    assert!(with.iter().all(|point| *point >= Rational::zero() && *point < Rational::from(4)));
    // The broken variant takes its upper bound from the data.
    let stretched = line("0", "1000", "1");
    claim.assert_leaks(&draws(&stretched, &[1, 3, 1000], 12), &without, "bounds from the data");
}

/// Specification: many equal records never make the weights vanish, on either side of the size at which floats
/// do.
#[test]
fn equal_records_do_not_underflow() {
    let median = median(&line("0", "1", "0.001"), Neighbours::AddRemove, "1");
    let mut bits = seeded(4);
    for zeros in [0, 1, 1491, 1492, 50_000] {
        for ones in [0, 1] {
            let records = integers(&[vec![0; zeros], vec![1; ones]].concat());
            for _ in 0..3 {
                let point = median.release(&records, &mut bits);
                assert!(point >= Rational::zero() && point < Rational::one());
            }
        }
    }
}

/// Specification: a piecewise score of one's own. Weights are lengths 1 and 3 times exp(0) and exp(−1/2).
/// False alarm: about 1e-9 (χ², 30,000 draws).
#[test]
fn a_score_of_ones_own_is_drawn_in_proportion() {
    let sensitivity = SensitivityLInf::parse("1").unwrap();
    let mechanism =
        ExponentialOnLine::new(&line("-1", "3", "1"), &sensitivity, Movement::General, &epsilon("1"))
            .unwrap();
    let scores = Scores::from_integers(&[1, 0, 7]).unwrap();
    let mut bits = seeded(2);
    // The last breakpoint lies beyond the bounds, so the highest score holds nowhere.
    let breakpoints = [rational("0"), rational("5")];
    let draws = (0..30_000).map(|_| {
        i64::try_from(mechanism.release(&breakpoints, &scores, &mut bits).unwrap().floor()).unwrap()
    });
    let fall = (-0.5f64).exp();
    let law = |k: i64| {
        if k == -1 { 1.0 / (1.0 + 3.0 * fall) } else { fall / (1.0 + 3.0 * fall) }
    };
    assert_distribution(draws, law, -1..=2, "piecewise score");
}

/// Specification: a number on the edge of two grid cells is refined until it is certain. The piece is [0, 1),
/// the grid has thirds, and the first word of the position is the first word of one third.
#[test]
fn a_position_on_the_edge_of_a_cell_is_refined() {
    let median = median(&line("0", "1", "1/3"), Neighbours::AddRemove, "1");
    let edge = 0x5555_5555_5555_5555;
    let release = |words: Vec<u64>| median.release(&[], &mut scripted(words)).to_string();
    assert_eq!(release(vec![7, edge - 1]), "0");
    assert_eq!(release(vec![7, edge + 1]), "1/3");
    assert_eq!(release(vec![7, edge, edge - 1]), "0");
    assert_eq!(release(vec![7, edge, edge + 1]), "1/3");
}

/// Specification: the mass of scores at or below the bound is at most β; exact, for the median of few records.
#[test]
fn the_error_bound_holds_for_the_exact_law() {
    let sensitivity = SensitivityLInf::parse("1/2").unwrap();
    let line = line("0", "100", "1");
    let mechanism = ExponentialOnLine::new(&line, &sensitivity, Movement::General, &epsilon("1")).unwrap();
    let median = median(&line, Neighbours::AddRemove, "1");
    let records = integers(&[10, 12, 14, 15, 40, 45, 47, 50, 51, 52]);
    let pieces = median.pieces(&records);
    let law = piece_law(&mechanism, &pieces);
    for beta in ["0.5", "0.1", "0.01", "1e-6"] {
        let beta = FailureProbability::parse(beta).unwrap();
        // Between 40 and 45 the score is the best, zero.
        let bound = mechanism.error_bound(&Rational::from(5), &beta).unwrap();
        let failing = pieces.iter().zip(&law).filter(|(piece, _)| piece.score <= -bound.clone());
        assert!(failing.map(|(_, p)| p).sum::<f64>() <= beta.to_f64_upper());
        let looser = median.error_bound(&Rational::from(5), &beta).unwrap();
        assert_eq!(looser, bound + Rational::ratio(1, 2));
    }
}

#[test]
fn bad_requests_are_refused_with_a_hint_and_without_data() {
    let refused = |lower: &str, upper: &str, step: &str| {
        Line::new(rational(lower), rational(upper), rational(step)).unwrap_err().explanation().text()
    };
    assert!(refused("1", "1", "0.1").contains("hint: write the smaller bound first"));
    assert!(refused("0", "1", "0").contains("hint: write a positive step"));
    assert!(refused("0", "1", "-1").contains("hint: write a positive step"));
    assert!(refused("0", "1", "0.3").contains("hint: choose bounds that are multiples of the step"));

    let sensitivity = SensitivityLInf::parse("1").unwrap();
    let mechanism =
        ExponentialOnLine::new(&line("0", "1", "0.5"), &sensitivity, Movement::General, &epsilon("1"))
            .unwrap();
    let scores = Scores::from_integers(&[41, 42, 43]).unwrap();
    let mut bits = seeded(0);
    for breakpoints in [vec![], vec![rational("0.7"), rational("0.2")], integers(&[1, 2, 3])] {
        let error = mechanism.release(&breakpoints, &scores, &mut bits).unwrap_err().explanation().text();
        assert!(error.contains("hint:") && !error.contains("0.7") && !error.contains("42"), "{error}");
    }
    let beta = FailureProbability::parse("0.1").unwrap();
    assert!(
        mechanism.error_bound(&Rational::zero(), &beta).unwrap_err().explanation().text().contains("hint:")
    );
    assert_eq!(mechanism.loss().rho().unwrap().to_string(), "0.125");
}
