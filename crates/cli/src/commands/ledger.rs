//! `pointillist ledger`: where the ledger is, which servers have it open, and the way from one place to another.

mod fence;
mod relocate;
mod status;

use clap::Subcommand;

use crate::failure::Failure;
use crate::home::HomeArguments;

/// What about the ledger.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  pointillist ledger                                               where it is, and who has it open
  pointillist ledger move --to postgres:main --anchor postgres:witness   from its folder to PostgreSQL
  pointillist ledger move --to sqlite                              and back
  pointillist ledger fence 9f86d081884c7d659a2feaa0c55ad015        take a server out

In a folder a ledger has one writer. In PostgreSQL several servers share it, and one budget: see docs/ledger-on-postgres.md."
)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Verb {
    /// Move the ledger to PostgreSQL, or back to its folder
    Move(relocate::Arguments),
    /// Take a server out of a shared ledger
    Fence(fence::Arguments),
}

/// Runs the verb; without one, the status.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        None => status::run(&arguments.common),
        Some(Verb::Move(arguments)) => relocate::run(arguments),
        Some(Verb::Fence(arguments)) => fence::run(arguments),
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
