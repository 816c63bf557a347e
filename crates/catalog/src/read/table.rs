//! Tables: `[table.NAME]`.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::column;
use super::entry::Entry;
use super::period;
use super::section::Section;
use crate::draft::looks_like_a_person;
use crate::error::Fault;
use crate::{Column, Protection, Scope, Table, Unit, name};

const KEYS: [&str; 10] = [
    "scope",
    "source",
    "privacy_unit",
    "max_groups",
    "max_contributions",
    "size",
    "periods",
    "public",
    "version",
    "columns",
];
/// Keys that say whose rows these are; a public table has none of them.
const PRIVATE_KEYS: [&str; 5] = ["scope", "privacy_unit", "max_groups", "max_contributions", "periods"];
/// Bounds beyond these are typing mistakes: noise grows with them.
const GROUPS_MAX: u64 = 1_000_000;
const CONTRIBUTIONS_MAX: u64 = 1_000_000_000;
const SIZE_MAX: u64 = 1_000_000_000_000;

/// Reads a `[table.NAME]`; links are checked once all tables are known.
pub(super) fn table(entry: &Entry<'_>, scopes: &BTreeMap<String, Scope>) -> Result<Table, Fault> {
    let section = Section::of(entry, "a table", &KEYS)?;
    let source = super::source(&section)?;
    let version = super::version(&section)?;
    let columns = match section.get("columns") {
        None => Vec::new(),
        Some(columns) => {
            let entries = columns.children()?;
            let columns = entries.iter().map(column::column).collect::<Result<Vec<_>, _>>()?;
            column::distinct_in_file(&entries, &columns)?;
            columns
        }
    };
    let public = section.get("public").map_or(Ok(false), |flag| flag.flag())?;
    let protection =
        if public { public_table(&section)? } else { private_table(&section, scopes, &columns)? };
    let size = section.get("size").map(|entry| entry.count(SIZE_MAX)).transpose()?;
    let periods = section.get("periods").map(|entry| period::periods(&entry, &columns)).transpose()?;
    Ok(Table { name: entry.name.clone(), source, version, protection, size, periods, columns })
}

fn public_table(section: &Section<'_>) -> Result<Protection, Fault> {
    for key in PRIVATE_KEYS {
        if let Some(entry) = section.get(key) {
            return Err(Fault::new(
                entry.key_span,
                entry.path,
                format!("a public table has no `{key}`: anyone may read every row of it"),
                "remove `public = true` if its rows belong to people, or this key if they do not",
            ));
        }
    }
    Ok(Protection::Public)
}

fn private_table(
    section: &Section<'_>,
    scopes: &BTreeMap<String, Scope>,
    columns: &[Column],
) -> Result<Protection, Fault> {
    if section.get("scope").is_none() && section.get("privacy_unit").is_none() {
        return Err(section.fault(
            "nothing says whose rows these are",
            "write `scope` and `privacy_unit`, or `public = true` if no row is about a person",
        ));
    }
    let hint = "name the column that says whose row it is, or write `privacy_unit = \"row\"` where every row is \
                another person";
    let unit = unit(&section.required("privacy_unit", hint)?, columns)?;
    let count = |key: &str, most| section.get(key).map(|entry| entry.count(most)).transpose();
    Ok(Protection::Private {
        scope: super::scope_name(section, scopes)?,
        unit,
        max_groups: count("max_groups", GROUPS_MAX)?,
        max_contributions: count("max_contributions", CONTRIBUTIONS_MAX)?,
    })
}

fn unit(entry: &Entry<'_>, columns: &[Column]) -> Result<Unit, Fault> {
    if !matches!(entry.value, DeValue::Table(_)) {
        let text = entry.text("a column's name or \"row\"")?;
        if text == "row" && columns.iter().any(|column| name::folded(&column.name) == "row") {
            let hint = "write `{ column = \"row\" }` for the column, or rename it";
            return Err(entry.fault("\"row\" could mean every row or the column `row`", hint));
        }
        return Ok(if text == "row" { Unit::Row } else { Unit::Column(column_name(entry, text, columns)?) });
    }
    let section = Section::of(entry, "a privacy unit", &["column", "references"])?;
    let hint = "write `{ column = \"visit_id\", references = \"visits.id\" }`";
    let link = section.required("column", hint)?;
    let column = column_name(&link, link.text("a column's name")?, columns)?;
    let Some(references) = section.get("references") else {
        return Ok(Unit::Column(column));
    };
    let target = references.text("a table and its column")?;
    let valid = |part: &str| name::complaint(part).is_none();
    match target.split_once('.') {
        Some((table, key)) if valid(table) && valid(key) => {
            Ok(Unit::Linked { column, table: table.to_owned(), key: key.to_owned() })
        }
        _ => Err(references
            .fault("this names no column of another table", "write `references = \"table.column\"`")),
    }
}

/// The unit column need not be declared for analysts, but it has a name, and not one that differs from a declared
/// column by case alone.
fn column_name(entry: &Entry<'_>, text: &str, columns: &[Column]) -> Result<String, Fault> {
    if text == name::PLACEHOLDER {
        let likely: Vec<String> = columns
            .iter()
            .filter(|column| looks_like_a_person(&column.name))
            .map(|column| format!("`{}`", column.name))
            .collect();
        let hint = if likely.is_empty() {
            "name the column that says whose row it is, or write \"row\" where every row is another person"
                .to_owned()
        } else {
            format!(
                "name the column that says whose row it is ({} by its name), or write \"row\" where every row \
                 is another person",
                likely.join(" or ")
            )
        };
        return Err(entry.fault("the privacy unit is not filled in yet: nobody would be protected", hint));
    }
    column::name_in_file(entry)?;
    let renamed = |column: &&Column| column.name != text && column.name_in_file() == text;
    if let Some(column) = columns.iter().find(renamed) {
        return Err(entry.fault(
            format!("this column of the file is declared as `{}`", column.name),
            format!("write `{}`, its name here", column.name),
        ));
    }
    let twin =
        columns.iter().find(|column| column.name != text && name::folded(&column.name) == name::folded(text));
    match twin {
        None => Ok(text.to_owned()),
        Some(column) => Err(entry.fault(
            format!("`{text}` and the column `{}` are the same name to SQL, which ignores case", column.name),
            format!("write `{}` if it is that column", column.name),
        )),
    }
}
