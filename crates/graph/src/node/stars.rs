//! How many stars there are, by ties kept under a threshold of the degree: a rough answer at best.
//!
//! **Guarantee.** ε-differentially private.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Method.** Ties are dropped in a public order until no node has more than θ
//! ([`projection`](super::projection)), and the choices of k kept ties at a node are counted: `Σ_v C(d(v),
//! k)` for kept degrees d. The threshold is chosen and noise is added as for ties ([`edges`](super::edges)).
//! **Proof.** Let a node w come, d and d′ the kept degrees before and after, and `x = d′(w)`, at most θ. The
//! projection has `Σ_{u≠w} |d′(u) − d(u)| ≤ x`. A degree that changes by one, below θ or up to it, changes
//! `C(d, k)` by at most `C(θ − 1, k − 1)`. And w brings `C(x, k)`. So the count moves by at most `x·C(θ − 1,
//! k − 1)` either way, plus `C(x, k)`. Upwards that is largest at `x = θ`, where it is `θ·C(θ − 1, k − 1) +
//! C(θ, k) = (k + 1)·C(θ, k)`. Downwards it is `x·C(θ − 1, k − 1) − C(x, k)`, which grows with x, since `C(x,
//! k − 1) ≤ C(θ − 1, k − 1)` for `x < θ`; at `x = θ` it is `(k − 1)·C(θ, k)`. The rest is `thresholded.rs`.
//! **Error.** Large. One hub of degree d has `C(d, k)` stars of its own, and noise at a threshold that keeps
//! them is k + 1 times that over ε. Mean errors of 2-stars at ε = 1 on graphs of 14 000 to 400 000 ties: 1 %
//! where the largest degree is 100, 4 % to 16 % on most, 30 % to 65 % where a few hubs hold most stars. At ε
//! = 0.1 little is left.
//! **Exactness.** Integers and rationals throughout.
//! **Not covered.** An upper end of the interval, as for [`edges`](super::edges). Timing.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss};

use super::edges::degree_thresholds;
use super::hubs;
use super::projection::OrderedTies;
use super::thresholded::{Level, ThresholdedCount, Tuning};
use crate::{Answer, Draw, Graph, GraphError, Mechanism, Outlook};

/// The fewest and the most leaves.
const LEAVES: std::ops::RangeInclusive<u32> = 2..=8;
/// No threshold has a sensitivity beyond this: noise stays within what can be drawn for any sensible ε.
const SENSITIVITY_MOST: u128 = 1 << 80;

/// The number of stars, from ties kept under a threshold.
#[derive(Clone, Debug)]
pub struct ProjectedStars {
    leaves: u32,
    count: ThresholdedCount,
}

impl ProjectedStars {
    /// The number of stars with this many leaves, from 2 to 8, at this price.
    pub fn new(leaves: u32, epsilon: &Epsilon) -> Result<Self, GraphError> {
        if !LEAVES.contains(&leaves) {
            return Err(GraphError::refused(
                format!("stars of {leaves} leaves are not counted"),
                format!("ask for {} to {} leaves; a star of one leaf is a tie", LEAVES.start(), LEAVES.end()),
            ));
        }
        let thresholds = degree_thresholds().into_iter();
        let levels: Vec<Level> = thresholds.filter_map(|threshold| level(threshold, leaves)).collect();
        // From threshold to threshold the noise doubles about as often as a star has leaves.
        let handicap = Tuning::of_degrees().handicap * Rational::from(leaves);
        let tuning = Tuning { handicap, unhandicapped: 1, ..Tuning::of_degrees() };
        Ok(Self { leaves, count: ThresholdedCount::new(&levels, &tuning, epsilon)? })
    }

    fn values(&self, graph: &Graph) -> Vec<i128> {
        let ties = OrderedTies::of(graph);
        let stars = |threshold: &u64| {
            let kept = ties.kept_degrees(*threshold);
            // Kept degrees stay below the threshold, so a sum over 2^32 nodes stays below 2^112.
            kept.into_iter().map(|degree| choose(u64::from(degree), self.leaves).unwrap_or(0) as i128).sum()
        };
        self.count.thresholds().iter().map(stars).collect()
    }
}

/// What is public about one threshold; none where stars are impossible or the sensitivity is beyond bounds.
fn level(threshold: u64, leaves: u32) -> Option<Level> {
    let stars = choose(threshold, leaves).filter(|stars| *stars > 0)?;
    let rise_max = stars.checked_mul(u128::from(leaves) + 1).filter(|rise| *rise <= SENSITIVITY_MOST)?;
    Some(Level { threshold, rise_max, fall_max: stars * u128::from(leaves - 1) })
}

/// `C(n, k)`, unless it is beyond bounds.
fn choose(n: u64, k: u32) -> Option<u128> {
    if n < u64::from(k) {
        return Some(0);
    }
    // After each step the product is a binomial coefficient, so every division is exact.
    (0..u128::from(k)).try_fold(1u128, |product, i| Some(product.checked_mul(u128::from(n) - i)? / (i + 1)))
}

impl Mechanism for ProjectedStars {
    fn name(&self) -> &'static str {
        "projection"
    }

    fn loss(&self) -> Loss {
        self.count.loss()
    }

    fn outlook(&self) -> Outlook {
        let words = [
            "rough at best, often useless: noise is that of several hubs' stars together, divided by ε",
            "typical for 2-stars at ε = 1 and 10,000 ties or more: 5 % to 50 %; more for larger stars",
            "ties beyond a threshold a node, chosen privately, are cut off: the truth may be larger",
        ];
        Outlook { error_95: None, words: words.map(str::to_owned).to_vec() }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        let floors = hubs::indices(graph, self.count.thresholds());
        self.count.counted(self.values(graph), &floors)
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let note = |threshold| {
            format!("stars of at most {threshold} ties of every node are counted: the truth may be larger")
        };
        self.count.read(released).map(|read| read.answer(note(read.threshold)))
    }
}

#[cfg(test)]
mod tests;
