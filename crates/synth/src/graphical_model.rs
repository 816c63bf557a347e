//! A graphical model of a table: a total and independent parts, each fitted to what was measured of it.

use std::collections::BTreeMap;

use crate::Domain;
use crate::attribute_set::AttributeSet;
use crate::component::{Component, Effort, Target};
use crate::junction_tree::{components, model_cells};

/// Noisy numbers of one set of columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observation {
    pub attributes: Vec<usize>,
    pub values: Vec<f64>,
    /// The variance of each number, positive.
    pub variances: Vec<f64>,
}

/// A distribution over all columns and how many rows it stands for.
#[derive(Clone, Debug)]
pub(crate) struct GraphicalModel {
    pub domain: Domain,
    pub total: f64,
    pub components: Vec<Component>,
}

impl GraphicalModel {
    /// All columns independent and even.
    pub fn uniform(domain: &Domain, total: f64) -> Self {
        let part =
            |attribute: usize| Component::new(domain, AttributeSet::of(&[attribute]), Vec::new(), Vec::new());
        Self { domain: domain.clone(), total, components: (0..domain.attributes()).map(part).collect() }
    }

    /// Fits to all that was observed, beginning with what is already fitted. Parts of which nothing new was observed stay.
    pub fn fit(&mut self, observations: &[Observation], effort: Effort) {
        self.total = total_of(observations).unwrap_or(self.total);
        let mut targets = combined(observations);
        let sets: Vec<AttributeSet> = targets.keys().copied().collect();
        let mut old: Vec<Component> = std::mem::take(&mut self.components);
        for attributes in components(self.domain.attributes(), &sets) {
            let own: Vec<AttributeSet> =
                sets.iter().filter(|set| !set.is_empty() && set.is_within(&attributes)).copied().collect();
            let own: Vec<Target> = own.iter().filter_map(|set| targets.remove(set)).collect();
            if let Some(at) = old.iter().position(|part| part.attributes == attributes && part.targets == own)
            {
                self.components.push(old.swap_remove(at));
                continue;
            }
            let known = |target: &Target| {
                let parts = old.iter().flat_map(|part| part.targets.iter().zip(&part.potentials));
                let mut known = parts.filter(|(other, _)| other.set == target.set);
                known.next().map(|(_, potential)| potential.clone()).or_else(|| first_guess(target))
            };
            let potentials = own.iter().map(known).collect();
            let mut part = Component::new(&self.domain, attributes, own, potentials);
            part.fit(self.total, effort);
            self.components.push(part);
        }
    }

    /// The cells of all cliques.
    pub fn cells(&self) -> usize {
        self.components.iter().map(|part| part.propagation.cells()).sum()
    }

    /// Whether a clique holds all of these columns.
    pub fn has_clique(&self, set: &AttributeSet) -> bool {
        let mut cliques = self.components.iter().flat_map(|part| &part.propagation.cliques);
        cliques.any(|clique| set.is_within(&clique.set))
    }

    /// How many cells the cliques would have with one more set.
    pub fn cells_with(&self, set: &AttributeSet) -> u64 {
        let (touched, others): (Vec<&Component>, Vec<&Component>) =
            self.components.iter().partition(|part| !part.attributes.intersection(set).is_empty());
        let attributes = touched.iter().fold(*set, |all, part| all.union(&part.attributes));
        let sets = touched.iter().flat_map(|part| part.targets.iter().map(|target| target.set)).chain([*set]);
        let rest: usize = others.iter().map(|part| part.propagation.cells()).sum();
        model_cells(&self.domain, &attributes, &sets.collect::<Vec<_>>()).saturating_add(rest as u64)
    }
}

/// Where the potentials of one column begin: at what was measured of it, nothing below a thousandth of an even share.
fn first_guess(target: &Target) -> Option<Vec<f64>> {
    if target.set.len() != 1 {
        return None;
    }
    let sum: f64 = target.values.iter().map(|value| value.max(0.0)).sum();
    let least = (sum / target.values.len() as f64).max(f64::MIN_POSITIVE) * 1e-3;
    Some(target.values.iter().map(|value| libm::log(value.max(least) / least)).collect())
}

/// What was observed of each set, several times by inverse variance.
fn combined(observations: &[Observation]) -> BTreeMap<AttributeSet, Target> {
    let mut targets: BTreeMap<AttributeSet, Target> = BTreeMap::new();
    for observation in observations {
        let set = AttributeSet::of(&observation.attributes);
        let weights: Vec<f64> =
            observation.variances.iter().map(|variance| 1.0 / variance.max(1e-300)).collect();
        match targets.get_mut(&set) {
            None => {
                targets.insert(set, Target { set, values: observation.values.clone(), weights });
            }
            Some(target) => {
                let cells = target.values.iter_mut().zip(&mut target.weights);
                for ((value, weight), (new, more)) in cells.zip(observation.values.iter().zip(weights)) {
                    *value = (*value * *weight + new * more) / (*weight + more);
                    *weight += more;
                }
            }
        }
    }
    targets
}

/// How many rows there are: the mean of what was observed, by inverse variance, and at least one.
pub(crate) fn total_of(observations: &[Observation]) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for observation in observations {
        let weight = 1.0 / observation.variances.iter().sum::<f64>().max(1e-300);
        sum += weight * observation.values.iter().sum::<f64>();
        weights += weight;
    }
    let mean = sum / weights;
    mean.is_finite().then(|| mean.max(1.0))
}
