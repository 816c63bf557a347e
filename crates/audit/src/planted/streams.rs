//! Sparse vectors as they were published, and are not private: Lyu, Su and Li (2017), arXiv:1603.01699,
//! collect them.

use pointillist_mechanisms::Movement;
use pointillist_mechanisms::NumericSparse;
use pointillist_mechanisms::{AboveThreshold, stream::above_threshold::Answer};
use pointillist_noise::DiscreteLaplace;
use pointillist_numbers::Rational;

use super::{CONSTANT, Planted, epsilon, linf, pure, rational};
use crate::{Observation, Part, Trial};

/// Queries of one session, all against the threshold zero.
type Queries = Vec<i64>;

pub(super) fn planted() -> Vec<Planted> {
    let rising_and_falling = |rising: i64, falling: i64| [vec![rising; 12], vec![falling; 12]].concat();
    let tipped = |trial: Trial<Queries>| {
        trial.pair("half rise, half fall", rising_and_falling(0, 1), rising_and_falling(1, 0))
    };
    let one = AboveThreshold::new(&linf("1"), Movement::General, 1, &epsilon("1")).expect(CONSTANT);
    let of_one = [Some(one.threshold_scale().clone()), Some(one.query_scale().clone())];
    let of_lee_and_clifton = [Some(rational("4")), Some(rational("4/3"))];
    vec![
        Planted::new(
            "Only the threshold has noise, and queries are compared as they are.",
            answers("above threshold without noise on queries", [Some(rational("2")), None], 1).pair(
                "one rises, the next falls",
                vec![0, 1],
                vec![1, 0],
            ),
        ),
        Planted::new(
            "Only queries have noise, and every answer was taken to be free.",
            answers(
                "above threshold without noise on the threshold",
                [None, Some(rational("2"))],
                usize::MAX,
            )
            .pair("twelve rise", vec![0; 12], vec![1; 12]),
        )
        .after(20_000),
        Planted::new(
            "The session does not end after the one answer above that was paid for.",
            tipped(answers("above threshold without an end", of_one, usize::MAX)),
        )
        .after(20_000),
        Planted::new(
            "The noise on queries is for one answer above, and twelve are given.",
            tipped(answers("above threshold with noise for one answer", of_lee_and_clifton, 12)),
        ),
        Planted::new(
            "Noise for queries that all rise together was used for queries that rise and fall.",
            monotone_noise(),
        )
        .after(60_000),
        Planted::new(
            "The value that was compared is shown, and tells where the noisy threshold is.",
            compared_value(),
        )
        .after(20_000),
        Planted::new("The noise on values is that of one value, and six are given.", values_for_one()),
    ]
}

fn laplace(scale: &Rational) -> DiscreteLaplace {
    DiscreteLaplace::new(scale).expect(CONSTANT)
}

/// A session with noise of these scales on threshold and queries, or none, that claims ε = 1.
fn answers(name: &str, scales: [Option<Rational>; 2], tops_max: usize) -> Trial<Queries> {
    let noises = scales.map(|scale| scale.map(|scale| laplace(&scale)));
    Trial::new(name, pure("1"), move |queries: &Queries, bits| {
        let [threshold, query] = &noises;
        let threshold = threshold.as_ref().map_or(0, |noise| noise.sample(bits));
        let (mut seen, mut tops) = (Vec::new(), 0);
        for value in queries {
            let above =
                i128::from(*value) + query.as_ref().map_or(0, |noise| noise.sample(bits)) >= threshold;
            seen.push(above);
            tops += usize::from(above);
            if tops == tops_max {
                break;
            }
        }
        Observation::list(seen)
    })
}

fn monotone_noise() -> Trial<Queries> {
    let mechanism = AboveThreshold::new(&linf("1"), Movement::Monotone, 1, &epsilon("3")).expect(CONSTANT);
    Trial::new("above threshold with monotone noise", mechanism.loss(), move |queries: &Queries, bits| {
        let mut session = mechanism.start(bits);
        let answers = queries.iter().map_while(|query| session.ask(*query, 0, bits).ok());
        Observation::list(answers.map(|answer| answer == Answer::Above))
    })
    .pair("three rise, then one falls", vec![-1, -1, -1, 0], vec![0, 0, 0, -1])
}

/// Scales of 2/ε on the threshold and on queries: half of ε for each, as in lecture notes.
fn compared_value() -> Trial<Queries> {
    let noise = laplace(&rational("2/3"));
    Trial::new("sparse vector that shows what it compared", pure("3"), move |queries: &Queries, bits| {
        let threshold = noise.sample(bits);
        let mut seen = Vec::new();
        for query in queries {
            let compared = i128::from(*query) + noise.sample(bits);
            if compared >= threshold {
                seen.push(Part::from(compared));
                break;
            }
            seen.push(Part::from("below"));
        }
        Observation::list(seen)
    })
    .pair("five rise, the last falls", vec![-1, -1, -1, -1, -1, 0], vec![0, 0, 0, 0, 0, -1])
}

fn values_for_one() -> Trial<Queries> {
    const TOPS: u32 = 6;
    let mechanism = NumericSparse::new(&linf("1"), Movement::General, TOPS, &epsilon("1")).expect(CONSTANT);
    let noise = laplace(&(mechanism.value_scale() / &Rational::from(TOPS)));
    Trial::new("numeric sparse with noise for one value", pure("1"), move |queries: &Queries, bits| {
        let mut session = mechanism.finding().start(bits);
        let mut seen = Vec::new();
        for query in queries {
            match session.ask(*query, 0, bits) {
                Ok(Answer::Above) => seen.push(Part::from(i128::from(*query) + noise.sample(bits))),
                Ok(Answer::Below) => seen.push(Part::from("below")),
                Err(_) => break,
            }
        }
        Observation::list(seen)
    })
    .pair("far above, all fall", vec![500; TOPS as usize], vec![499; TOPS as usize])
}
