//! Rows with the types of their columns, as files.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use arrow::array::{ArrayRef, RecordBatch};
use pointillist_curator::FittedTable;
use pointillist_curator::arrays::value;
use pointillist_plan::Type;
use pointillist_render::csv::quoted;

use crate::ModelFileError;
use crate::files::{parquet_of_batch, value_text};

/// Rows with the types of their columns.
#[derive(Clone, Debug)]
pub struct NamedRows {
    kinds: Vec<Type>,
    batch: RecordBatch,
}

impl NamedRows {
    /// Made-up rows of a table.
    pub fn of(fitted: &FittedTable, rows: Option<u64>) -> Option<Self> {
        let kinds = fitted.columns().iter().map(|column| column.kind).collect();
        Some(Self { kinds, batch: fitted.rows(rows)? })
    }

    pub(crate) fn new(columns: Vec<(String, Type, ArrayRef)>) -> Option<Self> {
        let kinds = columns.iter().map(|(_, kind, _)| *kind).collect();
        let arrays = columns.into_iter().map(|(name, _, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(arrays).ok()?;
        Some(Self { kinds, batch })
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.batch.num_rows()
    }

    /// The rows.
    pub(crate) fn batch(&self) -> &RecordBatch {
        &self.batch
    }

    /// Writes them into a new file: Parquet where its name says so, CSV otherwise.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ModelFileError> {
        let unwritable = |source| ModelFileError::Unwritable { path: path.to_owned(), source };
        let bytes = match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            true => parquet_of_batch(&self.batch).map_err(|error| unwritable(io::Error::other(error)))?,
            false => self.csv(),
        };
        let write = || fs::File::create_new(path)?.write_all(&bytes);
        write().map_err(unwritable)
    }

    /// CSV with a line of names: NULL is nothing between two commas, an empty text is `""`.
    pub fn csv(&self) -> Vec<u8> {
        let schema = self.batch.schema();
        let names: Vec<String> = schema.fields().iter().map(|field| quoted(field.name())).collect();
        let mut text = names.join(",") + "\r\n";
        for row in 0..self.batch.num_rows() {
            for (at, (values, kind)) in self.batch.columns().iter().zip(&self.kinds).enumerate() {
                if at > 0 {
                    text.push(',');
                }
                if let Some(value) = value(*kind, values, row) {
                    text.push_str(&quoted(&value_text(&value)));
                }
            }
            text.push_str("\r\n");
        }
        text.into_bytes()
    }
}
