//! Rows in memory, as a scan has them: for rehearsals and tests.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use datafusion_physical_plan::streaming::{PartitionStream, StreamingTableExec};

/// A scan of these batches, one list a partition.
pub(crate) fn in_memory(
    schema: SchemaRef,
    partitions: &[Vec<RecordBatch>],
) -> Result<Arc<dyn ExecutionPlan>> {
    let partitions = partitions.iter().map(|rows| -> Arc<dyn PartitionStream> {
        Arc::new(Partition { schema: Arc::clone(&schema), rows: rows.clone() })
    });
    let partitions = partitions.collect();
    Ok(Arc::new(StreamingTableExec::try_new(schema, partitions, None, [], false, None)?))
}

#[derive(Debug)]
struct Partition {
    schema: SchemaRef,
    rows: Vec<RecordBatch>,
}

impl PartitionStream for Partition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batches = futures::stream::iter(self.rows.clone().into_iter().map(Ok));
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches))
    }
}
