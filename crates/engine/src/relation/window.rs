//! A value beside each row, from the rows of its partition, which are of one owner.
//!
//! **Order.** Rows that compare equal are ordered by all their columns; those that are equal in all of them are the same
//! wherever they stand. So what a row gets is a function of the multiset of its partition's rows.

use std::ops::Range;

use arrow::array::{ArrayRef, BooleanArray, UInt32Array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::take;
use pointillist_plan::{Frame, FrameEnd, Scalar, Window, WindowFunction};

use super::Table;
use super::exact::{Kind, Measured, Outcome, column};
use super::order::order_bytes;
use super::row_bytes::{RowBytes, runs};
use super::sliding::Sliding;
use crate::EngineError;
use crate::evaluate::evaluate;

/// The columns of the input, then one for each window.
pub(super) fn window(input: &Table, windows: &[Window]) -> Result<Table, EngineError> {
    let all = RowBytes::new(input.columns())?;
    let mut columns = input.columns().to_vec();
    for window in windows {
        columns.push(beside(input, window, &all)?);
    }
    Ok(input.with_columns(columns))
}

/// A partition in its order.
struct Partition<'a> {
    rows: &'a [u32],
    /// The number of the peers that each place belongs to.
    peers_at: Vec<u32>,
    peers: Vec<Range<usize>>,
}

impl Partition<'_> {
    /// The peers of a place.
    fn peers(&self, place: usize) -> &Range<usize> {
        &self.peers[self.peers_at[place] as usize]
    }

    /// The places of a frame.
    fn frame(&self, frame: &Frame, place: usize) -> Range<usize> {
        let (count, here) = (self.rows.len() as i128, place as i128);
        let current = if frame.by_rows { place..place + 1 } else { self.peers(place).clone() };
        let start = match frame.start {
            FrameEnd::First => 0,
            FrameEnd::Before(rows) => here - i128::from(rows),
            FrameEnd::Current => current.start as i128,
            FrameEnd::After(rows) => here + i128::from(rows),
            FrameEnd::Last => count - 1,
        };
        let end = match frame.end {
            FrameEnd::First => 1,
            FrameEnd::Before(rows) => here - i128::from(rows) + 1,
            FrameEnd::Current => current.end as i128,
            FrameEnd::After(rows) => here + i128::from(rows) + 1,
            FrameEnd::Last => count,
        };
        let (start, end) = (start.clamp(0, count) as usize, end.clamp(0, count) as usize);
        start..end.max(start)
    }
}

/// One window beside each row of the input.
fn beside(input: &Table, window: &Window, all: &RowBytes) -> Result<ArrayRef, EngineError> {
    let value = |scalar: &Scalar| evaluate(scalar, input.columns(), input.rows());
    let partition: Vec<ArrayRef> = window.partition.iter().map(value).collect();
    let partition = RowBytes::new(input.owner().into_iter().chain(&partition))?;
    let keys = order_bytes(&window.order, input)?;
    let mut order: Vec<u32> = (0..input.rows() as u32).collect();
    // Equal rows have one order in all windows: which of them is first in both must not depend on how others are sorted.
    order.sort_unstable_by_key(|row| {
        let row = *row as usize;
        (partition.row(row), keys.row(row), all.row(row), row)
    });
    let same =
        |bytes: &RowBytes, left: u32, right: u32| bytes.row(left as usize) == bytes.row(right as usize);
    let mut beside = Beside::new(input, window)?;
    let mut results = vec![Outcome::Null; input.rows()];
    for places in runs(&order, |left, right| same(&partition, left, right)) {
        let rows = &order[places];
        let peers = runs(rows, |left, right| same(&keys, left, right));
        let peers_at = peers.iter().enumerate().flat_map(|(at, peers)| peers.clone().map(move |_| at as u32));
        let partition = Partition { rows, peers_at: peers_at.collect(), peers };
        beside.partition(&partition, &mut results);
    }
    beside.column(&results)
}

/// What a window computes from a partition.
struct Beside<'a> {
    window: &'a Window,
    rows: usize,
    /// What is picked from.
    values: Option<ArrayRef>,
    otherwise: Option<ArrayRef>,
    measured: Option<Measured>,
}

impl<'a> Beside<'a> {
    fn new(input: &Table, window: &'a Window) -> Result<Self, EngineError> {
        let value = |scalar: &Scalar| evaluate(scalar, input.columns(), input.rows());
        let (mut values, mut other, mut measured) = (None, None, None);
        match &window.function {
            WindowFunction::Shifted { value: scalar, otherwise, .. } => {
                values = Some(value(scalar));
                other = otherwise.as_ref().map(value);
            }
            WindowFunction::First(scalar) | WindowFunction::Last(scalar) | WindowFunction::Nth(scalar, _) => {
                values = Some(value(scalar));
            }
            WindowFunction::Aggregate(aggregate) => measured = Some(Measured::new(aggregate, input)?),
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumulativeDistribution
            | WindowFunction::Tiles(_) => {}
        }
        Ok(Self { window, rows: input.rows(), values, otherwise: other, measured })
    }

    fn partition(&mut self, partition: &Partition, results: &mut [Outcome]) {
        if let Some(measured) = &self.measured {
            return aggregate(measured, &self.window.frame, partition, results);
        }
        let count = partition.rows.len();
        for (place, row) in partition.rows.iter().enumerate() {
            let peers = partition.peers(place);
            let frame = || partition.frame(&self.window.frame, place);
            let pick = |place: Option<usize>| {
                place
                    .and_then(|place| partition.rows.get(place))
                    .map_or(Outcome::Null, |row| Outcome::Pick(*row))
            };
            results[*row as usize] = match &self.window.function {
                WindowFunction::RowNumber => Outcome::Integer(place as i64 + 1),
                WindowFunction::Rank => Outcome::Integer(peers.start as i64 + 1),
                WindowFunction::DenseRank => Outcome::Integer(i64::from(partition.peers_at[place]) + 1),
                WindowFunction::PercentRank => match count {
                    1 => Outcome::Number(0.0),
                    _ => Outcome::Number(peers.start as f64 / (count as f64 - 1.0)),
                },
                WindowFunction::CumulativeDistribution => Outcome::Number(peers.end as f64 / count as f64),
                WindowFunction::Tiles(tiles) => tile(place, count, *tiles),
                WindowFunction::Shifted { back, .. } => {
                    let from = place as i128 - i128::from(*back);
                    pick(usize::try_from(from).ok())
                }
                WindowFunction::First(_) => pick(frame().next()),
                WindowFunction::Last(_) => pick(frame().next_back()),
                WindowFunction::Nth(_, number) => {
                    let before = number.checked_sub(1).and_then(|before| usize::try_from(before).ok());
                    pick(before.and_then(|before| frame().nth(before)))
                }
                WindowFunction::Aggregate(_) => Outcome::Null,
            };
        }
    }

    fn column(&self, results: &[Outcome]) -> Result<ArrayRef, EngineError> {
        if let Some(measured) = &self.measured {
            return measured.column(results);
        }
        let Some(values) = &self.values else {
            let kind = match self.window.function {
                WindowFunction::PercentRank | WindowFunction::CumulativeDistribution => Kind::Number,
                _ => Kind::Integer,
            };
            // Nothing is picked, so it does not matter from what.
            return column(
                &(std::sync::Arc::new(UInt32Array::from(vec![0; self.rows])) as ArrayRef),
                results,
                kind,
            );
        };
        let misfit = |_| EngineError::Plan { what: "values of another type beside a row" };
        let picks = results.iter().map(|result| match result {
            Outcome::Pick(row) => Some(*row),
            _ => None,
        });
        let picks: UInt32Array = picks.collect();
        let picked = take(values, &picks, None).map_err(misfit)?;
        match &self.otherwise {
            None => Ok(picked),
            Some(otherwise) => {
                let found: BooleanArray = picks.iter().map(|pick| Some(pick.is_some())).collect();
                zip(&found, &picked, otherwise).map_err(misfit)
            }
        }
    }
}

/// The number of the part that a place is in, if rows are cut into parts whose lengths differ by one at most.
fn tile(place: usize, count: usize, tiles: u64) -> Outcome {
    let (place, count, tiles) = (place as u128, count as u128, u128::from(tiles));
    if tiles == 0 {
        return Outcome::Null;
    }
    let (short, longer) = (count / tiles, count % tiles);
    let in_longer = longer * (short + 1);
    let tile =
        if place < in_longer { place / (short + 1) } else { longer + (place - in_longer) / short.max(1) };
    Outcome::Integer(i64::try_from(tile + 1).unwrap_or(i64::MAX))
}

/// An aggregate of the frame of each place. Frames only move forward; neighbours with the same frame share what it has.
fn aggregate(measured: &Measured, frame: &Frame, partition: &Partition, results: &mut [Outcome]) {
    let mut sliding = Sliding::new(measured, partition.rows);
    let mut known: Option<(Range<usize>, Outcome)> = None;
    for (place, row) in partition.rows.iter().enumerate() {
        let range = partition.frame(frame, place);
        let result = match (&known, &mut sliding) {
            (Some((same, result)), _) if *same == range => *result,
            (_, Some(sliding)) => sliding.of(range.start, range.end),
            (_, None) => measured.of(&partition.rows[range.clone()]),
        };
        known = Some((range, result));
        results[*row as usize] = result;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_as_equal_as_can_be() {
        let tiles = |count: usize, tiles: u64| -> Vec<Outcome> {
            (0..count).map(|place| tile(place, count, tiles)).collect()
        };
        let numbers = |numbers: &[i64]| -> Vec<Outcome> {
            numbers.iter().map(|number| Outcome::Integer(*number)).collect()
        };
        assert_eq!(tiles(5, 2), numbers(&[1, 1, 1, 2, 2]));
        assert_eq!(tiles(2, 4), numbers(&[1, 2]));
        assert_eq!(tiles(3, u64::MAX), numbers(&[1, 2, 3]));
        assert_eq!(tiles(1, 0), [Outcome::Null]);
    }
}
