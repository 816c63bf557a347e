//! Any marginal of a graphical model, also of columns that no clique holds together.
//!
//! Independent parts multiply. Within a part, the tree is cut down to the cliques between the wanted columns; each hands its parent, for every cell
//! of what they share, the joint distribution of the wanted columns below it.

use crate::Domain;
use crate::attribute_set::AttributeSet;
use crate::broadcast::Broadcast;
use crate::component::Component;
use crate::graphical_model::GraphicalModel;

/// A table of probabilities over columns in the order they are listed.
struct Factor {
    columns: Vec<usize>,
    cells: Vec<f64>,
}

impl GraphicalModel {
    /// The counts that the model gives to the cells of a set of columns, in rising order.
    pub fn marginal(&self, attributes: &[usize]) -> Vec<f64> {
        let wanted = AttributeSet::of(attributes);
        let mut joint = Factor { columns: Vec::new(), cells: vec![self.total] };
        for part in &self.components {
            let own = part.attributes.intersection(&wanted);
            if !own.is_empty() {
                joint = product(joint, within(&self.domain, part, &own));
            }
        }
        arranged(&self.domain, joint, attributes)
    }
}

fn product(one: Factor, other: Factor) -> Factor {
    let cells = one.cells.iter().flat_map(|left| other.cells.iter().map(move |right| left * right)).collect();
    Factor { columns: one.columns.into_iter().chain(other.columns).collect(), cells }
}

/// The same with its columns in another order, those that are not listed summed out.
fn arranged(domain: &Domain, factor: Factor, order: &[usize]) -> Vec<f64> {
    if factor.columns == order {
        return factor.cells;
    }
    let walk = Broadcast::new(&factor.columns, order, |attribute| domain.size(attribute));
    let mut cells = vec![0.0; walk.small_cells()];
    walk.sum(&factor.cells, &mut cells);
    cells
}

/// The joint distribution of some columns of one part.
fn within(domain: &Domain, part: &Component, wanted: &AttributeSet) -> Factor {
    let cliques = &part.propagation.cliques;
    let holding = (0..cliques.len()).filter(|clique| wanted.is_within(&cliques[*clique].set));
    if let Some(home) = holding.min_by_key(|clique| cliques[*clique].cells) {
        let columns = wanted.to_vec();
        let all = Factor { columns: cliques[home].columns.clone(), cells: Vec::new() };
        let walk = Broadcast::new(&all.columns, &columns, |attribute| domain.size(attribute));
        let mut cells = vec![0.0; walk.small_cells()];
        walk.sum(&part.beliefs.cliques[home], &mut cells);
        return Factor { columns, cells };
    }
    let kept = between(part, wanted);
    let mut messages: Vec<Option<Factor>> = (0..cliques.len()).map(|_| None).collect();
    for clique in (0..cliques.len()).rev().filter(|clique| kept[*clique]) {
        let children: Vec<usize> = (clique + 1..cliques.len())
            .filter(|child| kept[*child] && cliques[*child].parent == Some(clique))
            .collect();
        let below: Vec<(AttributeSet, Factor)> = children
            .iter()
            .filter_map(|child| messages[*child].take().map(|message| (separator(part, *child), message)))
            .collect();
        let top = !cliques[clique].parent.is_some_and(|parent| kept[parent]);
        let shared = if top { AttributeSet::default() } else { separator(part, clique) };
        let message = joined(domain, part, clique, top, &shared, wanted, &below);
        if top {
            return message;
        }
        messages[clique] = Some(message);
    }
    // Never reached: the cliques of a part hang together, so that one of those kept is on top.
    Factor { columns: Vec::new(), cells: vec![1.0] }
}

fn separator(part: &Component, clique: usize) -> AttributeSet {
    AttributeSet::of(&part.propagation.cliques[clique].columns[..part.propagation.cliques[clique].shared])
}

/// The cliques between the wanted columns: leaves that hold none but those their neighbour holds are cut off, again and again.
fn between(part: &Component, wanted: &AttributeSet) -> Vec<bool> {
    let cliques = &part.propagation.cliques;
    let mut kept = vec![true; cliques.len()];
    loop {
        let leaf = (0..cliques.len()).filter(|clique| kept[*clique]).find(|clique| {
            let children: Vec<usize> = (0..cliques.len())
                .filter(|child| kept[*child] && cliques[*child].parent == Some(*clique))
                .collect();
            let parent = cliques[*clique].parent.filter(|parent| kept[*parent]);
            let own = cliques[*clique].set.intersection(wanted);
            match (parent, children.as_slice()) {
                (Some(_), []) => own.is_within(&separator(part, *clique)),
                (None, [child]) => own.is_within(&separator(part, *child)),
                _ => false,
            }
        });
        match leaf {
            Some(leaf) => kept[leaf] = false,
            None => return kept,
        }
    }
}

/// The distribution of the wanted columns in and below a clique given what it shares with its parent; of all of them where it is on top.
fn joined(
    domain: &Domain,
    part: &Component,
    clique: usize,
    top: bool,
    shared: &AttributeSet,
    wanted: &AttributeSet,
    below: &[(AttributeSet, Factor)],
) -> Factor {
    let place = &part.propagation.cliques[clique];
    let size = |attribute: usize| domain.size(attribute);
    // What is needed of the clique: the rest is summed out first.
    let own = shared.union(&place.set.intersection(wanted));
    let needed = below.iter().fold(own, |needed, (separator, _)| needed.union(separator));
    let order: Vec<usize> = shared.to_vec().into_iter().chain(needed.without(shared).to_vec()).collect();
    let walk = Broadcast::new(&place.columns, &order, size);
    let mut cells = vec![0.0; walk.small_cells()];
    walk.sum(&part.beliefs.cliques[clique], &mut cells);
    if !top {
        let rows = domain.cells(&shared.to_vec()) as usize;
        let width = cells.len() / rows;
        for row in cells.chunks_exact_mut(width) {
            let sum = crate::broadcast::sum(row);
            // A row that cannot be has no weight above either.
            let share = if sum > 0.0 { 1.0 / sum } else { 0.0 };
            row.iter_mut().for_each(|cell| *cell *= share);
        }
    }
    let kept: Vec<usize> = shared.to_vec().into_iter().chain(own.without(shared).to_vec()).collect();
    let targets = Broadcast::new(&order, &kept, size).indices();
    let extras: Vec<(Vec<u32>, &[f64], usize)> = below
        .iter()
        .map(|(separator, message)| {
            let separator = separator.to_vec();
            let extra = message.cells.len() / domain.cells(&separator) as usize;
            (Broadcast::new(&order, &separator, size).indices(), message.cells.as_slice(), extra)
        })
        .collect();
    let width: usize = extras.iter().map(|(_, _, extra)| extra).product();
    let mut result = vec![0.0; domain.cells(&kept) as usize * width];
    let mut row = Vec::with_capacity(width);
    for (cell, probability) in cells.iter().enumerate().filter(|(_, probability)| **probability > 0.0) {
        let into = &mut result[targets[cell] as usize * width..][..width];
        if let [(indices, message, extra)] = extras.as_slice() {
            let from = &message[indices[cell] as usize * extra..][..*extra];
            into.iter_mut().zip(from).for_each(|(into, from)| *into += probability * from);
            continue;
        }
        row.clear();
        row.push(*probability);
        for (indices, message, extra) in &extras {
            let from = &message[indices[cell] as usize * extra..][..*extra];
            row = row.iter().flat_map(|left| from.iter().map(move |right| left * right)).collect();
        }
        into.iter_mut().zip(&row).for_each(|(into, from)| *into += from);
    }
    let extra_columns =
        below.iter().flat_map(|(separator, message)| message.columns[separator.len()..].iter().copied());
    Factor { columns: kept.iter().copied().chain(extra_columns).collect(), cells: result }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::component::Target;
    use crate::domain::subsets;
    use crate::junction_tree::components;
    use crate::propagation::tests::{brute_force, random_model};

    /// Specification: every marginal of random models, of any number of columns, is that of the joint distribution.
    #[test]
    fn every_marginal_is_that_of_brute_force() {
        let mut words = seeded(5);
        for round in 0..200 {
            let (domain, sets, potentials) = random_model(&mut words);
            let d = domain.attributes();
            let joint = brute_force(&domain, &sets, &potentials);
            let part = |attributes: AttributeSet| {
                let own = sets.iter().zip(&potentials).filter(|(set, _)| set.is_within(&attributes));
                let (targets, known): (Vec<Target>, Vec<Option<Vec<f64>>>) = own
                    .map(|(set, potential)| {
                        let zeros = vec![0.0; potential.len()];
                        (Target { set: *set, weights: zeros.clone(), values: zeros }, Some(potential.clone()))
                    })
                    .unzip();
                Component::new(&domain, attributes, targets, known)
            };
            let parts = components(d, &sets).into_iter().map(part).collect();
            let model = GraphicalModel { domain: domain.clone(), total: 7.0, components: parts };
            let all: Vec<usize> = (0..d).collect();
            for wanted in (0..=d).flat_map(|count| subsets(d, count)) {
                let walk = Broadcast::new(&all, &wanted, |attribute| domain.size(attribute));
                let mut expected = vec![0.0; walk.small_cells()];
                walk.sum(&joint, &mut expected);
                for (one, other) in model.marginal(&wanted).iter().zip(&expected) {
                    assert!(
                        (one - 7.0 * other).abs() < 1e-11,
                        "round {round}, {wanted:?}: {one} for {other}"
                    );
                }
            }
        }
    }
}
