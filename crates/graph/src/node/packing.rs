//! Fractional packings: as many copies of a pattern as fit with at most τ at every node.
//!
//! **Guarantee.** `Q_τ` is the maximum of `Σ x_C` over shares `0 ≤ x_C ≤ 1` of the copies C of a pattern,
//! such that at every node v the shares of its copies add up to at most τ. For each threshold [`packed`]
//! returns a whole number `value` with `Q_τ − gap(τ) ≤ value ≤ Q_τ`, for every graph, always. When a node
//! comes with all its copies, a value falls by at most [`gap`] and rises by at most [`sensitivity`],
//! `τ + gap(τ)`.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** Let G' be G with one more node w. The copies in G' are those in G and some that need w. A
//! packing of G, with zero for the new copies, is one of G': so `Q_τ(G) ≤ Q_τ(G')`. A packing of G' without
//! the copies at w is one of G, and w's own constraint says that these shares added up to at most τ: so
//! `Q_τ(G') − τ ≤ Q_τ(G)`. A value is at most `gap(τ)` below its `Q_τ`, which adds `gap(τ)` on both sides.
//! The gap is a function of τ alone, so nothing about the graph hides in it.
//! **Also true.** `Q_τ` is at most the number of copies, and equal to it once no node is in more than τ
//! copies. It never falls with τ.
//! **Exactness.** Both ends are proven in whole numbers for the very graph at hand
//! (`packing/certificate.rs`). Floats only search (`packing/proximal.rs`): whatever they find is rounded to
//! units, made feasible in integers and counted in integers.
//! **An answer always comes.** The search has a fixed budget. Should it end without a certificate, a slow
//! method takes over that works in integers and is proven to end on every graph (`packing/subgradient.rs`).
//! How long that would take is not bounded by anything useful. No graph has been found that needs it, at any
//! threshold.
//! **Error.** Noise that hides `τ + gap(τ)` instead of τ is larger by 1/64 (by 2/τ where τ is below 192). A gap
//! of τ/10 would be found in four fifths of the time, one of τ/100 in five per cent more.
//! **Speed.** On email-Enron (36 692 nodes, 727 044 triangles) the thresholds 32, 64, …, 2^20 together take 1.4
//! seconds on one core, 0.8 on two.
//! **Not covered.** Time and memory depend on the graph: 24 bytes for each triangle, and 50 more while a
//! thread works on a threshold.
//!
//! Truncating greedily, copy by copy, is no substitute: one node can make a difference far beyond τ there, as
//! a test shows.

mod certificate;
mod programme;
mod proximal;
mod subgradient;

#[cfg(test)]
mod tests;

use rayon::prelude::*;

pub use super::patterns::Copies;
use programme::{Programme, Sorted};

/// What is certain about one optimum. All of it is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certified {
    /// The threshold.
    pub tau: u64,
    /// A whole number with `Q_τ − gap(τ) ≤ value ≤ Q_τ`.
    pub value: u64,
    /// A whole number with `Q_τ ≤ upper ≤ value + gap(τ)`.
    pub upper: u64,
}

/// How far a value may be below the optimum: public, a function of the threshold alone. At least two, because
/// both ends are rounded to whole numbers.
pub fn gap(tau: u64) -> u64 {
    (tau / 64).max(2)
}

/// By how much one node moves a value at most.
pub fn sensitivity(tau: u64) -> u64 {
    tau.saturating_add(gap(tau))
}

/// The certified values at these thresholds, in their order.
pub fn packed(copies: &Copies, thresholds: &[u64]) -> Vec<Certified> {
    let sorted = Sorted::new(copies);
    let certified = |tau: &u64| {
        let (value, upper) = enclosed(&sorted, *tau, gap(*tau));
        Certified { tau: *tau, value, upper }
    };
    // Small thresholds take the longest: one task each, so that no thread waits for another's share of them.
    thresholds.par_iter().with_max_len(1).map(certified).collect()
}

/// A whole number that the optimum reaches and one that it does not exceed, at most `gap` apart. The gap is
/// at least 2.
fn enclosed(sorted: &Sorted, tau: u64, gap: u64) -> (u64, u64) {
    if tau == 0 {
        return (0, 0);
    }
    if sorted.crowding_max() <= tau {
        return (sorted.copies(), sorted.copies());
    }
    solve(&sorted.programme(tau), gap)
}

fn solve(programme: &Programme, gap: u64) -> (u64, u64) {
    proximal::solve(programme, gap).unwrap_or_else(|weights| subgradient::solve(programme, gap, &weights))
}
