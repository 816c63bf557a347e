//! Groups of exact integers, as they are before noise.
//!
//! **Never shown.** These numbers are the raw truth about people. There is no `Debug` and no
//! serialisation: they leave an engine only towards the curator, which adds noise before anybody looks.

use std::collections::BTreeMap;

use pointillist_catalog::Value;

/// The keys, people and totals of every group: the declared groups in their declared order, or those that
/// occur in the order of their keys, NULL first.
pub struct Groups {
    keys: Vec<Vec<Option<Value>>>,
    people: Vec<i128>,
    totals: Vec<Vec<i128>>,
    /// Where values lie, group by group.
    weights: Vec<Vec<Vec<(u32, u64)>>>,
    /// For every measure, which of these it is chosen from.
    spreads: Vec<Option<usize>>,
}

impl Groups {
    /// `totals` holds one list a measure, each as long as `keys` and `people`.
    pub(crate) fn new(keys: Vec<Vec<Option<Value>>>, people: Vec<i128>, totals: Vec<Vec<i128>>) -> Self {
        debug_assert!(people.len() == keys.len() && totals.iter().all(|total| total.len() == keys.len()));
        let spreads = vec![None; totals.len()];
        Self { keys, people, totals, weights: Vec::new(), spreads }
    }

    /// Groups that another engine has added up, in any order: key, people, then one total a measure. Declared groups come in
    /// their order, with zeros for those that nobody is in; a group that is not declared is left out, and of two rows with
    /// one key, which no engine may return, there are none.
    pub fn from_rows(
        domain: Option<&[Vec<Option<Value>>]>,
        measures: usize,
        rows: Vec<(Vec<Option<Value>>, Vec<i128>)>,
    ) -> Option<Self> {
        let count = rows.len();
        let mut found: BTreeMap<Vec<Option<Value>>, Vec<i128>> = rows.into_iter().collect();
        let is_sound = found.len() == count && found.values().all(|numbers| numbers.len() == measures + 1);
        is_sound.then_some(())?;
        let nobody = vec![0; measures + 1];
        let (keys, numbers): (Vec<_>, Vec<_>) = match domain {
            None => found.into_iter().unzip(),
            Some(domain) => domain
                .iter()
                .map(|key| (key.clone(), found.remove(key).unwrap_or_else(|| nobody.clone())))
                .unzip(),
        };
        let people = numbers.iter().map(|numbers| numbers[0]).collect();
        let total = |measure: usize| numbers.iter().map(|numbers| numbers[measure + 1]).collect();
        Some(Self::new(keys, people, (0..measures).map(total).collect()))
    }

    /// The same with where values lie: every point's index and weight, group by group, and which measures are about them.
    pub(crate) fn with_weights(
        mut self,
        weights: Vec<Vec<Vec<(u32, u64)>>>,
        spreads: Vec<Option<usize>>,
    ) -> Self {
        debug_assert!(weights.iter().all(|groups| groups.len() == self.keys.len()));
        (self.weights, self.spreads) = (weights, spreads);
        self
    }

    /// Where the values of a group lie, for a measure that is a quantile: grid indexes, rising, with what people's rows
    /// there weigh. Nothing for other measures.
    pub fn weights(&self, measure: usize, group: usize) -> &[(u32, u64)] {
        self.spreads[measure].map_or(&[], |spread| &self.weights[spread][group])
    }

    /// Groups of which no two have the same key as one, in the order of their keys.
    pub(crate) fn merge(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let mut order: Vec<(usize, usize)> = parts
            .iter()
            .enumerate()
            .flat_map(|(part, groups)| (0..groups.keys.len()).map(move |at| (part, at)))
            .collect();
        order.sort_unstable_by(|left, right| parts[left.0].keys[left.1].cmp(&parts[right.0].keys[right.1]));
        let measures = parts.first().map_or(0, Self::measures);
        let people = order.iter().map(|(part, at)| parts[*part].people[*at]).collect();
        let total =
            |measure: usize| order.iter().map(|(part, at)| parts[*part].totals[measure][*at]).collect();
        let totals = (0..measures).map(total).collect();
        let keys = order.iter().map(|(part, at)| std::mem::take(&mut parts[*part].keys[*at])).collect();
        let lists = parts.first().map_or(0, |first| first.weights.len());
        let mut list = |list: usize| {
            order.iter().map(|(part, at)| std::mem::take(&mut parts[*part].weights[list][*at])).collect()
        };
        let weights = (0..lists).map(&mut list).collect();
        let spreads = parts.first().map_or(Vec::new(), |first| first.spreads.clone());
        Self::new(keys, people, totals).with_weights(weights, spreads)
    }

    /// The key of every group, one value a key expression; `None` is NULL.
    pub fn keys(&self) -> &[Vec<Option<Value>>] {
        &self.keys
    }

    /// How many people are in every group, after bounding.
    pub fn people(&self) -> &[i128] {
        &self.people
    }

    /// What people add up to in every group, for one measure of the plan; for a quantile, what all its rows weigh.
    pub fn totals(&self, measure: usize) -> &[i128] {
        &self.totals[measure]
    }

    /// How many measures there are.
    pub fn measures(&self) -> usize {
        self.totals.len()
    }
}
