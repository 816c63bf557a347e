//! What can be asked about, from the catalog alone: `SHOW TABLES`, `DESCRIBE visits`, `\d`.
//!
//! The catalog is public, so listing it is free, and it says nothing about rows.

use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_catalog::{Catalog, Column, ColumnType, GraphPrivacy, Protection, Table, Unit};
use pointillist_errors::{Explanation, Kind};
use pointillist_numbers::Rational;
use pointillist_query::skip_blank;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::table::{Cell, Side, Table as Drawn, Tone};
use pointillist_render::decimals::exact;
use pointillist_render::text::shown;

/// What is to be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Tables and graphs.
    Tables,
    /// The columns of one table.
    Columns(String),
}

/// A list: headings, and rows of as many texts.
pub struct List {
    headings: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Listing {
    /// `SHOW TABLES`, `DESCRIBE t`, `DESC t` or `SHOW COLUMNS FROM t`; `None` for any other statement.
    pub fn of_statement(sql: &str) -> Option<Self> {
        let sql = skip_blank(sql).trim_end().trim_end_matches(';').trim_end();
        let (words, name) = match sql.rsplit_once(char::is_whitespace) {
            Some((words, name)) => {
                (words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(), name)
            }
            None => return None,
        };
        match words.as_str() {
            "show" if name.eq_ignore_ascii_case("tables") => Some(Self::Tables),
            "describe" | "desc" | "describe table" | "show columns from" | "show columns in" => {
                Some(Self::Columns(as_name(name)))
            }
            _ => None,
        }
    }

    /// The list, or why there is none.
    pub fn list(&self, catalog: &Catalog) -> Result<List, Failure> {
        match self {
            Self::Tables => Ok(List {
                headings: &["name", "kind", "scope", "privacy unit", "columns"],
                rows: tables(catalog),
            }),
            Self::Columns(name) => {
                let table = catalog.tables.get(name).ok_or_else(|| unknown(catalog, name))?;
                Ok(List { headings: &["column", "type", "from", "to", "keys"], rows: columns(table) })
            }
        }
    }
}

/// A name as SQL folds it: quotes keep its case, a schema is left off.
fn as_name(text: &str) -> String {
    let text = text.strip_prefix("public.").unwrap_or(text);
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => text.to_lowercase(),
    }
}

fn unknown(catalog: &Catalog, name: &str) -> Failure {
    let names: Vec<&str> = catalog.tables.keys().chain(catalog.graphs.keys()).map(String::as_str).collect();
    let hint = match names.is_empty() {
        true => "the owner has declared none yet".to_owned(),
        false => format!("the tables are {}", names.join(", ")),
    };
    let message = format!("there is no table `{}`", shown(name));
    Failure::explained(Explanation::new(Kind::UnknownTable, message).with_hint(hint))
}

impl List {
    /// Drawn with lines.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::new();
        for (index, heading) in self.headings.iter().enumerate() {
            let cells = self.rows.iter().map(|row| Cell::from(shown(&row[index])));
            drawn.filled_column(*heading, Side::Left, Tone::Plain, cells);
        }
        drawn
    }

    /// In the shape of an answer.
    pub fn as_json(&self) -> Value {
        let column =
            |name: &&str| json!({ "name": name.replace(' ', "_"), "type": "text", "role": "public" });
        json!({
            "columns": self.headings.iter().map(column).collect::<Vec<_>>(),
            "rows": self.rows,
        })
    }

    /// Headings and rows, for CSV.
    pub fn lines(&self) -> impl Iterator<Item = Vec<String>> {
        let headings = self.headings.iter().map(|heading| heading.replace(' ', "_")).collect();
        std::iter::once(headings).chain(self.rows.iter().cloned())
    }
}

fn tables(catalog: &Catalog) -> Vec<Vec<String>> {
    let table = |table: &Table| {
        let (kind, scope, unit) = match &table.protection {
            Protection::Public => ("public", "", String::new()),
            Protection::Private { scope, unit, .. } => ("private", scope.as_str(), unit_words(unit)),
        };
        vec![table.name.clone(), kind.to_owned(), scope.to_owned(), unit, table.columns.len().to_string()]
    };
    let graphs = catalog.graphs.values().map(|graph| {
        let unit = match graph.privacy {
            GraphPrivacy::Node => "a node with its ties",
            GraphPrivacy::Edge => "one tie",
        };
        vec![graph.name.clone(), "graph".to_owned(), graph.scope.clone(), unit.to_owned(), String::new()]
    });
    catalog.tables.values().map(table).chain(graphs).collect()
}

/// Whose rows they are.
pub fn unit_words(unit: &Unit) -> String {
    match unit {
        Unit::Row => "row".to_owned(),
        Unit::Column(column) => column.clone(),
        Unit::Linked { column, table, key } => format!("{column}, through {table}.{key}"),
    }
}

fn columns(table: &Table) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = table
        .columns
        .iter()
        .map(|column| {
            let (kind, bounds) = type_and_bounds(&column.kind);
            let (lower, upper) = bounds.unwrap_or_default();
            vec![column.name.clone(), kind.to_owned(), lower, upper, keys(column)]
        })
        .collect();
    // The unit may be counted, though it is no column for analysts.
    if let Protection::Private { unit: Unit::Column(unit), .. } = &table.protection
        && table.column(unit).is_none()
    {
        let words = "only COUNT(DISTINCT …)".to_owned();
        rows.push(vec![unit.clone(), "privacy unit".to_owned(), String::new(), String::new(), words]);
    }
    rows
}

/// The type's word and its bounds as they would be typed.
pub fn type_and_bounds(kind: &ColumnType) -> (&'static str, Option<(String, String)>) {
    let decimal = |value: &Rational| match value.is_negative() {
        true => format!("-{}", exact(&value.abs())),
        false => exact(value),
    };
    match kind {
        ColumnType::Boolean => ("boolean", None),
        ColumnType::Text => ("text", None),
        ColumnType::Integer { bounds } => {
            ("integer", bounds.map(|(lower, upper)| (lower.to_string(), upper.to_string())))
        }
        ColumnType::Number { bounds, .. } => {
            ("decimal", bounds.as_ref().map(|(lower, upper)| (decimal(lower), decimal(upper))))
        }
        ColumnType::Date { bounds } => {
            ("date", bounds.map(|(lower, upper)| (date_text(lower), date_text(upper))))
        }
        ColumnType::Timestamp { bounds } => {
            ("timestamp", bounds.map(|(lower, upper)| (timestamp_text(lower), timestamp_text(upper))))
        }
    }
}

/// How groups by a column come about.
fn keys(column: &Column) -> String {
    match (&column.public_keys, &column.kind) {
        (Some(keys), _) => format!("{} public", keys.len()),
        (None, ColumnType::Boolean) => "true, false".to_owned(),
        (None, ColumnType::Integer { bounds: Some(_) } | ColumnType::Date { bounds: Some(_) }) => {
            "between the bounds".to_owned()
        }
        (None, _) => "earned".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_list_are_told_from_questions() {
        let columns = |name: &str| Some(Listing::Columns(name.to_owned()));
        for (sql, listing) in [
            ("SHOW TABLES", Some(Listing::Tables)),
            (" show\ttables ;", Some(Listing::Tables)),
            ("-- what is there?\nSHOW TABLES", Some(Listing::Tables)),
            ("DESCRIBE Visits;", columns("visits")),
            ("desc \"Visits\"", columns("Visits")),
            ("describe public.visits", columns("visits")),
            ("SHOW COLUMNS FROM visits", columns("visits")),
            ("SELECT count(*) FROM visits", None),
            ("DESCRIBE", None),
            ("SHOW server_version", None),
            ("", None),
        ] {
            assert_eq!(Listing::of_statement(sql), listing, "{sql}");
        }
    }
}
