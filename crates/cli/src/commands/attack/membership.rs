//! `pointillist attack membership`.

use pointillist_attack::membership::{Statistic, Study};
use serde_json::json;

use super::shown;
use crate::failure::Failure;

/// A made-up study.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pointillist attack membership --members 100 --positions 5000 --epsilon 1 --json")]
pub struct Arguments {
    /// People in the study, and as many outside
    #[arg(long, value_name = "N", default_value_t = 100)]
    members: usize,
    /// Places in the genome whose frequencies are published
    #[arg(long, value_name = "N", default_value_t = 5000)]
    positions: usize,
    /// The price of all frequencies together
    #[arg(long, value_name = "E", default_value = "1")]
    epsilon: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Publishes, attacks, compares.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let price = shown::price(&arguments.epsilon)?;
    let statistic = Statistic::LikelihoodRatio;
    let (exact, private) = shown::drawn(|bits| {
        let study = Study::simulated(arguments.members, arguments.members, arguments.positions, bits)?;
        let private = study.release(&price, bits)?;
        Ok((study.attack(&study.publish(), statistic)?, study.attack(&private, statistic)?))
    })?;
    if arguments.json {
        shown::json([
            ("attack", json!("membership")),
            ("members", json!(arguments.members)),
            ("positions", json!(arguments.positions)),
            ("area", json!(exact.area)),
            ("area_private", json!(private.area)),
        ]);
        return Ok(());
    }
    shown::side_by_side(&exact.summary(), &private.summary());
    Ok(())
}
