//! `pointillist release`: many tables at once, planned, paid for together, written, signed.

mod agree;
mod publish;
mod verify;
mod view;

use clap::Subcommand;

pub use verify::trusted;

use crate::failure::Failure;
use crate::home::HomeArguments;

/// What about releases.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  pointillist release explain plan.toml                what it would cost and how wrong it would be; free
  pointillist release plan.toml -o visits_2026         pay, measure, write and sign
  pointillist release plan.toml -o visits_2026 --not-before 2026-12-01
  pointillist release list                             what was released so far
  pointillist release verify visits_2026 --key publisher.pub

A plan names the tables, what each is worth and what all of them may cost. They are measured together for one price, and
agree where they count the same rows. The folder gets CSV, Parquet, a page to read, and a signed statement. Whoever releases the
same plan from the same data again gets the same numbers, and pays nothing."
)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    publish: publish::PublishArguments,
}

#[derive(Subcommand)]
enum Verb {
    /// Price, errors and ways to measure of a plan; free, touches no private table
    Explain(view::ExplainArguments),
    /// What was released so far, from the ledger
    List(Common),
    /// Say that a plan should be carried out, where releases need an approval
    Prepare(agree::Arguments),
    /// Approve what somebody else has prepared
    Approve(agree::Arguments),
    /// Whether a folder is what was signed, paid for and recorded
    Verify(verify::Arguments),
    /// Print the public key that readers verify with
    Key(verify::KeyArguments),
}

/// Runs the verb; without one, releases.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        None => publish::run(&arguments.publish),
        Some(Verb::Explain(arguments)) => view::explain(arguments),
        Some(Verb::List(arguments)) => view::list(arguments),
        Some(Verb::Prepare(arguments)) => agree::prepare(arguments),
        Some(Verb::Approve(arguments)) => agree::approve(arguments),
        Some(Verb::Verify(arguments)) => verify::run(arguments),
        Some(Verb::Key(arguments)) => verify::key(arguments),
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
