//! What is remembered of one person's values: each of them once a group, with how many rows have it.
//!
//! **Bottom k.** Of a person's different values in a group those `values_max` of smallest (rank, value) stay. As with
//! groups (`person.rs`), what is dropped never comes back and what stays is complete, so the order of rows and where they
//! are cut does not show; and a person's values take the room of `values_max` a group, whatever the number of rows.

use super::Plan;
use super::bring::{Bringer, Brought};
use super::layout::{Layout, ValueKind};
use super::person::Totals;

/// A value of a person in a group, and in how many rows it is.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) person: u32,
    pub(crate) group: u32,
    /// Which of the remembered values.
    pub(crate) lane: u32,
    pub(crate) value: u64,
    pub(crate) count: u64,
}

/// The values of one person, so far.
#[derive(Default)]
pub(super) struct Points(pub(super) Vec<Point>);

impl Points {
    /// The values of a row.
    pub(super) fn remember(&mut self, person: u32, packed: &[u64], layout: &Layout) {
        for (lane, value) in layout.values().iter().enumerate() {
            if let Some(value) = value.unpack(packed, layout.lanes()) {
                let (group, lane) = (packed[0] as u32, lane as u32);
                self.0.push(Point { person, group, lane, value, count: 1 });
            }
        }
    }

    /// Leaves the values of these groups.
    pub(super) fn keep_groups(&mut self, groups: &[u32]) {
        if self.0.is_empty() {
            return;
        }
        let mut kept = groups.to_vec();
        kept.sort_unstable();
        self.0.retain(|point| kept.binary_search(&point.group).is_ok());
    }

    /// Every value once, in order; of more than `values_max` in a group those of smallest (rank, value).
    pub(super) fn keep_smallest(&mut self, plan: &Plan, owner_hash: u64) {
        self.0.sort_unstable_by_key(|point| (point.group, point.lane, point.value));
        self.0.dedup_by(|next, known| {
            let same = (next.group, next.lane, next.value) == (known.group, known.lane, known.value);
            if same {
                known.count = known.count.saturating_add(next.count);
            }
            same
        });
        if self.0.len() <= plan.values_max {
            return;
        }
        let rank = |point: &Point| match plan.layout.values()[point.lane as usize].kind {
            // These are hashes already, and come in their order.
            ValueKind::Distinct => point.value,
            ValueKind::Spread { .. } => plan.hash_key.rank(owner_hash, plan.hash_key.key_word(point.value)),
        };
        let all = std::mem::take(&mut self.0);
        for values in all.chunk_by(|left, right| (left.group, left.lane) == (right.group, right.lane)) {
            let start = self.0.len();
            self.0.extend_from_slice(values);
            if values.len() > plan.values_max {
                self.0[start..].sort_unstable_by_key(|point| (rank(point), point.value));
                self.0.truncate(start + plan.values_max);
                self.0[start..].sort_unstable_by_key(|point| point.value);
            }
        }
    }

    /// Adds the weights of what the person's values are, and notes what the person may bring.
    pub(super) fn add_to(&self, plan: &Plan, totals: &mut Totals, brought: &mut Brought) {
        for values in self.0.chunk_by(|left, right| (left.group, left.lane) == (right.group, right.lane)) {
            let Point { person, group, lane, .. } = values[0];
            match plan.layout.values()[lane as usize].kind {
                ValueKind::Spread { bits, .. } => {
                    let counted = values.iter().map(|point| (point.value, point.count));
                    totals.spreads[lane as usize].add_person(group, counted, plan.layout.rows_max(), bits);
                }
                ValueKind::Distinct => {
                    let start = brought.values.len();
                    brought.values.extend(values.iter().map(|point| point.value));
                    brought.people.push(Bringer { person, lane, group, start, end: brought.values.len() });
                }
            }
        }
    }
}
