//! A sanitized table: made-up rows, counts with bars, and its file.

use std::path::PathBuf;
use std::sync::Arc;

use pointillist_curator::FittedTable;
use pointillist_publication::{MeasuredCount, SanitizedFile, Trusted, sanitized_count};
use pyo3::prelude::*;
use serde_json::json;

use super::arrow_frame::ArrowFrame;
use crate::curator::Outcome;
use crate::errors::{raised, wrong};
use crate::interrupt::interruptible;

/// The most rows that are made up at once.
const ROWS_MAX: u64 = 100_000_000;

/// What was released for a table, and the distribution that fits it best.
#[pyclass(frozen, module = "pointillist._native.models")]
pub struct SanitizedRows {
    file: SanitizedFile,
    fitted: Arc<FittedTable>,
}

#[pymethods]
impl SanitizedRows {
    /// The table of an answer, and of the quote of the same statement. Made-up rows keep these conditions.
    #[staticmethod]
    fn of_outcome(py: Python<'_>, answer: &Outcome, quote: &Outcome, keep: Vec<String>) -> PyResult<Self> {
        let made = || {
            let (reply, quote) = (answer.reply.as_deref()?, quote.quote.as_deref()?);
            SanitizedFile::new(reply, quote, &answer.sql, &keep, &[], None)
        };
        let file =
            made().ok_or_else(|| wrong("the answer has no table", "ask with SELECT * FROM synth(...)"))?;
        Self::of(py, file)
    }

    /// The table of a file's text.
    #[staticmethod]
    fn parse(py: Python<'_>, text: String) -> PyResult<Self> {
        Self::of(py, SanitizedFile::parse(text).map_err(|error| raised(&error))?)
    }

    /// The table of a file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::of(py, SanitizedFile::read(&path).map_err(|error| raised(&error))?)
    }

    /// The whole file.
    fn text(&self) -> &str {
        self.file.text()
    }

    /// Writes the file, over an earlier one or into a new one.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.file.write(&path).map_err(|error| raised(&error))
    }

    /// What is in the file but for its numbers, as JSON.
    fn describe(&self) -> PyResult<String> {
        let signer = self.file.signer(Trusted { key: None, home: None }).map_err(|error| raised(&error))?;
        Ok(self.file.to_json(signer, &self.fitted).to_string())
    }

    /// Made-up rows: the same every time, and about as many as there were unless a number is given.
    fn rows(&self, py: Python<'_>, rows: Option<u64>) -> PyResult<ArrowFrame> {
        if rows.is_some_and(|rows| rows > ROWS_MAX) {
            return Err(wrong("more rows are wanted than are made up at once", "take at most 100 million"));
        }
        let fitted = Arc::clone(&self.fitted);
        let batch = interruptible(py, move || fitted.rows(rows))?;
        let batch = batch.ok_or_else(|| wrong("the rows are no table", "make fewer of them"))?;
        Ok(ArrowFrame::new(batch))
    }

    /// Made-up rows for which a condition is true, and how far off that may be, as JSON.
    fn count(&self, py: Python<'_>, condition: String) -> PyResult<String> {
        let fitted = Arc::clone(&self.fitted);
        let counted = interruptible(py, move || sanitized_count(&fitted, &condition))?;
        let counted = counted.map_err(|refusal| raised(&refusal))?;
        let (estimate, unknown) = match &counted.measured {
            MeasuredCount::Estimate { estimate, .. } => (Some(*estimate), None),
            MeasuredCount::Unknown(why) => (None, Some(*why)),
        };
        let error = counted.error_95();
        let object =
            json!({ "count": counted.count, "error_95": error, "estimate": estimate, "unknown": unknown });
        Ok(object.to_string())
    }
}

impl SanitizedRows {
    fn of(py: Python<'_>, file: SanitizedFile) -> PyResult<Self> {
        let (file, fitted) = interruptible(py, move || {
            let fitted = file.fitted();
            (file, fitted)
        })?;
        let fitted = fitted.map_err(|error| raised(&error))?;
        Ok(Self { file, fitted: Arc::new(fitted) })
    }
}
