//! `pointillist attack difference`.

use pointillist_attack::differencing::{Counts, attack};
use serde_json::json;

use super::shown;
use crate::failure::Failure;
use crate::report::{Block, Report, ReportArguments};

/// Pairs that are drawn.
const TRIALS: usize = 10_000;

/// Two counts.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pointillist attack difference --with 71 --without 70 --epsilon 0.5 --json")]
pub struct Arguments {
    /// The count of everybody
    #[arg(long, value_name = "N", default_value_t = 71, allow_hyphen_values = true)]
    with: i128,
    /// The count of everybody but one person
    #[arg(long, value_name = "N", default_value_t = 70, allow_hyphen_values = true)]
    without: i128,
    /// The price of each private count
    #[arg(long, value_name = "E", default_value = "0.5")]
    epsilon: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// Subtracts.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let counts = Counts::new(arguments.with, arguments.without)?;
    let price = shown::price(&arguments.epsilon)?;
    let found = shown::drawn(|bits| attack(&counts, &price, TRIALS, bits))?;
    arguments.report.write(|| {
        let blocks = vec![Block::side_by_side("exact", found.summary())];
        Ok(Report::new("Two counts that differ by one person", found.summary()).section("", blocks))
    })?;
    if arguments.json {
        shown::json([
            ("attack", json!("difference")),
            ("revealed", json!(counts.reveal())),
            ("released", json!([found.released.0 as f64, found.released.1 as f64])),
            ("right", json!(found.right_fraction())),
            ("right_upper", json!(found.right_upper)),
        ]);
        return Ok(());
    }
    let answer = if counts.reveal() { "yes" } else { "no" };
    let exact = format!(
        "{} − {} = {}: the person's answer is {answer}.",
        counts.with(),
        counts.without(),
        counts.with() - counts.without()
    );
    shown::side_by_side(&exact, &found.summary());
    Ok(())
}
