//! `pointillist attack float`.

use pointillist_attack::floating::{attack, attack_integers};
use serde_json::json;

use super::shown;
use crate::failure::Failure;

/// Two answers that noise should hide from each other.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pointillist attack float --truth 0 --other 1 --epsilon 1 --outputs 20000 --json")]
pub struct Arguments {
    /// The true answer
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    truth: i64,
    /// The answer without one person
    #[arg(long, value_name = "N", default_value_t = 1, allow_hyphen_values = true)]
    other: i64,
    /// The price; the textbook's scale is the difference over it
    #[arg(long, value_name = "E", default_value = "1")]
    epsilon: String,
    /// Outputs to look at
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    outputs: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Draws and looks.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { truth, other, outputs, .. } = *arguments;
    let price = shown::price(&arguments.epsilon)?;
    let epsilon: f64 = arguments.epsilon.parse().unwrap_or(1.0);
    let scale = truth.abs_diff(other) as f64 / epsilon;
    let (broken, exact) = shown::drawn(|bits| {
        let broken = attack(truth as f64, other as f64, scale, outputs, bits)?;
        Ok((broken, attack_integers(truth, other, &price, outputs, bits)?))
    })?;
    if arguments.json {
        shown::json([
            ("attack", json!("float")),
            ("identified", json!(broken.identified_fraction())),
            ("identified_exact", json!(exact.identified_fraction())),
        ]);
        return Ok(());
    }
    shown::side_by_side(&broken.summary(), &exact.summary());
    Ok(())
}
