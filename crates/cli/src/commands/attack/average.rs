//! `pointillist attack average`.

use pointillist_attack::averaging::attack;
use serde_json::json;

use super::shown;
use crate::failure::Failure;

/// Surveys that are simulated.
const TRIALS: usize = 200;

/// A count that is asked for again and again.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pointillist attack average --truth 71 --epsilon 0.1 --repetitions 4096 --json")]
pub struct Arguments {
    /// The true count
    #[arg(long, value_name = "N", default_value_t = 71, allow_hyphen_values = true)]
    truth: i128,
    /// The price of one answer
    #[arg(long, value_name = "E", default_value = "0.1")]
    epsilon: String,
    /// How often it is asked at most
    #[arg(long, value_name = "N", default_value_t = 1024)]
    repetitions: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Averages.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let price = shown::price(&arguments.epsilon)?;
    let found = shown::drawn(|bits| attack(arguments.truth, &price, arguments.repetitions, TRIALS, bits))?;
    if arguments.json {
        let points = found.points.iter().map(|point| {
            json!({ "repetitions": point.repetitions, "fresh": point.fresh.error, "recorded": point.recorded.error })
        });
        shown::json([("attack", json!("average")), ("points", points.collect())]);
        return Ok(());
    }
    shown::paragraph("fresh noise each time, and a recorded answer", &found.summary());
    Ok(())
}
