//! Frames of any library that speaks Arrow, as rows in memory: nothing is copied.

use std::collections::BTreeMap;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::SchemaRef;
use pointillist_curator::MemoryRows;
use pointillist_errors::{Explained, Kind};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::errors::{explained, wrong};

/// A frame that was taken once: streams give their rows only once.
#[pyclass(frozen, module = "pointillist._native.curator")]
pub struct Frame {
    name: String,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Frame {
    /// Whatever speaks Arrow, under the name of its table.
    #[staticmethod]
    fn of(name: String, frame: &Bound<'_, PyAny>) -> PyResult<Self> {
        let table: PyResult<PyTable> = frame.extract();
        // What others say about their conversion may quote a value.
        let table = table.map_err(|_| {
            let kind = frame.get_type().name().map_or_else(|_| "thing".to_owned(), |name| name.to_string());
            wrong(
                format!("`{name}`, a {kind}, cannot be handed over as Arrow"),
                "give a frame of pandas, polars, pyarrow or DuckDB whose columns have one name and one type each",
            )
        })?;
        let (batches, schema) = table.into_inner();
        Ok(Self { name, schema, batches })
    }

    /// The names of its columns.
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }
}

/// The rows of frames, by their names.
pub fn rows_of(frames: Vec<PyRef<'_, Frame>>) -> PyResult<BTreeMap<String, MemoryRows>> {
    let mut rows = BTreeMap::new();
    for frame in frames {
        let read = MemoryRows::new(&frame.name, frame.schema.clone(), frame.batches.clone());
        let read = read.map_err(|error| explained(&error.explanation().of_kind(Kind::Request)))?;
        rows.insert(frame.name.clone(), read);
    }
    Ok(rows)
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
