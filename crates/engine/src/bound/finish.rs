//! The second half: partitions to groups, on as many threads as there are.
//!
//! All rows of a person are in one partition of one pass, so partitions are independent and what they add up to is added
//! up; so are passes. The runs of a pass share one numbering of groups.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::keys::{Key, Keys};
use super::pass::Pass;
use super::person::{Bounding, Piece, Totals};
use super::run::Run;
use super::{BoundError, Plan};
use crate::groups::Groups;

/// The runs of a pass whose rows are all in; threads take partitions from it.
pub(crate) struct Finish {
    plan: Arc<Plan>,
    runs: Vec<Run>,
    /// The groups of all runs.
    keys: Keys,
    /// From each run's group numbers to those of `keys`.
    numbers: Vec<Option<Vec<u32>>>,
    order: Vec<usize>,
    next: AtomicUsize,
}

impl Finish {
    pub(crate) fn new(plan: &Arc<Plan>, pass: &Pass, mut runs: Vec<Run>) -> Result<Self, BoundError> {
        runs.iter_mut().for_each(Run::seal);
        let mut keys = plan.keys.clone();
        let mut numbers = Vec::new();
        if !plan.declared {
            if let Some(first) = runs.first() {
                keys = first.keys.clone();
            }
            numbers.push(None);
            for run in runs.iter().skip(1) {
                let groups = (0..run.keys.len() as u32).map(|group| keys.add(&run.keys.key(group)));
                numbers.push(Some(groups.collect::<Result<_, _>>()?));
            }
        }
        numbers.resize(runs.len(), None);
        // Only what the pass takes to the end is complete. The largest first, so that no thread is left with a large one
        // at the end.
        let mut order: Vec<usize> = (0..pass.open()).collect();
        order.sort_by_cached_key(|partition| {
            Reverse(runs.iter().map(|run| run.partitions[*partition].words()).sum::<usize>())
        });
        Ok(Self { plan: Arc::clone(plan), runs, keys, numbers, order, next: AtomicUsize::new(0) })
    }

    /// Works until no partition is left. Call it on every thread, then `merge`.
    pub(crate) fn work(&self) -> Totals {
        let mut bounding = Bounding::new(&self.plan);
        let mut totals = Totals::new(self.plan.layout.measures(), self.keys.len());
        let lanes = 1 + self.plan.layout.lanes().len();
        while let Some(partition) = self.order.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            bounding.begin();
            let mut pieces: Vec<Piece> = Vec::new();
            for (run, groups) in self.runs.iter().zip(&self.numbers) {
                let partition = &run.partitions[*partition];
                if let Some(kept) = partition.kept() {
                    kept.add_to(&mut bounding, groups.as_deref(), lanes);
                }
                pieces.extend(partition.pieces(groups.as_deref()));
            }
            if !pieces.is_empty() || bounding.people() > 0 {
                bounding.reduce_all(&pieces, &self.keys, Some(&mut totals));
            }
        }
        totals
    }

    /// Adds all threads' parts to the sums.
    pub(crate) fn merge(self, parts: Vec<Totals>, sums: &mut Sums) -> Result<(), BoundError> {
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return Ok(()) };
        for part in parts {
            all.sums.iter_mut().zip(&part.sums).for_each(|(sum, part)| *sum += part);
        }
        sums.add(self.keys, all)
    }
}

/// What all passes so far add up to.
pub(crate) struct Sums {
    plan: Arc<Plan>,
    keys: Keys,
    totals: Option<Totals>,
}

impl Sums {
    pub(crate) fn new(plan: &Arc<Plan>) -> Self {
        Self { plan: Arc::clone(plan), keys: plan.keys.clone(), totals: None }
    }

    fn add(&mut self, keys: Keys, part: Totals) -> Result<(), BoundError> {
        let Some(totals) = &mut self.totals else {
            (self.keys, self.totals) = (keys, Some(part));
            return Ok(());
        };
        for (group, sums) in part.sums.chunks_exact(part.stride).enumerate().filter(|(_, sums)| sums[0] > 0) {
            let group = self.keys.add(&keys.key(group as u32))? as usize;
            totals.sums.resize(self.keys.len() * totals.stride, 0);
            let known = &mut totals.sums[group * totals.stride..(group + 1) * totals.stride];
            known.iter_mut().zip(sums).for_each(|(sum, part)| *sum += part);
        }
        Ok(())
    }

    pub(crate) fn groups(self) -> Groups {
        let totals = self.totals.unwrap_or_else(|| Totals::new(self.plan.layout.measures(), self.keys.len()));
        groups(&self.plan, &self.keys, &totals.sums, totals.stride)
    }
}

/// The groups that are shown to the curator: the declared ones, or those in which somebody is, sorted because
/// the order of appearance would tell who came first.
pub(super) fn groups(plan: &Plan, keys: &Keys, sums: &[i128], stride: usize) -> Groups {
    let mut rows: Vec<(Key, &[i128])> = Vec::new();
    let empty = vec![0; stride];
    if let Some(domain) = &plan.domain {
        let mut shown = vec![false; keys.len()];
        for group in domain {
            let group = *group as usize;
            // A group that was declared twice has its people once: they are paid for once.
            let again = std::mem::replace(&mut shown[group], true);
            let sums = if again { empty.as_slice() } else { &sums[group * stride..(group + 1) * stride] };
            rows.push((keys.key(group as u32), sums));
        }
    } else {
        for (group, sums) in sums.chunks_exact(stride).enumerate() {
            // Without keys there is one group, and everybody knows it.
            if sums[0] > 0 || plan.width == 0 {
                rows.push((keys.key(group as u32), sums));
            }
        }
        rows.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    }
    let people = rows.iter().map(|(_, sums)| sums[0]).collect();
    let totals = (1..stride).map(|measure| rows.iter().map(|(_, sums)| sums[measure]).collect()).collect();
    Groups::new(rows.into_iter().map(|(key, _)| key).collect(), people, totals)
}
