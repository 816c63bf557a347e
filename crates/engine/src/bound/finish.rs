//! The second half: partitions to groups, on as many threads as there are.
//!
//! All rows of a person are in one partition, so partitions are independent and what they add up to is added up.
//! While everything is in memory, all runs share one numbering of groups. Once anything has been written to disk,
//! everything is: each partition then numbers the keys that it meets, and only keys that somebody kept remain
//! when it is done.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::keys::{Key, Keys};
use super::person::{Bounding, Piece, Space, Totals};
use super::run::{PARTITIONS, Run};
use super::spill::{SpilledKeys, decode};
use super::{BoundError, Plan};
use crate::groups::Groups;

/// Runs whose rows are all in; threads take partitions from it.
pub(crate) struct Finish {
    plan: Arc<Plan>,
    runs: Vec<Run>,
    spilled: bool,
    /// The groups of all runs, where nothing was spilled.
    keys: Keys,
    /// From each run's group numbers to those of `keys`.
    numbers: Vec<Option<Vec<u32>>>,
    order: Vec<usize>,
    next: AtomicUsize,
}

/// What one thread has added up.
pub(crate) enum Part {
    /// By group number.
    Shared(Totals),
    /// By key; people, then measures.
    ByKey(HashMap<Box<[u8]>, Vec<i128>>),
}

impl Finish {
    pub(crate) fn new(plan: &Arc<Plan>, mut runs: Vec<Run>) -> Result<Self, BoundError> {
        let spilled = runs.iter().any(|run| run.spill.is_some());
        for run in &mut runs {
            if spilled {
                run.spill()?;
            } else {
                run.seal();
            }
        }
        let mut keys = plan.keys.clone();
        let mut numbers = Vec::new();
        if !plan.declared && !spilled {
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
        // The largest first, so that no thread is left with a large one at the end.
        let mut order: Vec<usize> = (0..PARTITIONS).collect();
        order.sort_by_cached_key(|partition| {
            let sizes = runs.iter().map(|run| match &run.spill {
                Some(spill) => spill.bytes(*partition),
                None => run.partitions[*partition].words(),
            });
            Reverse(sizes.sum::<usize>())
        });
        Ok(Self { plan: Arc::clone(plan), runs, spilled, keys, numbers, order, next: AtomicUsize::new(0) })
    }

    /// Works until no partition is left. Call it on every thread, then `merge`.
    pub(crate) fn work(&self) -> Result<Part, BoundError> {
        let mut bounding = Bounding::new(&self.plan);
        if self.spilled { self.work_from_disk(&mut bounding) } else { self.work_in_memory(&mut bounding) }
    }

    fn partitions(&self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(|| self.order.get(self.next.fetch_add(1, Ordering::Relaxed)).copied())
    }

    fn work_in_memory(&self, bounding: &mut Bounding) -> Result<Part, BoundError> {
        let mut totals = Totals::new(self.plan.layout.measures(), self.keys.len());
        for partition in self.partitions() {
            let runs = self.runs.iter().zip(&self.numbers);
            let pieces: Vec<Piece> =
                runs.flat_map(|(run, groups)| run.partitions[partition].pieces(groups.as_deref())).collect();
            if !pieces.is_empty() {
                bounding.begin();
                bounding.reduce_all(&pieces, &self.keys, Some(&mut totals));
            }
        }
        Ok(Part::Shared(totals))
    }

    fn work_from_disk(&self, bounding: &mut Bounding) -> Result<Part, BoundError> {
        let measures = self.plan.layout.measures();
        let lanes = 1 + self.plan.layout.lanes().len();
        let mut by_key: HashMap<Box<[u8]>, Vec<i128>> = HashMap::new();
        let mut keys = SpilledKeys::new();
        for partition in self.partitions() {
            bounding.begin();
            keys.clear();
            for spill in self.runs.iter().filter_map(|run| run.spill.as_ref()) {
                spill.read(partition, bounding, &mut keys, lanes)?;
            }
            let mut totals = Totals::new(measures, keys.len());
            bounding.reduce_all(&[], &keys, Some(&mut totals));
            for (group, sums) in totals.sums.chunks_exact(totals.stride).enumerate() {
                if sums[0] == 0 {
                    continue;
                }
                let key = keys.encoded(group as u32);
                match by_key.get_mut(key) {
                    Some(known) => known.iter_mut().zip(sums).for_each(|(known, sum)| *known += sum),
                    None => drop(by_key.insert(key.into(), sums.to_vec())),
                }
            }
        }
        Ok(Part::ByKey(by_key))
    }

    /// All threads' parts as groups.
    pub(crate) fn merge(mut self, parts: Vec<Part>) -> Result<Groups, BoundError> {
        let stride = self.plan.layout.measures() + 1;
        let mut sums = vec![0; self.keys.len() * stride];
        for part in parts {
            match part {
                Part::Shared(totals) => {
                    sums.iter_mut().zip(&totals.sums).for_each(|(sum, part)| *sum += part);
                }
                Part::ByKey(by_key) => {
                    for (key, part) in by_key {
                        let group = self.keys.add(&decode(&key))? as usize;
                        sums.resize(self.keys.len() * stride, 0);
                        let known = &mut sums[group * stride..(group + 1) * stride];
                        known.iter_mut().zip(&part).for_each(|(sum, part)| *sum += part);
                    }
                }
            }
        }
        Ok(groups(&self.plan, &self.keys, &sums, stride))
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
