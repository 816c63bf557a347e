//! The reports of many people, from a party that has removed their senders.
//!
//! **Claim.** (ε, δ) of all reports together ([`shuffle`](pointillist_local::shuffle)), less than one report costs.
//! **Neighbours.** One person's answer is replaced by another; everybody else answers the same. The others hold the first
//! answer, the second, either in turn, or a third: where they hold neither, only lies hide the one.
//! **Seen.** How many reports name each value: a shuffled list says no more.

use pointillist_local::shuffle::{Randomizer, epsilon_upper};
use pointillist_local::{Oracle, Report};
use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Loss};

use crate::{AuditError, Observation, Subject, Trial};

/// So many people's reports, shuffled, at a δ. The method must be one whose reports name a value.
pub fn shuffled_subject(
    oracle: Oracle,
    people: u64,
    delta: &Delta,
) -> Result<impl Subject + use<>, AuditError> {
    let claim = shuffled_claim(&oracle, people, delta)?;
    let name = format!("{oracle}, {people} people shuffled");
    let values = oracle.values();
    let release = move |answers: &Vec<u64>, bits: &mut dyn SecureBits| {
        let mut counts = vec![0u64; values as usize];
        for answer in answers {
            if let Ok(Report::Value(value)) = oracle.randomize(*answer, bits) {
                counts[value as usize] += 1;
            }
        }
        let named = counts.into_iter().enumerate();
        named.fold(Observation::new(), |seen, (value, count)| seen.with(format!("reports of {value}"), count))
    };
    let others = people as usize - 1;
    let mut trial = Trial::new(name, claim, release).slow(10_000);
    for (what, held) in crowds(others, values) {
        let [left, right] = [0, 1].map(|own| std::iter::once(own).chain(held.clone()).collect());
        trial = trial.pair(format!("one holds 0 or 1, {what}"), left, right);
    }
    Ok(trial)
}

/// What one person's answer costs in a shuffled list.
pub(crate) fn shuffled_claim(oracle: &Oracle, people: u64, delta: &Delta) -> Result<Loss, AuditError> {
    if !matches!(oracle, Oracle::Binary(_) | Oracle::Kary(_)) || people < 2 {
        return Err(AuditError::new(
            "shuffled lists are counted for randomized response of two people or more",
            "take k-ary-response, and more people",
        ));
    }
    let alone = oracle.loss().pure_epsilon().expect("randomized response is pure");
    let epsilon = epsilon_upper(Randomizer::of(oracle), &alone, people, delta)?;
    Ok(Loss::approximate(epsilon, delta.clone()))
}

/// What everybody else may hold.
fn crowds(others: usize, values: u64) -> Vec<(&'static str, Vec<u64>)> {
    let mut crowds = vec![
        ("all others 0", vec![0; others]),
        ("the others in turn", (0..values).cycle().take(others).collect()),
    ];
    if values > 2 {
        crowds.push(("all others 2", vec![2; others]));
    }
    crowds
}
