//! Frames of any library that speaks Arrow, as rows in memory: nothing is copied.

use std::collections::BTreeMap;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use pointillist_curator::MemoryRows;
use pointillist_errors::{Explained, Kind};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyTable;

use crate::errors::{explained, wrong};

/// The rows of frames, by their names.
pub fn rows_of(frames: &Bound<'_, PyDict>) -> PyResult<BTreeMap<String, MemoryRows>> {
    let mut rows = BTreeMap::new();
    for (name, frame) in frames {
        let name: String = name.extract()?;
        let (batches, schema) = table_of(&name, &frame)?.into_inner();
        let read = MemoryRows::new(&name, schema, batches);
        rows.insert(name, read.map_err(|error| explained(&error.explanation().of_kind(Kind::Request)))?);
    }
    Ok(rows)
}

/// The columns of a frame, each with the type that a catalog has for it; `None` where it has none.
#[pyfunction]
pub fn columns_of(name: &str, frame: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Option<&'static str>)>> {
    let (_, schema) = table_of(name, frame)?.into_inner();
    let column =
        |field: &arrow::datatypes::FieldRef| (field.name().clone(), declared_type(field.data_type()));
    Ok(schema.fields().iter().map(column).collect())
}

fn table_of(name: &str, frame: &Bound<'_, PyAny>) -> PyResult<PyTable> {
    frame.extract().map_err(|error: PyErr| {
        match error.is_instance_of::<pyo3::exceptions::PyException>(frame.py()) {
            true => wrong(
                format!("`{name}` is a {}, which does not speak Arrow", frame.get_type()),
                "give a frame of pandas, polars, pyarrow or DuckDB",
            ),
            false => error,
        }
    })
}

fn declared_type(kind: &DataType) -> Option<&'static str> {
    match kind {
        DataType::Boolean => Some("boolean"),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some("float"),
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Some("decimal"),
        DataType::Date32 | DataType::Date64 => Some("date"),
        DataType::Timestamp(..) => Some("timestamp"),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some("text"),
        DataType::Dictionary(_, values) => declared_type(values),
        other if other.is_integer() => Some("integer"),
        _ => None,
    }
}

/// Where the values of each column begin, in the first batch.
pub fn addresses(batches: &[RecordBatch]) -> Vec<(String, usize)> {
    let Some(batch) = batches.first() else { return Vec::new() };
    let address = |array: &dyn Array| {
        let data = array.to_data();
        data.buffers().last().map_or(0, |buffer| buffer.as_ptr() as usize)
    };
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    columns.map(|(field, array)| (field.name().clone(), address(array.as_ref()))).collect()
}
