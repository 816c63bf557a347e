//! The `pointillist` binary: every capability of the project, one verb each.
//!
//! Exit codes: 0 done, 2 the request is wrong and the caller can fix it, 1 anything else.

mod chart;
mod commands;
mod failure;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{account, mechanisms, noise};

/// See the picture, never the dot: differential privacy as software people can run.
#[derive(Parser)]
#[command(
    version,
    about = "See the picture, never the dot: differential privacy as software people can run",
    disable_help_subcommand = true
)]
#[command(
    after_help = "Examples:\n  pointillist mechanisms\n  pointillist noise --distribution discrete-laplace --scale 10 --count 5\n  pointillist account compose --gaussian 50 --count 10000 --delta 1e-6"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Calculators: what privacy losses add up to, convert to, and need
    Account(Box<account::Arguments>),
    /// List the mechanisms, each with its guarantee in one line
    Mechanisms(mechanisms::Arguments),
    /// Print exact integer noise, one value a line
    Noise(noise::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Account(arguments) => account::run(&arguments),
        Command::Mechanisms(arguments) => mechanisms::run(&arguments),
        Command::Noise(arguments) => noise::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
