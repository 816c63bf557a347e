//! Junction trees: which tables together hold the joint distribution of a model that is a product over some sets of columns.
//!
//! Columns that share a set are neighbours. Columns are eliminated one by one, always the one whose table with its neighbours is
//! smallest, and what each is eliminated with becomes a clique; cliques within others are dropped. A spanning tree of most shared
//! columns is then a junction tree: the cliques that hold a column hang together (Lauritzen and Spiegelhalter 1988, section 4; that a
//! heaviest spanning tree has the property: Jensen and Jensen 1994, Theorem 1).

use crate::Domain;
use crate::attribute_set::AttributeSet;

/// A forest of cliques, parents before children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JunctionTree {
    pub cliques: Vec<AttributeSet>,
    /// For each clique the one above it, which comes earlier; none for a root.
    pub parents: Vec<Option<usize>>,
}

impl JunctionTree {
    /// The tree of a model over these columns whose factors are over these sets of them.
    pub fn new(domain: &Domain, attributes: &AttributeSet, sets: &[AttributeSet]) -> Self {
        let cliques = maximal_cliques(domain, attributes, sets);
        let count = cliques.len();
        let mut parents = vec![None; count];
        let mut order = Vec::with_capacity(count);
        let mut placed = vec![false; count];
        // Prim's algorithm. A new tree begins at its largest clique: its table is not cut up by a separator.
        while order.len() < count {
            let joined = (0..count)
                .filter(|clique| !placed[*clique])
                .flat_map(|clique| order.iter().map(move |other| (clique, *other)))
                .map(|(clique, other): (usize, usize)| {
                    (cliques[clique].intersection(&cliques[other]).len(), clique, other)
                })
                .filter(|(shared, _, _)| *shared > 0)
                .max_by_key(|(shared, clique, other)| (*shared, std::cmp::Reverse((*clique, *other))));
            let next = match joined {
                Some((_, clique, parent)) => {
                    parents[clique] = Some(parent);
                    clique
                }
                None => {
                    let cells = |clique: &usize| domain.cells(&cliques[*clique].to_vec());
                    let left = (0..count).filter(|clique| !placed[*clique]);
                    left.max_by_key(|clique| (cells(clique), std::cmp::Reverse(*clique))).unwrap_or(0)
                }
            };
            placed[next] = true;
            order.push(next);
        }
        let mut place = vec![0; count];
        order.iter().enumerate().for_each(|(at, clique)| place[*clique] = at);
        Self {
            cliques: order.iter().map(|clique| cliques[*clique]).collect(),
            parents: order.iter().map(|clique| parents[*clique].map(|parent: usize| place[parent])).collect(),
        }
    }

    /// What a clique shares with the one above it.
    pub fn separator(&self, clique: usize) -> AttributeSet {
        self.parents[clique].map_or_else(AttributeSet::default, |parent| {
            self.cliques[clique].intersection(&self.cliques[parent])
        })
    }
}

/// The cells of all cliques of a model together, or the largest number where they are more.
pub(crate) fn model_cells(domain: &Domain, attributes: &AttributeSet, sets: &[AttributeSet]) -> u64 {
    let cliques = maximal_cliques(domain, attributes, sets);
    cliques.iter().map(|clique| domain.cells(&clique.to_vec())).fold(0, u64::saturating_add)
}

/// The cliques that elimination leaves, none within another.
pub(crate) fn maximal_cliques(
    domain: &Domain,
    attributes: &AttributeSet,
    sets: &[AttributeSet],
) -> Vec<AttributeSet> {
    let mut neighbours = vec![AttributeSet::default(); domain.attributes()];
    for set in sets {
        set.iter().for_each(|attribute| neighbours[attribute] = neighbours[attribute].union(set));
    }
    // Each is its own neighbour, so that a row is the clique it would be eliminated with.
    attributes.iter().for_each(|attribute| neighbours[attribute].insert(attribute));
    let cells = |clique: &AttributeSet| clique.iter().map(|a| domain.size(a) as f64).product::<f64>();
    let mut costs: Vec<f64> = neighbours.iter().map(cells).collect();
    let mut left = *attributes;
    let mut cliques: Vec<AttributeSet> = Vec::new();
    while let Some(next) = left.iter().min_by(|one, other| costs[*one].total_cmp(&costs[*other])) {
        let clique = neighbours[next];
        left.remove(next);
        let mut others = clique;
        others.remove(next);
        for other in others.iter() {
            neighbours[other] = neighbours[other].union(&others);
            neighbours[other].remove(next);
            costs[other] = cells(&neighbours[other]);
        }
        // A later clique lacks `next`, so that only earlier ones can hold this one.
        if !cliques.iter().any(|earlier| clique.is_within(earlier)) {
            cliques.push(clique);
        }
    }
    cliques
}

/// The columns that hang together through these sets, one set of columns for each.
pub(crate) fn components(attributes: usize, sets: &[AttributeSet]) -> Vec<AttributeSet> {
    let mut parts: Vec<AttributeSet> =
        (0..attributes).map(|attribute| AttributeSet::of(&[attribute])).collect();
    for set in sets.iter().filter(|set| set.len() > 1) {
        let (touched, mut kept): (Vec<AttributeSet>, Vec<AttributeSet>) =
            parts.into_iter().partition(|part| !part.intersection(set).is_empty());
        kept.push(touched.iter().fold(AttributeSet::default(), |all, part| all.union(part)));
        parts = kept;
    }
    parts.sort_by_key(|part| part.iter().next());
    parts
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: on random models every set is within a clique, no clique within another, the cliques that hold a column hang
    /// together, separators are where trees are joined, and parents come first.
    #[test]
    fn the_running_intersection_property_holds() {
        let mut words = seeded(1);
        for _ in 0..300 {
            let d = 2 + (words() % 9) as usize;
            let domain = Domain::new((0..d).map(|_| 1 + (words() % 5) as u32).collect()).unwrap();
            let all = AttributeSet::of(&(0..d).collect::<Vec<_>>());
            let mut set = || {
                AttributeSet::of(
                    &(0..1 + words() % 3).map(|_| (words() % d as u64) as usize).collect::<Vec<_>>(),
                )
            };
            let sets: Vec<AttributeSet> = (0..d).map(|_| set()).collect();
            let tree = JunctionTree::new(&domain, &all, &sets);
            for set in &sets {
                assert!(tree.cliques.iter().any(|clique| set.is_within(clique)));
            }
            for (index, clique) in tree.cliques.iter().enumerate() {
                assert!(
                    tree.cliques.iter().enumerate().all(|(other, c)| other == index || !clique.is_within(c))
                );
                assert!(tree.parents[index].is_none_or(|parent| parent < index));
                assert_eq!(tree.parents[index].is_none(), tree.separator(index).is_empty());
            }
            for attribute in 0..d {
                // In a forest the cliques that hold it hang together when exactly one of them has no parent that holds it.
                let tops = (0..tree.cliques.len()).filter(|clique| {
                    tree.cliques[*clique].contains(attribute)
                        && !tree.parents[*clique]
                            .is_some_and(|parent| tree.cliques[parent].contains(attribute))
                });
                assert_eq!(tops.count(), 1, "column {attribute} of {tree:?}");
            }
            let parts = components(d, &sets);
            assert_eq!(parts.len(), tree.parents.iter().filter(|parent| parent.is_none()).count());
            let cells: u64 = tree.cliques.iter().map(|clique| domain.cells(&clique.to_vec())).sum();
            assert_eq!(cells, model_cells(&domain, &all, &sets));
        }
    }

    #[test]
    fn a_ring_is_cut_into_triangles() {
        let domain = Domain::new(vec![2; 4]).unwrap();
        let ring = [[0, 1], [1, 2], [2, 3], [0, 3]].map(|pair| AttributeSet::of(&pair));
        let all = AttributeSet::of(&[0, 1, 2, 3]);
        assert_eq!(model_cells(&domain, &all, &ring), 16);
        assert_eq!(model_cells(&domain, &all, &ring[..3]), 12);
    }
}
