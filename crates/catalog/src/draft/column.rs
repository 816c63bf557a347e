//! The columns of a drafted table: a name that SQL can say, a type, and bounds where the owner let them be guessed.

use std::collections::BTreeSet;

use super::person::looks_like_a_person;
use super::round_numbers::bounds;
use super::{DraftColumn, DraftTable, DraftUnit, GuessedType, line};
use crate::name;
use crate::write::{key, quoted};

/// One line a column, in the file's order.
pub(super) fn write_all(text: &mut String, table: &DraftTable) {
    let unit = match &table.unit {
        DraftUnit::Column { name, .. } => Some(name.as_str()),
        DraftUnit::Row | DraftUnit::Unknown => None,
    };
    let (mut in_file, mut in_sql) = (BTreeSet::new(), BTreeSet::new());
    for column in &table.columns {
        let header = column.name.as_str();
        let is_unit = unit == Some(header);
        let is_new = in_file.insert(header);
        let complaint = name::file_complaint(header);
        let sql = sql_name(header);
        let out = if let Some(complaint) = complaint {
            Some(format!("the name {complaint}: rename it in the file first"))
        } else if !is_new {
            Some("a second column of this name: rename it in the file first".to_owned())
        } else if is_unit {
            Some("left out, as it names people; counting them works without".to_owned())
        } else if looks_like_a_person(header) {
            Some("left out, as its name suggests that it names people".to_owned())
        } else {
            None
        };
        match out {
            Some(reason) => line(text, &format!("# {}", declared(&sql, column, None)), &reason),
            None => {
                // A name that is taken gets a number; the name in the file tells which is which.
                let taken = |sql: &String| in_sql.contains(&name::folded(sql));
                let numbered = (2..).map(|number| format!("{sql}_{number}"));
                let sql = std::iter::once(sql.clone()).chain(numbered).find(|sql| !taken(sql));
                let sql = sql.expect("one of infinitely many names is free");
                in_sql.insert(name::folded(&sql));
                write_one(text, &sql, column, table.from_rows);
            }
        }
    }
}

/// The name that SQL gets: the header's own where it can be said without quotes.
fn sql_name(header: &str) -> String {
    match name::complaint(header) {
        None if name::folded(header) == header => header.to_owned(),
        _ => {
            name::made_valid(header).replacen("table_", "column_", usize::from(!header.starts_with("table")))
        }
    }
}

fn write_one(text: &mut String, sql: &str, column: &DraftColumn, from_rows: bool) {
    let found = column.range.as_ref().and_then(|(low, high)| bounds(low, high));
    let advice = match (column.guessed, &found) {
        (GuessedType::Unknown | GuessedType::Unsupported, _) => {
            "the header has no types: text, integer, decimal, boolean, date or timestamp?".to_owned()
        }
        (GuessedType::Text, _) => {
            "for keys that need not be earned add: public_keys = [\"a\", \"b\"]".to_owned()
        }
        (_, Some(_)) => "GUESSED from the rows: write what is possible".to_owned(),
        (GuessedType::Boolean, None) => String::new(),
        (GuessedType::Integer, None) => "for sums add for example: lower = 0, upper = 120".to_owned(),
        (GuessedType::Number, None) => {
            "for sums add for example: lower = 0, upper = 10000, step = 0.01".to_owned()
        }
        (GuessedType::Date, None) => {
            "add for example: lower = \"2020-01-01\", upper = \"2029-12-31\"".to_owned()
        }
        (GuessedType::Timestamp, None) => {
            "add for example: lower = \"2020-01-01T00:00:00\", upper = \"2029-12-31T23:59:59\"".to_owned()
        }
    };
    let advice = match (from_rows, found.is_some(), advice.is_empty()) {
        (true, false, true) => "GUESSED type".to_owned(),
        (true, false, false) => format!("GUESSED type; {advice}"),
        _ => advice,
    };
    line(text, &declared(sql, column, found), &advice);
}

fn declared(sql: &str, column: &DraftColumn, bounds: Option<(String, String)>) -> String {
    let kind = match column.guessed {
        GuessedType::Boolean => "boolean",
        GuessedType::Integer => "integer",
        GuessedType::Number => "decimal",
        GuessedType::Text | GuessedType::Unknown | GuessedType::Unsupported => "text",
        GuessedType::Date => "date",
        GuessedType::Timestamp => "timestamp",
    };
    let mut parts = vec![format!("type = \"{kind}\"")];
    if sql != column.name {
        parts.push(format!("name = {}", quoted(&column.name)));
    }
    parts.extend(bounds.map(|(lower, upper)| format!("lower = {lower}, upper = {upper}")));
    format!("{} = {{ {} }}", key(sql), parts.join(", "))
}
