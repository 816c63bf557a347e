//! Rows as columns, with the owner of each beside them where they are people's.

use std::fmt;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, RecordBatch, UInt32Array, new_empty_array, new_null_array,
};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{concat, filter, take};
use pointillist_plan::{Scalar, Type};

use crate::EngineError;
use crate::evaluate::{data_type, evaluate};

/// Rows as columns of the six types that [`evaluate`](crate::evaluate()) knows, and perhaps whose row each is.
///
/// **Invariant.** All columns have as many values as there are rows, numbers are finite with one zero, and an owner is a
/// whole number or a text, and NULL only in rows that are on their way to be left out.
#[derive(Clone)]
pub struct Table {
    owner: Option<ArrayRef>,
    columns: Vec<ArrayRef>,
    rows: usize,
}

/// Rows may be people's: they stay out.
impl fmt::Debug for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Table").finish_non_exhaustive()
    }
}

const MISFIT: EngineError = EngineError::Plan { what: "columns are of other types or lengths" };

impl Table {
    /// Rows with these columns. `owner` says whose each row is, in one type: every operator then works within one
    /// owner, and rows without one are left out. Without `owner` the rows are nobody's.
    ///
    /// # Errors
    /// When columns have other lengths.
    pub fn new(owner: Option<ArrayRef>, columns: Vec<ArrayRef>, rows: usize) -> Result<Self, EngineError> {
        if columns.iter().chain(&owner).any(|column| column.len() != rows) {
            return Err(MISFIT);
        }
        let tidy = |position: usize| evaluate(&Scalar::Column(position), &columns, rows);
        let table = Self { owner: None, columns: (0..columns.len()).map(tidy).collect(), rows };
        table.owned_by(owner)
    }

    /// The rows of a batch whose last column may be the owner.
    pub(crate) fn from_batch(batch: &RecordBatch, with_owner: bool) -> Result<Self, EngineError> {
        let mut columns = batch.columns().to_vec();
        let owner = if with_owner { columns.pop() } else { None };
        Self { owner: None, columns, rows: batch.num_rows() }.owned_by(owner)
    }

    /// The rows of a batch, those without owner among them: for bounding, which leaves them out.
    pub(super) fn as_read(batch: &RecordBatch, with_owner: bool) -> Self {
        let mut columns = batch.columns().to_vec();
        let owner = if with_owner { columns.pop() } else { None };
        Self { owner, columns, rows: batch.num_rows() }
    }

    /// Columns that operators have made.
    pub(super) fn made(owner: Option<ArrayRef>, columns: Vec<ArrayRef>, rows: usize) -> Self {
        debug_assert!(columns.iter().chain(&owner).all(|column| column.len() == rows));
        Self { owner, columns, rows }
    }

    /// No rows, of these types.
    pub(crate) fn empty(owner: Option<&ArrayRef>, types: &[Type]) -> Self {
        let columns = types.iter().map(|kind| new_empty_array(&data_type(*kind))).collect();
        Self { owner: owner.map(|owner| new_empty_array(owner.data_type())), columns, rows: 0 }
    }

    /// Whose each row is.
    pub fn owner(&self) -> Option<&ArrayRef> {
        self.owner.as_ref()
    }

    /// The columns.
    pub fn columns(&self) -> &[ArrayRef] {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The same rows, each of an owner; those without one are left out.
    pub(crate) fn owned_by(self, owner: Option<ArrayRef>) -> Result<Self, EngineError> {
        let owned = owner.as_ref().and_then(|owner| owner.nulls().cloned());
        let table = Self { owner, ..self };
        match owned.filter(|nulls| nulls.null_count() > 0) {
            None => Ok(table),
            Some(nulls) => table.only(nulls.inner()),
        }
    }

    /// The same rows with other columns.
    pub(super) fn with_columns(&self, columns: Vec<ArrayRef>) -> Self {
        Self::made(self.owner.clone(), columns, self.rows)
    }

    /// The rows at these places.
    pub(crate) fn take(&self, rows: &[u32]) -> Result<Self, EngineError> {
        let places = UInt32Array::from(rows.to_vec());
        let taken = |column: &ArrayRef| take(column, &places, None).map_err(|_| MISFIT);
        Ok(Self {
            owner: self.owner.as_ref().map(taken).transpose()?,
            columns: self.columns.iter().map(taken).collect::<Result<_, _>>()?,
            rows: rows.len(),
        })
    }

    /// The rows where `chosen` is set.
    pub(crate) fn only(&self, chosen: &BooleanBuffer) -> Result<Self, EngineError> {
        let rows = chosen.count_set_bits();
        if rows == self.rows {
            return Ok(self.clone());
        }
        let mask = BooleanArray::new(chosen.clone(), None);
        let kept = |column: &ArrayRef| filter(column, &mask).map_err(|_| MISFIT);
        Ok(Self {
            owner: self.owner.as_ref().map(kept).transpose()?,
            columns: self.columns.iter().map(kept).collect::<Result<_, _>>()?,
            rows,
        })
    }

    /// All rows of several tables, at least one, of the same types.
    pub(crate) fn concat(tables: &[Self]) -> Result<Self, EngineError> {
        let [first, ..] = tables else { return Err(MISFIT) };
        if let [only] = tables {
            return Ok(only.clone());
        }
        let fits = |table: &Self| {
            table.columns.len() == first.columns.len() && table.owner.is_some() == first.owner.is_some()
        };
        if !tables.iter().all(fits) {
            return Err(MISFIT);
        }
        let one = |column: &dyn Fn(&Self) -> ArrayRef| {
            let arrays: Vec<ArrayRef> = tables.iter().map(column).collect();
            if arrays.iter().any(|array| array.data_type() != arrays[0].data_type()) {
                return Err(MISFIT);
            }
            let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
            concat(&arrays).map_err(|_| MISFIT)
        };
        let owner = |table: &Self| {
            table.owner.clone().unwrap_or_else(|| new_null_array(&data_type(Type::Integer), 0))
        };
        Ok(Self {
            owner: first.owner.is_some().then(|| one(&owner)).transpose()?,
            columns: (0..first.columns.len())
                .map(|position| one(&|table| Arc::clone(&table.columns[position])))
                .collect::<Result<_, _>>()?,
            rows: tables.iter().map(|table| table.rows).sum(),
        })
    }
}
