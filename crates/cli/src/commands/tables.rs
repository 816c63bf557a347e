//! `pointillist tables`: what can be asked about, from the catalog alone.

use std::io::{self, BufWriter, Write};

use pointillist_catalog::{Catalog, Column, GraphPrivacy, Protection, Table};
use serde_json::{Map, Value, json};

use crate::answer::json::cell;
use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::ink::Ink;
use crate::listing::{Listing, type_and_bounds, unit_words};
use crate::terminal::Json;

/// Which tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist tables                 every table and graph
  pointillist tables visits          its columns, their types, bounds and keys
  pointillist tables --json          everything

Free, and no file of data is opened. In SQL the same is SHOW TABLES and DESCRIBE visits; in the shell, \\d.")]
pub struct Arguments {
    /// A table, to see its columns
    #[arg(value_name = "TABLE")]
    table: Option<String>,
    #[command(flatten)]
    home: HomeArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Lists and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.home.open()?;
    let listing = arguments.table.clone().map_or(Listing::Tables, Listing::Columns);
    let list = listing.list(&home.catalog)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", Json(&as_json(&home.catalog, arguments.table.as_deref())))?;
    } else {
        for line in list.drawn().lines("", Ink::for_stdout()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

fn as_json(catalog: &Catalog, only: Option<&str>) -> Value {
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let tables = catalog.tables.values().filter(|table| wanted(&table.name)).map(table_json);
    let graphs = catalog.graphs.values().filter(|graph| wanted(&graph.name)).map(|graph| {
        let privacy = match graph.privacy {
            GraphPrivacy::Node => "node",
            GraphPrivacy::Edge => "edge",
        };
        json!({ "name": graph.name, "scope": graph.scope, "privacy": privacy })
    });
    json!({ "tables": tables.collect::<Vec<_>>(), "graphs": graphs.collect::<Vec<_>>() })
}

fn table_json(table: &Table) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), table.name.clone().into());
    object.insert("public".to_owned(), (table.protection == Protection::Public).into());
    if let Protection::Private { scope, unit, max_groups, max_contributions } = &table.protection {
        object.insert("scope".to_owned(), scope.clone().into());
        object.insert("privacy_unit".to_owned(), unit_words(unit).into());
        object.insert("max_groups".to_owned(), json!(max_groups.map(|most| most.get())));
        object.insert("max_contributions".to_owned(), json!(max_contributions.map(|most| most.get())));
    }
    object.insert("columns".to_owned(), table.columns.iter().map(column_json).collect());
    Value::Object(object)
}

fn column_json(column: &Column) -> Value {
    let (kind, bounds) = type_and_bounds(&column.kind);
    let (lower, upper) = bounds.unzip();
    let keys = column.public_keys.as_ref();
    json!({
        "name": column.name,
        "type": kind,
        "lower": lower,
        "upper": upper,
        "public_keys": keys.map(|keys| keys.iter().map(|key| cell(Some(key))).collect::<Vec<_>>()),
    })
}
