//! `pointillist attack unique`.

use pointillist_attack::Comparison;
use pointillist_attack::linkage::unique;

use super::output::{OutputArguments, draw, side_by_side};
use super::table_arguments::{PriceArguments, TableArguments};
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
  pointillist attack unique --town 5000 --report unique.html
  pointillist attack unique people.csv --columns born,sex,zip --json")]
pub struct Arguments {
    #[command(flatten)]
    table: TableArguments,
    /// The columns that an outsider may know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    columns: Vec<String>,
    #[command(flatten)]
    price: PriceArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// Counts who is alone.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let (price, columns) = (arguments.price.read()?, arguments.columns.clone());
    let settings = unique::Settings { table: arguments.table.read()?, columns, price };
    arguments.output.show_with(&draw("counting who is alone", |bits| unique::run(settings, bits))?, print)
}

fn print(outcome: &unique::Outcome) {
    let mut table = Table::new();
    let rows = &outcome.subsets[..outcome.subsets.len().min(ROWS)];
    let columns = rows.iter().map(|row| row.columns.join(", ").into());
    table.filled_column("columns", Side::Left, Tone::Plain, columns);
    let unique = rows.iter().map(|row| row.unique.to_string().into());
    table.filled_column("unique", Side::Right, Tone::Plain, unique);
    let share = rows.iter().map(|row| format!("{:.1} %", 100.0 * row.share).into());
    table.filled_column("of all rows", Side::Right, Tone::Accent, share);
    for line in table.lines("", Ink::for_stdout()) {
        println!("{line}");
    }
    side_by_side(&outcome.without(), &outcome.with());
}
