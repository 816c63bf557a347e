//! `pointillist account group`: what a guarantee for one person means for several together.

use pointillist_privacy::calculator::GroupForm;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_render::calculator::group_loss;

use super::print::{print, with_flags};
use crate::failure::Failure;
use crate::parsed_argument::parsed;

/// The guarantee for one, and the size of the group.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account group --epsilon 0.5 --size 4                  a household of four
  pointillist account group --epsilon 0.5 --delta 1e-6 --size 3
  pointillist account group --rho 0.01 --size 10

A size of 2 also turns a guarantee for adding or removing one person into one for replacing a person.")]
pub struct Arguments {
    /// ε for one person
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = parsed::<Epsilon>)]
    epsilon: Option<Epsilon>,
    /// δ for one person; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parsed::<Delta>)]
    delta: Option<Delta>,
    /// ρ for one person, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = parsed::<Rho>)]
    rho: Option<Rho>,
    /// How many people the group has
    #[arg(long, value_name = "K")]
    size: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the guarantee for the group.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let form = GroupForm {
        epsilon: arguments.epsilon.clone(),
        delta: arguments.delta.clone(),
        rho: arguments.rho.clone(),
        size: arguments.size,
    };
    print(&group_loss(&form.enlarge().map_err(|error| with_flags(&error))?), arguments.json)
}
