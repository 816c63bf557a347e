//! Ties dropped until no node has more than θ of them, so that one node moves the rest by little.
//!
//! **Method.** All pairs of nodes stand in one public order. Scan the ties in that order and keep a tie when
//! both of its ends have kept fewer than θ so far.
//! **Guarantee.** Let G′ be G and one more node w, and `k`, `k′` the kept degrees of both. Then `Σ_{u≠w}
//! |k′(u) − k(u)| ≤ k′(w) ≤ θ`. It follows that
//! * the number of kept ties does not fall when w comes, and rises by at most θ;
//! * the counts `#{v : k(v) ≤ i}`, `i = 0 … θ`, move by at most `θ + 1` in sum.
//!
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** Scan both graphs side by side and watch `Φ = Σ_{u≠w} |k′(u) − k(u)|`, zero at first. A tie of w
//! exists in G′ alone: if it is kept, `k′(w)` grows by one and Φ by at most one. Any other tie exists in both
//! or in neither. Kept by both or refused by both, it leaves all gaps as they are. If one scan keeps it and
//! the other refuses, the refusing one has θ at some end a where the keeping one had fewer: the gap at a
//! shrinks by one, and the gap at the other end grows by at most one. So `Φ ≤ k′(w)` at all times.
//! *Kept ties.* Twice their difference is `k′(w) + Σ_{u≠w} (k′(u) − k(u))`, which lies in `[0, 2k′(w)]`.
//! *Cumulative counts.* A node u other than w moves `|k′(u) − k(u)|` of the counts by one, all of them
//! together at most `k′(w)`; w itself enters the counts `i = k′(w) … θ`, which are `θ + 1 − k′(w)`. (Counts
//! of nodes with *at least* i have no such bound: there w enters `k′(w) + 1` counts, and the sum can reach
//! `2θ + 1`.)
//! **Source.** Day, Li and Lyu (2016), for histograms. The order is the heart of it: it may depend on the two
//! labels of a pair and on nothing else, above all not on degrees, positions or the order of a file.
//! **Exactness.** Integers throughout.
//! **Not covered.** The *set* of kept ties is not stable, only degrees and their sums are: one node can
//! exchange any number of kept ties. So nothing but functions of kept degrees may be computed here, no
//! triangles.

use rayon::prelude::*;

use crate::Graph;

/// The ties of a graph in the public order of all pairs.
pub struct OrderedTies {
    ties: Vec<(u32, u32)>,
    degrees: Vec<u32>,
}

impl OrderedTies {
    /// Sorts the ties once, for all thresholds.
    pub fn of(graph: &Graph) -> Self {
        let mut places: Vec<(u64, u32, u32)> =
            graph.pairs().map(|(u, v)| (place(graph.label(u), graph.label(v)), u, v)).collect();
        // Labels decide between equal places, so that the order is one of pairs of labels and nothing else.
        let labels = |u: u32, v: u32| in_order(graph.label(u), graph.label(v));
        places
            .par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| labels(a.1, a.2).cmp(&labels(b.1, b.2))));
        Self {
            ties: places.into_iter().map(|(_, u, v)| (u, v)).collect(),
            degrees: (0..graph.nodes()).map(|node| graph.degree(node)).collect(),
        }
    }

    /// How many ties every node keeps under a threshold.
    pub fn kept_degrees(&self, threshold: u64) -> Vec<u32> {
        if self.degrees.iter().all(|degree| u64::from(*degree) <= threshold) {
            return self.degrees.clone();
        }
        let mut kept = vec![0; self.degrees.len()];
        for (u, v) in &self.ties {
            keep(*u, *v, threshold, &mut kept);
        }
        kept
    }

    /// How many ties are kept under each of several thresholds, which rise.
    ///
    /// A node with at most θ ties never refuses one, so a tie between two such nodes is kept for certain,
    /// here and under all larger thresholds: what is left to scan shrinks from threshold to threshold.
    pub fn kept_edges(&self, thresholds: &[u64]) -> Vec<u64> {
        debug_assert!(thresholds.is_sorted(), "thresholds rise");
        let mut contested = self.ties.clone();
        let mut certain = 0;
        let mut counts = Vec::with_capacity(thresholds.len());
        for threshold in thresholds {
            let before = contested.len();
            let crowded = |node: u32| u64::from(self.degrees[node as usize]) > *threshold;
            contested.retain(|(u, v)| crowded(*u) || crowded(*v));
            certain += (before - contested.len()) as u64;
            // All ties of a crowded node are contested, so its kept degree is right; an end that is not
            // crowded may miss some of its own, and would never have refused anyway.
            let mut kept = vec![0; if contested.is_empty() { 0 } else { self.degrees.len() }];
            let found = contested.iter().filter(|(u, v)| keep(*u, *v, *threshold, &mut kept));
            counts.push(certain + found.count() as u64);
        }
        counts
    }
}

/// Keeps a tie if both ends may have one more.
fn keep(u: u32, v: u32, threshold: u64, kept: &mut [u32]) -> bool {
    let [at_u, at_v] = [u, v].map(|node| u64::from(kept[node as usize]));
    let keeps = at_u < threshold && at_v < threshold;
    if keeps {
        kept[u as usize] += 1;
        kept[v as usize] += 1;
    }
    keeps
}

fn in_order(a: u128, b: u128) -> [u128; 2] {
    [a.min(b), a.max(b)]
}

/// Where a pair of labels stands in the public order. Any function of the two labels would be private; a well
/// mixed one keeps the order apart from how nodes were numbered.
fn place(a: u128, b: u128) -> u64 {
    let [low, high] = in_order(a, b);
    let words = [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64];
    words.into_iter().fold(0x9E37_79B9_7F4A_7C15, |state, word| mixed(state ^ word))
}

/// A bijection of 64-bit words in which every bit depends on every bit (the finalizer of SplitMix64).
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

#[cfg(test)]
pub(crate) mod tests;
