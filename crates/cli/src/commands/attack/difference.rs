//! `pointillist attack difference`.

use std::path::PathBuf;

use pointillist_attack::Comparison;
use pointillist_attack::condition::Condition;
use pointillist_attack::differencing::published_counts::{self, NAMED_COLUMNS, NAMED_MAX};
use pointillist_attack::differencing::two_counts::{self, Counts, Question};
use pointillist_attack::records::NamedRecords;

use super::output::{OutputArguments, condition, draw, price, side_by_side};
use crate::failure::Failure;
use crate::table::{Side, Tone, print_table};

/// Two counts.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack difference --with 71 --without 70 --epsilon 0.5 --json
  pointillist attack difference people.csv --where illness=flu --except name=Ana --report d.html
  pointillist attack difference --counts counts.csv

FILE has one row a person. --except may be given several times and has to leave exactly one row.
COUNTS has one column a person, with 1 for those whom a row counts and 0 for the others, and a
last column `count`.")]
pub struct Arguments {
    /// A CSV file with a header, one row a person
    #[arg(value_name = "FILE", requires = "conditions", requires = "except", conflicts_with = "counts")]
    file: Option<PathBuf>,
    /// Which rows of FILE are counted; several conditions have to hold together
    #[arg(long = "where", id = "conditions", value_name = "COLUMN=VALUE", requires = "file", value_parser = condition)]
    conditions: Vec<Condition>,
    /// The person whom the second count leaves out
    #[arg(long, value_name = "COLUMN=VALUE", requires = "file", value_parser = condition)]
    except: Vec<Condition>,
    /// The count of everybody [default: 71]
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with_all = ["file", "counts"])]
    with: Option<i128>,
    /// The count of everybody but one person [default: 70]
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with_all = ["file", "counts"])]
    without: Option<i128>,
    /// A CSV file of published counts: who is certain from them?
    #[arg(long, value_name = "COUNTS")]
    counts: Option<PathBuf>,
    /// The price of each private count; with --counts, of all of them together
    #[arg(long, value_name = "E", default_value = "0.5", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    output: OutputArguments,
}

/// Subtracts.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let price = price(&arguments.epsilon)?;
    if let Some(path) = &arguments.counts {
        let settings = published_counts::Settings { table: NamedRecords::open(path)?, price };
        let outcome = draw("solving the counts", |bits| published_counts::run(settings, bits))?;
        return arguments.output.show_with(&outcome, print_published);
    }
    let settings = two_counts::Settings { question: arguments.question()?, price_each: price };
    arguments.output.show(&draw("drawing pairs of counts", |bits| two_counts::run(settings, bits))?)
}

impl Arguments {
    fn question(&self) -> Result<Question, Failure> {
        if let Some(path) = &self.file {
            return Ok(Question::of_table(&NamedRecords::open(path)?, &self.conditions, &self.except)?);
        }
        let count = |given: Option<i128>, example: u64| given.unwrap_or(i128::from(example));
        let with = count(self.with, Counts::EXAMPLE.with());
        Ok(Question::of_counts(Counts::new(with, count(self.without, Counts::EXAMPLE.without()))?))
    }
}

fn print_published(outcome: &published_counts::Outcome) {
    side_by_side(&outcome.without(), &outcome.with());
    let rows: Vec<Vec<String>> = outcome.named().into_iter().map(Vec::from).collect();
    if rows.is_empty() {
        return;
    }
    let [person, value, because, private] = NAMED_COLUMNS;
    let columns = [
        (person, Side::Left, Tone::Plain),
        (value, Side::Left, Tone::Plain),
        (because, Side::Left, Tone::Faint),
        (private, Side::Right, Tone::Accent),
    ];
    print_table("  ", &columns, &rows);
    if let Some(more @ 1..) = outcome.determined.len().checked_sub(NAMED_MAX) {
        println!("  and {more} more: --json lists all of them");
    }
}
