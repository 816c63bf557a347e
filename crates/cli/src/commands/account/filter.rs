//! `pointillist account filter`: how many more questions of a price fit into a budget.

use pointillist_privacy::calculator::{FilterForm, LossForm};
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_render::calculator::filter_comparison;

use super::print::{print, with_flags};
use crate::failure::Failure;
use crate::parsed_argument::parsed;

/// A budget and the price of a question.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account filter --budget-epsilon 1 --budget-delta 1e-6 --epsilon 0.01
  pointillist account filter --budget-epsilon 1 --budget-delta 1e-6 --rho 0.001 --asked 10
  pointillist account filter --budget-rho 0.5 --budget-delta 1e-9 --epsilon 0.1 --delta 1e-12

Filters hold even when every question, and its price, is chosen in the light of all answers before it. Where a
question has a δ of its own, half of an (ε, δ) budget's δ pays for those and half for the filter.")]
pub struct Arguments {
    /// The budget's ε
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = parsed::<Epsilon>)]
    budget_epsilon: Option<Epsilon>,
    /// The budget's δ; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parsed::<Delta>)]
    budget_delta: Option<Delta>,
    /// The budget's ρ, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = parsed::<Rho>)]
    budget_rho: Option<Rho>,
    /// The ε of one question
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = parsed::<Epsilon>)]
    epsilon: Option<Epsilon>,
    /// The δ of one question; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parsed::<Delta>)]
    delta: Option<Delta>,
    /// The ρ of one question, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = parsed::<Rho>)]
    rho: Option<Rho>,
    /// How many questions of this price were asked already
    #[arg(long, value_name = "N", default_value_t = 0)]
    asked: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints how many more questions fit.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let form = FilterForm {
        budget: LossForm {
            epsilon: arguments.budget_epsilon.clone(),
            delta: arguments.budget_delta.clone(),
            rho: arguments.budget_rho.clone(),
        },
        question: LossForm {
            epsilon: arguments.epsilon.clone(),
            delta: arguments.delta.clone(),
            rho: arguments.rho.clone(),
        },
        asked: arguments.asked,
    };
    let comparison = form.compare().map_err(|error| with_flags(&error))?;
    print(&filter_comparison(&form, &comparison), arguments.json)
}
