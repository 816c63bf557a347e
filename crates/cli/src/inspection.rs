//! The owner's look at the files: what a catalog is filled from, and what `check` finds in them.
//!
//! What is found here is data. It is printed for the owner at the machine and goes nowhere else.

use std::path::Path;

use pointillist_catalog::{
    Catalog, DraftColumn, Finding, Graph, GuessedType, Protection, Severity, Table, Unit,
};
use pointillist_curator::{declared_first_line, load_graph};
use pointillist_engine::{ColumnGuess, HeaderType, Inspection, Source, guess, header, inspect};
use pointillist_graph::read::FirstLine;

use crate::commands::check::DataChecks;
use crate::failure::Failure;
use crate::usability;
use pointillist_plan::ScanColumn;
use pointillist_render::decimals::grouped_count;

/// The names and types of a file's columns; no value is read.
pub fn columns(path: &Path) -> Result<Vec<(String, GuessedType)>, Failure> {
    let columns = header(path).map_err(Failure::request)?;
    Ok(columns.into_iter().map(|(name, kind)| (name, guessed_type(kind))).collect())
}

/// What the rows of a file suggest about its columns, and how many rows most people have: the owner's own look.
pub fn guessed(path: &Path, unit: Option<&str>) -> Result<(Vec<DraftColumn>, Option<u64>), Failure> {
    let found = guess(path, unit).map_err(Failure::request)?;
    let column = |ColumnGuess { name, kind, range }| DraftColumn { name, guessed: guessed_type(kind), range };
    Ok((found.columns.into_iter().map(column).collect(), found.rows_of_a_person))
}

fn guessed_type(kind: HeaderType) -> GuessedType {
    match kind {
        HeaderType::Boolean => GuessedType::Boolean,
        HeaderType::Integer => GuessedType::Integer,
        HeaderType::Number => GuessedType::Number,
        HeaderType::Text => GuessedType::Text,
        HeaderType::Date => GuessedType::Date,
        HeaderType::Timestamp => GuessedType::Timestamp,
        HeaderType::Unknown | HeaderType::Unsupported => GuessedType::Unknown,
    }
}

/// Reads every table and every graph once and says what does not fit its declaration.
pub fn look(folder: &Path, catalog: &Catalog) -> DataChecks {
    let mut checks = DataChecks { looked: true, ..DataChecks::default() };
    for (name, table) in &catalog.tables {
        let place = format!("table.{name}");
        match read(folder, table) {
            Ok(inspection) => {
                checks.findings.extend(findings(&place, &inspection));
                checks.findings.extend(usability::findings(catalog, table, inspection.rows));
            }
            Err(text) => {
                let (words, advice) = text.split_once("\nhint: ").unwrap_or((&text, "look at the file"));
                checks.findings.push(finding(Severity::Error, &place, words, advice));
            }
        }
    }
    for (name, graph) in &catalog.graphs {
        checks.findings.extend(graph_findings(folder, &format!("graph.{name}"), graph));
    }
    checks
}

/// What does not fit in the files of a graph. First lines are taken for what they look like: this is for the owner.
fn graph_findings(folder: &Path, place: &str, graph: &Graph) -> Vec<Finding> {
    let loaded = match load_graph(folder, &graph.source, FirstLine::Detect, None, &|_| {}) {
        Ok(loaded) => loaded,
        Err(error) => {
            let text = error.to_string();
            let (words, advice) = text.split_once("\nhint: ").unwrap_or((&text, "look at the file"));
            return vec![finding(Severity::Risk, place, words, advice)];
        }
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
        list.push(finding(Severity::Note, place, &words, &format!("write first_line = \"{word}\"")));
    }
    list
}

fn read(folder: &Path, table: &Table) -> Result<Inspection, String> {
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
    let source = Source::open(folder, &table.source).map_err(|error| error.to_string())?;
    inspect(&source, &columns, owner).map_err(|error| error.to_string())
}

fn findings(place: &str, inspection: &Inspection) -> Vec<Finding> {
    let mut list = Vec::new();
    let mut add = |severity, place: &str, count: u64, words: &str, advice: &str| {
        if count > 0 {
            list.push(finding(severity, place, &format!("{} {words}", grouped_count(count)), advice));
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

fn finding(severity: Severity, place: &str, words: &str, advice: &str) -> Finding {
    Finding { severity, place: place.to_owned(), words: words.to_owned(), advice: advice.to_owned() }
}
