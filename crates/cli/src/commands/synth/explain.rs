//! `pointillist synth explain`: the price and what to expect, from public things alone.

use super::arguments::TableArguments;
use crate::commands::explain;
use crate::failure::Failure;

/// Which table.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth explain --table visits --epsilon 1
  pointillist synth explain --rows \"SELECT age, region, cost > 50 AS dear FROM visits\" --method aim --rho 0.05 --json

Free, and no file of data is opened: it works where the data is not.")]
pub struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    table: TableArguments,
}

/// Prints the quote.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.table.home.open()?;
    let quote = home.quote(&arguments.table.ask(&home, &[], None)?)?;
    explain::print(&quote, false, arguments.json)
}
