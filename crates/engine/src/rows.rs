//! Rows on their way to bounding: batches of columns, in partitions that are read side by side.
//!
//! **Guarantee.** A scan says nothing about its rows before they are read: no counts, no sizes, no order. What its batches
//! hold beside rows is one kind of error, that a file is not what it was.
//! **Memory.** Whoever takes a batch holds it, and a scan reads ahead by a number of batches that is fixed beforehand. What
//! bounding keeps of the rows is its own allowance ([`EngineOptions::memory_bytes`](crate::EngineOptions)).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use crate::SourceError;

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

/// Rows in memory: for rehearsals and tests.
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
