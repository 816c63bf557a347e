//! Sessions that answer many questions and pay for few.
//!
//! The hardest stream is one whose first queries rise and whose last ones fall: answers *below* push the
//! noisy threshold up, and each answer *above* pays for twice the sensitivity.

use pointillist_mechanisms::Movement;
use pointillist_mechanisms::{
    AboveThreshold,
    stream::above_threshold::{self, Answer},
};
use pointillist_mechanisms::{NumericSparse, stream::numeric_sparse};

use super::{Subjects, Terms, linf, named};
use crate::{AuditError, Observation, Part, Subject, Trial};

/// Queries of one session, all against the threshold zero.
type Queries = Vec<i64>;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let mut all: Vec<Box<dyn Subject>> = Vec::new();
    for (movement, word) in [(Movement::General, "general"), (Movement::Monotone, "monotone")] {
        for (tops, times) in [(1, "one top"), (2, "two tops")] {
            let variant = format!("{word}, {times}");
            all.push(Box::new(moved(movement, yes_or_no(terms, &variant, movement, tops)?)));
            all.push(Box::new(moved(movement, with_values(terms, &variant, movement, tops)?)));
        }
    }
    Ok(all)
}

fn yes_or_no(
    terms: &Terms,
    variant: &str,
    movement: Movement,
    tops: u32,
) -> Result<Trial<Queries>, AuditError> {
    let mechanism = AboveThreshold::new(&linf(1)?, movement, tops, &terms.epsilon)?;
    let (name, claim) = (named(&above_threshold::CARD, variant), mechanism.loss());
    Ok(Trial::new(name, claim, move |queries: &Queries, bits| {
        let mut session = mechanism.start(bits);
        let answers = queries.iter().map_while(|query| session.ask(*query, 0, bits).ok());
        Observation::list(answers.map(|answer| answer == Answer::Above))
    }))
}

fn with_values(
    terms: &Terms,
    variant: &str,
    movement: Movement,
    tops: u32,
) -> Result<Trial<Queries>, AuditError> {
    let mechanism = NumericSparse::new(&linf(1)?, movement, tops, &terms.epsilon)?;
    let (name, claim) = (named(&numeric_sparse::CARD, variant), mechanism.loss());
    Ok(Trial::new(name, claim, move |queries: &Queries, bits| {
        let mut session = mechanism.start(bits);
        let answers = queries.iter().map_while(|query| session.ask(*query, 0, bits).ok());
        Observation::list(answers.map(|answer| match answer {
            numeric_sparse::Answer::Below => Part::from("below"),
            numeric_sparse::Answer::Above { value } => Part::from(value),
        }))
    }))
}

fn moved(movement: Movement, trial: Trial<Queries>) -> Trial<Queries> {
    match movement {
        Movement::General => trial
            .pair("one query", vec![0], vec![1])
            .pair("four rise, then two fall", vec![-1, -1, -1, -1, 1, 1], vec![0; 6])
            .pair("one rises, the next falls", vec![0, 1], vec![1, 0])
            .pair("far above, all fall", vec![40; 2], vec![39; 2]),
        Movement::Monotone => trial
            .pair("one query", vec![0], vec![1])
            .pair("seven rise", vec![-1; 7], vec![0; 7])
            .pair("the last three rise", vec![0, 0, 0, 0, 0, 0], vec![0, 0, 0, 1, 1, 1])
            .pair("far above, all rise", vec![40; 2], vec![41; 2]),
    }
}
