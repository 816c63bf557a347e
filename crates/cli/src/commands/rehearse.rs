//! `pointillist rehearse`: the same question on people made up from the catalog. Free, and about nobody.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use pointillist_curator::{epsilon_at_delta, rehearse};
use serde_json::Value;

use super::query::{print_notes, refuse_arrow_on_a_terminal};
use crate::answer::{Format, FormatArguments, arrow, csv, json, money, table};
use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::ink::Ink;
use crate::question::QuestionArguments;
use crate::terminal::Json;
use crate::terminal::tell;

/// What is rehearsed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist rehearse \"SELECT region, avg(cost) FROM visits GROUP BY region\" --epsilon 0.5
  pointillist rehearse \"SELECT count(*) FROM visits\" --json

No file is opened and nothing is charged: the rows are made up from the catalog's types, bounds and keys. Use it
to build a dashboard or to try a statement before paying for it. Every format says that the data is made up.")]
pub struct Arguments {
    #[command(flatten)]
    home: HomeArguments,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    question: QuestionArguments,
}

/// Answers about made-up rows.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format.get();
    refuse_arrow_on_a_terminal(format)?;
    let ask = arguments.question.ask(None)?;
    let home = arguments.home.open()?;
    let plan = pointillist_query::plan(&home.catalog, &ask.sql, &ask.options)?;
    let answer = rehearse(&home.catalog, &ask.sql, &ask.options)?;
    let epsilon = epsilon_at_delta(&home.catalog, &plan.scope, &plan.cost);
    let ink = Ink::for_stdout();
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Table => {
            writeln!(out, "{}", ink.alarm("DUMMY DATA: made up from the catalog, about nobody"))?;
            for line in table::table(&answer).lines("", ink) {
                writeln!(out, "{line}")?;
            }
            let price = money::price_words(&plan.cost, epsilon.as_ref());
            writeln!(out, "{}  nothing; a real answer would cost {price}", ink.faint("  price"))?;
        }
        Format::Csv => csv::write(&mut out, &answer, Some(("dummy", "true")))?,
        Format::Json => {
            let mut object = json::answer(&answer);
            object.insert("dummy".to_owned(), true.into());
            object.insert("would_cost".to_owned(), money::cost_json(&plan.cost, epsilon.as_ref()));
            writeln!(out, "{}", Json(&Value::Object(object)))?;
        }
        Format::Arrow => {
            let facts = HashMap::from([("pointillist.dummy".to_owned(), "true".to_owned())]);
            arrow::write(&mut out, &answer, facts, true).map_err(|error| {
                Failure::Environment(format!("the Arrow stream could not be written: {error}"))
            })?;
        }
    }
    out.flush()?;
    match format {
        Format::Json => {}
        Format::Table => print_notes(&answer.notes),
        Format::Csv | Format::Arrow => {
            tell("DUMMY DATA: made up from the catalog, about nobody");
            print_notes(&answer.notes);
        }
    }
    Ok(())
}
