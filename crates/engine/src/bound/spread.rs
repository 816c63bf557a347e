//! Where people's values lie on a grid: the weight of every point, group by group.
//!
//! **Guarantee.** A person's counted rows in a group weigh ⌊2^b·min(1, m/c)⌋ each, c their number, so together at most
//! m·2^b, whatever the rows are ([`row_weight`]). Points are integers between zero and the last index of the grid.
//! **Memory.** At most one number a point and group that occurs; the planner keeps grids small where groups are many.
//! **Order.** Sums of integers, kept by index: who came first does not show. A point's weight stays where 64 bits end,
//! which 2^34 people at one point would need; it moves by no more than a person weighs there, too.

use pointillist_mechanisms::order_statistic::weighted_quantile::row_weight;

/// Points of all groups together up to which an array is used from the beginning: two million numbers.
const DENSE_MAX: u64 = 1 << 21;
/// Fewer points than this are not worth sorting.
const FEW: usize = 1024;

/// The weights of every group.
#[derive(Clone)]
pub(crate) struct Spread {
    last: u32,
    dense: bool,
    groups: Vec<Weights>,
}

#[derive(Clone)]
enum Weights {
    /// Points, the first so many of them sorted and each once.
    Few(Vec<(u32, u64)>, usize),
    /// Every point of the grid.
    Dense(Vec<u64>),
}

impl Spread {
    /// For indexes up to `last`; `groups` says how many groups there will be, where that is known.
    pub(crate) fn new(last: u32, groups: Option<usize>) -> Self {
        let points = u64::from(last) + 1;
        let dense = groups.is_some_and(|groups| points.saturating_mul(groups as u64) <= DENSE_MAX);
        Self { last, dense, groups: Vec::new() }
    }

    /// The weights of one person's rows: values rise, each with how many rows have it.
    pub(crate) fn add_person(
        &mut self,
        group: u32,
        values: impl Iterator<Item = (u64, u64)> + Clone,
        rows_max: u64,
        bits: u32,
    ) {
        let rows = values.clone().fold(0u64, |sum, (_, count)| sum.saturating_add(count));
        let weight = row_weight(rows, rows_max, bits);
        // count·weight is at most rows_max·2^bits.
        values.for_each(|(value, count)| self.add(group, value, count.saturating_mul(weight)));
    }

    /// Adds weight to a point.
    #[inline]
    pub(crate) fn add(&mut self, group: u32, value: u64, weight: u64) {
        let index = u32::try_from(value).unwrap_or(u32::MAX).min(self.last);
        if group as usize >= self.groups.len() {
            self.grow(group as usize + 1);
        }
        match &mut self.groups[group as usize] {
            Weights::Dense(points) => {
                let point = &mut points[index as usize];
                *point = point.saturating_add(weight);
            }
            weights @ Weights::Few(..) => weights.push(index, weight, self.last),
        }
    }

    fn grow(&mut self, groups: usize) {
        let (last, dense) = (self.last as usize, self.dense);
        self.groups.resize_with(groups, || match dense {
            true => Weights::Dense(vec![0; last + 1]),
            false => Weights::Few(Vec::new(), 0),
        });
    }

    /// Adds a group of another.
    pub(crate) fn merge(&mut self, into: u32, other: &mut Self, from: u32) {
        let Some(from) = other.groups.get_mut(from as usize) else { return };
        if into as usize >= self.groups.len() {
            self.grow(into as usize + 1);
        }
        match (&mut self.groups[into as usize], from) {
            (Weights::Dense(known), Weights::Dense(more)) => {
                known
                    .iter_mut()
                    .zip(more.iter())
                    .for_each(|(known, more)| *known = known.saturating_add(*more));
            }
            (empty @ Weights::Few(..), more) if empty.is_empty() => {
                *empty = std::mem::replace(more, Weights::Few(Vec::new(), 0));
            }
            (_, more) => {
                let points = std::mem::replace(more, Weights::Few(Vec::new(), 0)).sorted();
                points.into_iter().for_each(|(index, weight)| self.add(into, u64::from(index), weight));
            }
        }
    }

    /// The points of a group that weigh anything, rising.
    pub(crate) fn take(&mut self, group: u32) -> Vec<(u32, u64)> {
        match self.groups.get_mut(group as usize) {
            Some(weights) => std::mem::replace(weights, Weights::Few(Vec::new(), 0)).sorted(),
            None => Vec::new(),
        }
    }
}

impl Weights {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Few(points, _) if points.is_empty())
    }

    fn push(&mut self, index: u32, weight: u64, last: u32) {
        let Self::Few(points, sorted) = self else { return };
        points.push((index, weight));
        if points.len() < 2 * (*sorted).max(FEW) {
            return;
        }
        compact(points);
        *sorted = points.len();
        if points.len() as u64 > u64::from(last) / 4 {
            let mut dense = vec![0; last as usize + 1];
            points.iter().for_each(|(index, weight)| dense[*index as usize] = *weight);
            *self = Self::Dense(dense);
        }
    }

    fn sorted(self) -> Vec<(u32, u64)> {
        match self {
            Self::Few(mut points, _) => {
                compact(&mut points);
                points.retain(|(_, weight)| *weight > 0);
                points
            }
            Self::Dense(points) => {
                let points = (0u32..).zip(points);
                points.filter(|(_, weight)| *weight > 0).collect()
            }
        }
    }
}

/// Every point once, rising.
fn compact(points: &mut Vec<(u32, u64)>) {
    points.sort_unstable_by_key(|(index, _)| *index);
    points.dedup_by(|next, known| {
        let same = next.0 == known.0;
        if same {
            known.1 = known.1.saturating_add(next.1);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: few points, many, an array from the beginning, and any of these merged, are the same sums.
    #[test]
    fn every_way_to_add_up_is_the_same() {
        let mut state = 9u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for last in [1u32, 50, 40_000] {
            let rows: Vec<(u32, u64, u64)> =
                (0..9_000).map(|_| (word() as u32 % 3, word() % (u64::from(last) + 3), word() % 9)).collect();
            let mut expected = vec![std::collections::BTreeMap::new(); 3];
            for (group, value, weight) in &rows {
                let index = (*value as u32).min(last);
                *expected[*group as usize].entry(index).or_insert(0) += weight;
            }
            for (left, right) in [(None, None), (Some(3), Some(3)), (None, Some(3)), (Some(3), None)] {
                let (mut all, mut more) = (Spread::new(last, left), Spread::new(last, right));
                for (at, (group, value, weight)) in rows.iter().enumerate() {
                    let to = if at % 7 == 0 { &mut more } else { &mut all };
                    to.add(*group, *value, *weight);
                }
                (0..4).for_each(|group| all.merge(group, &mut more, group));
                for (group, expected) in expected.iter().enumerate() {
                    let points = all.take(group as u32);
                    let expected: Vec<(u32, u64)> = expected
                        .iter()
                        .map(|(index, weight)| (*index, *weight))
                        .filter(|(_, weight)| *weight > 0)
                        .collect();
                    assert_eq!(points, expected);
                }
            }
        }
    }

    /// Brute force: a person's weight in a group is at most that of the rows that count, and is all of it where rows
    /// divide it.
    #[test]
    fn a_person_weighs_no_more_than_the_rows_that_count() {
        for rows_max in 1..=4u64 {
            for many in 1..=40u64 {
                let mut spread = Spread::new(9, None);
                spread.add_person(0, [(2, many), (9, 2 * many)].into_iter(), rows_max, 20);
                let weight: u64 = spread.take(0).iter().map(|(_, weight)| weight).sum();
                assert!(weight <= rows_max << 20);
                assert!(
                    weight + 3 * many > (rows_max.min(3 * many)) << 20,
                    "rounding takes less than one a row"
                );
            }
        }
    }
}
