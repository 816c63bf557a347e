//! Columns as a frame that speaks Arrow: arrays on their way to a curator, and made-up rows on their way out.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow::datatypes::Field;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};

use crate::errors::wrong;

/// One batch of rows.
#[pyclass(frozen, module = "pointillist._native.models")]
pub struct ArrowFrame {
    batch: RecordBatch,
}

impl ArrowFrame {
    /// The frame of a batch.
    pub fn new(batch: RecordBatch) -> Self {
        Self { batch }
    }
}

#[pymethods]
impl ArrowFrame {
    /// Columns by their names: numbers, whole numbers, truths, or texts.
    #[staticmethod]
    fn of_columns(columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let mut arrays = Vec::with_capacity(columns.len());
        for (name, values) in &columns {
            let array = array_of(values).ok_or_else(|| {
                wrong(format!("`{name}` is no column"), "give an array of numbers, or texts")
            })?;
            arrays.push((name, array));
        }
        let batch = RecordBatch::try_from_iter(arrays);
        let batch =
            batch.map_err(|_| wrong("the columns are not of one length", "give a value for each row"))?;
        Ok(Self { batch })
    }

    /// The rows, by the Arrow C stream interface; nothing is copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let whole = Field::new_struct("", self.batch.schema().fields().clone(), false);
        let rows: ArrayRef = Arc::new(StructArray::from(self.batch.clone()));
        let stream = ArrayIterator::new(std::iter::once(Ok(rows)), Arc::new(whole));
        Ok(to_stream_pycapsule(py, Box::new(stream), requested_schema)?)
    }

    /// The names of the columns.
    fn names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }
}

/// A column; `None` where it is nothing that is read.
fn array_of(values: &Bound<'_, PyAny>) -> Option<ArrayRef> {
    if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, f64>>() {
        return Some(Arc::new(Float64Array::from_iter_values(numbers.as_array().iter().copied())));
    }
    if let Ok(whole) = values.extract::<PyReadonlyArray1<'_, i64>>() {
        return Some(Arc::new(Int64Array::from_iter_values(whole.as_array().iter().copied())));
    }
    if let Ok(truths) = values.extract::<PyReadonlyArray1<'_, bool>>() {
        return Some(Arc::new(truths.as_array().iter().copied().map(Some).collect::<BooleanArray>()));
    }
    let texts: Vec<String> = values.extract().ok()?;
    Some(Arc::new(StringArray::from(texts)))
}
