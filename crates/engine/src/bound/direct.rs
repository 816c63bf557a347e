//! Every row its own person: no bounding, one pass.
//!
//! **Guarantee.** A person's row is in one group and within its measure's extremes, so adding or removing the
//! person moves one group by at most what one row can add. This is what the general way computes when no two
//! rows share a person; groups, ranks and people need not be remembered for it.

use std::sync::Arc;

use arrow::array::Array;

use super::finish::groups;
use super::keys::Keys;
use super::layout::Input;
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
    groups: Vec<u32>,
    scratch: Vec<u32>,
}

impl Direct {
    pub(crate) fn new(plan: &Arc<Plan>) -> Self {
        let totals = Totals::new(plan.layout.measures(), plan.keys.len());
        let (groups, scratch) = (Vec::new(), Vec::new());
        Self { plan: Arc::clone(plan), keys: plan.keys.clone(), totals, groups, scratch }
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
        Ok(())
    }

    /// All threads' groups as one.
    pub(crate) fn merge(parts: Vec<Self>) -> Result<Groups, BoundError> {
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return Err(BoundError::Key) };
        let stride = all.totals.stride;
        for part in parts {
            for (group, sums) in part.totals.sums.chunks_exact(stride).enumerate() {
                let group = all.keys.add(&part.keys.key(group as u32))? as usize;
                all.totals.sums.resize(all.keys.len() * stride, 0);
                let known = &mut all.totals.sums[group * stride..(group + 1) * stride];
                known.iter_mut().zip(sums).for_each(|(known, sum)| *known += sum);
            }
        }
        Ok(groups(&all.plan, &all.keys, &all.totals.sums, stride))
    }
}
