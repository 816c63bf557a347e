//! `pointillist learn`: models trained on private rows.

mod arguments;
mod evaluate;
mod explain;
mod fit;
mod inspect;
mod list;
mod predict;
mod print;
mod publish;

use clap::Subcommand;

use crate::failure::Failure;

/// What is done with a model.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist learn list
  pointillist learn explain --table visits --target region --model logistic --epsilon 1
  pointillist learn fit --table visits --target region --features age,cost --model logistic --epsilon 1 --output model.json
  pointillist learn evaluate model.json --table visits --measure auc --epsilon 0.5
  pointillist learn predict model.json --file rows.csv
  pointillist learn publish model.json --name region
  pointillist learn inspect model.json

A model is a question like any other: it is paid for once from the budget of the people in its rows, and the same model of
the same data is free after that. Whatever is done with the file costs nothing more, but for looking at private rows again.
Exit codes: 2 the request is wrong, 3 it is refused for privacy or budget, 1 anything else.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Train a model, pay for it and write it into a file
    Fit(fit::Arguments),
    /// What a model would cost and what to expect of it; free
    Explain(explain::Arguments),
    /// How good a model is on private rows, for a price of its own
    Evaluate(evaluate::Arguments),
    /// What a model says of the rows of a CSV file, one line each
    Predict(predict::Arguments),
    /// What a model file is, what was paid for it, and whether its signature holds
    Inspect(inspect::Arguments),
    /// Give a model a name that SQL knows, for evaluate(...) and predict(...)
    Publish(publish::Arguments),
    /// The kinds of models and their settings
    List(list::Arguments),
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Fit(arguments) => fit::run(arguments),
        Verb::Explain(arguments) => explain::run(arguments),
        Verb::Evaluate(arguments) => evaluate::run(arguments),
        Verb::Publish(arguments) => publish::run(arguments),
        Verb::Predict(arguments) => predict::run(arguments),
        Verb::Inspect(arguments) => inspect::run(arguments),
        Verb::List(arguments) => list::run(arguments),
    }
}
