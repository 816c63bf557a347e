//! The `pointillist` binary: every capability of the project, one verb each.
//!
//! Exit codes: 0 done, 2 the request is wrong and the caller can fix it (SQL that is not answered is among that: it can be
//! asked differently), 3 refused for privacy or budget, 1 anything else. With `--json` a failure is an object too.

// Words on stderr go through `message.rs`: a reader who goes away must not end the program.
#![deny(clippy::print_stderr)]

#[cfg(not(unix))]
compile_error!(
    "Pointillist runs on Unix (Linux, macOS, BSD): its ledger relies on Unix file locks and permissions. On Windows, use WSL."
);

mod answer_format;
mod commands;
#[cfg(test)]
mod document_commands;
mod evaluation;
mod failure;
mod home;
mod message;
mod output_file;
mod parsed_argument;
mod progress;
mod question;
mod refused_price;
mod report_arguments;
mod table;
mod terminal;
mod whole_price;

use std::any::Any;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pointillist_errors::{Explanation, Kind};

use failure::Failure;
use terminal::tell;

use commands::{
    account, analyst, attack, audit, bounds, budget, check, completions, demo, explain, graph, init, learn,
    ledger, local, man, mechanisms, noise, query, rehearse, release, reload, serve, shell, study, synth,
    tables, token,
};

/// See the picture, never the dot: differential privacy as software people can run.
#[derive(Parser)]
#[command(
    name = "pointillist",
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
  pointillist learn fit --table visits --target region --model logistic --epsilon 1 --output model.json
  pointillist synth fit --table visits --epsilon 1 --output table.json
  pointillist local plan --answers yes,no --epsilon 1 --people 10000
  pointillist account compose --gaussian 50 --count 10000 --delta 1e-6

Exit codes: 0 done; 2 the request is wrong, or its SQL is not answered; 3 refused for privacy or budget; 1 anything
else. With --json a failure is one object on stdout, {\"error\": {\"kind\", \"exit_code\", \"message\", \"hint\"}}, whose kind
says more: budget, privacy, unsupported, syntax, unknown_table, ledger_in_use and others.")]
struct Arguments {
    /// Say nothing but answers and errors; a server writes no log then
    #[arg(short, long, global = true)]
    quiet: bool,
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
    /// Propose bounds for the catalog, found privately at a small price
    Bounds(bounds::Arguments),
    /// Price, noise and expected error of a question; free, touches no data
    Explain(Box<explain::Arguments>),
    /// Answer a question, with error bars and a receipt
    Query(Box<query::Arguments>),
    /// Ask at a prompt: history, completion, the price before it is paid
    Shell(shell::Arguments),
    /// The tables, graphs and columns that analysts can name; from the catalog alone
    Tables(tables::Arguments),
    /// The same on data made up from the catalog; free
    Rehearse(Box<rehearse::Arguments>),
    /// What is granted, spent and left; history, verification, the owner's decisions
    Budget(budget::Arguments),
    /// Where the ledger is, who has it open, and the way from a folder to PostgreSQL and back
    Ledger(ledger::Arguments),
    /// Tables published once and for all: one price, one account, signed
    Release(Box<release::Arguments>),
    /// The catalog behind the Postgres wire and HTTP
    Serve(serve::Arguments),
    /// Who may come in, as what, and with which share
    Analyst(analyst::Arguments),
    /// Tokens for programs, each in somebody's name
    Token(token::Arguments),
    /// Make the server that runs here read its catalog again
    Reload(reload::Arguments),
    /// Statistics of graphs under edge or node privacy
    Graph(Box<graph::Arguments>),
    /// Models trained on private rows, and what they say of others
    Learn(Box<learn::Arguments>),
    /// Sanitized tables: made-up rows that resemble real ones, released once and asked for ever
    Synth(Box<synth::Arguments>),
    /// Whole studies, from a file of rows to a report: recommendations, network traces
    Study(Box<study::Arguments>),
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
    /// Print completions for a shell
    Completions(completions::Arguments),
    /// Write the manual pages
    Man(man::Arguments),
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(tell_the_place));
    let json = wants_json(std::env::args_os().map(|word| word.to_string_lossy().into_owned()));
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            if json && error.use_stderr() {
                let words = error.render().to_string();
                let words = words.trim_start_matches("error: ").trim_end();
                let _ = writeln!(io::stdout().lock(), "{}", terminal::Json(&usage_json(words)));
            }
            // What was asked for is ours to the last sign; what is wrong repeats the caller's words.
            if !error.use_stderr() {
                error.exit();
            }
            tell(error.render().to_string().trim_end());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    if arguments.quiet {
        message::be_quiet();
    }
    match catch_unwind(AssertUnwindSafe(|| run(arguments.command))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(json),
        Err(panic) => match unprinted(panic.as_ref()) {
            Some(failure) => failure.report(json),
            None => ExitCode::from(101),
        },
    }
}

/// Whether the caller reads JSON. Looked up in the words themselves, because they may be wrong and still say it.
fn wants_json(words: impl Iterator<Item = String>) -> bool {
    let words: Vec<String> = words.take_while(|word| word != "--").collect();
    let pair = |pair: &[String]| pair[0] == "--format" && pair[1] == "json";
    words.iter().any(|word| word == "--json" || word == "--format=json") || words.windows(2).any(pair)
}

/// The whole command line, for completions and manual pages.
pub fn command_line() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// The object for a caller whose words are not understood.
fn usage_json(words: &str) -> serde_json::Value {
    let said = Explanation::from_text(Kind::Request, words);
    failure::as_json("usage", 2, said.message(), said.hint_text())
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Bounds(arguments) => bounds::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Shell(arguments) => shell::run(&arguments),
        Command::Tables(arguments) => tables::run(&arguments),
        Command::Rehearse(arguments) => rehearse::run(&arguments),
        Command::Budget(arguments) => budget::run(&arguments),
        Command::Ledger(arguments) => ledger::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Analyst(arguments) => analyst::run(&arguments),
        Command::Token(arguments) => token::run(&arguments),
        Command::Reload(arguments) => reload::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Learn(arguments) => learn::run(&arguments),
        Command::Synth(arguments) => synth::run(&arguments),
        Command::Study(arguments) => study::run(&arguments),
        Command::Local(arguments) => local::run(&arguments),
        Command::Attack(arguments) => attack::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Account(arguments) => account::run(&arguments),
        Command::Mechanisms(arguments) => mechanisms::run(&arguments),
        Command::Noise(arguments) => noise::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}

/// What `println!` panics with where nobody reads or nothing can be written: no mistake of ours.
fn unprinted(panic: &(dyn Any + Send)) -> Option<Failure> {
    let cause = panic.downcast_ref::<String>()?.strip_prefix("failed printing to stdout: ")?;
    Some(match cause.contains("Broken pipe") {
        true => Failure::ReaderGone,
        false => Failure::environment(format!("the output could not be written: {cause}")),
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
