//! The ties of a graph from files with columns: two ids a row.
//!
//! **Guarantee.** As for every scan: nothing fails once the files were opened, and what a row yields depends on that row
//! alone. Rows where an id is missing are left out. Files of text are read by the graph room itself, which knows the
//! many ways in which ties are written down.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Int64Type};
use pointillist_catalog::ColumnType;
use pointillist_query::plan::ScanColumn;

use super::header::{HeaderType, header};
use super::source::Source;
use super::{Damage, SourceError};

/// Rows of one batch.
const BATCH_ROWS: usize = 65_536;

/// The two ids of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair<'a> {
    /// Both are stored as whole numbers that are not negative.
    Numbers(u64, u64),
    /// As text otherwise.
    Texts(&'a str, &'a str),
}

/// Visits the ids in the first columns of every row of a source: two for ties, or one, twice, for a list of nodes.
pub fn pairs(source: &Source, columns: usize, visit: &mut dyn FnMut(Pair<'_>)) -> Result<(), SourceError> {
    let Some(first) = source.paths().next() else { return Ok(()) };
    let named = header(first)?;
    let chosen = named.iter().take(columns.clamp(1, 2));
    let whole = named.iter().take(columns.clamp(1, 2)).all(|(_, kind)| *kind == HeaderType::Integer);
    let kind = if whole { ColumnType::Integer { bounds: None } } else { ColumnType::Text };
    let scanned: Vec<ScanColumn> =
        chosen.map(|(name, _)| ScanColumn { name: name.clone(), kind: kind.clone() }).collect();
    if scanned.len() < columns.clamp(1, 2) {
        return Err(SourceError::NoColumn {
            source_text: first.display().to_string(),
            column: "a second one, for the other end of a tie".to_owned(),
        });
    }
    let reading = source.reading(&scanned, None, std::sync::Arc::<Damage>::default())?;
    for share in reading.shares(1) {
        reading.read(&share, BATCH_ROWS, &mut |file, batch| {
            if let Some(batch) = reading.canonical(file, &batch) {
                let (left, right) = (batch.column(0), batch.column(batch.num_columns() - 1));
                visit_rows(left, right, visit);
            }
            true
        });
    }
    Ok(())
}

fn visit_rows(left: &dyn Array, right: &dyn Array, visit: &mut dyn FnMut(Pair<'_>)) {
    let rows = (0..left.len()).filter(|row| left.is_valid(*row) && right.is_valid(*row));
    match (left.data_type(), right.data_type()) {
        (DataType::Int64, DataType::Int64) => {
            let (left, right) = (left.as_primitive::<Int64Type>(), right.as_primitive::<Int64Type>());
            for row in rows {
                let (u, v) = (left.value(row), right.value(row));
                match (u64::try_from(u), u64::try_from(v)) {
                    (Ok(u), Ok(v)) => visit(Pair::Numbers(u, v)),
                    // A negative id is a text like any other: `-7`.
                    _ => visit(Pair::Texts(&u.to_string(), &v.to_string())),
                }
            }
        }
        (DataType::Utf8View, DataType::Utf8View) => {
            let (left, right) = (left.as_string_view(), right.as_string_view());
            rows.for_each(|row| visit(Pair::Texts(left.value(row), right.value(row))));
        }
        (DataType::Utf8, DataType::Utf8) => {
            let (left, right) = (left.as_string::<i32>(), right.as_string::<i32>());
            rows.for_each(|row| visit(Pair::Texts(left.value(row), right.value(row))));
        }
        // Scans yield no other types for the two kinds that are asked for.
        _ => {}
    }
}
