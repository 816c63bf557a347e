//! `pointillist explain`: the price, the noise and the expected error of a question, before a drop of budget is
//! spent. Looks at the SQL, the catalog and the ledger; never at data.

use std::io::{self, BufWriter, Write};

use pointillist_curator::words::{QuoteLine, laid_out};
use pointillist_curator::{Executed, PublicQuote, Quote, QuoteSubject};

use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::question::QuestionArguments;
use crate::terminal::print_json;
use pointillist_render::terminal_style::TerminalStyle;

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
    let ask = arguments.question.ask(None)?;
    match arguments.home.open()?.explain(&ask)? {
        Executed::PublicQuote(quote) => print_public(&quote, arguments.plan, arguments.json),
        Executed::Quote(quote) => print(&quote, arguments.plan, arguments.json),
        _ => Ok(()),
    }
}

/// Prints that there is nothing to pay.
pub fn print_public(quote: &PublicQuote, tree: bool, json: bool) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        print_json(&mut out, quote)?;
        return Ok(out.flush()?);
    }
    let style = TerminalStyle::for_stdout();
    for line in laid_out(&quote.lines(), style) {
        writeln!(out, "{line}")?;
    }
    if tree {
        write!(out, "\n{}", quote.plan)?;
    }
    Ok(out.flush()?)
}

/// Prints a quote.
pub fn print(quote: &Quote, tree: bool, json: bool) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        print_json(&mut out, quote)?;
        return Ok(out.flush()?);
    }
    for line in laid_out(&quote.lines(), TerminalStyle::for_stdout()) {
        writeln!(out, "{line}")?;
    }
    match &quote.subject {
        QuoteSubject::Rows(rows) if tree => write!(out, "\n{}", rows.plan)?,
        QuoteSubject::Statement(statement) if tree => write!(out, "\n{}", statement.plan)?,
        QuoteSubject::Rows(_)
        | QuoteSubject::Statement(_)
        | QuoteSubject::Graph(_)
        | QuoteSubject::Model(_)
        | QuoteSubject::Table(_)
        | QuoteSubject::Evaluation(_) => {}
    }
    Ok(out.flush()?)
}

/// What to expect of a question, in a few lines: before somebody is asked whether to pay.
pub fn brief(quote: &Quote) -> Vec<String> {
    let named =
        |line: &QuoteLine| ["price", "free", "error", "expect", "budget", "note"].contains(&line.name);
    let lines = quote.lines().into_iter().filter(named);
    lines.map(|QuoteLine { name, text }| format!("{name:6} {text}")).collect()
}
