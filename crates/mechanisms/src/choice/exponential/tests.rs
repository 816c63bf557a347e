use pointillist_testkit::{
    Distinguisher, all_datasets, assert_distribution, log_ratio_range, max_log_ratio, neighbours_add_remove,
    neighbours_replace_one, renyi_divergence, seeded,
};

use super::*;

fn mechanism(sensitivity: &str, movement: Movement, epsilon: &str) -> ExponentialMechanism {
    let (sensitivity, epsilon) =
        (SensitivityLInf::parse(sensitivity).unwrap(), Epsilon::parse(epsilon).unwrap());
    ExponentialMechanism::new(&sensitivity, movement, &epsilon).unwrap()
}

/// The output law, from the very exponents the sampler uses.
fn law(mechanism: &ExponentialMechanism, scores: &Scores) -> Vec<f64> {
    let weights: Vec<f64> =
        mechanism.exponents(scores).iter().map(|gamma| (-gamma.to_f64_upper()).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// Scores, ε, Δ, and the probabilities for general and for monotone scores, computed elsewhere to sixty digits.
type Reference = (&'static [f64], &'static str, &'static str, &'static [f64], &'static [f64]);

const REFERENCES: [Reference; 8] = [
    (
        &[0.0, 1.0, 2.0],
        "1",
        "1",
        &[0.1863237232258476, 0.3071958857184984, 0.506480391055654],
        &[0.09003057317038046, 0.24472847105479764, 0.6652409557748219],
    ),
    (&[5.0, 5.0, 5.0, 5.0], "0.1", "1", &[0.25; 4], &[0.25; 4]),
    (
        &[10.0, 9.0, 3.0, 0.0],
        "0.5",
        "1",
        &[0.49148267282302793, 0.38276709046060126, 0.08540688219402248, 0.04034335452234835],
        &[0.6084701514988103, 0.3690558024040194, 0.0183742064658458, 0.0040998396313244884],
    ),
    (
        &[0.0, 100.0],
        "1e-6",
        "1",
        &[0.4999875000000026, 0.5000124999999974],
        &[0.4999750000000208, 0.5000249999999792],
    ),
    (
        &[3.0, 1.0, 4.0, 1.0, 5.0, 9.0],
        "50",
        "1",
        &[
            7.175095973164411e-66,
            1.3838965267367376e-87,
            5.166420632837861e-55,
            1.3838965267367376e-87,
            3.720075976020836e-44,
            1.0,
        ],
        &[
            5.148200222412013e-131,
            1.9151695967140057e-174,
            2.6691902155412764e-109,
            1.9151695967140057e-174,
            1.3838965267367376e-87,
            1.0,
        ],
    ),
    (
        &[0.5, 0.25, 0.75],
        "2",
        "0.5",
        &[0.3071958857184984, 0.1863237232258476, 0.506480391055654],
        &[0.24472847105479764, 0.09003057317038046, 0.6652409557748219],
    ),
    (&[7.0], "1", "1", &[1.0], &[1.0]),
    (
        &[-3.0, -1.0, -2.0, -8.0, 0.0],
        "3",
        "2",
        &[
            0.05844554942911366,
            0.26193478008636184,
            0.12372922911237053,
            0.0013745075778887133,
            0.5545159337942652,
        ],
        &[
            0.008651648357264483,
            0.1737730025262717,
            0.03877399788316051,
            4.785091482418166e-6,
            0.7787965661418209,
        ],
    ),
];

fn assert_close(got: &[f64], want: &[f64], context: &str) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= 1e-11 * want, "{context}: {got} instead of {want}");
    }
}

#[test]
fn probabilities_match_published_values() {
    for (scores, epsilon, sensitivity, general, monotone) in REFERENCES {
        let scores = Scores::from_f64(scores).unwrap();
        let context = format!("{scores:?} at ε = {epsilon}");
        assert_close(&law(&mechanism(sensitivity, Movement::General, epsilon), &scores), general, &context);
        assert_close(&law(&mechanism(sensitivity, Movement::Monotone, epsilon), &scores), monotone, &context);
    }
}

/// The median of a data set over candidates: −|#{x < r} − #{x > r}|, which one record added or removed moves by
/// one.
fn median_scores(data: &[i64], candidates: &[i64]) -> Vec<i64> {
    let balance = |r: &i64| {
        let below = data.iter().filter(|x| *x < r).count() as i64;
        let above = data.iter().filter(|x| *x > r).count() as i64;
        -(below - above).abs()
    };
    candidates.iter().map(balance).collect()
}

#[test]
fn median_probabilities_match_published_values() {
    type Case = (&'static [i64], &'static [i64], &'static str, &'static [i64], &'static [f64]);
    let cases: [Case; 4] = [
        (
            &[1, 2, 3, 4, 5],
            &[0, 1, 2, 3, 4, 5, 6],
            "1",
            &[-5, -4, -2, 0, -2, -4, -5],
            &[
                0.03781674171747762,
                0.06234926645817825,
                0.169482878031017,
                0.46070222758665424,
                0.169482878031017,
                0.06234926645817825,
                0.03781674171747762,
            ],
        ),
        (
            &[2, 2, 2, 9],
            &[0, 2, 5, 9, 10],
            "0.5",
            &[-4, -1, -2, -3, -4],
            &[
                0.14184906805694544,
                0.30029447943304594,
                0.23386957573447603,
                0.18213780871858717,
                0.14184906805694544,
            ],
        ),
        (
            &[1, 1, 4, 4, 7, 8, 8],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            "2",
            &[-7, -5, -3, -3, -1, -1, -1, -2, -5, -7],
            &[
                0.000673548558427491,
                0.0049768880835746,
                0.03677450524763217,
                0.03677450524763217,
                0.2717288822851737,
                0.2717288822851737,
                0.2717288822851737,
                0.09996346936521033,
                0.0049768880835746,
                0.000673548558427491,
            ],
        ),
        (
            &[5],
            &[1, 5, 9],
            "1e-6",
            &[-1, 0, -1],
            &[0.33333327777777316, 0.33333344444445373, 0.33333327777777316],
        ),
    ];
    for (data, candidates, epsilon, scores, probabilities) in cases {
        assert_eq!(median_scores(data, candidates), scores);
        let law = law(&mechanism("1", Movement::General, epsilon), &Scores::from_integers(scores).unwrap());
        assert_close(&law, probabilities, epsilon);
    }
}

/// Specification: the sampler draws from its law; one weight is so small that a sampler in floats would lose
/// it.
/// False alarm: about 1e-9 a case (χ², 100,000 draws). Power: the rate of the other movement is rejected below.
#[test]
fn draws_follow_the_law() {
    for (seed, (scores, epsilon, sensitivity)) in
        [(&[0, 1, 2, -5000][..], "1", "1"), (&[10, 9, 3, 0], "0.5", "1"), (&[-3, -1, -2, -8, 0], "3", "2")]
            .into_iter()
            .enumerate()
    {
        let scores = Scores::from_integers(scores).unwrap();
        let mechanism = mechanism(sensitivity, Movement::General, epsilon);
        let law = law(&mechanism, &scores);
        let mut bits = seeded(seed as u64);
        let draws = (0..100_000).map(|_| mechanism.release(&scores, &mut bits) as i64);
        assert_distribution(draws, |k| law[k as usize], 0..=law.len() as i64 - 1, "exponential mechanism");
    }
}

#[test]
#[should_panic(expected = "do not fit")]
fn draws_at_the_wrong_rate_are_told_apart() {
    let scores = Scores::from_integers(&[0, 1, 2]).unwrap();
    let law = law(&mechanism("1", Movement::General, "1"), &scores);
    let twice_as_sharp = mechanism("1", Movement::Monotone, "1");
    let mut bits = seeded(3);
    let draws = (0..100_000).map(|_| twice_as_sharp.release(&scores, &mut bits) as i64);
    assert_distribution(draws, |k| law[k as usize], 0..=2, "planted");
}

/// The most frequent and the rarest of three values, as counts: one record moves one count by one.
fn counts(data: &[i64]) -> Vec<i64> {
    (0..3).map(|value| data.iter().filter(|x| **x == value).count() as i64).collect()
}

/// Specification (all data sets of at most four rows over three values, all neighbours): the log-ratio of
/// output probabilities has range at most ε, no ratio passes ε, and no Rényi divergence passes α·ε²/8. The
/// claim is used up: a pair exists with range ε, so a smaller constant would be false.
#[test]
fn the_range_is_epsilon_on_every_pair_of_small_neighbours() {
    let alphabet = [0, 1, 2];
    let epsilon = 0.8;
    let median = |data: &[i64]| median_scores(data, &alphabet);
    let general = mechanism("1", Movement::General, "0.8");
    let monotone = mechanism("1", Movement::Monotone, "0.8");
    let mut widest = [0f64; 3];
    for data in all_datasets(&alphabet, 4) {
        let added = neighbours_add_remove(&data, &alphabet);
        let replaced = neighbours_replace_one(&data, &alphabet);
        let mut check = |case: usize, law_of: &dyn Fn(&[i64]) -> Vec<f64>, neighbour: &[i64]| {
            let (p, q) = (law_of(&data), law_of(neighbour));
            widest[case] = widest[case].max(log_ratio_range(&p, &q));
            assert!(max_log_ratio(&p, &q) <= epsilon * (1.0 + 1e-9), "{data:?} {neighbour:?}");
            for order in [1.5, 2.0, 8.0] {
                let allowed = order * epsilon * epsilon / 8.0;
                assert!(renyi_divergence(&p, &q, order) <= allowed * (1.0 + 1e-9), "{data:?} {neighbour:?}");
            }
        };
        let of = |mechanism: &ExponentialMechanism, scores: Vec<i64>| {
            law(mechanism, &Scores::from_integers(&scores).unwrap())
        };
        for neighbour in &added {
            check(0, &|rows| of(&general, median(rows)), neighbour);
            check(1, &|rows| of(&monotone, counts(rows)), neighbour);
        }
        for neighbour in &replaced {
            check(2, &|rows| of(&general, counts(rows)), neighbour);
        }
    }
    for range in widest {
        assert!((range - epsilon).abs() <= 1e-9, "the widest range is {range}");
    }
}

/// Planted leak: counts under replace-one neighbours are not monotone. Treating them so doubles the loss, and
/// the same measure that passes above sees it.
#[test]
fn monotone_noise_for_scores_that_are_not_monotone_is_caught() {
    let wrong = mechanism("1", Movement::Monotone, "0.8");
    let of = |data: &[i64]| law(&wrong, &Scores::from_integers(&counts(data)).unwrap());
    assert!(log_ratio_range(&of(&[0, 0, 1]), &of(&[0, 1, 1])) > 1.5);
}

/// Specification: on neighbouring scores nobody tells the releases apart better than ε = 1 allows; with half of
/// the sensitivity everybody does. False alarm: 1e-9 (split samples, Clopper-Pearson). Power: the planted leak
/// below.
#[test]
fn samples_on_neighbours_stay_within_epsilon() {
    let (left, right) = (Scores::from_integers(&[0, 0]).unwrap(), Scores::from_integers(&[1, -1]).unwrap());
    let draws = |sensitivity: &str, scores: &Scores, seed| -> Vec<usize> {
        let mechanism = mechanism(sensitivity, Movement::General, "1");
        let mut bits = seeded(seed);
        (0..40_000).map(|_| mechanism.release(scores, &mut bits)).collect()
    };
    let claim = Distinguisher::new(1.0, 0.0);
    claim.assert_private(&draws("1", &left, 10), &draws("1", &right, 11), "exponential mechanism");
    claim.assert_leaks(&draws("0.5", &left, 12), &draws("0.5", &right, 13), "half of the sensitivity");
}

/// Specification: the probability of a score at or below the bound is at most β, for all reference cases;
/// exact.
#[test]
fn the_error_bound_holds_for_the_exact_law() {
    for (scores, epsilon, sensitivity, ..) in REFERENCES {
        for movement in [Movement::General, Movement::Monotone] {
            for beta in [0.5, 0.1, 0.01, 1e-6] {
                let mechanism = mechanism(sensitivity, movement, epsilon);
                let scores = Scores::from_f64(scores).unwrap();
                let beta_exact = FailureProbability::from_f64(beta).unwrap();
                let floor = scores.best() - &mechanism.error_bound(scores.len(), &beta_exact);
                let law = law(&mechanism, &scores);
                let failing = scores.values().iter().zip(law).filter(|(score, _)| **score <= floor);
                assert!(failing.map(|(_, p)| p).sum::<f64>() <= beta);
            }
        }
    }
    let bound = mechanism("1", Movement::General, "0.5");
    let bound = bound.error_bound(100, &FailureProbability::parse("0.01").unwrap());
    let expected = 4.0 * (100f64.ln() + 100f64.ln());
    assert!(bound.to_f64_upper() >= expected && bound.to_f64_upper() <= expected * (1.0 + 1e-12));
}

#[test]
fn the_loss_is_bounded_range() {
    let loss = mechanism("3", Movement::General, "0.4").loss();
    assert_eq!(loss.pure_epsilon().unwrap().to_string(), "0.4");
    assert_eq!(loss.rho().unwrap().to_string(), "0.02");
}
