//! The scan as DataFusion sees it: a plan without statistics, whose streams hold one error only, that a file is not what
//! it was.
//!
//! **Guarantee.** The plan says nothing about the data: no row counts, no sizes, no orders, and the number of its
//! partitions is what was asked for.
//! **How.** Pieces of files (row groups, blocks, whole texts) are read by as many threads as there are pieces and
//! partitions, so that waiting for a disk does not hold up the answers of others. What they read goes into one queue, from
//! which every partition takes the next batch: so one file is one thread's work only as far as its bytes must be looked at
//! in their order, and turning them into values is everybody's. Which partition gets which batch is chance, and nothing
//! that is added up later depends on it. Dropping the streams stops the threads at their next batch.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::EquivalenceProperties;
use datafusion_physical_plan::execution_plan::{Boundedness, EmissionType, PlanProperties};
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use datafusion_physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr};
use tokio::sync::mpsc;

use super::quiet::contained;
use super::reading::{Reading, Share};

/// Batches of each reader that wait to be taken.
const AHEAD: usize = 4;
/// The most rows of a batch.
const BATCH_ROWS_MAX: usize = 65_536;

/// Scans the files of a source.
pub(super) struct FileScan {
    reading: Arc<Reading>,
    shares: Vec<Arc<[Share]>>,
    properties: Arc<PlanProperties>,
    partitions: usize,
    /// What is being read, and how many partitions have not come for it yet. Who executes all partitions again reads
    /// everything again.
    begun: Mutex<Option<(Arc<Queue>, usize)>>,
}

/// A batch as its file stores it, and the number of the file.
type Stored = (usize, RecordBatch);

/// What readers have read and nobody has taken.
struct Queue(tokio::sync::Mutex<mpsc::Receiver<Result<Stored>>>);

impl FileScan {
    pub(super) fn new(reading: Reading, target_partitions: usize) -> Self {
        let partitions = target_partitions.max(1);
        let shares: Vec<Arc<[Share]>> =
            reading.shares(target_partitions).into_iter().map(Arc::from).collect();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&reading.schema)),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let (reading, properties) = (Arc::new(reading), Arc::new(properties));
        Self { reading, shares, properties, partitions, begun: Mutex::new(None) }
    }

    /// What is being read, for one more partition; the first one begins.
    fn queue(&self, batch_rows: usize) -> Arc<Queue> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let (queue, to_come) = begun.take().unwrap_or_else(|| (self.begin(batch_rows), self.partitions));
        if to_come > 1 {
            *begun = Some((Arc::clone(&queue), to_come - 1));
        }
        queue
    }

    /// Begins to read everything.
    fn begin(&self, batch_rows: usize) -> Arc<Queue> {
        let (sender, receiver) = mpsc::channel(AHEAD * self.shares.len().max(1));
        for shares in &self.shares {
            let (reading, shares, sender) = (Arc::clone(&self.reading), Arc::clone(shares), sender.clone());
            tokio::task::spawn_blocking(move || {
                let read = contained(|| {
                    let read = reading.read(&shares, batch_rows, &mut |file, batch| {
                        let number = reading.files.iter().position(|known| std::ptr::eq(known, file));
                        let stored = (number.expect("the file is one of those that are read"), batch);
                        sender.blocking_send(Ok(stored)).is_ok()
                    });
                    Ok::<_, ()>(read.map_err(|error| DataFusionError::External(Box::new(error))))
                });
                // A reader that ends before its time must not look like one that has come to the end.
                let early = || Err(DataFusionError::Internal("a reader ended before its time".to_owned()));
                if let Err(error) = read.unwrap_or_else(early) {
                    let _ = sender.blocking_send(Err(error));
                }
            });
        }
        Arc::new(Queue(tokio::sync::Mutex::new(receiver)))
    }
}

/// The next batch that nobody else has taken, as it was declared.
async fn next_batch(queue: &Queue, reading: &Reading) -> Option<Result<RecordBatch>> {
    loop {
        let stored = queue.0.lock().await.recv().await?;
        match stored.map(|(file, batch)| reading.canonical(&reading.files[file], &batch)) {
            Ok(Some(batch)) => return Some(Ok(batch)),
            Ok(None) => {}
            Err(error) => return Some(Err(error)),
        }
    }
}

impl ExecutionPlan for FileScan {
    fn name(&self) -> &'static str {
        "FileScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let batch_rows = context.session_config().batch_size().clamp(1, BATCH_ROWS_MAX);
        let (queue, reading) = (self.queue(batch_rows), Arc::clone(&self.reading));
        let schema = Arc::clone(&reading.schema);
        let batches = futures::stream::unfold((queue, reading), |(queue, reading)| async move {
            let batch = next_batch(&queue, &reading).await?;
            Some((batch, (queue, reading)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}

impl DisplayAs for FileScan {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("FileScan")
    }
}

/// Footers hold facts about rows: they stay out.
impl fmt::Debug for FileScan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("FileScan").finish_non_exhaustive()
    }
}
