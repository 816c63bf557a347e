//! An answer as an Arrow IPC stream: what pandas, polars and DuckDB read without guessing.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use pointillist_catalog::Value;
use pointillist_curator::Answer;
use pointillist_query::scalar::Type;

/// Writes one batch. The facts about the answer travel in the metadata of the schema.
pub fn write(
    out: impl Write,
    answer: &Answer,
    facts: HashMap<String, String>,
    dummy: bool,
) -> Result<(), ArrowError> {
    let batch = batch(answer, facts, dummy)?;
    let mut writer = StreamWriter::try_new(out, &batch.schema())?;
    writer.write(&batch)?;
    writer.finish()
}

fn batch(answer: &Answer, facts: HashMap<String, String>, dummy: bool) -> Result<RecordBatch, ArrowError> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (index, column) in answer.columns.iter().enumerate() {
        let mut about = HashMap::from([("pointillist.role".to_owned(), column.role.to_owned())]);
        if let Some(release) = &column.release {
            about.insert("pointillist.mechanism".to_owned(), release.mechanism.to_owned());
            about.insert("pointillist.scale".to_owned(), release.scale.clone());
            about.insert("pointillist.grid".to_owned(), release.grid.clone());
        }
        fields.push(Field::new(&column.name, data_type(column.kind), true).with_metadata(about));
        arrays.push(array(column.kind, answer, index));
        let known = |row: &pointillist_curator::Row| row.intervals[index].is_some();
        if column.role == "aggregate" || answer.rows.iter().any(known) {
            for (end, of) in [("low", 0), ("high", 1)] {
                fields.push(Field::new(format!("{}_{end}", column.name), DataType::Float64, true));
                let ends =
                    answer.rows.iter().map(|row| row.intervals[index].map(|(low, high)| [low, high][of]));
                arrays.push(Arc::new(ends.collect::<Float64Array>()));
            }
        }
    }
    if dummy {
        fields.push(Field::new("dummy", DataType::Boolean, false));
        arrays.push(Arc::new(BooleanArray::from(vec![true; answer.rows.len()])));
    }
    RecordBatch::try_new(Arc::new(Schema::new_with_metadata(fields, facts)), arrays)
}

fn data_type(kind: Type) -> DataType {
    match kind {
        Type::Boolean => DataType::Boolean,
        Type::Integer => DataType::Int64,
        Type::Number => DataType::Float64,
        Type::Text => DataType::Utf8,
        Type::Date => DataType::Date32,
        Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
    }
}

/// The values of a column; a value of another type, which no plan makes, is NULL.
fn array(kind: Type, answer: &Answer, column: usize) -> ArrayRef {
    let values = answer.rows.iter().map(|row| row.values[column].as_ref());
    macro_rules! collect {
        ($array:ty, $variant:ident, $read:expr) => {
            Arc::new(
                values
                    .map(|value| match value {
                        Some(Value::$variant(value)) => Some($read(value)),
                        _ => None,
                    })
                    .collect::<$array>(),
            )
        };
    }
    match kind {
        Type::Boolean => collect!(BooleanArray, Boolean, |value: &bool| *value),
        Type::Integer => collect!(Int64Array, Integer, |value: &i64| *value),
        Type::Number => collect!(Float64Array, Number, |value: &f64| *value),
        Type::Text => collect!(StringArray, Text, String::as_str),
        Type::Date => collect!(Date32Array, Date, |value: &i32| *value),
        Type::Timestamp => collect!(TimestampMicrosecondArray, Timestamp, |value: &i64| *value),
    }
}
