//! Aggregates without noise, of some rows at a time.
//!
//! **Guarantee.** A result is a function of the multiset of values. Whole numbers are added up in 128 bits and saturate once;
//! numbers are added exactly and rounded once; a number that is not finite is NULL. Nothing fails.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, UInt32Array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::take;
use arrow::datatypes::{Float64Type, Int64Type};
use pointillist_plan::{ExactAggregate, ExactFunction};

use super::Table;
use super::exact_sum::ExactSum;
use super::map::truths;
use super::row_bytes::RowBytes;
use crate::EngineError;
use crate::evaluate::{evaluate, kind_of};

/// What one aggregate sees of a table.
pub(super) struct Measured {
    pub(super) function: ExactFunction,
    pub(super) distinct: bool,
    values: ArrayRef,
    /// Which rows count.
    counted: Option<BooleanBuffer>,
    pub(super) lane: Lane,
    /// The place of each row's value among all values, equal values having the same one; empty where order does not matter.
    pub(super) ranks: Vec<u32>,
}

/// The values that are calculated with.
pub(super) enum Lane {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Others,
}

/// The aggregate of some rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    Null,
    Integer(i64),
    Number(f64),
    Boolean(bool),
    /// The value of this row.
    Pick(u32),
}

impl Measured {
    pub(super) fn new(aggregate: &ExactAggregate, input: &Table) -> Result<Self, EngineError> {
        let values = evaluate(&aggregate.value, input.columns(), input.rows());
        if kind_of(&values).and_then(|kind| aggregate.kind(kind)).is_none() {
            return Err(EngineError::Plan { what: "an aggregate of values that have none" });
        }
        let chosen = aggregate.counted.as_ref();
        let chosen = chosen.map(|counted| truths(counted, input.columns(), input.rows())).transpose()?;
        let counted = NullBuffer::union(values.nulls(), chosen.map(NullBuffer::new).as_ref());
        let lane = if let Some(integers) = values.as_primitive_opt::<Int64Type>() {
            Lane::Integers(integers.values().to_vec())
        } else if let Some(numbers) = values.as_primitive_opt::<Float64Type>() {
            Lane::Numbers(numbers.values().to_vec())
        } else {
            Lane::Others
        };
        // Counts and sums need no order.
        let plain =
            matches!(aggregate.function, ExactFunction::Count | ExactFunction::Sum | ExactFunction::Average);
        let ranks = if plain && !aggregate.distinct { Vec::new() } else { ranks(&values)? };
        Ok(Self {
            function: aggregate.function,
            distinct: aggregate.distinct,
            counted: counted.map(|nulls| nulls.inner().clone()),
            values,
            lane,
            ranks,
        })
    }

    /// Whether a row counts.
    pub(super) fn counts(&self, row: u32) -> bool {
        self.counted.as_ref().is_none_or(|counted| counted.value(row as usize))
    }

    /// The aggregate of some rows.
    pub(super) fn of(&self, rows: &[u32]) -> Outcome {
        let mut rows: Vec<u32> = rows.iter().copied().filter(|row| self.counts(*row)).collect();
        if !self.ranks.is_empty() {
            rows.sort_unstable_by_key(|row| self.ranks[*row as usize]);
            if self.distinct {
                rows.dedup_by_key(|row| self.ranks[*row as usize]);
            }
        }
        if let ExactFunction::Count = self.function {
            return Outcome::Integer(rows.len() as i64);
        }
        let (Some(first), Some(last)) = (rows.first().copied(), rows.last().copied()) else {
            return Outcome::Null;
        };
        match self.function {
            ExactFunction::Count => Outcome::Integer(rows.len() as i64),
            ExactFunction::Sum => match &self.lane {
                Lane::Integers(values) => Outcome::Integer(saturated(whole_sum(values, &rows))),
                Lane::Numbers(_) => finite(ExactSum::of(self.numbers(&rows).into_iter())),
                Lane::Others => Outcome::Null,
            },
            ExactFunction::Average => match &self.lane {
                Lane::Integers(values) => average(whole_sum(values, &rows), rows.len()),
                Lane::Numbers(_) => finite(mean(&self.numbers(&rows))),
                Lane::Others => Outcome::Null,
            },
            ExactFunction::Minimum => Outcome::Pick(first),
            ExactFunction::Maximum => Outcome::Pick(last),
            ExactFunction::Mode => Outcome::Pick(self.mode(&rows)),
            ExactFunction::QuantileContinuous(share) => {
                let numbers = self.numbers(&rows);
                continuous(numbers.len(), |place| numbers.get(place).copied(), share)
            }
            ExactFunction::QuantileDiscrete(share) => {
                discrete(rows.len(), share).map_or(Outcome::Null, |place| Outcome::Pick(rows[place]))
            }
            ExactFunction::Variance { sample, root } => variance(&self.numbers(&rows), sample, root),
            ExactFunction::Every => self.truth(&rows, false),
            ExactFunction::Some => self.truth(&rows, true),
        }
    }

    /// Results as a column.
    pub(super) fn column(&self, results: &[Outcome]) -> Result<ArrayRef, EngineError> {
        column(&self.values, results, self.kind())
    }

    fn kind(&self) -> Kind {
        match self.function {
            ExactFunction::Count => Kind::Integer,
            ExactFunction::Sum => match self.lane {
                Lane::Integers(_) => Kind::Integer,
                _ => Kind::Number,
            },
            ExactFunction::Average
            | ExactFunction::QuantileContinuous(_)
            | ExactFunction::Variance { .. } => Kind::Number,
            ExactFunction::Minimum
            | ExactFunction::Maximum
            | ExactFunction::Mode
            | ExactFunction::QuantileDiscrete(_) => Kind::Pick,
            ExactFunction::Every | ExactFunction::Some => Kind::Boolean,
        }
    }

    /// Values as numbers, in the order of rows.
    fn numbers(&self, rows: &[u32]) -> Vec<f64> {
        match &self.lane {
            Lane::Integers(values) => rows.iter().map(|row| values[*row as usize] as f64).collect(),
            Lane::Numbers(values) => rows.iter().map(|row| values[*row as usize]).collect(),
            Lane::Others => Vec::new(),
        }
    }

    /// Rows are sorted by value: the first of the longest run.
    fn mode(&self, rows: &[u32]) -> u32 {
        let runs = rows.chunk_by(|left, right| self.ranks[*left as usize] == self.ranks[*right as usize]);
        let longest = runs.reduce(|best, run| if run.len() > best.len() { run } else { best });
        longest.map_or(0, |run| run[0])
    }

    /// A truth value.
    pub(super) fn boolean(&self, row: u32) -> Option<bool> {
        self.values.as_boolean_opt().map(|values| values.value(row as usize))
    }

    /// `Some` if one value is true, `Every` unless one is false.
    fn truth(&self, rows: &[u32], wanted: bool) -> Outcome {
        let Some(values) = self.values.as_boolean_opt() else { return Outcome::Null };
        let found = rows.iter().any(|row| values.value(*row as usize) == wanted);
        Outcome::Boolean(found == wanted)
    }
}

/// What kind of results a column is made of.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Integer,
    Number,
    Boolean,
    Pick,
}

/// Results as a column; picks are of `values`.
pub(super) fn column(values: &ArrayRef, results: &[Outcome], kind: Kind) -> Result<ArrayRef, EngineError> {
    macro_rules! collect {
        ($array:ty, $variant:ident) => {
            results
                .iter()
                .map(|result| match result {
                    Outcome::$variant(value) => Some(*value),
                    _ => None,
                })
                .collect::<$array>()
        };
    }
    Ok(match kind {
        Kind::Integer => Arc::new(collect!(Int64Array, Integer)),
        Kind::Number => Arc::new(collect!(Float64Array, Number)),
        Kind::Boolean => Arc::new(collect!(BooleanArray, Boolean)),
        Kind::Pick => take(values, &collect!(UInt32Array, Pick), None)
            .map_err(|_| EngineError::Plan { what: "values that cannot be taken" })?,
    })
}

/// The place of each value in order; equal values have the same one.
fn ranks(values: &ArrayRef) -> Result<Vec<u32>, EngineError> {
    let bytes = RowBytes::new([values])?;
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by_key(|row| bytes.row(*row as usize));
    let mut ranks = vec![0; order.len()];
    let same = order.chunk_by(|left, right| bytes.row(*left as usize) == bytes.row(*right as usize));
    for (rank, rows) in same.enumerate() {
        rows.iter().for_each(|row| ranks[*row as usize] = rank as u32);
    }
    Ok(ranks)
}

fn whole_sum(values: &[i64], rows: &[u32]) -> i128 {
    rows.iter().map(|row| i128::from(values[*row as usize])).sum()
}

pub(super) fn saturated(sum: i128) -> i64 {
    sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

pub(super) fn average(sum: i128, count: usize) -> Outcome {
    finite(sum as f64 / count as f64)
}

pub(super) fn finite(value: f64) -> Outcome {
    // Adding zero makes minus zero zero.
    if value.is_finite() { Outcome::Number(value + 0.0) } else { Outcome::Null }
}

/// The mean of numbers, also where their sum is beyond all numbers.
fn mean(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let sum = ExactSum::of(values.iter().copied());
    if sum.is_finite() { sum / count } else { ExactSum::of(values.iter().map(|value| value / count)) }
}

fn variance(values: &[f64], sample: bool, root: bool) -> Outcome {
    let divisor = values.len() - usize::from(sample);
    if divisor == 0 {
        return Outcome::Null;
    }
    let mean = mean(values);
    // From the smallest value to the largest: squares need not be finite.
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let variance = squares / divisor as f64;
    finite(if root { variance.sqrt() } else { variance })
}

/// Between neighbours of so many numbers in order.
pub(super) fn continuous(count: usize, number: impl Fn(usize) -> Option<f64>, share: f64) -> Outcome {
    let place = share.clamp(0.0, 1.0) * (count as f64 - 1.0);
    let (below, part) = (place.floor() as usize, place - place.floor());
    let Some(low) = number(below) else { return Outcome::Null };
    let high = number(below + 1).unwrap_or(low);
    finite(if part > 0.0 { (low * (1.0 - part) + high * part).clamp(low, high) } else { low })
}

/// The place of the first of so many values in order whose share of those not above it is at least this.
pub(super) fn discrete(count: usize, share: f64) -> Option<usize> {
    let reached = |number: &usize| *number as f64 / count as f64 >= share;
    // One too few is tried as well: the product may have been rounded up.
    let estimate = (share.clamp(0.0, 1.0) * count as f64).ceil() as usize;
    let number = (estimate.saturating_sub(1).max(1)..=count).find(reached);
    number.map(|number| number - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_as_postgres_has_them() {
        let of = |values: &[f64], share| continuous(values.len(), |place| values.get(place).copied(), share);
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(of(&values, 0.5), Outcome::Number(3.0));
        assert_eq!(of(&values, 1.0), Outcome::Number(8.0));
        assert_eq!(of(&[f64::MIN, f64::MAX], 0.5), Outcome::Number(0.0));
        assert_eq!(discrete(100, 0.07), Some(6));
        assert_eq!(discrete(100, 0.0), Some(0));
        assert_eq!(discrete(100, 0.071), Some(7));
        assert_eq!(discrete(100, 1.0), Some(99));
        assert_eq!(discrete(100, f64::NAN), None);
    }

    #[test]
    fn sums_saturate_once_and_means_have_no_edge() {
        assert_eq!(saturated(whole_sum(&[i64::MAX, i64::MAX, -5], &[0, 1, 2])), i64::MAX);
        assert_eq!(saturated(whole_sum(&[i64::MAX, 7, i64::MIN], &[0, 1, 2])), 6);
        assert_eq!(mean(&[f64::MAX, f64::MAX]), f64::MAX);
        assert_eq!(variance(&[3.0], true, false), Outcome::Null);
        assert_eq!(variance(&[1.0, 3.0], true, false), Outcome::Number(2.0));
        assert_eq!(variance(&[1.0, 3.0], false, true), Outcome::Number(1.0));
        assert_eq!(variance(&[f64::MIN, f64::MAX], false, true), Outcome::Null);
    }
}
