//! `pointillist budget`: what is granted, spent and left; the history; the owner's decisions.

mod grant;
mod history;
mod overview;
mod recover;
mod verify;

use clap::Subcommand;

use crate::failure::Failure;
use crate::home::HomeArguments;

pub use overview::{lines, print_overview};

/// What about the budget.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  pointillist budget                      granted, spent and left, scope by scope and analyst by analyst
  pointillist budget history              every record of the ledger, in words
  pointillist budget verify               the chain of records and its anchor, checked from the first to the last
  pointillist budget grant --yes          accept the numbers that the catalog says now
  pointillist budget recover --restored   the way on after a restored backup"
)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Verb {
    /// Every record of the ledger, in words
    History(history::Arguments),
    /// Check the chain of records and its anchor
    Verify(verify::Arguments),
    /// Make the ledger's budgets those of the catalog
    Grant(grant::Arguments),
    /// Go on after a restored backup or a lost anchor
    Recover(recover::Arguments),
}

/// Runs the verb; without one, the overview.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        None => print_overview(&arguments.common.home.open()?, arguments.common.json),
        Some(Verb::History(arguments)) => history::run(arguments),
        Some(Verb::Verify(arguments)) => verify::run(arguments),
        Some(Verb::Grant(arguments)) => grant::run(arguments),
        Some(Verb::Recover(arguments)) => recover::run(arguments),
    }
}

/// What all of them take.
#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    home: HomeArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}
