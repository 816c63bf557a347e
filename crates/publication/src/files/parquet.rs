//! A table as Parquet: the same columns and the same numbers as in CSV, with types.
//!
//! **Guarantee.** No writer's version, time, machine or path is in it: `created_by` is one word, and nothing else is said.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Field as ArrowField, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use pointillist_catalog::Value;
use pointillist_plan::Type;

use super::FilesError;
use super::columns::{Field, FileColumn, columns};
use crate::PublishedTable;

pub(super) fn parquet(table: &PublishedTable) -> Result<Vec<u8>, FilesError> {
    let failed = |cause: String| FilesError::Parquet { table: table.name.clone(), cause };
    let batch = batch(table).map_err(|error| failed(error.to_string()))?;
    of_batch(&batch).map_err(|error| failed(error.to_string()))
}

/// Rows as the bytes of a file.
pub(crate) fn of_batch(batch: &RecordBatch) -> Result<Vec<u8>, parquet::errors::ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by("Pointillist".to_owned())
        .set_compression(Compression::SNAPPY)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    writer.close()?;
    Ok(bytes)
}

fn batch(table: &PublishedTable) -> Result<RecordBatch, arrow::error::ArrowError> {
    let columns = columns(table);
    let arrays: Vec<ArrayRef> = columns.iter().map(|column| array(table, column)).collect();
    let fields: Vec<ArrowField> = columns
        .iter()
        .zip(&arrays)
        .map(|(column, array)| ArrowField::new(&column.name, array.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

/// One column; a value of another type than its column says is NULL, which tables of ours do not have.
fn array(table: &PublishedTable, column: &FileColumn) -> ArrayRef {
    let fields: Vec<Field> = table.rows.iter().map(|row| column.field(row)).collect();
    let values = || {
        fields.iter().map(|field| match field {
            Field::Value(value) => Some(value),
            _ => None,
        })
    };
    match column.kind {
        Type::Boolean => {
            let value = |value: Option<&Value>| {
                if let Some(Value::Boolean(value)) = value { Some(*value) } else { None }
            };
            Arc::new(values().map(value).collect::<BooleanArray>())
        }
        Type::Integer => integers(&fields),
        Type::Number => Arc::new(fields.iter().map(Field::number).collect::<Float64Array>()),
        Type::Text => {
            let value = |value: Option<&Value>| {
                if let Some(Value::Text(text)) = value { Some(text.clone()) } else { None }
            };
            Arc::new(values().map(value).collect::<StringArray>())
        }
        Type::Date => {
            let value =
                |value: Option<&Value>| if let Some(Value::Date(days)) = value { Some(*days) } else { None };
            Arc::new(values().map(value).collect::<Date32Array>())
        }
        Type::Timestamp => {
            let value =
                |value: Option<&Value>| if let Some(Value::Timestamp(at)) = value { Some(*at) } else { None };
            Arc::new(values().map(value).collect::<TimestampMicrosecondArray>())
        }
    }
}

/// Whole numbers of 64 bits, or numbers where one of them does not fit.
fn integers(fields: &[Field]) -> ArrayRef {
    let whole = |field: &Field| match field {
        Field::Value(Value::Integer(value)) => Some(*value),
        Field::Whole(value) => i64::try_from(*value).ok(),
        _ => None,
    };
    let fits = fields.iter().all(|field| *field == Field::Null || whole(field).is_some());
    if fits {
        return Arc::new(fields.iter().map(whole).collect::<Int64Array>());
    }
    Arc::new(fields.iter().map(Field::number).collect::<Float64Array>())
}
