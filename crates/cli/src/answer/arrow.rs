//! An answer as an Arrow IPC stream: what pandas, polars and DuckDB read without guessing.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use pointillist_curator::Answer;
use pointillist_plan::Type;

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
        let mut values = answer.array(index);
        if column.kind == Type::Text {
            // Not every reader knows the newer form of text.
            values = cast(&values, &DataType::Utf8)?;
        }
        fields.push(Field::new(&column.name, values.data_type().clone(), true).with_metadata(about));
        arrays.push(values);
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
