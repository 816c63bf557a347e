//! An answer as an Arrow IPC stream: what pandas, polars and DuckDB read without guessing.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use pointillist_numbers::decimal_upper;
use pointillist_plan::Type;

use super::{Answer, SCALE_DIGITS};
use crate::rehearsal::Rehearsal;
use crate::reply::Reply;

/// The column that marks answers about made-up people.
const DUMMY: &str = "dummy";

impl Answer {
    /// Writes one batch. The facts about the answer travel in the metadata of the schema. `mark` is one more column,
    /// true in every row.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_arrow(
        &self,
        out: impl Write,
        facts: HashMap<String, String>,
        mark: Option<&str>,
    ) -> Result<(), ArrowError> {
        let batch = self.record_batch(facts, mark)?;
        let mut writer = StreamWriter::try_new(out, &batch.schema())?;
        writer.write(&batch)?;
        writer.finish()
    }

    /// The answer as one batch, with the ends of its intervals in two columns behind each.
    ///
    /// # Errors
    /// Those of Arrow, which no answer meets.
    pub fn record_batch(
        &self,
        facts: HashMap<String, String>,
        mark: Option<&str>,
    ) -> Result<RecordBatch, ArrowError> {
        batch(self, facts, mark)
    }
}

fn batch(
    answer: &Answer,
    facts: HashMap<String, String>,
    mark: Option<&str>,
) -> Result<RecordBatch, ArrowError> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (index, column) in answer.columns.iter().enumerate() {
        let mut about =
            HashMap::from([("pointillist.role".to_owned(), super::role_word(column.role).to_owned())]);
        if let Some(release) = &column.release {
            let scale = release.scale.as_ref().map(|scale| decimal_upper(scale, SCALE_DIGITS));
            let grid = release.grid.as_ref().map(ToString::to_string);
            about.insert("pointillist.mechanism".to_owned(), release.mechanism.name().to_owned());
            about.insert("pointillist.scale".to_owned(), scale.unwrap_or_default());
            about.insert("pointillist.grid".to_owned(), grid.unwrap_or_default());
        }
        let mut values = answer.array(index);
        if column.kind == Type::Text {
            // Not every reader knows the newer form of text.
            values = cast(&values, &DataType::Utf8)?;
        }
        fields.push(Field::new(&column.name, values.data_type().clone(), true).with_metadata(about));
        arrays.push(values);
        if answer.has_intervals(index) {
            for (end, of) in [("low", 0), ("high", 1)] {
                fields.push(Field::new(format!("{}_{end}", column.name), DataType::Float64, true));
                let ends =
                    answer.rows.iter().map(|row| row.intervals[index].map(|(low, high)| [low, high][of]));
                arrays.push(Arc::new(ends.collect::<Float64Array>()));
            }
        }
    }
    if let Some(mark) = mark {
        fields.push(Field::new(mark, DataType::Boolean, false));
        arrays.push(Arc::new(BooleanArray::from(vec![true; answer.rows.len()])));
    }
    RecordBatch::try_new(Arc::new(Schema::new_with_metadata(fields, facts)), arrays)
}

impl Reply {
    /// The answer with its cost, its receipt and its notes.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_arrow(&self, out: impl Write) -> Result<(), ArrowError> {
        let facts = [
            ("pointillist.cost", self.price.to_string()),
            ("pointillist.receipt", self.receipt.hash.clone()),
            ("pointillist.notes", self.answer.notes.join("\n")),
        ];
        self.answer.write_arrow(out, facts.map(|(name, fact)| (name.to_owned(), fact)).into(), None)
    }
}

impl Rehearsal {
    /// The answer, with a column and a fact that say that it is about nobody.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_arrow(&self, out: impl Write) -> Result<(), ArrowError> {
        let facts = HashMap::from([("pointillist.dummy".to_owned(), "true".to_owned())]);
        self.answer.write_arrow(out, facts, Some(DUMMY))
    }

    /// The answer, with a column that says that it is about nobody.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        self.answer.write_csv(out, Some((DUMMY, "true")))
    }
}
