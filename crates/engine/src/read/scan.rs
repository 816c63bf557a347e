//! The scan as DataFusion sees it: a plan without statistics, whose streams hold one error only, that a file is not what
//! it was.
//!
//! **Guarantee.** The plan says nothing about the data: no row counts, no sizes, no orders, and the number of its
//! partitions is all that depends on the files. Every partition is read by a thread of its own, so that waiting for
//! a disk does not hold up the answers of others; dropping the stream stops the thread at its next batch.

use std::fmt;
use std::sync::Arc;

use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::EquivalenceProperties;
use datafusion_physical_plan::execution_plan::{Boundedness, EmissionType, PlanProperties};
use datafusion_physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion_physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr};

use super::reading::{Reading, Share};

/// Batches that wait between the reader and the reader's reader.
const AHEAD: usize = 4;
/// The most rows of a batch.
const BATCH_ROWS_MAX: usize = 65_536;

/// Scans the files of a source.
pub(super) struct FileScan {
    reading: Arc<Reading>,
    shares: Vec<Arc<[Share]>>,
    properties: Arc<PlanProperties>,
}

impl FileScan {
    pub(super) fn new(reading: Reading, target_partitions: usize) -> Self {
        let shares: Vec<Arc<[Share]>> =
            reading.shares(target_partitions).into_iter().map(Arc::from).collect();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&reading.schema)),
            Partitioning::UnknownPartitioning(shares.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self { reading: Arc::new(reading), shares, properties: Arc::new(properties) }
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

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut stream = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.reading.schema), AHEAD);
        let (reading, sender) = (Arc::clone(&self.reading), stream.tx());
        let batch_rows = context.session_config().batch_size().clamp(1, BATCH_ROWS_MAX);
        if let Some(shares) = self.shares.get(partition).cloned() {
            stream.spawn_blocking(move || {
                let read = reading.read(&shares, batch_rows, &mut |file, batch| match reading
                    .canonical(file, &batch)
                {
                    Some(batch) => sender.blocking_send(Ok(batch)).is_ok(),
                    None => true,
                });
                read.map_err(|error| DataFusionError::External(Box::new(error)))
            });
        }
        Ok(stream.build())
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
