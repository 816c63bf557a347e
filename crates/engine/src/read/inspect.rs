//! What reading does to the owner's files, counted: for `pointillist check`, on the owner's own screen.
//!
//! **Not private.** These are exact numbers about rows. They are for the owner alone: nothing here may reach an
//! analyst, an answer, a log or a file that others read.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use pointillist_plan::ScanColumn;

use super::bounds::Target;
use super::canonical::converted;
use super::cell::{Cell, cells};
use super::quiet::Damage;
use super::reading::{FileReading, Reading};
use super::{FileSource, SourceError};

const BATCH_ROWS: usize = 8192;

/// What was found in the files of a source. Exact, and for the owner only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Files.
    pub files: usize,
    /// Rows that were read.
    pub rows: u64,
    /// Rows of CSV files that are not rows of the table, and are left out.
    pub malformed_rows: u64,
    /// Files and parts of files that could not be read to their end.
    pub damaged_parts: u64,
    /// Rows whose owner is not known; they are never counted. Zero if no owner was asked for.
    pub rows_without_owner: u64,
    /// Files that lack the owner's column.
    pub files_without_owner: usize,
    /// The columns, in the order they were asked for.
    pub columns: Vec<ColumnInspection>,
}

/// What was found in one column. Exact, and for the owner only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnInspection {
    /// Its name.
    pub name: String,
    /// Files that lack it, or store it as something that has no values here.
    pub files_without: usize,
    /// Values that are there but do not say the declared type: they become NULL.
    pub unreadable: u64,
    /// Values outside of the bounds, which sums move to the nearest, and texts that were cut.
    pub moved: u64,
}

/// Reads all rows and counts. **For the owner only**: the result is data, it must not be released.
pub fn inspect(
    source: &FileSource,
    columns: &[ScanColumn],
    owner: Option<&str>,
) -> Result<Inspection, SourceError> {
    let damage = Arc::new(Damage::default());
    let reading = source.reading(columns, owner, Arc::clone(&damage))?;
    let without = |column: usize| reading.files.iter().filter(|file| file.columns[column].is_none()).count();
    let mut inspection = Inspection {
        files: reading.files.len(),
        files_without_owner: match owner {
            Some(_) => reading.files.iter().filter(|file| file.names == [None]).count(),
            None => 0,
        },
        columns: columns
            .iter()
            .enumerate()
            .map(|(index, column)| ColumnInspection {
                name: column.name.clone(),
                files_without: without(index),
                ..ColumnInspection::default()
            })
            .collect(),
        ..Inspection::default()
    };
    let bounds: Vec<Target> = columns.iter().map(|column| Target::within_bounds(&column.kind)).collect();
    for share in reading.shares(1) {
        reading.read(&share, BATCH_ROWS, &mut |file, batch| {
            inspection.count(&reading, &bounds, file, &batch);
            true
        })?;
    }
    inspection.malformed_rows = damage.malformed_rows();
    inspection.damaged_parts = damage.parts();
    Ok(inspection)
}

impl Inspection {
    fn count(&mut self, reading: &Reading, bounds: &[Target], file: &FileReading, batch: &RecordBatch) {
        self.rows += batch.num_rows() as u64;
        let targets = reading.declared.targets.iter().zip(bounds);
        for ((column, (target, bounds)), place) in self.columns.iter_mut().zip(targets).zip(&file.columns) {
            let Some(place) = place else { continue };
            let stored = batch.column(*place);
            let converted = converted(stored, target);
            let settled = target.settle(Arc::clone(&converted));
            column.unreadable += settled.null_count().saturating_sub(stored.logical_null_count()) as u64;
            column.moved += moved(&converted, &bounds.settle(Arc::clone(&converted)));
        }
        self.rows_without_owner +=
            match (reading.declared.forms.first(), file.names.first().copied().flatten()) {
                (None, _) => 0,
                (Some(_), None) => batch.num_rows() as u64,
                (Some(form), Some(place)) => form.owners(batch.column(place)).null_count() as u64,
            };
    }
}

fn moved(before: &ArrayRef, after: &ArrayRef) -> u64 {
    if Arc::ptr_eq(before, after) {
        return 0;
    }
    let (old, new) = (cells(before.as_ref()), cells(after.as_ref()));
    (0..after.len()).filter(|row| new(*row) != Cell::Null && new(*row) != old(*row)).count() as u64
}
