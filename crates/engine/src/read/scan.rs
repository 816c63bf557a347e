//! The scan of a source's files: batches whose only error is that a file is not what it was.
//!
//! **Guarantee.** The scan says nothing about the data: no row counts, no sizes, no orders, and the number of its
//! partitions is what was asked for.
//! **How.** Pieces of files (row groups, blocks, whole texts) are read by as many threads as there are pieces and
//! partitions, so that waiting for a disk does not hold up the answers of others. What they read goes into one queue, from
//! which every partition takes what comes next: so one file is one thread's work only as far as its bytes must be looked at
//! in their order (for a text, to see where records end), and turning them into values is everybody's. Which partition gets which batch is chance, and nothing
//! that is added up later depends on it. Whoever drops the batches stops the threads at their next one.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use tokio::sync::mpsc;

use super::SourceError;
use super::contents::Stored;
use super::quiet::contained;
use super::reading::{Reading, Share};
use crate::rows::{Batches, NextBatch, RowScan};

/// Batches or pieces that wait to be taken, for each reader and each partition.
const AHEAD: usize = 4;
/// The most rows of a batch.
pub(super) const BATCH_ROWS: usize = 8_192;

/// Scans the files of a source.
pub(super) struct FileScan {
    reading: Arc<Reading>,
    shares: Vec<Arc<[Share]>>,
    partitions: usize,
    /// What is being read, and how many partitions have not come for it yet. Whoever asks for all partitions again
    /// reads everything again.
    begun: Mutex<Option<(Arc<Queue>, usize)>>,
}

/// The number of a file, and rows as it stores them.
type Unparsed = (usize, Stored);

/// What readers have read and nobody has taken.
struct Queue(tokio::sync::Mutex<mpsc::Receiver<Result<Unparsed, SourceError>>>);

impl FileScan {
    pub(super) fn new(reading: Reading, target_partitions: usize) -> Self {
        let partitions = target_partitions.max(1);
        let shares: Vec<Arc<[Share]>> =
            reading.shares(target_partitions).into_iter().map(Arc::from).collect();
        Self { reading: Arc::new(reading), shares, partitions, begun: Mutex::new(None) }
    }

    /// What is being read, for one more partition; the first one begins.
    fn queue(&self) -> Arc<Queue> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let (queue, to_come) = begun.take().unwrap_or_else(|| (self.begin(), self.partitions));
        if to_come > 1 {
            *begun = Some((Arc::clone(&queue), to_come - 1));
        }
        queue
    }

    /// Begins to read everything.
    fn begin(&self) -> Arc<Queue> {
        let (sender, receiver) = mpsc::channel(AHEAD * self.shares.len().max(self.partitions));
        for shares in &self.shares {
            let (reading, shares, sender) = (Arc::clone(&self.reading), Arc::clone(shares), sender.clone());
            tokio::task::spawn_blocking(move || {
                let read = contained(|| {
                    let read = reading.read_stored(&shares, BATCH_ROWS, &mut |file, stored| {
                        let number = reading.files.iter().position(|known| std::ptr::eq(known, file));
                        let number = number.expect("the file is one of those that are read");
                        sender.blocking_send(Ok((number, stored))).is_ok()
                    });
                    Ok::<_, ()>(read)
                });
                // A reader that ends before its time must not look like one that has come to the end.
                if let Err(error) = read.unwrap_or(Err(SourceError::ReaderEnded)) {
                    let _ = sender.blocking_send(Err(error));
                }
            });
        }
        Arc::new(Queue(tokio::sync::Mutex::new(receiver)))
    }
}

impl RowScan for FileScan {
    fn schema(&self) -> &SchemaRef {
        self.reading.declared.schema()
    }

    fn partitions(&self) -> usize {
        self.partitions
    }

    fn batches(&self, _: usize) -> Box<dyn Batches> {
        Box::new(FileBatches { queue: self.queue(), reading: Arc::clone(&self.reading), waiting: Vec::new() })
    }
}

/// What one partition takes of the queue.
struct FileBatches {
    queue: Arc<Queue>,
    reading: Arc<Reading>,
    /// What it has taken and parsed, with the number of the file; the next one is the last.
    waiting: Vec<(usize, RecordBatch)>,
}

impl FileBatches {
    /// The next batch that nobody else has taken, as it was declared.
    async fn take(&mut self) -> Option<Result<RecordBatch, SourceError>> {
        loop {
            if let Some((file, batch)) = self.waiting.pop() {
                match self.reading.canonical(&self.reading.files[file], &batch) {
                    Some(batch) => return Some(Ok(batch)),
                    None => continue,
                }
            }
            match self.queue.0.lock().await.recv().await? {
                Err(error) => return Some(Err(error)),
                Ok((file, stored)) => {
                    let batches = self.reading.parsed(&self.reading.files[file], stored, BATCH_ROWS);
                    self.waiting.extend(batches.into_iter().rev().map(|batch| (file, batch)));
                }
            }
        }
    }
}

impl Batches for FileBatches {
    fn next(&mut self) -> NextBatch<'_> {
        Box::pin(self.take())
    }
}
