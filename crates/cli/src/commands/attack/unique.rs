//! `pointillist attack unique`.

use pointillist_attack::Comparison;
use pointillist_attack::linkage::unique;

use super::output::{OutputArguments, draw, side_by_side};
use super::table_arguments::{PriceArguments, TableArguments};
use crate::failure::Failure;
use crate::table::{Side, Tone, print_table};

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
    let row = |row: &unique::Uniqueness| {
        vec![row.columns.join(", "), row.unique.to_string(), format!("{:.1} %", 100.0 * row.share)]
    };
    let rows: Vec<Vec<String>> = outcome.subsets.iter().take(ROWS).map(row).collect();
    let columns = [
        ("columns", Side::Left, Tone::Plain),
        ("unique", Side::Right, Tone::Plain),
        ("of all rows", Side::Right, Tone::Accent),
    ];
    print_table("", &columns, &rows);
    side_by_side(&outcome.without(), &outcome.with());
}
