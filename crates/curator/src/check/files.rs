//! What the files of a catalog hold that does not fit its declarations.
//!
//! What is found here is data. It is for the owner at the machine and goes nowhere else.

use std::path::Path;

use pointillist_catalog::{Catalog, Finding, Graph, Protection, RemoteTable, Severity, Table, Unit};
use pointillist_engine::{FileSource, Inspection, SourceError, inspect};
use pointillist_errors::{Explained, Explanation};
use pointillist_graph::read::FirstLine;
use pointillist_plan::ScanColumn;
use pointillist_query::refused;
use pointillist_render::decimals::grouped_count;

use super::{finding, usability};
use crate::graph_files::{declared_first_line, load};

/// Reads every table and every graph once and says what does not fit its declaration.
pub(super) fn findings(folder: &Path, catalog: &Catalog) -> Vec<Finding> {
    let mut list = Vec::new();
    let is_here = |table: &Table| RemoteTable::of_source(&table.source).is_none();
    for (name, table) in catalog.tables.iter().filter(|(_, table)| is_here(table)) {
        let place = format!("table.{name}");
        match read(folder, table) {
            Ok(inspection) => {
                list.extend(of_rows(&place, &inspection));
                list.extend(usability::findings(catalog, table, inspection.rows));
            }
            Err(error) => list.push(unreadable(Severity::Error, &place, &error.explanation())),
        }
    }
    for (name, graph) in &catalog.graphs {
        list.extend(of_ties(folder, &format!("graph.{name}"), graph));
    }
    list
}

fn unreadable(severity: Severity, place: &str, error: &Explanation) -> Finding {
    finding(severity, place, error.message(), error.hint_text().unwrap_or("look at the file"))
}

/// What does not fit in the files of a graph. First lines are taken for what they look like: this is for the owner.
fn of_ties(folder: &Path, place: &str, graph: &Graph) -> Vec<Finding> {
    let loaded = match load(folder, &graph.source, FirstLine::Detect, None, &|_| {}) {
        Ok(loaded) => loaded,
        Err(error) => return vec![unreadable(Severity::Risk, place, &refused(&error).explanation())],
    };
    let mut list = Vec::new();
    if loaded.skipped > 0 {
        let words = format!("{} records are no ties and are left out", grouped_count(loaded.skipped));
        list.push(finding(
            Severity::Note,
            place,
            &words,
            "look at their quotes and at their first two fields",
        ));
    }
    if loaded.ended_in_quotes {
        let words = "the file ends inside of quotes: it was cut off, or a quote was never closed";
        list.push(finding(
            Severity::Risk,
            place,
            words,
            "write it again, with quotes inside of fields doubled",
        ));
    }
    let word = match loaded.first_line {
        FirstLine::Names => "names",
        FirstLine::Counts => "counts",
        FirstLine::Edge | FirstLine::Detect => "edge",
    };
    if loaded.first_line != declared_first_line(graph.first_line) && word != "edge" {
        let words = format!("the first line looks like {word}, and is not declared as such");
        list.push(finding(Severity::Note, place, &words, format!("write first_line = \"{word}\"")));
    }
    list
}

fn read(folder: &Path, table: &Table) -> Result<Inspection, SourceError> {
    let owner = match &table.protection {
        Protection::Private { unit: Unit::Column(column) | Unit::Linked { column, .. }, .. } => {
            Some(table.name_in_file(column))
        }
        Protection::Private { unit: Unit::Row, .. } | Protection::Public => None,
    };
    let columns: Vec<ScanColumn> = table
        .columns
        .iter()
        .map(|column| ScanColumn { name: column.name_in_file().to_owned(), kind: column.kind.clone() })
        .collect();
    let source = FileSource::open(folder, &table.source)?;
    inspect(&source, &columns, owner)
}

fn of_rows(place: &str, inspection: &Inspection) -> Vec<Finding> {
    let mut list = Vec::new();
    let mut add = |severity, place: &str, count: u64, words: &str, advice: &str| {
        if count > 0 {
            list.push(finding(severity, place, format!("{} {words}", grouped_count(count)), advice));
        }
    };
    let Inspection {
        malformed_rows, damaged_parts, rows_without_owner, files_without_owner, columns, ..
    } = inspection;
    add(
        Severity::Note,
        place,
        *malformed_rows,
        "rows are not rows of the table and are left out",
        "look at their quotes and at how many fields they have",
    );
    add(
        Severity::Risk,
        place,
        *damaged_parts,
        "files or parts of files cannot be read to their end",
        "write them again",
    );
    add(
        Severity::Note,
        place,
        *files_without_owner as u64,
        "files lack the column that says whose row it is: none of their rows count",
        "check the name in `privacy_unit`",
    );
    add(
        Severity::Note,
        place,
        *rows_without_owner,
        "rows have no owner and never count",
        "fill the column in, if they are somebody's",
    );
    for column in columns {
        let place = format!("{place}.columns.{}", column.name);
        add(
            Severity::Note,
            &place,
            column.files_without as u64,
            "files lack this column: it is NULL there",
            "check its name",
        );
        add(
            Severity::Note,
            &place,
            column.unreadable,
            "values do not say the declared type and become NULL",
            "check the type",
        );
        add(
            Severity::Note,
            &place,
            column.moved,
            "values lie outside the bounds: sums move them there, conditions see them as they are",
            "fine if few; choose bounds from what is possible, never from this number",
        );
    }
    list
}
