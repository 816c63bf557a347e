//! `pointillist account convert`: one guarantee in the words of another.

use pointillist_numbers::Rational;
use pointillist_privacy::calculator::ConversionForm;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_render::calculator::conversion;

use super::print::{print, with_flags};
use crate::failure::Failure;
use crate::parsed_argument::parsed;

/// What is known, and what is asked for.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account convert --epsilon 0.5                  pure ε as ρ
  pointillist account convert --rho 0.1 --delta 1e-6         ρ as (ε, δ)
  pointillist account convert --rho 0.1 --epsilon 2          ρ as (ε, δ), the δ asked for
  pointillist account convert --epsilon 1 --delta 1e-6       the largest ρ that fits into a budget of (ε, δ)
  pointillist account convert --mu 0.5 --delta 1e-6          Gaussian noise of σ = 2 for sensitivity 1
  pointillist account convert --eta 0.5 --delta 1e-6         bounded range, as the exponential mechanism has it

A conversion loses a little. Add up first, in the words in which the losses were proven, and convert once.")]
pub struct Arguments {
    /// ε: alone a pure guarantee; with --rho or --mu the ε at which δ is asked for
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = parsed::<Epsilon>)]
    epsilon: Option<Epsilon>,
    /// δ: the probability with which the guarantee may fail
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parsed::<Delta>)]
    delta: Option<Delta>,
    /// ρ of zero-concentrated differential privacy
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = parsed::<Rho>)]
    rho: Option<Rho>,
    /// μ of Gaussian differential privacy: sensitivity over standard deviation
    #[arg(long, value_name = "M", allow_hyphen_values = true, value_parser = parsed::<Rational>)]
    mu: Option<Rational>,
    /// η of bounded range
    #[arg(long, value_name = "H", allow_hyphen_values = true, value_parser = parsed::<Epsilon>)]
    eta: Option<Epsilon>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the guarantee in the other words.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let form = ConversionForm {
        epsilon: arguments.epsilon.clone(),
        delta: arguments.delta.clone(),
        rho: arguments.rho.clone(),
        mu: arguments.mu.clone(),
        eta: arguments.eta.clone(),
    };
    print(&conversion(&form.convert().map_err(|error| with_flags(&error))?), arguments.json)
}
