//! `pointillist attack unique`.

use std::path::PathBuf;

use pointillist_attack::linkage::{example, uniqueness};
use serde_json::{Value, json};

use super::shown;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::table::{Side, Table, Tone};

/// Rows that a screen shows.
const ROWS: usize = 20;

/// A table and what an outsider may know of it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack unique
  pointillist attack unique people.csv --columns born,sex,zip --json")]
pub struct Arguments {
    /// A CSV file with a header [default: a made-up hospital]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The columns that an outsider may know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    columns: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Counts who is alone.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let table = match &arguments.file {
        Some(path) => shown::records(path)?,
        None => example().0,
    };
    let columns: Vec<&str> = arguments.columns.iter().map(String::as_str).collect();
    let found = uniqueness(&table, &columns)?;
    if arguments.json {
        let subsets: Value = found
            .iter()
            .map(|found| json!({ "columns": found.columns, "unique": found.unique, "share": found.share }))
            .collect();
        shown::json([("attack", json!("unique")), ("rows", json!(table.rows().len())), ("subsets", subsets)]);
        return Ok(());
    }
    let mut shown_table = Table::new();
    let rows = &found[..found.len().min(ROWS)];
    shown_table.filled_column(
        "columns",
        Side::Left,
        Tone::Plain,
        rows.iter().map(|row| row.columns.join(", ").into()),
    );
    shown_table.filled_column(
        "unique",
        Side::Right,
        Tone::Plain,
        rows.iter().map(|row| row.unique.to_string().into()),
    );
    let share = rows.iter().map(|row| format!("{:.1} %", 100.0 * row.share).into());
    shown_table.filled_column("of all rows", Side::Right, Tone::Accent, share);
    for line in shown_table.lines("", Ink::for_stdout()) {
        println!("{line}");
    }
    Ok(())
}
