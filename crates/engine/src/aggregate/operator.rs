//! The aggregation as an operator of DataFusion: one partition of groups out of all partitions of a scan.
//!
//! Its output is raw: key columns `key0`, …, then `people` and `total0`, … as whole numbers of 38 digits. |total|
//! is below 2^126 < 10^38. It stays inside the engine.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, RecordBatch,
    RecordBatchOptions, StringViewArray, TimestampMicrosecondArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use pointillist_catalog::Value;
use pointillist_query::plan::Aggregation;
use pointillist_query::scalar::Type;

use super::{EngineOptions, aggregate};
use crate::EngineError;
use crate::evaluate::type_of;
use crate::groups::Groups;

/// Bounded aggregation of its input.
#[derive(Debug)]
pub(crate) struct BoundedAggregateExec {
    input: Arc<dyn ExecutionPlan>,
    aggregation: Arc<Aggregation>,
    options: EngineOptions,
    properties: Arc<PlanProperties>,
}

impl BoundedAggregateExec {
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        aggregation: Arc<Aggregation>,
        options: EngineOptions,
    ) -> Result<Self, EngineError> {
        let columns: Vec<Type> = input.schema().fields().iter().map_while(|field| type_from(field)).collect();
        let mut fields = Vec::new();
        for (at, key) in aggregation.keys.iter().enumerate() {
            let kind = type_of(key, &columns).ok_or(EngineError::Plan { what: "a key has no type" })?;
            fields.push(Field::new(format!("key{at}"), data_type(kind), true));
        }
        let whole = || DataType::Decimal128(38, 0);
        fields.push(Field::new("people", whole(), false));
        fields.extend((0..aggregation.measures.len()).map(|at| Field::new(format!("total{at}"), whole(), false)));
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::new(Schema::new(fields))),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Ok(Self { input, aggregation, options, properties: Arc::new(properties) })
    }
}

impl DisplayAs for BoundedAggregateExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let (bound, keys) = (&self.aggregation.bound, self.aggregation.keys.len());
        write!(f, "BoundedAggregateExec: groups<={} rows<={}", bound.groups_max(), bound.rows_max())?;
        write!(f, " keys={keys} measures={}", self.aggregation.measures.len())
    }
}

impl ExecutionPlan for BoundedAggregateExec {
    fn name(&self) -> &'static str {
        "BoundedAggregateExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(input), true) = (children.pop(), children.is_empty()) else {
            return Err(DataFusionError::Internal("a bounded aggregation has one input".to_owned()));
        };
        let aggregation = Arc::clone(&self.aggregation);
        Ok(Arc::new(Self::new(input, aggregation, self.options.clone()).map_err(external)?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return Err(DataFusionError::Internal("a bounded aggregation has one partition".to_owned()));
        }
        let mut stream = RecordBatchReceiverStreamBuilder::new(self.schema(), 1);
        let (input, aggregation) = (Arc::clone(&self.input), Arc::clone(&self.aggregation));
        let (options, schema, sender) = (self.options.clone(), self.schema(), stream.tx());
        stream.spawn(async move {
            let groups = aggregate(input, &aggregation, &options, context).await.map_err(external)?;
            let batch = batch(&groups, schema)?;
            // Nobody waits any more: nothing is left to do.
            drop(sender.send(Ok(batch)).await);
            Ok(())
        });
        Ok(stream.build())
    }
}

fn external(error: EngineError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

fn batch(groups: &Groups, schema: SchemaRef) -> Result<RecordBatch> {
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (at, field) in schema.fields().iter().enumerate() {
        let key = |groups: &Groups| groups.keys().iter().map(|key| key[at].clone()).collect::<Vec<_>>();
        if let DataType::Decimal128(..) = field.data_type() {
            let width = schema.fields().len() - groups.measures() - 1;
            let sums = if at == width { groups.people() } else { groups.totals(at - width - 1) };
            let sums = sums.iter().copied().collect::<Decimal128Array>();
            columns.push(Arc::new(sums.with_precision_and_scale(38, 0)?));
        } else {
            columns.push(array(field.data_type(), &key(groups)));
        }
    }
    let options = RecordBatchOptions::new().with_row_count(Some(groups.keys().len()));
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}

fn array(kind: &DataType, values: &[Option<Value>]) -> ArrayRef {
    macro_rules! collect {
        ($array:ty, $kind:ident) => {{
            let values = values.iter().map(|value| match value {
                Some(Value::$kind(value)) => Some(value.clone()),
                _ => None,
            });
            Arc::new(values.collect::<$array>())
        }};
    }
    match kind {
        DataType::Boolean => collect!(BooleanArray, Boolean),
        DataType::Int64 => collect!(Int64Array, Integer),
        DataType::Float64 => collect!(Float64Array, Number),
        DataType::Date32 => collect!(Date32Array, Date),
        DataType::Timestamp(..) => collect!(TimestampMicrosecondArray, Timestamp),
        _ => collect!(StringViewArray, Text),
    }
}

fn data_type(kind: Type) -> DataType {
    match kind {
        Type::Boolean => DataType::Boolean,
        Type::Integer => DataType::Int64,
        Type::Number => DataType::Float64,
        Type::Text => DataType::Utf8View,
        Type::Date => DataType::Date32,
        Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
    }
}

fn type_from(field: &Field) -> Option<Type> {
    Some(match field.data_type() {
        DataType::Boolean => Type::Boolean,
        DataType::Int64 => Type::Integer,
        DataType::Float64 => Type::Number,
        DataType::Utf8View | DataType::Utf8 => Type::Text,
        DataType::Date32 => Type::Date,
        DataType::Timestamp(TimeUnit::Microsecond, None) => Type::Timestamp,
        _ => return None,
    })
}
