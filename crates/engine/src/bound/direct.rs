//! Every row its own person: no bounding, and one pass unless there are more keys than memory has room for.
//!
//! **Guarantee.** A person's row is in one group and within its measure's extremes, so adding or removing the
//! person moves one group by at most what one row can add. This is what the general way computes when no two
//! rows share a person; groups, ranks and people need not be remembered for it. Of the rows that have one value one is the
//! first, whichever it is: the number of different values moves by at most one.
//! **Memory.** What is remembered grows with the keys, and those of a pass are as many as the allowance has room for
//! ([`Interval`]); the groups that are handed out are all of them.

use std::sync::Arc;

use arrow::array::Array;

use super::bring::Taken;
use super::finish::groups;
use super::interval::Interval;
use super::keys::Keys;
use super::layout::{Input, ValueKind};
use super::person::Totals;
use super::run::{Rows, both};
use super::table::NONE;
use super::{BoundError, Plan};
use crate::groups::Groups;

/// One thread's groups, so far.
pub(crate) struct Direct {
    plan: Arc<Plan>,
    interval: Arc<Interval>,
    keys: Keys,
    totals: Totals,
    taken: Vec<Taken>,
    /// How many values have been brought.
    brought: u64,
    groups: Vec<u32>,
    scratch: Vec<u32>,
}

impl Direct {
    pub(crate) fn new(plan: &Arc<Plan>, interval: &Arc<Interval>) -> Self {
        let totals = Totals::new(plan, plan.keys.len());
        let taken = plan.layout.values().iter().map(|_| Taken::default()).collect();
        let (groups, scratch, interval) = (Vec::new(), Vec::new(), Arc::clone(interval));
        let keys = plan.keys.clone();
        Self { plan: Arc::clone(plan), interval, keys, totals, taken, brought: 0, groups, scratch }
    }

    /// Takes in a batch, and gives the pass up if there is no room for its keys.
    pub(crate) fn push(&mut self, rows: &Rows, allowance: usize) -> Result<(), BoundError> {
        if self.interval.is_given_up() {
            return Ok(());
        }
        let mine = self.interval.mine(&self.plan.hash_key, rows.keys, rows.count)?;
        let chosen = both(rows.chosen.clone(), mine);
        self.keys.groups(rows.keys, rows.count, chosen.as_ref(), &mut self.groups, &mut self.scratch)?;
        let stride = self.totals.stride;
        self.totals.sums.resize(self.keys.len() * stride, 0);
        let sums = &mut self.totals.sums;
        for group in &self.groups {
            if *group != NONE {
                sums[*group as usize * stride] += 1;
            }
        }
        for (measure, input) in rows.inputs.iter().enumerate() {
            // Nobody has more than one row here, so nobody is cut.
            if self.plan.layout.remembers(measure) || self.plan.layout.counts_the_cut(measure) {
                continue;
            }
            let mut add = |group: u32, value: i128| {
                if group != NONE {
                    sums[group as usize * stride + 1 + measure] += value;
                }
            };
            match input {
                Input::Every => self.groups.iter().for_each(|group| add(*group, 1)),
                Input::Where(mask) => {
                    self.groups.iter().zip(mask).for_each(|(group, set)| add(*group, i128::from(set)));
                }
                Input::Integers(integers) => {
                    let (low, high) = self.plan.layout.extremes(measure);
                    let refinement = self.plan.layout.refinement(measure);
                    let refined = |value: i64| i128::from(value.clamp(low, high)) << refinement;
                    let values = integers.values().iter().map(|value| refined(*value));
                    match integers.nulls().filter(|nulls| nulls.null_count() > 0) {
                        None => self.groups.iter().zip(values).for_each(|(group, value)| add(*group, value)),
                        Some(nulls) => {
                            for ((group, value), valid) in self.groups.iter().zip(values).zip(nulls.inner()) {
                                add(*group, if valid { value } else { 0 });
                            }
                        }
                    }
                }
            }
        }
        self.push_values(rows);
        if !self.plan.declared {
            self.interval.hear(self.keys.len(), self.bytes(), allowance);
        }
        Ok(())
    }

    /// Every row has its whole weight, and brings its value if it is the first to have it.
    fn push_values(&mut self, rows: &Rows) {
        let plan = Arc::clone(&self.plan);
        for (lane, value) in plan.layout.values().iter().enumerate() {
            let Input::Integers(integers) = &rows.inputs[value.measure] else { continue };
            let nulls = integers.nulls().filter(|nulls| nulls.null_count() > 0);
            let counted = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
            let rows = self.groups.iter().zip(integers.values()).enumerate();
            let rows = rows.filter(|(row, (group, _))| **group != NONE && counted(*row));
            match value.kind {
                ValueKind::Spread { bits, .. } => {
                    let spread = &mut self.totals.spreads[lane];
                    rows.for_each(|(_, (group, value))| spread.add(*group, value.cast_unsigned(), 1 << bits));
                }
                ValueKind::Distinct => {
                    let (taken, brought) = (&mut self.taken[lane], &mut self.brought);
                    rows.for_each(|(_, (group, value))| {
                        *brought += taken.bring(*group, &[value.cast_unsigned()], 1);
                    });
                }
            }
        }
    }

    /// How much memory the groups take, about.
    pub(super) fn bytes(&self) -> usize {
        // A value takes a word and, in a set that is half empty, another one.
        let sums = self.totals.sums.capacity() * size_of::<i128>();
        self.keys.bytes() + sums + self.brought as usize * 16
    }

    /// All threads' groups as one.
    pub(crate) fn merge(parts: Vec<Self>) -> Result<Groups, BoundError> {
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return Err(BoundError::Key) };
        let stride = all.totals.stride;
        for mut part in parts {
            for (from, sums) in part.totals.sums.chunks_exact(stride).enumerate() {
                let into = all.keys.add(&part.keys.key(from as u32))?;
                all.totals.sums.resize(all.keys.len() * stride, 0);
                let known = &mut all.totals.sums[into as usize * stride..][..stride];
                known.iter_mut().zip(sums).for_each(|(known, sum)| *known += sum);
                for (known, more) in all.totals.spreads.iter_mut().zip(&mut part.totals.spreads) {
                    known.merge(into, more, from as u32);
                }
                for (known, more) in all.taken.iter_mut().zip(&part.taken) {
                    more.of(from as u32).for_each(|value| {
                        known.bring(into, &[value], 1);
                    });
                }
            }
        }
        for (value, taken) in all.plan.layout.values().iter().zip(&all.taken) {
            if value.kind == ValueKind::Distinct {
                for (group, sums) in all.totals.sums.chunks_exact_mut(stride).enumerate() {
                    sums[1 + value.measure] = taken.of(group as u32).count() as i128;
                }
            }
        }
        Ok(groups(&all.plan, &all.keys, all.totals))
    }
}
