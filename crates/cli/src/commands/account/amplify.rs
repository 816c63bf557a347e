//! `pointillist account amplify`: what a secret sample or a shuffler adds to a guarantee.

use pointillist_privacy::amplification::SamplingRate;
use pointillist_privacy::calculator::AmplificationForm;
use pointillist_privacy::{Delta, Epsilon};
use pointillist_render::calculator::amplification;

use super::print::{print, with_flags};
use crate::failure::Failure;
use crate::parsed_argument::parsed;

/// The guarantee before, and what hides people on top of it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account amplify --epsilon 1 --delta 1e-6 --sampling-rate 0.01
  pointillist account amplify --epsilon 0.1 --delta 1e-6 --sampling-rate 0.01 --inverse
  pointillist account amplify --epsilon 4 --delta 1e-6 --shuffle 100000

Sampling: Poisson sampling with neighbours that add or remove a person, or a sample of fixed size without
replacement with neighbours that replace one; the guarantee before sampling must be for the same neighbours.
Shuffling: every person sends one report of a pure ε; neighbours replace one person's value.
Both hold only while nobody learns who was sampled, or who sent which report.")]
pub struct Arguments {
    /// ε of the mechanism on the sample, or of each report; with --inverse the ε to reach
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = parsed::<Epsilon>)]
    epsilon: Epsilon,
    /// δ of the mechanism on the sample, or the δ at which the shuffled ε is asked for
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parsed::<Delta>)]
    delta: Option<Delta>,
    /// The probability with which each person is in the sample
    #[arg(long, value_name = "Q", allow_hyphen_values = true, value_parser = parsed::<SamplingRate>)]
    sampling_rate: Option<SamplingRate>,
    /// How many reports are shuffled
    #[arg(long, value_name = "N")]
    shuffle: Option<u64>,
    /// Ask for the loss the mechanism may have on the sample, given the loss to reach
    #[arg(long)]
    inverse: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the amplified guarantee.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let form = AmplificationForm {
        epsilon: arguments.epsilon.clone(),
        delta: arguments.delta.clone(),
        sampling_rate: arguments.sampling_rate.clone(),
        shuffled_reports: arguments.shuffle,
        inverse: arguments.inverse,
    };
    print(&amplification(&form.amplify().map_err(|error| with_flags(&error))?), arguments.json)
}
