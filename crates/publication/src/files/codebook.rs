//! The data dictionary: every column of every table, its type, what it means and which values it has.

use std::collections::BTreeSet;

use pointillist_plan::Type;

use super::columns::{FileColumn, Role, columns, type_word, value_text};
use super::csv::line;
use crate::{Published, PublishedTable};

/// More values than this are told by their number.
const VALUES_MAX: usize = 40;
/// What spreadsheets take for the beginning of a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

pub(super) fn codebook(published: &Published) -> String {
    let names = ["table", "column", "type", "role", "meaning", "values"];
    let mut text = line(names.into_iter().map(|name| Some(name.to_owned())));
    for table in &published.tables {
        for column in columns(table) {
            let fields = [
                table.name.clone(),
                column.name.clone(),
                type_word(column.kind).to_owned(),
                column.role.word().to_owned(),
                column.meaning.clone(),
                values(table, &column),
            ];
            text.push_str(&line(fields.into_iter().map(Some)));
        }
    }
    text
}

/// Which values a column has, in words. Only keys that are published are named.
fn values(table: &PublishedTable, column: &FileColumn) -> String {
    let Role::Key(at) = column.role else {
        return match column.role {
            Role::Noisy(_) => "true or false".to_owned(),
            Role::Value(at) if table.measures[at].is_count => {
                "whole numbers from 0; empty: undefined".to_owned()
            }
            _ => "numbers; empty: undefined".to_owned(),
        };
    };
    let mut seen = BTreeSet::new();
    let found = table.rows.iter().filter_map(|row| row.keys.get(at)?.as_ref());
    // In the order of the rows, which is that of the public lists.
    let listed: Vec<_> = found.filter(|value| seen.insert((*value).clone())).map(value_text).collect();
    let has_null = table.rows.iter().any(|row| row.keys.get(at).is_some_and(Option::is_none));
    let mut words = match (listed.as_slice(), seen.first(), seen.last()) {
        ([], _, _) | (_, None, _) | (_, _, None) => "none".to_owned(),
        (listed, _, _) if listed.len() <= VALUES_MAX => listed.join("; "),
        (listed, Some(first), Some(last)) => {
            format!("{} values from {} to {}", listed.len(), value_text(first), value_text(last))
        }
    };
    if has_null {
        words.push_str("; empty: no value");
    }
    if column.kind == Type::Text && listed.iter().any(|text| text.starts_with(FORMULA)) {
        words.push_str(" (some begin with a sign that spreadsheets take for a formula: import as text)");
    }
    words
}
