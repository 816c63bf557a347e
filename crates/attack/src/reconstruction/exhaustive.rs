//! All subsets, all candidates: no cleverness at all, for a handful of people.
//!
//! **Statement.** When all 2^n subsets were answered within E, every candidate that agrees with all answers
//! differs from the secret in at most 4E places (the proof is at the top of `reconstruction.rs`). There is
//! always one: the secret. Answers that are private at a small price have errors far beyond any E worth
//! claiming, and usually nobody agrees with all of them; the guess is then the candidate whose largest
//! disagreement is least.

use rayon::prelude::*;

use super::{Oracle, Queries, Recovery, finite_answers};
use crate::AttackError;

/// 4^14 comparisons at worst: a few seconds.
const PEOPLE_MAX: usize = 14;
/// Answers are floats; a candidate is not refuted by the rounding of one.
const ROUNDING: f64 = 1e-12;

/// What all answers together leave open.
#[derive(Clone, Debug, PartialEq)]
pub struct Exhaustive {
    /// How many people there are.
    pub people: usize,
    /// The largest error that the adversary reckons with.
    pub error_bound: f64,
    /// How many of the 2^n questions were answered before the first refusal.
    pub answered: usize,
    /// Everybody's bits, one candidate a number, that agree with all answers.
    consistent: Vec<u64>,
    /// The candidate that the attack settles for.
    guess: u64,
}

impl Exhaustive {
    /// How many candidates agree with all answers.
    pub fn consistent_count(&self) -> usize {
        self.consistent.len()
    }

    /// The candidates that agree with all answers, in order.
    pub fn consistent(&self) -> impl Iterator<Item = Vec<bool>> + '_ {
        self.consistent.iter().map(|mask| flags(*mask, self.people))
    }

    /// The guess: a candidate that agrees with all answers, or if there is none, one that disagrees least.
    pub fn guess(&self) -> Vec<bool> {
        flags(self.guess, self.people)
    }

    /// In how many places a consistent candidate can differ from the secret: 4E, if all questions were
    /// answered.
    pub fn distance_bound(&self) -> Option<f64> {
        (self.answered == 1 << self.people).then_some(4.0 * self.error_bound)
    }

    /// In how many places the farthest consistent candidate differs; `None` when there is none.
    pub fn farthest(&self, secret: &[bool]) -> Result<Option<usize>, AttackError> {
        let distances: Result<Vec<usize>, AttackError> =
            self.consistent().map(|candidate| Ok(Recovery::of(&candidate, secret)?.wrong())).collect();
        Ok(distances?.into_iter().max())
    }

    /// How good the guess is.
    pub fn recovery(&self, secret: &[bool]) -> Result<Recovery, AttackError> {
        Recovery::of(&self.guess(), secret)
    }

    /// The attack in words.
    pub fn summary(&self) -> String {
        let (count, all) = (self.consistent.len(), 1u64 << self.people);
        let asked =
            format!("{} of {all} questions about {} people were answered", self.answered, self.people);
        match (count, self.distance_bound()) {
            (0, _) => format!(
                "{asked}, and nobody's bits agree with all of them within {}: the errors are larger \
                 than that",
                self.error_bound
            ),
            (_, None) => format!("{asked}, then the oracle refused; {count} of {all} candidates remain"),
            (_, Some(bound)) => {
                let bound = bound.floor().min(self.people as f64);
                format!("{asked}; {count} of {all} candidates remain, each wrong in at most {bound} places")
            }
        }
    }
}

/// Asks about every subset and keeps every candidate that agrees with all answers within the bound.
pub fn exhaustive(
    people: usize,
    error_bound: f64,
    oracle: &mut dyn Oracle,
) -> Result<Exhaustive, AttackError> {
    if people == 0 || people > PEOPLE_MAX {
        return Err(AttackError::new(
            format!("all subsets of {people} people cannot be asked about"),
            format!("take 1 to {PEOPLE_MAX} people, or the attack by random subsets"),
        ));
    }
    if !(error_bound.is_finite() && error_bound >= 0.0) {
        return Err(AttackError::new(
            format!("{error_bound} is not a bound on an error"),
            "write zero or a positive number, such as 0.5",
        ));
    }
    let queries = Queries::all(people);
    let answers: Vec<f64> = queries.subsets().map_while(|subset| oracle.answer(&subset)).collect();
    let answers = finite_answers(&answers, people)?;
    let candidates = 0..1u64 << people;
    let consistent: Vec<u64> = candidates
        .clone()
        .into_par_iter()
        .filter(|candidate| largest_error(&answers, *candidate, error_bound + ROUNDING).is_some())
        .collect();
    let guess = match consistent.first() {
        Some(first) => *first,
        None => least_wrong(&answers, candidates),
    };
    Ok(Exhaustive { people, error_bound, answered: answers.len(), consistent, guess })
}

/// How far a candidate is from the answers at worst, or `None` as soon as that exceeds the bound.
fn largest_error(answers: &[f64], candidate: u64, bound: f64) -> Option<f64> {
    let mut largest = 0f64;
    for (mask, answer) in (0u64..).zip(answers) {
        largest = largest.max((f64::from((mask & candidate).count_ones()) - answer).abs());
        if largest > bound {
            return None;
        }
    }
    Some(largest)
}

fn least_wrong(answers: &[f64], candidates: std::ops::Range<u64>) -> u64 {
    let mut best = (0, f64::INFINITY);
    for candidate in candidates {
        match largest_error(answers, candidate, best.1) {
            Some(error) if error < best.1 => best = (candidate, error),
            _ => {}
        }
    }
    best.0
}

fn flags(mask: u64, people: usize) -> Vec<bool> {
    (0..people).map(|person| mask >> person & 1 == 1).collect()
}
