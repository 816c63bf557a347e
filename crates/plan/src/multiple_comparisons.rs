//! Groups that were picked by their noise, and what their error bars must then hold for.
//!
//! **Why.** A bar that holds with 95 % for a group named in advance holds almost never for the largest of a thousand equal
//! groups: that one was picked because its noise is large. Whoever shows what HAVING kept, or what ORDER BY and LIMIT left,
//! has looked at all groups, and so must the bars.
//! **Rule.** Where an aggregate decides which groups are shown, each bar of a column fails with probability at most β/k,
//! k the number of groups before anything was left out.
//! **Theorem.** Then with probability 1 − β all k bars of the column hold at once (union bound), and on that event every
//! subset of them does, however it was picked. k is public, or the number of groups that have earned their place: that
//! choice was made with noise of its own, independent of the noise in the bars.
//! **Price of it.** Independent noises would allow 1 − (1 − β)^(1/k) in the place of β/k, which for β = 5 % is at most 2.6 %
//! larger: less than a hundredth of a bar. The union bound needs no argument about which numbers share a noise.
//! **Not picked by noise.** Orders and conditions on keys alone: nothing is widened.

use crate::{Aggregation, AnswerPlan, Scalar, visit};

impl AnswerPlan {
    /// Whether a noisy number decides which groups are shown.
    pub fn picks_by_noise(&self, aggregation: &Aggregation) -> bool {
        let keys = aggregation.keys.len();
        let noisy = |scalar: &Scalar| visit::columns(scalar).any(|column| column >= keys);
        let cut = self.fetch.is_some() || self.skip > 0;
        self.having.as_ref().is_some_and(noisy) || (cut && self.order.iter().any(|order| noisy(&order.by)))
    }

    /// How many bars of a column must hold at once, where there are so many groups before any is left out.
    pub fn bars_at_once(&self, aggregation: &Aggregation, groups: usize) -> u64 {
        if self.picks_by_noise(aggregation) { (groups as u64).max(1) } else { 1 }
    }

    /// The same before anything is released: as far as the groups are public.
    pub fn bars_at_once_planned(&self, aggregation: &Aggregation) -> u64 {
        self.bars_at_once(aggregation, aggregation.domain.as_ref().map_or(1, Vec::len))
    }
}
