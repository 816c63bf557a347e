//! `pointillist attack average`.

use std::path::PathBuf;

use pointillist_attack::averaging::{self, Question};
use pointillist_attack::condition::Condition;
use pointillist_attack::differencing::two_counts::Counts;
use pointillist_attack::records::NamedRecords;

use super::output::{OutputArguments, condition, draw, price};
use crate::failure::Failure;

/// A count that is asked for again and again.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack average --truth 71 --epsilon 0.1 --repetitions 4096 --json
  pointillist attack average people.csv --where illness=flu --report average.html")]
pub struct Arguments {
    /// A CSV file with a header, one row a person
    #[arg(value_name = "FILE", requires = "conditions")]
    file: Option<PathBuf>,
    /// Which rows of FILE are counted; several conditions have to hold together
    #[arg(long = "where", id = "conditions", value_name = "COLUMN=VALUE", requires = "file", value_parser = condition)]
    conditions: Vec<Condition>,
    /// The true count [default: 71]
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "file")]
    truth: Option<i128>,
    /// The price of one answer
    #[arg(long, value_name = "E", default_value = "0.1", allow_hyphen_values = true)]
    epsilon: String,
    /// How often it is asked at most
    #[arg(long, value_name = "N", default_value_t = 1024)]
    repetitions: usize,
    #[command(flatten)]
    output: OutputArguments,
}

/// Averages.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let price = price(&arguments.epsilon)?;
    let question = match &arguments.file {
        Some(path) => Question::of_table(&NamedRecords::open(path)?, &arguments.conditions)?,
        None => Question::of_count(arguments.truth.unwrap_or(i128::from(Counts::EXAMPLE.with()))),
    };
    let working = format!("asking up to {} times, many times over", arguments.repetitions);
    let settings = averaging::Settings { question, price, repetitions_max: arguments.repetitions };
    arguments.output.show(&draw(working, |bits| averaging::run(settings, bits))?)
}
