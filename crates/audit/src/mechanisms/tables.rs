//! Counts by key, for keys that are public and keys that are not.

use std::collections::BTreeMap;

use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::{EarnedKeys, keys::earned_keys};
use pointillist_mechanisms::{Histogram, aggregate::histogram};
use pointillist_mechanisms::{PartitionSelection, keys::partition_selection};
use pointillist_mechanisms::{StabilityHistogram, keys::stability_histogram};
use pointillist_privacy::{FailureProbability, Neighbours, Spend};

use super::{Subjects, Terms, named};
use crate::{AuditError, Observation, Subject, Trial};

/// One list of keys a person.
type People = Vec<Vec<&'static str>>;

/// A crowd that is larger takes too long to count a million times.
const CROWD_MAX: usize = 200;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let mut all: Vec<Box<dyn Subject>> = Vec::new();
    for (currency, price) in terms.prices() {
        all.push(Box::new(public_keys(currency, &price)?));
    }
    all.push(Box::new(replaced_keys(terms)?));
    for groups in [1, 2] {
        all.push(Box::new(private_keys(terms, groups)?));
        all.push(Box::new(selected_keys(terms, groups)?));
        all.push(Box::new(earned(terms, groups)?));
    }
    Ok(all)
}

fn counted(name: String, mechanism: Histogram<&'static str>) -> Trial<People> {
    let claim = mechanism.loss();
    Trial::new(name, claim, move |people: &People, bits| {
        by_key(mechanism.release(people.iter().map(|keys| keys.iter().copied()), bits))
    })
}

fn by_key(counts: Vec<(&'static str, i128)>) -> Observation {
    counts.into_iter().fold(Observation::new(), |seen, (key, count)| seen.with(key, count))
}

fn public_keys(currency: &str, price: &Spend) -> Result<Trial<People>, AuditError> {
    let keys = vec!["a", "b", "c"];
    let mechanism = Histogram::new(keys, &ContributionBound::new(2, 2)?, Neighbours::AddRemove, price)?;
    Ok(counted(named(&histogram::CARD, currency), mechanism)
        .pair("nobody, or somebody in two groups twice", vec![], vec![vec!["a", "a", "b", "b"]])
        .pair("rows in every group, many more than allowed", vec![vec!["c"]], vec![vec!["c"], everywhere()])
        .pair("a key that was not declared", vec![vec!["a"]], vec![vec!["a"], vec!["z"; 9]]))
}

fn everywhere() -> Vec<&'static str> {
    ["a", "b", "c", "z"].repeat(20)
}

fn replaced_keys(terms: &Terms) -> Result<Trial<People>, AuditError> {
    let keys = vec!["a", "b", "c"];
    let bound = ContributionBound::one_row();
    let mechanism = Histogram::new(keys, &bound, Neighbours::ReplaceOne, &terms.pure())?;
    Ok(counted(named(&histogram::CARD, "replace one"), mechanism)
        .pair("from one key to another", vec![vec!["a"]], vec![vec!["b"]])
        .pair("from everywhere to one key", vec![everywhere()], vec![vec!["b"]]))
}

/// So many people with the same keys, and one with others.
fn joined(keys: &[&'static str], people: usize, another: Option<&[&'static str]>) -> People {
    let another = another.map(<[_]>::to_vec);
    std::iter::repeat_n(keys.to_vec(), people).chain(another).collect()
}

fn private_keys(terms: &Terms, groups: u64) -> Result<Trial<People>, AuditError> {
    let mechanism =
        StabilityHistogram::new(&ContributionBound::new(groups, 1)?, &terms.epsilon, &terms.delta)?;
    let near = usize::try_from(mechanism.threshold() - 1).map_or(CROWD_MAX, |near| near.min(CROWD_MAX));
    let (name, claim) = (named(&stability_histogram::CARD, in_words(groups)), mechanism.loss());
    let release = move |people: &People, bits: &mut dyn pointillist_noise::SecureBits| {
        by_key(mechanism.release(people.iter().map(|keys| keys.iter().copied()), bits))
    };
    Ok(private_pairs(Trial::new(name, claim, release), groups, near))
}

fn selected_keys(terms: &Terms, groups: u64) -> Result<Trial<People>, AuditError> {
    let mechanism = PartitionSelection::new(groups, &terms.epsilon, &terms.delta)?;
    let half = mechanism.people_needed(&FailureProbability::parse("0.5")?);
    let near = usize::try_from(half - 1).map_or(CROWD_MAX, |near| near.min(CROWD_MAX));
    let (name, claim) = (named(&partition_selection::CARD, in_words(groups)), mechanism.loss());
    let release = move |people: &People, bits: &mut dyn pointillist_noise::SecureBits| {
        let kept = mechanism.release(people.iter().map(|keys| keys.iter().copied()), bits);
        kept.into_iter().fold(Observation::new(), |seen, key| seen.with(key, "kept"))
    };
    Ok(private_pairs(Trial::new(name, claim, release), groups, near).slow(5_000))
}

fn in_words(groups: u64) -> &'static str {
    if groups == 1 { "one key a person" } else { "two keys a person" }
}

/// Keys that one person alone has, keys that are about to show, and more keys than a person may have.
fn private_pairs(trial: Trial<People>, groups: u64, near: usize) -> Trial<People> {
    let (one, two) = (["a"], ["a", "b"]);
    let trial = match groups {
        1 => trial
            .pair("a key that nobody else has", vec![], vec![one.to_vec()])
            .pair("one more of a crowd", joined(&one, near, None), joined(&one, near + 1, None))
            .pair("one more of two", joined(&one, 2, None), joined(&one, 3, None)),
        _ => trial
            .pair("two keys that nobody else has", vec![], vec![two.to_vec()])
            .pair("one key of a crowd", joined(&one, near, None), joined(&one, near, Some(&two)))
            .pair("two keys of a crowd", joined(&two, near, None), joined(&two, near + 1, None)),
    };
    let many = ["b", "c", "d", "e"].repeat(8);
    trial.pair("many rows in many keys", joined(&one, 1, None), joined(&one, 1, Some(&many)))
}

/// Numbers of people by key, taken after bounding: what the mechanism is given.
fn earned(terms: &Terms, groups: u64) -> Result<Trial<BTreeMap<&'static str, i128>>, AuditError> {
    let mechanism = EarnedKeys::new(groups, &terms.rho, &terms.delta)?;
    let near = mechanism.threshold() - 1;
    let (name, claim) = (named(&earned_keys::CARD, in_words(groups)), mechanism.loss());
    let trial = Trial::new(name, claim, move |holders: &BTreeMap<&'static str, i128>, bits| {
        let people: Vec<i128> = holders.values().copied().collect();
        let shown = holders.keys().zip(mechanism.release(&people, bits));
        shown.fold(Observation::new(), |seen, (key, people)| match people {
            Some(people) => seen.with(*key, people),
            None => seen,
        })
    });
    let both = |a: i128, b: i128| BTreeMap::from([("a", a), ("b", b)]);
    // Zero stands for a key that does not occur.
    Ok(match groups {
        1 => trial
            .pair("a key that nobody else has", BTreeMap::new(), BTreeMap::from([("a", 1)]))
            .pair("a key about to show", both(near, 0), both(near + 1, 0))
            .pair("a common key", both(2 * near, 1), both(2 * near + 1, 1)),
        _ => trial
            .pair("two keys that nobody else has", both(0, 0), both(1, 1))
            .pair("one key of a crowd and one of one's own", both(near, 0), both(near + 1, 1))
            .pair("two keys of a crowd", both(near, near), both(near + 1, near + 1)),
    })
}
