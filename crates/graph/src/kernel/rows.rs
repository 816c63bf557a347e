//! Rows of numbers one after the other, filled by several threads.

use std::ops::Range;

use rayon::prelude::*;

/// A list of entries for each of many owners.
pub(super) struct Rows<T> {
    /// Where each row begins; one more than there are rows.
    starts: Vec<usize>,
    entries: Vec<T>,
}

impl<T: Copy + Default + Send> Rows<T> {
    /// Rows of these lengths. `fill` gets a range of rows and their entries, still empty; the ranges are about equally
    /// long, and there is only one if `alone`.
    pub(super) fn new(
        lengths: impl Iterator<Item = usize>,
        alone: bool,
        fill: impl Fn(Range<usize>, &[usize], &mut [T]) + Sync,
    ) -> Self {
        let mut starts = Vec::with_capacity(lengths.size_hint().0 + 1);
        starts.push(0);
        let mut end = 0;
        starts.extend(lengths.map(|length| {
            end += length;
            end
        }));
        let mut entries = vec![T::default(); end];
        let rows = starts.len() - 1;
        if alone {
            fill(0..rows, &starts, &mut entries);
            return Self { starts, entries };
        }
        let parts = rayon::current_num_threads();
        let mut left = entries.as_mut_slice();
        let mut row = 0;
        let mut work = Vec::new();
        for part in 1..=parts {
            let until = if part == parts {
                rows
            } else {
                starts.partition_point(|start| *start < end / parts * part)
            };
            let until = until.max(row);
            let (mine, rest) = left.split_at_mut(starts[until] - starts[row]);
            work.push((row..until, mine));
            (left, row) = (rest, until);
        }
        work.into_par_iter().for_each(|(rows, mine)| {
            let starts = &starts[rows.start..=rows.end];
            fill(rows, starts, mine);
        });
        Self { starts, entries }
    }

    /// The transpose of other rows: for every number the rows that hold it, in rising order. Other rows must rise; an
    /// entry is made from the other row and its place there.
    pub(super) fn transposed<'a>(
        lengths: impl Iterator<Item = usize>,
        alone: bool,
        others: u32,
        other_row: impl Fn(u32) -> &'a [u32] + Sync,
        entry: impl Fn(u32, u32) -> T + Sync,
    ) -> Self {
        Self::new(lengths, alone, |rows, starts, entries| {
            let first = starts[0];
            let mut next: Vec<usize> = starts.iter().map(|start| start - first).collect();
            for other in 0..others {
                let row = other_row(other);
                let skipped = if rows.start == 0 {
                    0
                } else {
                    row.partition_point(|number| (*number as usize) < rows.start)
                };
                for (place, number) in (skipped as u32..).zip(&row[skipped..]) {
                    if *number as usize >= rows.end {
                        break;
                    }
                    let free = &mut next[*number as usize - rows.start];
                    entries[*free] = entry(other, place);
                    *free += 1;
                }
            }
        })
    }

    /// One row.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &[T] {
        &self.entries[self.starts[row as usize]..self.starts[row as usize + 1]]
    }
}
