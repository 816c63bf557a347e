//! One of several candidates, by scores.

use pointillist_mechanisms::{ContinuousMedian, ExponentialOnLine, Line, choice::exponential_on_line};
use pointillist_mechanisms::{ExponentialMechanism, choice::exponential};
use pointillist_mechanisms::{Movement, Scores};
use pointillist_mechanisms::{NoisyMax, choice::noisy_max};
use pointillist_mechanisms::{PermuteAndFlip, choice::permute_and_flip};
use pointillist_mechanisms::{Pricing, choice::pricing};
use pointillist_mechanisms::{TopK, choice::top_k};
use pointillist_mechanisms::{Tuning, choice::tuning};
use pointillist_numbers::Rational;
use pointillist_privacy::Neighbours;

use super::{Subjects, Terms, in_steps, linf, named};
use crate::{AuditError, Observation, Subject, Trial};

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let mut all: Vec<Box<dyn Subject>> = Vec::new();
    for (variant, movement) in [("general", Movement::General), ("monotone", Movement::Monotone)] {
        all.push(Box::new(moved(movement, exponentials(terms, variant, movement)?)));
        all.push(Box::new(moved(movement, permuted(terms, variant, movement)?)));
        all.push(Box::new(moved(movement, noisy_maxima(terms, variant, movement)?)));
    }
    all.extend(top_two(terms)?);
    all.push(Box::new(tuned(terms, "add or remove a record", Neighbours::AddRemove)?));
    all.push(Box::new(tuned(terms, "replace a record", Neighbours::ReplaceOne)?));
    all.push(Box::new(priced(terms)?));
    all.push(Box::new(on_a_line(terms)?));
    all.push(Box::new(median(terms, "median", Neighbours::AddRemove)?));
    all.push(Box::new(median(terms, "median, replace one", Neighbours::ReplaceOne)?));
    Ok(all)
}

/// Scores of sensitivity one that move as far as their movement allows.
fn moved(movement: Movement, trial: Trial<Vec<i64>>) -> Trial<Vec<i64>> {
    match movement {
        Movement::General => trial
            .pair("a tie, pulled apart", vec![0, 0], vec![1, -1])
            .pair("one of six rises, the others fall", vec![0; 6], vec![1, -1, -1, -1, -1, -1])
            .pair("the leader falls behind", vec![2, 1, 1], vec![1, 2, 2])
            .pair("the last of ties rises", vec![0, 0, 0], vec![-1, -1, 1]),
        Movement::Monotone => trial
            .pair("a tie, broken", vec![0, 0], vec![1, 0])
            .pair("one of six rises", vec![0; 6], vec![1, 0, 0, 0, 0, 0])
            .pair("all but one rise", vec![0; 6], vec![0, 1, 1, 1, 1, 1])
            .pair("all rise", vec![3, 1, 0], vec![4, 2, 1]),
    }
}

fn scores(values: &[i64]) -> Scores {
    Scores::from_integers(values).expect("every pair has candidates")
}

fn exponentials(terms: &Terms, variant: &str, movement: Movement) -> Result<Trial<Vec<i64>>, AuditError> {
    let mechanism = ExponentialMechanism::new(&linf(1)?, movement, &terms.epsilon)?;
    let (name, claim) = (named(&exponential::CARD, variant), mechanism.loss());
    Ok(Trial::new(name, claim, move |values: &Vec<i64>, bits| {
        Observation::of(mechanism.release(&scores(values), bits))
    }))
}

fn permuted(terms: &Terms, variant: &str, movement: Movement) -> Result<Trial<Vec<i64>>, AuditError> {
    let mechanism = PermuteAndFlip::new(&linf(1)?, movement, &terms.epsilon)?;
    let (name, claim) = (named(&permute_and_flip::CARD, variant), mechanism.loss());
    Ok(Trial::new(name, claim, move |values: &Vec<i64>, bits| {
        Observation::of(mechanism.release(&scores(values), bits))
    }))
}

fn noisy_maxima(terms: &Terms, variant: &str, movement: Movement) -> Result<Trial<Vec<i64>>, AuditError> {
    let mechanism = NoisyMax::new(&linf(1)?, movement, &terms.epsilon)?;
    let (name, claim) = (named(&noisy_max::CARD, variant), mechanism.loss());
    Ok(Trial::new(name, claim, move |values: &Vec<i64>, bits| {
        Observation::of(mechanism.release(values, bits).expect("every pair has candidates"))
    }))
}

fn top_two(terms: &Terms) -> Subjects {
    let general = Movement::General;
    let choices = [
        ("ε", general, TopK::new(2, &linf(1)?, general, &terms.epsilon)?),
        ("ρ", general, TopK::from_rho(2, &linf(1)?, general, &terms.rho)?),
        ("monotone", Movement::Monotone, TopK::new(2, &linf(1)?, Movement::Monotone, &terms.epsilon)?),
    ];
    let subject = |(variant, movement, mechanism): (&str, Movement, TopK)| -> Box<dyn Subject> {
        let (name, claim) = (named(&top_k::CARD, variant), mechanism.loss());
        let trial = Trial::new(name, claim, move |values: &Vec<i64>, bits| {
            Observation::list(
                mechanism.release(&scores(values), bits).expect("every pair has two candidates"),
            )
        });
        Box::new(moved(movement, trial))
    };
    Ok(choices.into_iter().map(subject).collect())
}

/// Right answers of three models.
fn tuned(terms: &Terms, variant: &str, neighbours: Neighbours) -> Result<Trial<[u64; 3]>, AuditError> {
    let mechanism = Tuning::new(neighbours, &terms.epsilon)?;
    let (name, claim) = (named(&tuning::CARD, variant), mechanism.loss());
    let trial = Trial::new(name, claim, move |correct: &[u64; 3], bits| {
        Observation::of(mechanism.release(correct, bits).expect("there are three models"))
    });
    Ok(match neighbours {
        Neighbours::AddRemove => trial
            .pair("a record that one model gets right", [10, 10, 10], [11, 10, 10])
            .pair("a record that one model gets wrong", [10, 10, 10], [10, 11, 11])
            .pair("no record, or one", [0, 0, 0], [1, 1, 0]),
        Neighbours::ReplaceOne => trial
            .pair("one model's right answers become the others'", [10, 10, 10], [11, 9, 9])
            .pair("the best model loses a record to the others", [11, 10, 10], [10, 11, 11]),
    })
}

/// Bids of 1.00 and 3.01, as in the mechanism's own file: without one of them the best price jumps.
fn priced(terms: &Terms) -> Result<Trial<Vec<i128>>, AuditError> {
    let cents = |cents: i128| Rational::ratio(cents, 100);
    let prices = [50, 100, 200, 301].map(cents);
    let mechanism = Pricing::new(&prices, &terms.epsilon)?;
    Ok(Trial::new(pricing::CARD.name, mechanism.loss(), move |bids: &Vec<i128>, bits| {
        let bids: Vec<Rational> = bids.iter().map(|bid| cents(*bid)).collect();
        Observation::of(in_steps(mechanism.release(&bids, bits), &cents(1)))
    })
    .pair("one of three cheap bids leaves", vec![100, 100, 100, 301], vec![100, 100, 301])
    .pair("nobody, or somebody who pays any price", vec![], vec![1_000_000])
    .pair("a bid that never buys", vec![100], vec![100, 1])
    .pair("a bid is exchanged", vec![100, 0], vec![100, 1_000_000]))
}

fn line() -> Result<Line, AuditError> {
    Ok(Line::new(Rational::zero(), Rational::from(4), Rational::one())?)
}

/// Scores of the stretches below 1, between 1 and 3, and above.
fn on_a_line(terms: &Terms) -> Result<Trial<[i64; 3]>, AuditError> {
    let mechanism = ExponentialOnLine::new(&line()?, &linf(1)?, Movement::General, &terms.epsilon)?;
    let breakpoints = [Rational::one(), Rational::from(3)];
    Ok(Trial::new(exponential_on_line::CARD.name, mechanism.loss(), move |values: &[i64; 3], bits| {
        let released = mechanism.release(&breakpoints, &scores(values), bits);
        Observation::of(in_steps(&released.expect("one score more than breakpoints"), &Rational::one()))
    })
    .pair("one end rises, the rest falls", [0, 0, 0], [1, -1, -1])
    .pair("the middle rises, the ends fall", [0, 0, 0], [-1, 1, -1])
    .pair("a peak flattens", [0, 3, 0], [1, 2, 1])
    .slow(20_000))
}

fn median(terms: &Terms, variant: &str, neighbours: Neighbours) -> Result<Trial<Vec<i64>>, AuditError> {
    let mechanism = ContinuousMedian::new(&line()?, neighbours, &terms.epsilon)?;
    let (name, claim) = (named(&exponential_on_line::CARD, variant), mechanism.loss());
    let trial = Trial::new(name, claim, move |records: &Vec<i64>, bits| {
        let records: Vec<Rational> = records.iter().map(|record| Rational::from(*record)).collect();
        Observation::of(in_steps(&mechanism.release(&records, bits), &Rational::one()))
    })
    .slow(20_000);
    Ok(match neighbours {
        Neighbours::AddRemove => trial
            .pair("nobody, or a record in the middle", vec![], vec![2])
            .pair("a record far beyond the top", vec![1, 3], vec![1, 3, 1000])
            .pair("one more among equals", vec![1; 3], vec![1; 4]),
        Neighbours::ReplaceOne => trial.pair("from end to end", vec![1, 3, 0], vec![1, 3, 4]).pair(
            "from beyond to beyond",
            vec![2, -1000],
            vec![2, 1000],
        ),
    })
}
