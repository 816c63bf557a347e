//! The values of some columns as bytes, a row at a time: equal where all values are, and ordered as they are.
//!
//! NULL is a value like any other here, and comes first unless asked otherwise; text is ordered byte by byte.

use arrow::array::ArrayRef;
use arrow::compute::SortOptions;
use arrow::row::{RowConverter, Rows, SortField};

use crate::EngineError;

/// Rows as bytes. Rows without columns are all equal.
pub(super) struct RowBytes(Option<Rows>);

impl RowBytes {
    /// These columns, from the smallest.
    pub(super) fn new<'a>(columns: impl IntoIterator<Item = &'a ArrayRef>) -> Result<Self, EngineError> {
        let options = SortOptions { descending: false, nulls_first: true };
        Self::sorted(columns.into_iter().map(|column| (column, options)))
    }

    /// These columns, each in its order.
    pub(super) fn sorted<'a>(
        columns: impl IntoIterator<Item = (&'a ArrayRef, SortOptions)>,
    ) -> Result<Self, EngineError> {
        let (arrays, fields): (Vec<ArrayRef>, Vec<SortField>) = columns
            .into_iter()
            .map(|(array, options)| {
                (array.clone(), SortField::new_with_options(array.data_type().clone(), options))
            })
            .unzip();
        if arrays.is_empty() {
            return Ok(Self(None));
        }
        let misfit = |_| EngineError::Plan { what: "values that have no order" };
        let converter = RowConverter::new(fields).map_err(misfit)?;
        Ok(Self(Some(converter.convert_columns(&arrays).map_err(misfit)?)))
    }

    /// One row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u8] {
        self.0.as_ref().map_or(&[], |rows| rows.row(row).data())
    }
}

/// Where in `order` a new value begins, as told by `same`, and its end: one range for all neighbours that are the same.
pub(super) fn runs(order: &[u32], same: impl Fn(u32, u32) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut start = 0;
    let runs = order.chunk_by(|left, right| same(*left, *right)).map(|run| {
        let range = start..start + run.len();
        start = range.end;
        range
    });
    runs.collect()
}
