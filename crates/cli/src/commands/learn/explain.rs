//! `pointillist learn explain`: the price and what to expect, from public things alone.

use super::arguments::ModelArguments;
use crate::commands::explain;
use crate::failure::Failure;

/// Which model.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist learn explain --table visits --target region --model logistic --epsilon 1
  pointillist learn explain --rows \"SELECT age, cost > 50 AS dear FROM visits\" --target dear --model logistic --json

Free, and no file of data is opened: it works where the data is not.")]
pub struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArguments,
}

/// Prints the quote.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.model.home.open()?;
    let quote = home.quote(&arguments.model.ask(&home, None)?)?;
    explain::print(&quote, false, arguments.json)
}
