//! `pointillist attack float`.

use pointillist_attack::floating;

use super::output::{OutputArguments, draw, epsilon};
use crate::failure::Failure;

/// Two answers that noise should hide from each other.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack float --truth 0 --other 1 --epsilon 1 --outputs 20000 --json
  pointillist attack float --report float.html")]
pub struct Arguments {
    /// The true answer
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    truth: i64,
    /// The answer without one person
    #[arg(long, value_name = "N", default_value_t = 1, allow_hyphen_values = true)]
    other: i64,
    /// The price; the textbook's scale is the difference over it
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    /// Outputs to look at
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    outputs: usize,
    #[command(flatten)]
    output: OutputArguments,
}

/// Draws and looks.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let Arguments { truth, other, outputs, .. } = *arguments;
    let settings = floating::Settings { truth, other, epsilon: epsilon(&arguments.epsilon)?, outputs };
    let working = format!("looking at {outputs} outputs");
    arguments.output.show(&draw(working, |bits| floating::run(settings, bits))?)
}
