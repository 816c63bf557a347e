//! Belief propagation: from logarithmic potentials over sets of columns to the marginals of every clique.
//!
//! A clique's table has the columns that it shares with its parent first, so that a row is what is known of the clique when those are.
//! Upwards, each row becomes a conditional distribution, and the logarithm of its sum is the message to the parent; downwards, each row
//! is multiplied by the probability that the parent gives it. One exponential a cell, no division by a number that may be zero, and
//! no sum whose order depends on how many threads there are.

use crate::Domain;
use crate::attribute_set::AttributeSet;
use crate::broadcast::Broadcast;
use crate::exponentials::normalise;
use crate::junction_tree::JunctionTree;

/// Tables with at least this many cells are worth a second thread.
const PARALLEL_CELLS: usize = 1 << 15;

/// Where everything lies: made once for each structure.
#[derive(Clone, Debug)]
pub(crate) struct Propagation {
    pub cliques: Vec<Clique>,
    /// Sets of one clique that have much in common: the large table is gone through once for all of them.
    clusters: Vec<Cluster>,
    /// For each set of the model, its cluster, and how its table lies in that cluster's.
    homes: Vec<(usize, Broadcast)>,
}

/// Columns of a clique that hold several sets of the model.
#[derive(Clone, Debug)]
struct Cluster {
    set: AttributeSet,
    clique: usize,
    /// How its table lies in the clique's.
    in_clique: Broadcast,
    factors: Vec<usize>,
}

/// A cluster's table has at most this part of its clique's cells, unless a set alone has more.
const CLUSTER_PART: u64 = 8;

/// A clique and its place.
#[derive(Clone, Debug)]
pub(crate) struct Clique {
    pub set: AttributeSet,
    /// Its columns, those of the separator first, each part in rising order.
    pub columns: Vec<usize>,
    /// How many of the columns are of the separator.
    pub shared: usize,
    pub parent: Option<usize>,
    /// How many rows the table has: the cells of the separator.
    pub rows: usize,
    pub cells: usize,
    /// How the separator lies in the parent's table.
    in_parent: Option<Broadcast>,
    children: Vec<usize>,
    clusters: Vec<usize>,
}

/// The probabilities of all cells of all cliques, and of their separators.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beliefs {
    pub cliques: Vec<Vec<f64>>,
    pub separators: Vec<Vec<f64>>,
    messages: Vec<Vec<f64>>,
    clusters: Vec<Vec<f64>>,
}

impl Propagation {
    /// For a model over these columns that is a product of factors over these sets.
    pub fn new(domain: &Domain, attributes: &AttributeSet, sets: &[AttributeSet]) -> Self {
        let tree = JunctionTree::new(domain, attributes, sets);
        let size = |attribute: usize| domain.size(attribute);
        let mut cliques: Vec<Clique> = Vec::with_capacity(tree.cliques.len());
        for (index, set) in tree.cliques.iter().enumerate() {
            let separator = tree.separator(index).to_vec();
            let rest = set.without(&tree.separator(index)).to_vec();
            let columns: Vec<usize> = separator.iter().chain(&rest).copied().collect();
            let in_parent =
                tree.parents[index].map(|parent| Broadcast::new(&cliques[parent].columns, &separator, size));
            cliques.push(Clique {
                set: *set,
                shared: separator.len(),
                parent: tree.parents[index],
                rows: domain.cells(&separator) as usize,
                cells: domain.cells(&columns) as usize,
                columns,
                in_parent,
                children: Vec::new(),
                clusters: Vec::new(),
            });
        }
        for index in 0..cliques.len() {
            if let Some(parent) = cliques[index].parent {
                cliques[parent].children.push(index);
            }
        }
        let mut clusters: Vec<Cluster> = Vec::new();
        for (factor, set) in sets.iter().enumerate() {
            let holding = (0..cliques.len()).filter(|clique| set.is_within(&cliques[*clique].set));
            let clique = holding.min_by_key(|clique| cliques[*clique].cells).unwrap_or(0);
            let room = cliques[clique].cells as u64 / CLUSTER_PART;
            let cells = |cluster: &Cluster| domain.cells(&cluster.set.union(set).to_vec());
            let fits = |index: &usize| {
                let cluster = &clusters[*index];
                set.is_within(&cluster.set) || cells(cluster) <= room
            };
            let near = cliques[clique].clusters.iter().copied().filter(fits);
            let grown =
                |index: &usize| cells(&clusters[*index]) - domain.cells(&clusters[*index].set.to_vec());
            match near.min_by_key(grown) {
                Some(near) => {
                    clusters[near].set = clusters[near].set.union(set);
                    clusters[near].factors.push(factor);
                }
                None => {
                    cliques[clique].clusters.push(clusters.len());
                    let in_clique = Broadcast::new(&[], &[], size);
                    clusters.push(Cluster { set: *set, clique, in_clique, factors: vec![factor] });
                }
            }
        }
        let mut homes: Vec<(usize, Broadcast)> = vec![(0, Broadcast::new(&[], &[], size)); sets.len()];
        for (index, cluster) in clusters.iter_mut().enumerate() {
            let columns = cluster.set.to_vec();
            cluster.in_clique = Broadcast::new(&cliques[cluster.clique].columns, &columns, size);
            for factor in &cluster.factors {
                homes[*factor] = (index, Broadcast::new(&columns, &sets[*factor].to_vec(), size));
            }
        }
        Self { cliques, clusters, homes }
    }

    /// The cells of all cliques.
    pub fn cells(&self) -> usize {
        self.cliques.iter().map(|clique| clique.cells).sum()
    }

    /// The marginals of a model with these logarithmic potentials, one table for each set, columns in rising order. The
    /// tables of earlier beliefs are used again.
    pub fn propagate(&self, potentials: &[Vec<f64>], beliefs: &mut Beliefs) {
        let count = self.cliques.len();
        beliefs.cliques.resize_with(count, Vec::new);
        beliefs.separators.resize_with(count, Vec::new);
        beliefs.messages.resize_with(count, Vec::new);
        beliefs.clusters.resize_with(self.clusters.len(), Vec::new);
        for (index, clique) in self.cliques.iter().enumerate().rev() {
            let mut table = std::mem::take(&mut beliefs.cliques[index]);
            table.clear();
            table.resize(clique.cells, 0.0);
            for index in &clique.clusters {
                let cluster = &self.clusters[*index];
                let own = emptied(&mut beliefs.clusters[*index], cluster.in_clique.small_cells());
                for factor in &cluster.factors {
                    self.homes[*factor].1.add(own, &potentials[*factor]);
                }
                cluster.in_clique.add(&mut table, own);
            }
            for child in &clique.children {
                if let Some(walk) = &self.cliques[*child].in_parent {
                    walk.add(&mut table, &beliefs.messages[*child]);
                }
            }
            let width = clique.cells / clique.rows;
            let message = &mut beliefs.messages[index];
            message.clear();
            message.resize(clique.rows, 0.0);
            if clique.cells >= PARALLEL_CELLS && clique.rows > 1 {
                use rayon::prelude::*;
                let together = PARALLEL_CELLS.div_ceil(2 * width);
                table.par_chunks_mut(width * together).zip(message.par_chunks_mut(together)).for_each(
                    |(rows, message)| {
                        let rows = rows.chunks_exact_mut(width);
                        rows.zip(message).for_each(|(row, message)| *message = normalise(row));
                    },
                );
            } else {
                let rows = table.chunks_exact_mut(width);
                rows.zip(message.iter_mut()).for_each(|(row, message)| *message = normalise(row));
            }
            beliefs.cliques[index] = table;
        }
        for (index, clique) in self.cliques.iter().enumerate() {
            let mut separator = std::mem::take(&mut beliefs.separators[index]);
            separator.clear();
            separator.resize(clique.rows, 0.0);
            match (&clique.in_parent, clique.parent) {
                (Some(walk), Some(parent)) => walk.sum(&beliefs.cliques[parent], &mut separator),
                _ => separator[0] = 1.0,
            }
            let width = clique.cells / clique.rows;
            let rows = beliefs.cliques[index].chunks_exact_mut(width);
            for (row, probability) in rows.zip(&separator) {
                row.iter_mut().for_each(|cell| *cell *= probability);
            }
            beliefs.separators[index] = separator;
        }
        for (cluster, table) in self.clusters.iter().zip(&mut beliefs.clusters) {
            let table = emptied(table, cluster.in_clique.small_cells());
            cluster.in_clique.sum(&beliefs.cliques[cluster.clique], table);
        }
    }

    /// The marginal of one of the model's sets.
    pub fn marginal(&self, factor: usize, beliefs: &Beliefs, into: &mut Vec<f64>) {
        let (home, walk) = &self.homes[factor];
        walk.sum(&beliefs.clusters[*home], emptied(into, walk.small_cells()));
    }
}

/// The table with so many zeros.
fn emptied(table: &mut Vec<f64>, cells: usize) -> &mut Vec<f64> {
    table.clear();
    table.resize(cells, 0.0);
    table
}

#[cfg(test)]
pub(crate) mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// The joint distribution of a product of factors, by going through every cell.
    pub(crate) fn brute_force(domain: &Domain, sets: &[AttributeSet], potentials: &[Vec<f64>]) -> Vec<f64> {
        let all: Vec<usize> = (0..domain.attributes()).collect();
        let mut joint = vec![0.0; domain.cells(&all) as usize];
        for (set, potential) in sets.iter().zip(potentials) {
            Broadcast::new(&all, &set.to_vec(), |attribute| domain.size(attribute))
                .add(&mut joint, potential);
        }
        let most = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        joint.iter_mut().for_each(|cell| *cell = (*cell - most).exp());
        let total: f64 = joint.iter().sum();
        joint.iter_mut().for_each(|cell| *cell /= total);
        joint
    }

    /// A random model: a domain, sets, and potentials over them.
    pub(crate) fn random_model(
        words: &mut impl FnMut() -> u64,
    ) -> (Domain, Vec<AttributeSet>, Vec<Vec<f64>>) {
        let d = 1 + (words() % 6) as usize;
        let domain = Domain::new((0..d).map(|_| 1 + (words() % 4) as u32).collect()).unwrap();
        let mut set = || {
            AttributeSet::of(&(0..1 + words() % 3).map(|_| (words() % d as u64) as usize).collect::<Vec<_>>())
        };
        let mut sets: Vec<AttributeSet> = (0..1 + d).map(|_| set()).collect();
        sets.sort();
        sets.dedup();
        let mut potential = || (words() >> 11) as f64 / (1u64 << 53) as f64 * 6.0 - 3.0;
        let potentials =
            sets.iter().map(|set| (0..domain.cells(&set.to_vec())).map(|_| potential()).collect()).collect();
        (domain, sets, potentials)
    }

    /// Specification: the marginals of random models are those of the joint distribution, cell by cell.
    #[test]
    fn marginals_are_those_of_brute_force() {
        let mut words = seeded(2);
        for round in 0..300 {
            let (domain, sets, potentials) = random_model(&mut words);
            let all: Vec<usize> = (0..domain.attributes()).collect();
            let propagation = Propagation::new(&domain, &AttributeSet::of(&all), &sets);
            let mut beliefs = Beliefs::default();
            // Twice: tables that are used again hold nothing of before.
            propagation.propagate(&potentials, &mut beliefs);
            propagation.propagate(&potentials, &mut beliefs);
            let joint = brute_force(&domain, &sets, &potentials);
            let mut marginal = Vec::new();
            for (factor, set) in sets.iter().enumerate() {
                propagation.marginal(factor, &beliefs, &mut marginal);
                let mut expected = vec![0.0; marginal.len()];
                Broadcast::new(&all, &set.to_vec(), |a| domain.size(a)).sum(&joint, &mut expected);
                for (one, other) in marginal.iter().zip(&expected) {
                    assert!((one - other).abs() < 1e-12, "round {round}: {one} for {other}");
                }
            }
        }
    }

    #[test]
    fn a_large_table_is_the_same_in_many_rows() {
        let domain = Domain::new(vec![40, 40, 40]).unwrap();
        let sets = [AttributeSet::of(&[0, 1, 2]), AttributeSet::of(&[0, 1])];
        let mut words = seeded(3);
        let mut potential =
            |cells: usize| (0..cells).map(|_| (words() % 1000) as f64 / 300.0).collect::<Vec<f64>>();
        let potentials = [potential(64_000), potential(1600)];
        let propagation = Propagation::new(&domain, &AttributeSet::of(&[0, 1, 2]), &sets);
        let mut beliefs = Beliefs::default();
        propagation.propagate(&potentials, &mut beliefs);
        let joint = brute_force(&domain, &sets, &potentials);
        let mut marginal = Vec::new();
        propagation.marginal(0, &beliefs, &mut marginal);
        assert!(joint.iter().zip(&marginal).all(|(one, other)| (one - other).abs() < 1e-15));
    }
}
