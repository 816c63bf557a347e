//! `pointillist account`: calculators for privacy losses. None of them touches data.

mod amplify;
mod calibrate;
mod compose;
mod convert;
mod filter;
mod group;
mod print;

use clap::Subcommand;

use crate::failure::Failure;

/// Which calculator.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account compose --gaussian 50 --count 10000 --delta 1e-6
  pointillist account compose --spec spec.json --delta 1e-6 --plot profile.svg
  pointillist account convert --rho 0.1 --delta 1e-6
  pointillist account calibrate --mechanism gaussian --epsilon 1 --delta 1e-6 --count 10
  pointillist account amplify --epsilon 1 --delta 1e-6 --sampling-rate 0.01
  pointillist account group --epsilon 0.5 --delta 1e-9 --size 3
  pointillist account filter --budget-epsilon 1 --budget-delta 1e-6 --epsilon 0.01")]
pub struct Arguments {
    #[command(subcommand)]
    calculator: Calculator,
}

#[derive(Subcommand)]
enum Calculator {
    /// What a list of mechanisms costs together, by every accountant that applies
    Compose(compose::Arguments),
    /// One guarantee in other words: pure ε, (ε, δ), ρ
    Convert(convert::Arguments),
    /// The least noise for a guarantee after so many uses
    Calibrate(calibrate::Arguments),
    /// What sampling or shuffling adds to a guarantee
    Amplify(amplify::Arguments),
    /// What a guarantee for one person means for a group
    Group(group::Arguments),
    /// How many more questions of a price fit into a budget, asked adaptively
    Filter(filter::Arguments),
}

/// Runs the calculator.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.calculator {
        Calculator::Compose(arguments) => compose::run(arguments),
        Calculator::Convert(arguments) => convert::run(arguments),
        Calculator::Calibrate(arguments) => calibrate::run(arguments),
        Calculator::Amplify(arguments) => amplify::run(arguments),
        Calculator::Group(arguments) => group::run(arguments),
        Calculator::Filter(arguments) => filter::run(arguments),
    }
}
