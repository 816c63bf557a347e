//! The table of an answer, as Arrow, as text and as a drawing: all of it was released.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StructArray};
use arrow::datatypes::{Field, Schema};
use arrow::error::ArrowError;
use pointillist_curator::{Answer, Row};
use pointillist_plan::Role;
use pointillist_render::terminal_style::TerminalStyle;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};

use crate::errors::explained;

/// A value, and the ends of its interval.
type ShownCell = (Option<String>, Option<(String, String)>);

/// A table of released values.
#[pyclass(frozen, module = "pointillist._native.curator")]
pub struct AnswerTable {
    answer: Answer,
    price: String,
    /// One batch, made once: whoever converts it shares its buffers.
    batch: RecordBatch,
}

impl AnswerTable {
    /// The table of an answer at this price; answers about nobody are marked in every row.
    pub fn new(answer: Answer, price: String, is_dummy: bool) -> Self {
        // A drawing of made-up people must not be taken for one of real ones.
        let price = if is_dummy { "no price: DUMMY DATA, made up, about nobody".to_owned() } else { price };
        let facts = HashMap::from([("pointillist.cost".to_owned(), price.clone())]);
        let batch = answer.record_batch(facts, is_dummy.then_some("dummy")).and_then(distinct);
        // Nothing in an answer is beyond Arrow.
        let batch = batch.unwrap_or_else(|_| RecordBatch::new_empty(Arc::new(Schema::empty())));
        Self { answer, price, batch }
    }

    /// That of an answer in JSON.
    pub fn read(json: &str) -> PyResult<Self> {
        let answer = Answer::from_json(json).map_err(|said| explained(&said))?;
        Ok(Self::new(answer, pointillist_curator::FREE.to_owned(), false))
    }
}

/// Frames have one column of a name: the second `count` is `count_2`.
fn distinct(batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let mut fields: Vec<Field> = Vec::new();
    for field in schema.fields() {
        let is_taken = |name: &str, fields: &[Field]| fields.iter().any(|other| other.name() == name);
        let names = (2..).map(|number| format!("{}_{number}", field.name()));
        let mut names = std::iter::once(field.name().clone()).chain(names);
        let name = names.find(|name| !is_taken(name, &fields)).unwrap_or_default();
        fields.push(field.as_ref().clone().with_name(name));
    }
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    RecordBatch::try_new(Arc::new(schema), batch.columns().to_vec())
}

/// The keys of an answer and one of its numbers.
fn with_keys(answer: &Answer, column: usize) -> Answer {
    let kept: Vec<usize> = (0..answer.columns.len())
        .filter(|place| *place == column || matches!(answer.columns[*place].role, Role::Key(_)))
        .collect();
    Answer {
        columns: kept.iter().map(|place| answer.columns[*place].clone()).collect(),
        rows: answer
            .rows
            .iter()
            .map(|row| Row {
                values: kept.iter().map(|place| row.values[*place].clone()).collect(),
                intervals: kept.iter().map(|place| row.intervals[*place]).collect(),
            })
            .collect(),
        notes: Vec::new(),
    }
}

#[pymethods]
impl AnswerTable {
    /// The table of an answer that came as JSON, at a price in words.
    #[staticmethod]
    fn from_json(json: &str, price: String, is_dummy: bool) -> PyResult<Self> {
        let answer = Answer::from_json(json).map_err(|said| explained(&said))?;
        Ok(Self::new(answer, price, is_dummy))
    }

    /// The rows, by the Arrow C stream interface; nothing is copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let fields = self.batch.schema();
        let whole =
            Field::new_struct("", fields.fields().clone(), false).with_metadata(fields.metadata().clone());
        let rows: ArrayRef = Arc::new(StructArray::from(self.batch.clone()));
        let stream = ArrayIterator::new(std::iter::once(Ok(rows)), Arc::new(whole));
        Ok(to_stream_pycapsule(py, Box::new(stream), requested_schema)?)
    }

    /// The table as the command line prints it.
    fn text(&self) -> String {
        self.answer.table().lines("", TerminalStyle::plain()).join("\n")
    }

    /// Every value in as many digits as it is worth, with the ends of its interval; `None` for NULL.
    fn cells(&self) -> Vec<Vec<ShownCell>> {
        let digits: Vec<_> =
            (0..self.answer.columns.len()).map(|column| self.answer.digits(column)).collect();
        let row = |row: &Row| {
            let cells = digits.iter().zip(row.values.iter().zip(&row.intervals));
            cells
                .map(|(digits, (value, interval))| {
                    let ends = interval.map(|(low, high)| (digits.low(low), digits.high(high)));
                    (digits.value(value.as_ref()), ends)
                })
                .collect()
        };
        self.answer.rows.iter().map(row).collect()
    }

    /// A drawing of its numbers with their intervals: of the first, or of the column at this place.
    #[pyo3(signature = (column=None))]
    fn svg(&self, column: Option<usize>) -> PyResult<String> {
        let drawn = column.map_or_else(|| self.answer.clone(), |column| with_keys(&self.answer, column));
        let drawing = drawn.plot(&self.price).map_err(|said| explained(&said))?;
        Ok(drawing.to_svg())
    }

    /// The names of columns in frames.
    fn names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Where the values of each column begin.
    fn addresses(&self) -> Vec<(String, usize)> {
        super::frames::addresses(std::slice::from_ref(&self.batch))
    }
}
