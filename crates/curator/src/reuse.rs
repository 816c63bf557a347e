//! Numbers that were released before, for questions that they answer.
//!
//! **Guarantee.** What comes out is made of records that the asker has paid for, in the order of the plan: nothing is
//! drawn, read or charged. It is post-processing of released numbers, whatever the question. Which records answer a
//! question is decided in `plan/src/terms.rs`.
//! **Labels, not places.** A record says of every key and measure what it is. Asked for in another order, they are found
//! by that; a record that lacks one, or has other groups than the plan, is no answer.

use std::collections::HashMap;

use pointillist_catalog::Value;
use pointillist_ledger::{HeldAnswer, Question};
use pointillist_plan::{MeasureTerms, PrivatePlan, Terms};

use crate::release::Released;
use crate::released_bytes::decode;

/// Released numbers, with the terms on which they were released; graphs have none and are found by the question alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) terms: Option<Terms>,
    pub(crate) released: Released,
}

/// Numbers that the asker holds, and the question that they were paid for as.
pub(crate) struct Holding {
    pub(crate) question: Question,
    pub(crate) recorded: Recorded,
}

/// What an asker holds that answers a plan: the very question, or numbers of its topic.
pub(crate) fn holding(plan: &PrivatePlan, question: &Question, held: Vec<HeldAnswer>) -> Option<Holding> {
    let one = |held: HeldAnswer| match <[Recorded; 1]>::try_from(decode(&held.answer)?) {
        Ok([recorded]) => Some(Holding { question: held.question, recorded }),
        Err(_) => None,
    };
    let mut held: Vec<Holding> = held.into_iter().filter_map(one).collect();
    if let Some(same) = held.iter().position(|held| held.question.id() == question.id()) {
        return Some(held.swap_remove(same));
    }
    let (questions, earlier): (Vec<Question>, Vec<Recorded>) =
        held.into_iter().map(|held| (held.question, held.recorded)).unzip();
    let (position, recorded) = reused(plan, &earlier)?;
    Some(Holding { question: questions[position].clone(), recorded })
}

/// The numbers that answer a plan, from earlier records of its topic, with the position of the record to be cited.
fn reused(plan: &PrivatePlan, earlier: &[Recorded]) -> Option<(usize, Recorded)> {
    let labelled: Vec<(usize, &Recorded, &Terms)> = earlier
        .iter()
        .enumerate()
        .filter_map(|(position, recorded)| Some((position, recorded, recorded.terms.as_ref()?)))
        .collect();
    let terms: Vec<&Terms> = labelled.iter().map(|(_, _, terms)| *terms).collect();
    let found = plan.answered_by(&terms)?;
    // Without a measure the answer is the list of keys that one release earned.
    let first = found.first().map_or_else(|| plan.keys_from(&terms), |(release, _)| Some(*release))?;
    let (position, recorded, first_terms) = labelled[first];
    let keys = arranged(plan, recorded, first_terms)?.0;
    let mut measures = Vec::with_capacity(found.len());
    let mut taken = Vec::with_capacity(found.len());
    for (release, measure) in found {
        let (_, recorded, terms) = labelled[release];
        let (own_keys, order) = arranged(plan, recorded, terms)?;
        if own_keys != keys {
            return None;
        }
        let column = recorded.released.measures.get(measure)?;
        measures.push(order.iter().map(|group| column[*group]).collect());
        taken.push(terms.measures[measure].clone());
    }
    let asked = plan.terms();
    let terms = Terms {
        keys: asked.keys,
        measures: taken,
        selection: first_terms.selection.clone(),
        price: first_terms.price,
    };
    Some((position, Recorded { terms: Some(terms), released: Released { keys, measures } }))
}

/// The plan with the noise of a record, and the record's numbers in the order of the plan.
pub(crate) fn conform(plan: &PrivatePlan, recorded: &Recorded) -> Option<(PrivatePlan, Released)> {
    let terms = recorded.terms.as_ref()?;
    let (keys, order) = arranged(plan, recorded, terms)?;
    let mut measures = Vec::new();
    let mut spends = Vec::new();
    for MeasureTerms { label, .. } in plan.terms().measures {
        let position = terms.measures.iter().position(|measure| measure.label == label)?;
        let column = recorded.released.measures.get(position)?;
        measures.push(order.iter().map(|group| column[*group]).collect());
        spends.push(terms.measures[position].spend.clone());
    }
    let plan = plan.on_terms(&spends, terms.selection.as_ref()).ok()?;
    Some((plan, Released { keys, measures }))
}

type Keys = Vec<Vec<Option<Value>>>;

/// The keys of a record as the plan writes them, group by group in its order, and where in the record each group is.
fn arranged(plan: &PrivatePlan, recorded: &Recorded, terms: &Terms) -> Option<(Keys, Vec<usize>)> {
    let places: Vec<usize> = plan
        .terms()
        .keys
        .iter()
        .map(|label| terms.keys.iter().position(|known| known == label))
        .collect::<Option<_>>()?;
    let groups = recorded.released.keys.len();
    let is_whole = |column: &Vec<i128>| column.len() == groups;
    if terms.keys.len() != places.len() || !recorded.released.measures.iter().all(is_whole) {
        return None;
    }
    let keys = recorded
        .released
        .keys
        .iter()
        .map(|key| places.iter().map(|place| key.get(*place).cloned()).collect::<Option<Vec<_>>>());
    let keys: Keys = keys.collect::<Option<_>>()?;
    match &plan.aggregation.domain {
        Some(domain) => {
            let known: HashMap<Vec<u8>, usize> = keys
                .iter()
                .enumerate()
                .map(|(group, key)| (crate::released_bytes::key_bytes(key), group))
                .collect();
            let find = |key: &Vec<Option<Value>>| known.get(&crate::released_bytes::key_bytes(key)).copied();
            let order: Vec<usize> = domain.iter().map(find).collect::<Option<_>>()?;
            (order.len() == groups).then(|| (domain.clone(), order))
        }
        None => {
            // As the engine orders groups that are not declared: by key, NULL first.
            let mut order: Vec<usize> = (0..groups).collect();
            order.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
            Some((order.iter().map(|group| keys[*group].clone()).collect(), order))
        }
    }
}
