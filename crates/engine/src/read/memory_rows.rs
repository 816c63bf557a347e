//! Rows that their owner holds in memory, such as a data frame of a notebook, read as files are.
//!
//! **Guarantee.** As that of files (`read.rs`): reading is total and row-wise, by the same functions. What a scan yields
//! for one row depends on that row and on the declared types alone, so adding one person's rows adds that person's rows to
//! the scan and changes no others, however the rows are cut into batches.
//! **Without a copy.** Batches are shared with whoever made them. [`MemoryRows::new`] looks at all of their bytes once, so that
//! no offset and no text in them can mislead a reader later; that they are not written to afterwards is a promise of Arrow's
//! interface, kept by whoever made them. Numbers that are changed all the same change their own rows.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayData, RecordBatch};
use arrow::datatypes::{DataType, Field, SchemaRef};
use pointillist_plan::ScanColumn;

use super::SourceError;
use super::cell::readable;
use super::declared_columns::DeclaredColumns;
use super::owner::OwnerForm;
use super::quiet::Damage;
use super::scan::BATCH_ROWS;
use crate::rows::{Batches, NextBatch, Origin, RowScan};

/// What a source in memory begins with.
pub const MEMORY: &str = "memory:";

/// Rows in memory, under the name that errors give them.
#[derive(Clone)]
pub struct MemoryRows {
    name: String,
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

/// Rows are the owner's, and stay out.
impl fmt::Debug for MemoryRows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("MemoryRows").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MemoryRows {
    /// Batches of one schema. All of their bytes are checked, and none is copied.
    ///
    /// # Errors
    /// When batches differ in their columns, a name stands twice, or an array is not what its type says.
    pub fn new(name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self, SourceError> {
        let refused = |what: String| SourceError::Memory { name: name.to_owned(), what };
        for (place, field) in schema.fields().iter().enumerate() {
            if schema.fields()[..place].iter().any(|other| other.name() == field.name()) {
                return Err(refused(format!("there are several columns `{}`", field.name())));
            }
        }
        for batch in &batches {
            let columns = batch.columns().iter().zip(schema.fields());
            let is_alike = batch.num_columns() == schema.fields().len()
                && columns.clone().all(|(array, field)| array.data_type() == field.data_type());
            if !is_alike {
                return Err(refused("its parts have different columns".to_owned()));
            }
            for (array, field) in columns {
                // Texts, offsets and keys of dictionaries that came from elsewhere are claims until they have been looked at.
                array.to_data().validate_full().map_err(|_| {
                    refused(format!("column `{}` is not what its Arrow type says", field.name()))
                })?;
            }
        }
        Ok(Self { name: name.to_owned(), schema, batches: batches.into() })
    }

    /// Whether a column of this name is there, and has values that can be read.
    ///
    /// # Errors
    /// When it is not, in words for the owner.
    pub fn check_column(&self, name: &str) -> Result<(), SourceError> {
        let field = self.field(name)?;
        if readable(field.data_type()) {
            return Ok(());
        }
        let what = format!("column `{name}` has the type {}, which is not read", field.data_type());
        Err(SourceError::Memory { name: self.name.clone(), what })
    }

    /// What a column is stored as, in a word; `None` where it is not there, or is nothing that anybody compares with a declaration.
    pub fn stored_as(&self, name: &str) -> Option<StoredAs> {
        StoredAs::of(self.field(name).ok()?.data_type())
    }

    /// Whether some of its bytes are bytes of the other: the same rows under another name, or a part of them.
    pub fn shares_bytes_with(&self, other: &Self) -> bool {
        let places = |rows: &Self| -> BTreeSet<usize> {
            let arrays = rows.batches.iter().flat_map(RecordBatch::columns);
            let mut places = BTreeSet::new();
            let mut waiting: Vec<ArrayData> = arrays.map(|array| array.to_data()).collect();
            while let Some(data) = waiting.pop() {
                let buffers = data.buffers().iter().filter(|buffer| !buffer.is_empty());
                places.extend(buffers.map(|buffer| buffer.data_ptr().as_ptr() as usize));
                waiting.extend(data.child_data().iter().cloned());
            }
            places
        };
        !places(self).is_disjoint(&places(other))
    }

    /// Whether a column that names people, or the rows that others are linked to, tells them apart.
    ///
    /// # Errors
    /// When it is missing, not read, or stored as floating-point numbers: where one whole number is missing, frames store all of them so, and
    /// beyond 2⁵³ different ones become the same. Somebody's missing id would merge other people.
    pub fn check_names(&self, name: &str) -> Result<(), SourceError> {
        self.check_column(name)?;
        if !self.field(name)?.data_type().is_floating() {
            return Ok(());
        }
        let what = format!(
            "column `{name}` names people and is stored as floating-point numbers, which merges large ones; convert it to whole \
             numbers that may be missing (pandas: `.astype(\"Int64\")`) or to texts"
        );
        Err(SourceError::Memory { name: self.name.clone(), what })
    }

    /// The batches, for the owner: what they hold is nobody else's.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn field(&self, name: &str) -> Result<&Field, SourceError> {
        let missing = || SourceError::NoColumn { source_text: self.name.clone(), column: name.to_owned() };
        self.schema.field_with_name(name).map_err(|_| missing())
    }
}

/// What a column is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAs {
    /// Whole numbers.
    Whole,
    /// Numbers that need not be whole.
    Fractions,
    /// Texts.
    Text,
    /// Days or moments.
    Days,
}

impl StoredAs {
    fn of(kind: &DataType) -> Option<Self> {
        match kind {
            DataType::Dictionary(_, values) => Self::of(values),
            kind if kind.is_integer() => Some(Self::Whole),
            kind if kind.is_floating() || kind.is_decimal() => Some(Self::Fractions),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(Self::Text),
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Some(Self::Days),
            _ => None,
        }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole numbers",
            Self::Fractions => "numbers with fractions",
            Self::Text => "texts",
            Self::Days => "days or moments",
        }
    }
}

impl Origin for MemoryRows {
    fn stored_types(&self, name: &str) -> Result<Vec<DataType>, SourceError> {
        let kind = self.field(name)?.data_type();
        if !readable(kind) {
            return Err(SourceError::OwnerType { path: PathBuf::from(&self.name), column: name.to_owned() });
        }
        Ok(vec![kind.clone()])
    }

    fn scan(
        &self,
        columns: &[ScanColumn],
        names: &[(&str, OwnerForm)],
        partitions: usize,
    ) -> Result<Arc<dyn RowScan>, SourceError> {
        let place = |name: &str| {
            let field = self.field(name)?;
            let place = self.schema.index_of(name).ok();
            Ok(place.filter(|_| readable(field.data_type())))
        };
        let reading = MemoryReading {
            batches: Arc::clone(&self.batches),
            columns: columns.iter().map(|column| place(&column.name)).collect::<Result<_, SourceError>>()?,
            names: names.iter().map(|(name, _)| place(name)).collect::<Result<_, SourceError>>()?,
            declared: DeclaredColumns::new(columns, names),
            damage: Damage::default(),
        };
        Ok(Arc::new(MemoryFrameScan { reading: Arc::new(reading), partitions: partitions.max(1) }))
    }
}

/// What is read of the rows.
struct MemoryReading {
    batches: Arc<[RecordBatch]>,
    /// For every column of the scan, its place in the batches.
    columns: Vec<Option<usize>>,
    /// For every column of names, its place.
    names: Vec<Option<usize>>,
    declared: DeclaredColumns,
    damage: Damage,
}

/// Scans rows in memory.
struct MemoryFrameScan {
    reading: Arc<MemoryReading>,
    partitions: usize,
}

impl RowScan for MemoryFrameScan {
    fn schema(&self) -> &SchemaRef {
        self.reading.declared.schema()
    }

    fn partitions(&self) -> usize {
        self.partitions
    }

    fn batches(&self, partition: usize) -> Box<dyn Batches> {
        let (reading, step) = (Arc::clone(&self.reading), self.partitions);
        Box::new(MemoryBatches { reading, batch: 0, start: partition.saturating_mul(BATCH_ROWS), step })
    }
}

/// Every so-manyth piece of every batch.
struct MemoryBatches {
    reading: Arc<MemoryReading>,
    batch: usize,
    /// Where the next piece of that batch begins; past its end, so far into the next one.
    start: usize,
    step: usize,
}

impl Iterator for MemoryBatches {
    type Item = RecordBatch;

    fn next(&mut self) -> Option<RecordBatch> {
        loop {
            let batch = self.reading.batches.get(self.batch)?;
            let rows = batch.num_rows();
            if self.start >= rows {
                // Pieces are counted through all batches, so that many small ones are shared out as well.
                self.start -= rows.div_ceil(BATCH_ROWS) * BATCH_ROWS;
                self.batch += 1;
                continue;
            }
            let piece = batch.slice(self.start, BATCH_ROWS.min(rows - self.start));
            self.start += self.step * BATCH_ROWS;
            let MemoryReading { columns, names, declared, damage, .. } = self.reading.as_ref();
            if let Some(read) = declared.canonical(&piece, columns, names, damage) {
                return Some(read);
            }
        }
    }
}

impl Batches for MemoryBatches {
    fn next(&mut self) -> NextBatch<'_> {
        Box::pin(std::future::ready(Iterator::next(self).map(Ok)))
    }
}
