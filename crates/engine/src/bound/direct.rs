//! Every row its own person: no bounding, one pass.
//!
//! **Guarantee.** A person's row is in one group and within its measure's extremes, so adding or removing the
//! person moves one group by at most what one row can add. This is what the general way computes when no two
//! rows share a person; groups, ranks and people need not be remembered for it. Of the rows that have one value one is the
//! first, whichever it is: the number of different values moves by at most one.

use std::sync::Arc;

use arrow::array::Array;

use super::bring::Taken;
use super::finish::groups;
use super::keys::Keys;
use super::layout::{Input, ValueKind};
use super::person::Totals;
use super::run::Rows;
use super::table::NONE;
use super::{BoundError, Plan};
use crate::groups::Groups;

/// One thread's groups, so far.
pub(crate) struct Direct {
    plan: Arc<Plan>,
    keys: Keys,
    totals: Totals,
    taken: Vec<Taken>,
    groups: Vec<u32>,
    scratch: Vec<u32>,
}

impl Direct {
    pub(crate) fn new(plan: &Arc<Plan>) -> Self {
        let totals = Totals::new(plan, plan.keys.len());
        let taken = plan.layout.values().iter().map(|_| Taken::default()).collect();
        let (groups, scratch) = (Vec::new(), Vec::new());
        Self { plan: Arc::clone(plan), keys: plan.keys.clone(), totals, taken, groups, scratch }
    }

    /// Takes in a batch.
    pub(crate) fn push(&mut self, rows: &Rows) -> Result<(), BoundError> {
        self.keys.groups(rows.keys, rows.count, rows.chosen.as_ref(), &mut self.groups, &mut self.scratch)?;
        let stride = self.totals.stride;
        self.totals.sums.resize(self.keys.len() * stride, 0);
        let sums = &mut self.totals.sums;
        for group in &self.groups {
            if *group != NONE {
                sums[*group as usize * stride] += 1;
            }
        }
        for (measure, input) in rows.inputs.iter().enumerate() {
            if self.plan.layout.remembers(measure) {
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
                    let taken = &mut self.taken[lane];
                    rows.for_each(|(_, (group, value))| {
                        taken.bring(*group, &[value.cast_unsigned()], 1);
                    });
                }
            }
        }
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
