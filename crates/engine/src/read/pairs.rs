//! The ties of a graph from files with typed columns: two ids a row.
//!
//! **Guarantee.** As for every scan: nothing that rows say fails once the files were opened, and what a row yields depends
//! on that row alone. Ids are the names that owners of rows have, by the same rule: exact, whole, and the same whichever type a file
//! stores them in, so that no other file of a source decides about them. Rows where an id is missing, or is longer than
//! [`TEXT_MAX`](super::TEXT_MAX) bytes, are left out. Files of text are read by the graph room itself, which knows the many
//! ways in which ties are written down.

use std::path::Path;
use std::sync::Arc;

use arrow::array::Array;

use super::cell::{Cell, cells, readable};
use super::file_source::FileSource;
use super::owner::name;
use super::{Damage, SourceError};

/// Rows of one batch.
const BATCH_ROWS: usize = 65_536;

/// The two ids of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair<'a> {
    /// Both are stored as whole numbers that are not negative.
    Numbers(u64, u64),
    /// As text otherwise: a number as its decimal, bytes as they are.
    Texts(&'a [u8], &'a [u8]),
}

/// The files that ties, or a list of nodes, are read from. Their footers have been read, and no row.
pub struct IdFiles {
    source: FileSource,
    columns: usize,
}

impl IdFiles {
    /// Opens the files of a source. Every file must have ids in its first columns: two for ties, or one for a list.
    pub fn open(folder: &Path, source: &str, columns: usize) -> Result<Self, SourceError> {
        let (source, columns) = (FileSource::open(folder, source)?, columns.clamp(1, 2));
        for (path, stored) in source.columns() {
            if stored.len() < columns {
                return Err(SourceError::NoColumn {
                    source_text: path.display().to_string(),
                    column: "a second one, for the other end of a tie".to_owned(),
                });
            }
            if let Some(column) = stored[..columns].iter().find(|column| !readable(&column.kind)) {
                let (path, column) = (path.to_path_buf(), column.name.clone());
                return Err(SourceError::OwnerType { path, column });
            }
        }
        Ok(Self { source, columns })
    }

    /// The paths of the files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.source.paths()
    }

    /// Visits the ids of every row; the one of a list twice.
    ///
    /// # Errors
    /// When a file is not what it was when it was opened.
    pub fn visit(&self, visit: &mut dyn FnMut(Pair<'_>)) -> Result<(), SourceError> {
        let reading = self.source.first_columns(self.columns, Arc::<Damage>::default());
        for share in reading.shares(1) {
            reading.read(&share, BATCH_ROWS, &mut |_, batch| {
                visit_rows(batch.column(0), batch.column(self.columns - 1), visit);
                true
            })?;
        }
        Ok(())
    }
}

fn visit_rows(left: &dyn Array, right: &dyn Array, visit: &mut dyn FnMut(Pair<'_>)) {
    let (left, right, rows) = (cells(left), cells(right), left.len());
    let number = |cell| match cell {
        Cell::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    };
    for (u, v) in (0..rows).map(|row| (left(row), right(row))) {
        match (number(u), number(v)) {
            (Some(u), Some(v)) => visit(Pair::Numbers(u, v)),
            _ => {
                if let (Some(u), Some(v)) = (name(u), name(v)) {
                    visit(Pair::Texts(&u, &v));
                }
            }
        }
    }
}
