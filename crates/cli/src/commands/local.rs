//! `pointillist local`: surveys without a curator. Everyone randomizes their own answer before it leaves
//! them.

mod arguments;
mod estimate;
mod input;
mod plan;
mod randomize;
mod words;

use clap::Subcommand;

use crate::failure::Failure;

/// What is done in a survey.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist local plan --answers yes,no --epsilon 1 --people 10000
  pointillist local randomize --answers yes,no --epsilon 1 < answers.txt > reports.txt
  pointillist local estimate reports.txt --plot shares.svg

Respondents run `randomize` where their answer is, and send the line it prints. Whoever collects the lines
runs `estimate`, and never sees an answer. The line `# …` on top says how all of them were made; it is public.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Turn answers into reports, one a line
    Randomize(randomize::Arguments),
    /// How often each answer is held, from reports alone
    Estimate(estimate::Arguments),
    /// Which method, and how wrong it will be, before anybody is asked; free
    Plan(plan::Arguments),
}

/// Randomizes, estimates or plans.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Randomize(arguments) => randomize::run(arguments),
        Verb::Estimate(arguments) => estimate::run(arguments),
        Verb::Plan(arguments) => plan::run(arguments),
    }
}
