//! `pointillist synth`: sanitized tables, released once and asked for ever.

mod arguments;
mod count;
mod evaluate;
mod explain;
mod fit;
mod inspect;
mod link;
mod list;
mod publish;
mod report;
mod sample;

use clap::Subcommand;

use crate::failure::Failure;

/// What is done with a sanitized table.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth explain --table visits --method mst --epsilon 1
  pointillist synth fit --table visits --method mst --epsilon 1 --output table.json
  pointillist synth sample table.json --rows 10000 --output rows.csv
  pointillist synth count table.json \"age >= 65 AND region = 'north'\"
  pointillist synth evaluate table.json --epsilon 0.5
  pointillist synth publish table.json --name visits_synthetic
  pointillist query \"SELECT region, avg(age) FROM visits_synthetic_rows GROUP BY region\"

A sanitized table is a question like any other: it is paid for once from the budget of the people in its rows. Whatever is done
with it after that costs nothing: made-up rows, counts, models, any SQL.
Exit codes: 2 the request is wrong, 3 it is refused for privacy or budget, 1 anything else.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Measure the rows of a table, pay for it, and write what was released into a file
    Fit(fit::Arguments),
    /// What a sanitized table would cost and what to expect of it; free
    Explain(explain::Arguments),
    /// Made-up rows of a file, as CSV or Parquet, as many as wanted
    Sample(sample::Arguments),
    /// Made-up people and made-up rows that are theirs, from two files
    Link(link::Arguments),
    /// A count of made-up rows, and how far it may be from that of real ones
    Count(count::Arguments),
    /// How far made-up rows are from real ones, with error bars, at a price
    Evaluate(evaluate::Arguments),
    /// Publish it: a signed release that anybody may ask in SQL, free
    Publish(publish::Arguments),
    /// A page with pictures of what was counted and how well
    Report(report::Arguments),
    /// What a file is, what was paid for it, and whether its signature holds
    Inspect(inspect::Arguments),
    /// The methods and their settings
    List(list::Arguments),
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Fit(arguments) => fit::run(arguments),
        Verb::Explain(arguments) => explain::run(arguments),
        Verb::Sample(arguments) => sample::run(arguments),
        Verb::Link(arguments) => link::run(arguments),
        Verb::Count(arguments) => count::run(arguments),
        Verb::Evaluate(arguments) => evaluate::run(arguments),
        Verb::Publish(arguments) => publish::run(arguments),
        Verb::Report(arguments) => report::run(arguments),
        Verb::Inspect(arguments) => inspect::run(arguments),
        Verb::List(arguments) => list::run(arguments),
    }
}
