//! An aggregate of rows that come and go: of frames whose ends only move forward.
//!
//! **Why.** A frame that grows with every row would otherwise be looked at again for each of them, and a person with many rows
//! would take the square of their number in time.

use pointillist_plan::ExactFunction;

use super::exact::{Lane, Measured, Outcome, average, continuous, discrete, finite, saturated};
use super::exact_sum::ExactSum;

/// The rows of a frame, by the order of their values.
pub(super) struct Sliding<'a> {
    measured: &'a Measured,
    rows: &'a [u32],
    /// For each place of the partition, which of its different values it has.
    values: Vec<usize>,
    /// A row of each different value.
    examples: Vec<u32>,
    /// How often each is in the frame.
    times: Vec<u32>,
    /// How many values are in the frame, in sums over ranges (a Fenwick tree).
    tree: Vec<u32>,
    count: usize,
    whole: i128,
    sum: ExactSum,
    start: usize,
    end: usize,
}

impl<'a> Sliding<'a> {
    /// The rows of a partition in their order, none of them in the frame yet; nothing for aggregates that cannot slide.
    pub(super) fn new(measured: &'a Measured, rows: &'a [u32]) -> Option<Self> {
        if matches!(measured.function, ExactFunction::Mode | ExactFunction::Variance { .. }) {
            return None;
        }
        let rank = |row: u32| measured.ranks.get(row as usize).copied().unwrap_or(0);
        let mut examples = rows.to_vec();
        examples.sort_unstable_by_key(|row| rank(*row));
        examples.dedup_by_key(|row| rank(*row));
        let place = |row: &u32| examples.partition_point(|example| rank(*example) < rank(*row));
        Some(Self {
            measured,
            rows,
            values: rows.iter().map(place).collect(),
            times: vec![0; examples.len()],
            tree: vec![0; examples.len() + 1],
            examples,
            count: 0,
            whole: 0,
            sum: ExactSum::new(),
            start: 0,
            end: 0,
        })
    }

    /// The aggregate of a frame that neither begins nor ends before the last one did.
    pub(super) fn of(&mut self, start: usize, end: usize) -> Outcome {
        while self.end < end {
            self.change(self.end, true);
            self.end += 1;
        }
        while self.start < start {
            self.change(self.start, false);
            self.start += 1;
        }
        self.outcome()
    }

    /// A row comes or goes.
    fn change(&mut self, place: usize, comes: bool) {
        let row = self.rows[place];
        if !self.measured.counts(row) {
            return;
        }
        let value = self.values[place];
        let before = self.times[value];
        self.times[value] = if comes { before + 1 } else { before - 1 };
        if self.measured.distinct && before.max(self.times[value]) > 1 {
            return;
        }
        let mut at = value + 1;
        while at < self.tree.len() {
            self.tree[at] = if comes { self.tree[at] + 1 } else { self.tree[at] - 1 };
            at += at & at.wrapping_neg();
        }
        self.count = if comes { self.count + 1 } else { self.count - 1 };
        match &self.measured.lane {
            Lane::Integers(values) => {
                let value = i128::from(values[row as usize]);
                self.whole += if comes { value } else { -value };
            }
            Lane::Numbers(values) if comes => self.sum.add(values[row as usize]),
            Lane::Numbers(values) => self.sum.subtract(values[row as usize]),
            Lane::Others => {}
        }
    }

    /// A row of the value with this number among those of the frame, in order.
    fn nth(&self, number: usize) -> Option<u32> {
        let (mut at, mut left) = (0, number);
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            if let Some(within) = self.tree.get(at + step).filter(|within| **within as usize <= left) {
                left -= *within as usize;
                at += step;
            }
            step /= 2;
        }
        self.examples.get(at).copied()
    }

    fn number(&self, place: usize) -> Option<f64> {
        let row = self.nth(place).filter(|_| place < self.count)? as usize;
        match &self.measured.lane {
            Lane::Integers(values) => Some(values[row] as f64),
            Lane::Numbers(values) => Some(values[row]),
            Lane::Others => None,
        }
    }

    fn outcome(&self) -> Outcome {
        if self.measured.function == ExactFunction::Count {
            return Outcome::Integer(self.count as i64);
        }
        if self.count == 0 {
            return Outcome::Null;
        }
        let pick = |place: usize| self.nth(place).map_or(Outcome::Null, Outcome::Pick);
        match (self.measured.function, &self.measured.lane) {
            (ExactFunction::Sum, Lane::Integers(_)) => Outcome::Integer(saturated(self.whole)),
            (ExactFunction::Average, Lane::Integers(_)) => average(self.whole, self.count),
            (ExactFunction::Sum, Lane::Numbers(_)) => finite(self.sum.value()),
            (ExactFunction::Average, Lane::Numbers(values)) => {
                let (sum, count) = (self.sum.value(), self.count as f64);
                if sum.is_finite() {
                    return finite(sum / count);
                }
                // A sum beyond all numbers: shares of it are added instead.
                let share = |row: u32| values[row as usize] / count;
                finite(match self.measured.distinct {
                    true => ExactSum::of((0..self.count).filter_map(|place| self.nth(place)).map(share)),
                    false => {
                        let rows = self.rows[self.start..self.end].iter().copied();
                        ExactSum::of(rows.filter(|row| self.measured.counts(*row)).map(share))
                    }
                })
            }
            (ExactFunction::Minimum, _) => pick(0),
            (ExactFunction::Maximum, _) => pick(self.count - 1),
            (ExactFunction::Every, _) => self.truth(0),
            (ExactFunction::Some, _) => self.truth(self.count - 1),
            (ExactFunction::QuantileContinuous(share), _) => {
                continuous(self.count, |place| self.number(place), share)
            }
            (ExactFunction::QuantileDiscrete(share), _) => {
                discrete(self.count, share).map_or(Outcome::Null, pick)
            }
            _ => Outcome::Null,
        }
    }

    /// False comes before true: all are true if the first is, and one is if the last is.
    fn truth(&self, place: usize) -> Outcome {
        let row = self.nth(place);
        row.and_then(|row| self.measured.boolean(row)).map_or(Outcome::Null, Outcome::Boolean)
    }
}
