//! The second half: partitions to groups, on as many threads as there are.
//!
//! All rows of a person are in one partition of one pass, so partitions are independent and what they add up to is added
//! up; so are passes. The runs of a pass share one numbering of groups.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bring::{Brought, Taken};
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
        let mut totals = Totals::new(&self.plan, self.keys.len());
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
                totals.brought.extend(bounding.take_brought().map(|brought| (*partition, brought)));
            }
        }
        totals
    }

    /// Adds all threads' parts to the sums.
    pub(crate) fn merge(self, parts: Vec<Totals>, sums: &mut Sums) -> Result<(), BoundError> {
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return Ok(()) };
        let groups = self.keys.len() as u32;
        for mut part in parts {
            all.sums.iter_mut().zip(&part.sums).for_each(|(sum, part)| *sum += part);
            for (known, more) in all.spreads.iter_mut().zip(&mut part.spreads) {
                (0..groups).for_each(|group| known.merge(group, more, group));
            }
            all.brought.append(&mut part.brought);
        }
        sums.add(self.keys, all)
    }
}

/// What all passes so far add up to. Passes come in the order of people's hashes.
pub(crate) struct Sums {
    plan: Arc<Plan>,
    keys: Keys,
    totals: Option<Totals>,
    /// For every remembered value that is brought, who was first.
    taken: Vec<Taken>,
}

impl Sums {
    pub(crate) fn new(plan: &Arc<Plan>) -> Self {
        let taken = plan.layout.values().iter().map(|_| Taken::default()).collect();
        Self { plan: Arc::clone(plan), keys: plan.keys.clone(), totals: None, taken }
    }

    fn add(&mut self, keys: Keys, mut part: Totals) -> Result<(), BoundError> {
        let brought = std::mem::take(&mut part.brought);
        let Some(totals) = &mut self.totals else {
            (self.keys, self.totals) = (keys, Some(part));
            self.bring(brought, |group| group);
            return Ok(());
        };
        let mut numbers = vec![0; keys.len()];
        for (group, sums) in part.sums.chunks_exact(part.stride).enumerate().filter(|(_, sums)| sums[0] > 0) {
            let known = self.keys.add(&keys.key(group as u32))?;
            numbers[group] = known;
            totals.sums.resize(self.keys.len() * totals.stride, 0);
            let known_sums = &mut totals.sums[known as usize * totals.stride..][..totals.stride];
            known_sums.iter_mut().zip(sums).for_each(|(sum, part)| *sum += part);
            for (spread, more) in totals.spreads.iter_mut().zip(&mut part.spreads) {
                spread.merge(known, more, group as u32);
            }
        }
        self.bring(brought, |group| numbers[group as usize]);
        Ok(())
    }

    /// Lets the people of a pass bring their values, in the order of their hashes.
    fn bring(&mut self, mut brought: Vec<(usize, Brought)>, number: impl Fn(u32) -> u32) {
        let Some(totals) = &mut self.totals else { return };
        brought.sort_unstable_by_key(|(partition, _)| *partition);
        for (_, Brought { people, values }) in &brought {
            for person in people {
                let (lane, group) = (person.lane as usize, number(person.group));
                let values = &values[person.start..person.end];
                let count = self.taken[lane].bring(group, values, self.plan.layout.rows_max());
                let measure = self.plan.layout.values()[lane].measure;
                totals.sums[group as usize * totals.stride + 1 + measure] += i128::from(count);
            }
        }
    }

    pub(crate) fn groups(self) -> Groups {
        let totals = self.totals.unwrap_or_else(|| Totals::new(&self.plan, self.keys.len()));
        groups(&self.plan, &self.keys, totals)
    }
}

/// The groups that are shown to the curator: the declared ones, or those in which somebody is, sorted because
/// the order of appearance would tell who came first.
pub(super) fn groups(plan: &Plan, keys: &Keys, mut totals: Totals) -> Groups {
    let stride = totals.stride;
    let mut rows: Vec<(Key, Option<u32>)> = Vec::new();
    if let Some(domain) = &plan.domain {
        let mut shown = vec![false; keys.len()];
        for group in domain {
            // A group that was declared twice has its people once: they are paid for once.
            let again = std::mem::replace(&mut shown[*group as usize], true);
            rows.push((keys.key(*group), (!again).then_some(*group)));
        }
    } else {
        for (group, sums) in totals.sums.chunks_exact(stride).enumerate() {
            // Without keys there is one group, and everybody knows it.
            if sums[0] > 0 || plan.width == 0 {
                rows.push((keys.key(group as u32), Some(group as u32)));
            }
        }
        rows.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    }
    let weights: Vec<Vec<Vec<(u32, u64)>>> = totals
        .spreads
        .iter_mut()
        .map(|spread| {
            rows.iter().map(|(_, group)| group.map_or(Vec::new(), |group| spread.take(group))).collect()
        })
        .collect();
    let spreads: Vec<Option<usize>> =
        (0..plan.layout.measures()).map(|measure| plan.layout.spread_of(measure)).collect();
    let sums = &totals.sums;
    let sum = |group: &Option<u32>, at: usize| group.map_or(0, |group| sums[group as usize * stride + at]);
    let people = rows.iter().map(|(_, group)| sum(group, 0)).collect();
    let of_measure = |measure: usize| match spreads[measure] {
        // A spread's total is what all of it weighs.
        Some(spread) => weights[spread]
            .iter()
            .map(|points| points.iter().map(|(_, weight)| i128::from(*weight)).sum())
            .collect(),
        None => rows.iter().map(|(_, group)| sum(group, measure + 1)).collect(),
    };
    let sums = (0..plan.layout.measures()).map(of_measure).collect();
    Groups::new(rows.into_iter().map(|(key, _)| key).collect(), people, sums).with_weights(weights, spreads)
}
