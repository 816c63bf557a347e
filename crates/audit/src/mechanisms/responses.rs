//! Answers that nobody sees in truth.

use pointillist_mechanisms::{KaryRandomizedResponse, response::kary_randomized_response};
use pointillist_mechanisms::{RandomizedResponse, response::randomized_response};

use super::{Subjects, Terms, named};
use crate::{Observation, Trial};

const CATEGORIES: u64 = 4;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    Ok(vec![
        Box::new(one_answer(
            randomized_response::CARD.name.into(),
            RandomizedResponse::for_epsilon(&terms.epsilon),
        )),
        Box::new(one_answer(named(&randomized_response::CARD, "two coins"), RandomizedResponse::coin())),
        Box::new(a_survey(terms)),
        Box::new(categories(terms)?),
    ])
}

fn one_answer(name: String, response: RandomizedResponse) -> Trial<bool> {
    let claim = response.loss();
    Trial::new(name, claim, move |answer: &bool, bits| Observation::of(response.release(*answer, bits))).pair(
        "the truth is yes, or no",
        true,
        false,
    )
}

fn a_survey(terms: &Terms) -> Trial<Vec<bool>> {
    let response = RandomizedResponse::for_epsilon(&terms.epsilon);
    let (name, claim) = (named(&randomized_response::CARD, "a survey"), response.loss());
    Trial::new(name, claim, move |answers: &Vec<bool>, bits| {
        Observation::list(response.release_all(answers, bits))
    })
    .pair("the last of three changes", vec![true, false, true], vec![true, false, false])
    .pair("everybody says no, or all but one", vec![false; 3], vec![false, true, false])
}

fn categories(terms: &Terms) -> Result<Trial<u64>, crate::AuditError> {
    let response = KaryRandomizedResponse::new(&terms.epsilon, CATEGORIES)?;
    let claim = response.loss();
    let release = move |answer: &u64, bits: &mut dyn pointillist_noise::SecureBits| match response
        .release(*answer, bits)
    {
        Ok(report) => Observation::of(report),
        Err(_) => Observation::of("refused"),
    };
    Ok(Trial::new(kary_randomized_response::CARD.name, claim, release)
        .pair("the first or the second category", 0, 1)
        .pair("the first or the last category", 0, CATEGORIES - 1)
        .pair("two in the middle", 1, 2))
}
