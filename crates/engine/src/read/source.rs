//! Where the rows of one table come from: files that were found and opened, or rows that their owner holds in memory.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::DataType;
use pointillist_plan::ScanColumn;

use super::SourceError;
use super::file_source::FileSource;
use super::memory_rows::MemoryRows;
use super::owner::OwnerForm;
use crate::rows::{Origin, RowScan};

/// The rows of one table, ready to be read.
pub enum Source {
    /// Files, held open.
    Files(FileSource),
    /// Rows in memory.
    Memory(MemoryRows),
}

impl Source {
    /// Finds the files of a source, relative to the catalog's folder, and reads their headers or footers; no row.
    ///
    /// # Errors
    /// As [`FileSource::open`].
    pub fn open(folder: &Path, source: &str) -> Result<Self, SourceError> {
        FileSource::open(folder, source).map(Self::Files)
    }

    fn origin(&self) -> &dyn Origin {
        match self {
            Self::Files(files) => files,
            Self::Memory(rows) => rows,
        }
    }
}

impl Origin for Source {
    fn stored_types(&self, name: &str) -> Result<Vec<DataType>, SourceError> {
        self.origin().stored_types(name)
    }

    fn scan(
        &self,
        columns: &[ScanColumn],
        names: &[(&str, OwnerForm)],
        partitions: usize,
    ) -> Result<Arc<dyn RowScan>, SourceError> {
        self.origin().scan(columns, names, partitions)
    }
}
