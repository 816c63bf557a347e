//! `pointillist release prepare` and `approve`: two people, before anything is paid.

use std::io::{self, Write};
use std::path::PathBuf;

use pointillist_curator::{Clock, Curator};
use pointillist_publication::{Agreement, PlanFile, PublicationError, approve_as, prepare_as};

use super::Common;
use crate::failure::Failure;
use crate::home::Home;
use crate::terminal::print_json;

/// Which plan, and who speaks.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist release prepare plan.toml --as ana
  pointillist release approve plan.toml --as bo

Where the catalog says `[releases] approvers = [\"bo\", \"cy\"]`, a release is paid for only after one person has prepared
it and another, who is one of these, has approved it as it is: tables, noise, price and versions of the data. A plan that
changes needs both again, and so does every further payment. Names are taken as they are given; the ledger keeps them.")]
pub struct Arguments {
    /// The plan
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    /// Who you are
    #[arg(long = "as", value_name = "NAME")]
    who: String,
    #[command(flatten)]
    common: Common,
}

/// Prepares, and says whose turn it is.
pub fn prepare(arguments: &Arguments) -> Result<(), Failure> {
    run(arguments, prepare_as, "prepared this plan; now somebody else approves it, as it is")
}

/// Approves, and says that it can be released.
pub fn approve(arguments: &Arguments) -> Result<(), Failure> {
    run(arguments, approve_as, "approved this plan; now it can be released, once")
}

type Verb = fn(&Home, &Curator, &PlanFile, &str) -> Result<Agreement, PublicationError>;

fn run(arguments: &Arguments, verb: Verb, words: &str) -> Result<(), Failure> {
    let (home, plan) = (arguments.common.home.open()?, PlanFile::load(&arguments.plan)?);
    let agreed = verb(&home, &home.curator(Clock::Immediate)?, &plan, &arguments.who)?;
    let mut out = io::stdout().lock();
    if arguments.common.json {
        return Ok(print_json(&mut out, &agreed.to_json())?);
    }
    let Agreement { plan, price, seq } = agreed;
    writeln!(out, "{} {words}", arguments.who)?;
    Ok(writeln!(out, "  {price}, record {seq}, plan {plan}")?)
}
