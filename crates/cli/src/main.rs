//! The `pointillist` binary: every capability of the project, one verb each.
//!
//! Exit codes: 0 done, 2 the request is wrong and the caller can fix it, 3 refused for privacy or budget, 1 anything
//! else.

mod anchor_place;
mod answer;
mod bar;
mod bar_chart;
mod chart;
mod commands;
mod decimals;
mod failure;
mod header_trust;
mod home;
mod ink;
mod inspection;
mod output_file;
mod private_folder;
mod question;
mod report;
mod svg;
mod table;
mod terminal;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pointillist_curator::one_payer_a_file;

use failure::Failure;
use terminal::tell;

use commands::{
    account, attack, audit, budget, check, demo, explain, graph, init, local, mechanisms, noise, query,
    rehearse,
};

/// See the picture, never the dot: differential privacy as software people can run.
#[derive(Parser)]
#[command(
    version,
    about = "See the picture, never the dot: differential privacy as software people can run",
    disable_help_subcommand = true
)]
#[command(after_help = "\
Examples:
  pointillist demo
  pointillist init visits.csv
  pointillist explain \"SELECT count(*) FROM visits\" --error 50
  pointillist query \"SELECT region, count(*) FROM visits GROUP BY region\" --epsilon 0.5
  pointillist graph count triangles --file contacts.txt --privacy node --epsilon 1
  pointillist local plan --answers yes,no --epsilon 1 --people 10000
  pointillist account compose --gaussian 50 --count 10000 --delta 1e-6

Exit codes: 0 done, 2 the request is wrong, 3 refused for privacy or budget, 1 anything else.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// A made-up hospital: questions asked, prices shown, an attack that fails
    Demo(demo::Arguments),
    /// Write a commented catalog from headers and types alone
    Init(init::Arguments),
    /// Say what is declared, who is protected, what looks risky
    Check(check::Arguments),
    /// Price, noise and expected error of a question; free, touches no data
    Explain(Box<explain::Arguments>),
    /// Answer a question, with error bars and a receipt
    Query(Box<query::Arguments>),
    /// The same on data made up from the catalog; free
    Rehearse(Box<rehearse::Arguments>),
    /// What is granted, spent and left; history, verification, the owner's decisions
    Budget(budget::Arguments),
    /// Statistics of graphs under edge or node privacy
    Graph(Box<graph::Arguments>),
    /// Surveys without a curator: everyone randomizes their own answer
    Local(Box<local::Arguments>),
    /// What an adversary learns without differential privacy, and tries with it
    Attack(attack::Arguments),
    /// Attempts to refute our own promises by measuring them
    Audit(Box<audit::Arguments>),
    /// Calculators: what privacy losses add up to, convert to, and need
    Account(Box<account::Arguments>),
    /// List the mechanisms, each with its guarantee in one line
    Mechanisms(mechanisms::Arguments),
    /// Print exact integer noise, one value a line
    Noise(noise::Arguments),
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(tell_the_place));
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // What was asked for is ours to the last sign; what is wrong repeats the caller's words.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            tell(error.render().to_string().trim_end());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match catch_unwind(AssertUnwindSafe(|| run(arguments.command))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(),
        Err(panic) => match unprinted(panic.as_ref()) {
            Some(failure) => failure.report(),
            None => ExitCode::from(101),
        },
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Init(arguments) => init::run(&arguments, inspection::columns),
        Command::Check(arguments) => {
            let folder = arguments.catalog.parent().unwrap_or(Path::new("")).to_owned();
            check::run(&arguments, |catalog| {
                one_payer_a_file(&folder, catalog)?;
                let mut checks = inspection::look(&folder, catalog);
                let home = home::Home::of(&arguments.catalog, catalog.clone());
                checks.findings.extend(anchor_place::findings(&home));
                Ok(checks)
            })
        }
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Rehearse(arguments) => rehearse::run(&arguments),
        Command::Budget(arguments) => budget::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Local(arguments) => local::run(&arguments),
        Command::Attack(arguments) => attack::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Account(arguments) => account::run(&arguments),
        Command::Mechanisms(arguments) => mechanisms::run(&arguments),
        Command::Noise(arguments) => noise::run(&arguments),
    }
}

/// What `println!` panics with where nobody reads or nothing can be written: no mistake of ours.
fn unprinted(panic: &(dyn Any + Send)) -> Option<Failure> {
    let cause = panic.downcast_ref::<String>()?.strip_prefix("failed printing to stdout: ")?;
    Some(match cause.contains("Broken pipe") {
        true => Failure::ReaderGone,
        false => Failure::Environment(format!("the output could not be written: {cause}")),
    })
}

/// A panic is a mistake of ours. What it would say may hold a value of somebody's row, so only the place is told.
fn tell_the_place(panic: &std::panic::PanicHookInfo<'_>) {
    if unprinted(panic.payload()).is_some() {
        return;
    }
    let place =
        panic.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    tell(&format!("error: a mistake of ours{place}\nhint: please report it, without your data"));
}
