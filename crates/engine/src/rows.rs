//! Rows on their way to bounding: batches of columns, in partitions that are read side by side.
//!
//! **Guarantee.** A scan says nothing about its rows before they are read: no counts, no sizes, no order. What its batches
//! hold beside rows is one kind of error, that a file is not what it was.
//! **Memory.** Whoever takes a batch holds it, and a scan reads ahead by a number of batches that is fixed beforehand. What
//! bounding keeps of the rows is its own allowance ([`EngineOptions::memory_bytes`](crate::EngineOptions)).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use pointillist_plan::ScanColumn;

use crate::read::OwnerForm;
use crate::{OWNER_COLUMN, SourceError, canonical_type};

/// Rows that can be read, once or several times.
pub(crate) trait RowScan: Send + Sync {
    /// The columns of every batch.
    fn schema(&self) -> &SchemaRef;

    /// How many lists of batches there are.
    fn partitions(&self) -> usize;

    /// The batches of one partition. Whoever asks for all partitions again reads everything again.
    fn batches(&self, partition: usize) -> Box<dyn Batches>;
}

/// Rows are the owner's, and footers hold facts about them: both stay out.
impl fmt::Debug for dyn RowScan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RowScan").finish_non_exhaustive()
    }
}

/// The batches of a partition, one after the other.
pub(crate) trait Batches: Send {
    /// The next one, or none at the end.
    fn next(&mut self) -> NextBatch<'_>;
}

/// A batch that is being waited for.
pub(crate) type NextBatch<'a> =
    Pin<Box<dyn Future<Output = Option<Result<RecordBatch, SourceError>>> + Send + 'a>>;

/// A table: files, or rows in memory.
pub(crate) trait Origin {
    /// The types that a column of names is stored as. Names are read as they are, whatever the catalog says.
    fn stored_types(&self, name: &str) -> Result<Vec<DataType>, SourceError>;

    /// The rows: the columns as declared, in this order, then the names in their forms. Looks at no row.
    fn scan(
        &self,
        columns: &[ScanColumn],
        names: &[(&str, OwnerForm)],
        partitions: usize,
    ) -> Result<Arc<dyn RowScan>, SourceError>;
}

/// Rows in memory, with all columns that a question names: for rehearsals and tests.
pub(crate) struct MemoryTable(pub(crate) Vec<Vec<RecordBatch>>);

impl MemoryTable {
    fn batches(&self) -> impl Iterator<Item = &RecordBatch> {
        self.0.iter().flatten()
    }
}

impl Origin for MemoryTable {
    fn stored_types(&self, name: &str) -> Result<Vec<DataType>, SourceError> {
        let kinds =
            self.batches().map(|batch| batch.column_by_name(name).map(|column| column.data_type().clone()));
        kinds.collect::<Option<_>>().ok_or_else(|| missing(name))
    }

    fn scan(
        &self,
        columns: &[ScanColumn],
        names: &[(&str, OwnerForm)],
        _: usize,
    ) -> Result<Arc<dyn RowScan>, SourceError> {
        let fields = columns
            .iter()
            .map(|column| Field::new(&column.name, canonical_type(&column.kind), true))
            .chain(names.iter().map(|(_, form)| Field::new(OWNER_COLUMN, form.data_type(), true)));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let project = |batch: &RecordBatch| {
            let find = |name: &str| batch.column_by_name(name).ok_or_else(|| missing(name));
            let mut arrays: Vec<ArrayRef> =
                columns.iter().map(|column| find(&column.name).cloned()).collect::<Result<_, _>>()?;
            for (name, form) in names {
                arrays.push(form.owners(find(name)?));
            }
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
                .map_err(|_| SourceError::ReaderEnded)
        };
        let partitions = self.0.iter().map(|batches| batches.iter().map(project).collect());
        let partitions: Vec<Vec<RecordBatch>> = partitions.collect::<Result<_, _>>()?;
        Ok(MemoryScan::shared(schema, partitions))
    }
}

fn missing(name: &str) -> SourceError {
    SourceError::NoColumn { source_text: "rows in memory".to_owned(), column: name.to_owned() }
}

/// Batches in memory.
pub(crate) struct MemoryScan {
    schema: SchemaRef,
    partitions: Vec<Vec<RecordBatch>>,
}

impl MemoryScan {
    /// These batches, one list a partition.
    pub(crate) fn shared(schema: SchemaRef, partitions: Vec<Vec<RecordBatch>>) -> Arc<dyn RowScan> {
        Arc::new(Self { schema, partitions })
    }
}

impl RowScan for MemoryScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self) -> usize {
        self.partitions.len()
    }

    fn batches(&self, partition: usize) -> Box<dyn Batches> {
        Box::new(self.partitions[partition].clone().into_iter())
    }
}

impl Batches for std::vec::IntoIter<RecordBatch> {
    fn next(&mut self) -> NextBatch<'_> {
        Box::pin(std::future::ready(Iterator::next(self).map(Ok)))
    }
}
