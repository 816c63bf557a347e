//! `pointillist study`: whole studies of private data, from a file of rows to a report.

mod recommendations;
mod traces;

use clap::Subcommand;

use crate::failure::Failure;

/// What is studied.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist study recommendations --made-up 50000 --epsilon 1
  pointillist study recommendations --ratings ratings.csv --items movies.csv --epsilon 1 --folder films
  pointillist study traces --epsilon 1 --folder net

A study pays for what it will release before it reads a row, releases exact integers with exact noise, and writes a page that
shows what the privacy has cost. Its folder holds the ledger: `pointillist budget verify --catalog FOLDER/pointillist.toml`.
Exit codes: 2 the request is wrong, 3 it is refused for privacy or budget, 1 anything else.")]
pub struct Arguments {
    #[command(subcommand)]
    study: Study,
}

#[derive(Subcommand)]
enum Study {
    /// What people like, learnt from their ratings so that nobody's ratings show
    Recommendations(recommendations::Arguments),
    /// What a network carries, learnt from its packets so that no host, or no packet, shows
    Traces(traces::Arguments),
}

/// Runs the study.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.study {
        Study::Recommendations(arguments) => recommendations::run(arguments),
        Study::Traces(arguments) => traces::run(arguments),
    }
}
