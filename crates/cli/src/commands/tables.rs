//! `pointillist tables`: what can be asked about, from the catalog alone.

use std::io::{self, BufWriter, Write};

use pointillist_curator::{Listing, OWNER, TableList};

use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::table;
use crate::terminal::print_json;
use pointillist_render::terminal_style::TerminalStyle;

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
    let catalog = home.catalog_for(OWNER);
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        let list = match &arguments.table {
            Some(name) => TableList::only(&catalog, name)?,
            None => TableList::of(&catalog),
        };
        print_json(&mut out, &list)?;
    } else {
        let listing = arguments.table.clone().map_or(Listing::Tables, Listing::Columns);
        for line in table::of_list(&listing.list(&catalog)?).lines("", TerminalStyle::for_stdout()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}
