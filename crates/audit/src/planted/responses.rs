//! Answers at the source that tell too much of the truth.

use pointillist_mechanisms::KaryRandomizedResponse;
use pointillist_mechanisms::RandomizedResponse;
use pointillist_noise::{SecureBits, uniform_u64_below};

use super::{CONSTANT, Planted, epsilon, pure, rational};
use crate::{Observation, Trial};

const CATEGORIES: u64 = 4;

pub(super) fn planted() -> Vec<Planted> {
    vec![
        Planted::new(
            "The truth is told with probability 1/2 + ε/2, which is right for no ε but the smallest.",
            answered("randomized response with too much truth", "0.8", "0.4"),
        ),
        Planted::new(
            "A lie was to be told with probability 1/4, and is with 1/8.",
            answered("randomized response with half the lies", "1.1", "3/8"),
        ),
        Planted::new("Each of five repetitions tells the truth anew, and one was charged.", repeated()),
        Planted::new(
            "The truth is kept with the probability of two categories, and there are four.",
            coin_of_two(),
        ),
        Planted::new("A lie is drawn from all categories, the truth among them.", lie_that_is_true())
            .after(20_000),
    ]
}

fn answered(name: &str, claimed: &str, gamma: &str) -> Trial<bool> {
    let response = RandomizedResponse::with_gamma(rational(gamma)).expect(CONSTANT);
    Trial::new(name, pure(claimed), move |answer: &bool, bits| {
        Observation::of(response.release(*answer, bits))
    })
    .pair("yes or no", true, false)
}

fn repeated() -> Trial<bool> {
    let response = RandomizedResponse::for_epsilon(&epsilon("1"));
    Trial::new("randomized response, asked five times", pure("1"), move |answer: &bool, bits| {
        Observation::list(response.release_all(&[*answer; 5], bits))
    })
    .pair("yes or no", true, false)
}

fn coin_of_two() -> Trial<u64> {
    let coin = RandomizedResponse::for_epsilon(&epsilon("1"));
    Trial::new("k-ary response with the coin of two categories", pure("1"), move |answer: &u64, bits| {
        let lie = if coin.release(true, bits) { 0 } else { 1 + uniform_u64_below(CATEGORIES - 1, bits) };
        Observation::of((answer + lie) % CATEGORIES)
    })
    .pair("the first or the second category", 0, 1)
}

fn lie_that_is_true() -> Trial<u64> {
    let response = KaryRandomizedResponse::new(&epsilon("1"), CATEGORIES).expect(CONSTANT);
    Trial::new(
        "k-ary response whose lie may be true",
        pure("1"),
        move |answer: &u64, bits: &mut dyn SecureBits| {
            let report = response.release(*answer, bits).expect(CONSTANT);
            let told = report == *answer;
            Observation::of(if told { report } else { uniform_u64_below(CATEGORIES, bits) })
        },
    )
    .pair("the first or the second category", 0, 1)
}
