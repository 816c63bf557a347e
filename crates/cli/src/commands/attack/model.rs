//! `pointillist attack model`.

use pointillist_attack::minimiser;

use super::output::{OutputArguments, draw, epsilon};
use crate::failure::Failure;
use pointillist_privacy::{Rho, Spend};

/// A model, and the last person in it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack model
  pointillist attack model --people 500 --epsilon 0.5 --models 400 --json
  pointillist attack model --rho 0.1 --report model.html

A logistic regression of made-up people is released exactly: whoever knows all rows but one computes the last one. Then
the same model is trained with noise, at the price you name and at parts and multiples of it, and the attacker guesses.")]
pub struct Arguments {
    /// People whom the model is trained on
    #[arg(long, value_name = "N", default_value_t = 200)]
    people: usize,
    /// The price of one of our models
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true, conflicts_with = "rho")]
    epsilon: String,
    /// The price in ρ instead
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<String>,
    /// Models that are trained at each price, for each of the two guesses
    #[arg(long, value_name = "N", default_value_t = 200)]
    models: usize,
    #[command(flatten)]
    output: OutputArguments,
}

/// Trains and attacks.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let price = match &arguments.rho {
        Some(rho) => Spend::Concentrated(Rho::parse(rho).map_err(Failure::request)?),
        None => Spend::Pure(epsilon(&arguments.epsilon)?),
    };
    let Arguments { people, models: trials, .. } = *arguments;
    let settings = minimiser::Settings { people, price, trials };
    let working = format!("training {trials} models at each of five prices, twice");
    arguments.output.show(&draw(working, |bits| minimiser::run(&settings, bits))?)
}
