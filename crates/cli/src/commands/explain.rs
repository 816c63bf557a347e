//! `pointillist explain`: the price, the noise and the expected error of a question, before a drop of budget is
//! spent. Looks at the SQL, the catalog and the ledger; never at data.

mod offer;

use std::io::{self, BufWriter, Write};

use pointillist_curator::Ask;
use pointillist_query::strip_explain;

use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::ink::Ink;
use crate::question::QuestionArguments;
use crate::terminal::Json;
use offer::Offer;

/// What is to be explained.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist explain \"SELECT region, avg(cost) FROM visits GROUP BY region\" --epsilon 0.5
  pointillist explain \"SELECT count(*) FROM visits\" --error 50 --as ana
  pointillist explain \"SELECT ward, count(*) FROM visits GROUP BY ward\" --json

Free, and no file of data is opened: it works where the data is not.")]
pub struct Arguments {
    #[command(flatten)]
    home: HomeArguments,
    /// Print the plan too, as a tree
    #[arg(long)]
    plan: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    question: QuestionArguments,
}

/// Explains and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut ask = arguments.question.ask(None)?;
    if let Some(sql) = strip_explain(&ask.sql) {
        ask.sql = sql.to_owned();
    }
    print(&arguments.home.open()?, &ask, arguments.plan, arguments.json)
}

/// What to expect of a question, in a few lines: before somebody is asked whether to pay.
pub fn brief(home: &Home, ask: &Ask) -> Result<Vec<String>, Failure> {
    Ok(Offer::new(home, ask)?.brief())
}

/// Prints the quote for a question.
pub fn print(home: &Home, ask: &Ask, tree: bool, json: bool) -> Result<(), Failure> {
    let offer = Offer::new(home, ask)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        writeln!(out, "{}", Json(&offer.to_json()))?;
    } else {
        for line in offer.lines(Ink::for_stdout()) {
            writeln!(out, "{line}")?;
        }
        if tree {
            write!(out, "\n{}", offer.tree())?;
        }
    }
    out.flush()?;
    Ok(())
}
