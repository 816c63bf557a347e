//! A table as CSV: RFC 4180, UTF-8, one line of names. NULL is nothing between two commas, an empty text is `""`.

use pointillist_render::csv::quoted;

use super::columns::columns;
use crate::PublishedTable;

/// What ends a line, also the last one.
const END: &str = "\r\n";

pub(super) fn csv(table: &PublishedTable) -> String {
    let columns = columns(table);
    let mut text = line(columns.iter().map(|column| Some(column.name.clone())));
    for row in &table.rows {
        text.push_str(&line(columns.iter().map(|column| column.field(row).text())));
    }
    text
}

/// Fields as one line; NULL stays empty.
pub(super) fn line(fields: impl Iterator<Item = Option<String>>) -> String {
    let fields: Vec<String> =
        fields.map(|field| field.map_or_else(String::new, |text| quoted(&text))).collect();
    fields.join(",") + END
}
