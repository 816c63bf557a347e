//! What a table or a column is, in words: what clients show as comments. From the declared catalog alone.

use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_catalog::{Catalog, Column, ColumnType, GraphPrivacy, Protection, Table, Unit, Value};
use pointillist_numbers::{Rational, decimal_lower, decimal_upper};

/// How many public keys are said by name.
const KEYS_SHOWN: usize = 12;
/// The letters of a key that are said.
const KEY_LENGTH: usize = 40;
/// Digits of a bound; one with more is said as a fraction.
const DIGITS: usize = 17;

/// Whom a table protects, and how.
pub(super) fn table(table: &Table, is_released: bool) -> String {
    let Protection::Private { scope, unit, max_groups, max_contributions } = &table.protection else {
        let whose = if is_released { "part of a release" } else { "no row is about a person" };
        return format!("public: {whose}");
    };
    let mut words = format!("protects {scope}: privacy unit {}; budget scope {scope}", unit_words(unit));
    if let Some(most) = max_groups {
        words += &format!("; one person counts in at most {most} groups");
    }
    if let Some(most) = max_contributions {
        words += &format!("; with at most {most} rows in each");
    }
    if let (Some(periods), Some(list)) = (&table.periods, table.period_list()) {
        let (every, column) = (periods.every.word(), &periods.column);
        if let (Some(first), Some(last)) = (list.first(), list.last()) {
            words += &format!("; each {every} of {column} has its own budget, from {first} to {last}");
        }
    }
    words
}

fn unit_words(unit: &Unit) -> String {
    match unit {
        Unit::Row => "row".to_owned(),
        Unit::Column(column) => column.clone(),
        Unit::Linked { column, table, key } => format!("{column}, through {table}.{key}"),
    }
}

/// The type, the bounds, the keys.
pub(super) fn column(table: &Table, column: &Column) -> String {
    let (kind, bounds) = type_and_bounds(&column.kind);
    let mut words = match bounds {
        Some((lower, upper)) => format!("{kind} from {lower} to {upper}"),
        None => kind.to_owned(),
    };
    if let ColumnType::Number { step: Some(step), .. } = &column.kind {
        words += &format!(" in steps of {}", number(step));
    }
    if let Some(keys) = &column.public_keys {
        words += &format!("; {}", keys_words(keys));
    }
    if !column.nullable {
        words += "; rows without a value are left out";
    }
    if let Protection::Private { unit: Unit::Column(unit), .. } = &table.protection
        && *unit == column.name
    {
        words += "; privacy unit";
    }
    words
}

/// The column that names the owner of a row, where analysts cannot read it.
pub(super) fn unit(name: &str) -> String {
    format!("privacy unit: only COUNT(DISTINCT {name})")
}

/// Graphs are no tables: whoever looks for them finds them here.
pub(super) fn schema(catalog: &Catalog) -> String {
    let graphs: Vec<String> = catalog
        .graphs
        .values()
        .map(|graph| {
            let unit = match graph.privacy {
                GraphPrivacy::Node => "a node with its ties",
                GraphPrivacy::Edge => "one tie",
            };
            format!("{} (protects {unit}; budget scope {})", graph.name, graph.scope)
        })
        .collect();
    match graphs.is_empty() {
        true => "what is declared".to_owned(),
        false => {
            format!("what is declared; graphs, for functions such as graph_edges: {}", graphs.join(", "))
        }
    }
}

fn keys_words(keys: &[Value]) -> String {
    let shown: Vec<String> = keys.iter().take(KEYS_SHOWN).map(value).collect();
    let list = shown.join(", ");
    let count = match keys.len() {
        1 => "1 public key".to_owned(),
        count => format!("{count} public keys"),
    };
    if keys.len() > KEYS_SHOWN { format!("{count}: {list}, …") } else { format!("{count}: {list}") }
}

fn value(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(text) => short(text),
        Value::Date(days) => date_text(*days),
        Value::Timestamp(micros) => timestamp_text(*micros),
    }
}

/// A key on one line, cut where it is long.
fn short(text: &str) -> String {
    let line: String =
        text.chars().take(KEY_LENGTH).map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    if text.chars().nth(KEY_LENGTH).is_some() { line + "…" } else { line }
}

/// The catalog's word for the type, and its bounds as they would be typed.
fn type_and_bounds(kind: &ColumnType) -> (&'static str, Option<(String, String)>) {
    match kind {
        ColumnType::Boolean => ("boolean", None),
        ColumnType::Text => ("text", None),
        ColumnType::Integer { bounds } => {
            ("integer", bounds.map(|(lower, upper)| (lower.to_string(), upper.to_string())))
        }
        ColumnType::Number { bounds, .. } => {
            ("decimal", bounds.as_ref().map(|(lower, upper)| (number(lower), number(upper))))
        }
        ColumnType::Date { bounds } => {
            ("date", bounds.map(|(lower, upper)| (date_text(lower), date_text(upper))))
        }
        ColumnType::Timestamp { bounds } => {
            ("timestamp", bounds.map(|(lower, upper)| (timestamp_text(lower), timestamp_text(upper))))
        }
    }
}

/// A number as it would be typed; a fraction where it has too many digits for that.
fn number(value: &Rational) -> String {
    let size = value.abs();
    let upper = decimal_upper(&size, DIGITS);
    let digits = if upper == decimal_lower(&size, DIGITS) { upper } else { size.to_string() };
    if value.is_negative() { format!("-{digits}") } else { digits }
}
