//! What the CSV files are, for programs: W3C *CSV on the Web*, at the place where readers look for it.
//!
//! **Source.** Metadata Vocabulary for Tabular Data (2015): table groups (5.3), schemas (5.5), dialects (5.9); Model for
//! Tabular Data, section 5.3 for the name `csv-metadata.json`.

use pointillist_plan::Type;
use serde::Serialize;

use super::columns::{FileColumn, Role, columns};
use crate::{Published, PublishedTable, ReleaseFacts};

#[derive(Serialize)]
struct TableGroup<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(flatten)]
    about: About<'a>,
    dialect: Dialect,
    tables: Vec<Table<'a>>,
}

#[derive(Serialize)]
struct About<'a> {
    #[serde(rename = "dc:title")]
    title: &'a str,
    #[serde(rename = "dc:description", skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(rename = "dc:license", skip_serializing_if = "Option::is_none")]
    licence: Option<Licence<'a>>,
    #[serde(rename = "dc:bibliographicCitation", skip_serializing_if = "Option::is_none")]
    citation: Option<&'a str>,
    #[serde(rename = "dc:publisher", skip_serializing_if = "Option::is_none")]
    contact: Option<&'a str>,
    #[serde(rename = "dc:subject", skip_serializing_if = "<[String]>::is_empty")]
    keywords: &'a [String],
    #[serde(rename = "dc:issued")]
    issued: &'a str,
    #[serde(rename = "dc:available", skip_serializing_if = "Option::is_none")]
    available: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Licence<'a> {
    Known {
        #[serde(rename = "@id")]
        id: String,
    },
    Words(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dialect {
    encoding: &'static str,
    delimiter: &'static str,
    quote_char: &'static str,
    double_quote: bool,
    line_terminators: [&'static str; 1],
    header: bool,
    comment_prefix: Option<&'static str>,
    skip_initial_space: bool,
    trim: bool,
}

#[derive(Serialize)]
struct Table<'a> {
    url: String,
    #[serde(rename = "dc:title")]
    title: &'a str,
    #[serde(rename = "dc:description", skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note<'a>>,
    #[serde(rename = "tableSchema")]
    schema: TableSchema,
}

/// Notes are objects; the vocabulary leaves open of what kind.
#[derive(Serialize)]
struct Note<'a> {
    body: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TableSchema {
    columns: Vec<Column>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    primary_key: Vec<String>,
}

#[derive(Serialize)]
struct Column {
    name: String,
    titles: String,
    #[serde(rename = "dc:description")]
    description: String,
    datatype: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    required: bool,
}

/// The metadata of all tables.
pub(super) fn metadata(published: &Published) -> Vec<u8> {
    let group = TableGroup {
        context: "http://www.w3.org/ns/csvw",
        about: about(&published.facts),
        dialect: Dialect {
            encoding: "utf-8",
            delimiter: ",",
            quote_char: "\"",
            double_quote: true,
            line_terminators: ["\r\n"],
            header: true,
            comment_prefix: None,
            skip_initial_space: false,
            trim: false,
        },
        tables: published.tables.iter().map(table).collect(),
    };
    super::statement::json(&group)
}

fn about(facts: &ReleaseFacts) -> About<'_> {
    About {
        title: &facts.title,
        description: facts.description.as_deref(),
        licence: facts.licence.as_deref().map(licence),
        citation: facts.citation.as_deref(),
        contact: facts.contact.as_deref(),
        keywords: &facts.keywords,
        issued: &facts.released_on,
        available: facts.not_before.as_deref(),
    }
}

/// Licences of data by their short names become addresses; any other words stay words.
fn licence(words: &str) -> Licence<'_> {
    let known =
        ["CC0-1.0", "CC-BY-", "CC-BY-SA-", "CC-BY-NC-", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0", "OGL-UK-"];
    let is_short = words.chars().all(|sign| sign.is_ascii_alphanumeric() || "-.".contains(sign));
    if is_short && known.iter().any(|start| words.starts_with(start)) {
        return Licence::Known { id: format!("https://spdx.org/licenses/{words}.html") };
    }
    Licence::Words(words)
}

fn table(table: &PublishedTable) -> Table<'_> {
    let columns = columns(table);
    let is_key = |column: &&FileColumn| matches!(column.role, Role::Key(_));
    let schema = TableSchema {
        // Names of properties have no signs but letters, digits and `_`; other names are only titles.
        primary_key: columns.iter().filter(is_key).map(|column| property_name(&column.name)).collect(),
        columns: columns.iter().map(column).collect(),
    };
    Table {
        url: format!("{}.csv", table.name),
        title: &table.title,
        description: table.description.as_deref(),
        notes: table.notes.iter().map(|body| Note { body }).collect(),
        schema,
    }
}

fn column(column: &FileColumn) -> Column {
    Column {
        name: property_name(&column.name),
        titles: column.name.clone(),
        description: column.meaning.clone(),
        datatype: match column.kind {
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "double",
            Type::Text => "string",
            Type::Date => "date",
            Type::Timestamp => "dateTime",
        },
        required: matches!(column.role, Role::Noisy(_)),
    }
}

/// A name as URI templates take it: other bytes are percent-encoded, and it does not begin with `_`.
fn property_name(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        let plain = byte.is_ascii_alphanumeric() || (byte == b'_' && !encoded.is_empty());
        if plain {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
