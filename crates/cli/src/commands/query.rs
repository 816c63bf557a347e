//! `pointillist query`: an answer with error bars, its price and its receipt.

use std::collections::HashMap;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use pointillist_curator::{List, Listing, Reply, ledger_price};
use pointillist_query::strip_explain;

use super::explain;
use crate::answer::{Format, FormatArguments, arrow, csv, json, money, plot, table};
use crate::bar::bar;
use crate::failure::Failure;
use crate::home::{CLOCK, HomeArguments};
use crate::ink::Ink;
use crate::message::{is_quiet, say};
use crate::output_file::{check_output, write_output};
use crate::question::QuestionArguments;
use crate::refused_price::refusal;
use crate::terminal::{Json, print_json};
use pointillist_render::decimals::readable;
use pointillist_render::text::wrapped;

/// Columns that notes are wrapped to.
const WIDTH: usize = 92;

/// What is asked.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist query \"SELECT region, count(*) FROM visits GROUP BY region\" --epsilon 0.5
  pointillist query \"SELECT count(*) FROM visits\" --as ana --error 100 --json
  pointillist query - --format csv < question.sql > answer.csv
  pointillist query \"SELECT region, avg(cost) FROM visits GROUP BY region\" --plot cost.svg
  pointillist query \"DESCRIBE visits\"

SHOW TABLES, DESCRIBE and EXPLAIN are free and read the catalog alone. The price is paid first and never refunded. The same question, asked again, has the same answer for free.
Exit codes: 2 the question is wrong or not answered, 3 it is refused for privacy or budget, 1 anything else.")]
pub struct Arguments {
    /// A name for this request: repeating it with the same name never pays twice
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Draw the answer with its intervals into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    home: HomeArguments,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    question: QuestionArguments,
}

/// Asks and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format.get();
    refuse_arrow_on_a_terminal(format)?;
    // A picture that cannot be written must not cost anything.
    arguments.plot.as_deref().map_or(Ok(()), check_output)?;
    let mut ask = arguments.question.ask(arguments.request_id.clone())?;
    let home = arguments.home.open()?;
    if let Some(sql) = strip_explain(&ask.sql) {
        ask.sql = sql.to_owned();
        return explain::print(&home, &ask, false, format == Format::Json);
    }
    if let Some(listing) = Listing::of_statement(&ask.sql) {
        return print_list(&listing.list(&home.catalog)?, format);
    }
    let curator = home.curator(CLOCK)?;
    let reply = curator.ask(&ask).map_err(|error| refusal(&curator, &ask, error))?;
    print_reply(&reply, format)?;
    // Last: an answer that has no picture was paid for all the same.
    if let Some(path) = &arguments.plot {
        let price = money::price_words(&reply.cost, reply.epsilon_at_delta.as_ref());
        write_output(path, &plot::plot(&reply.answer, &price)?.to_svg())?;
        say(format_args!("plot written to {}", path.display()));
    }
    Ok(())
}

/// Prints an answer; what goes with it goes to stderr where stdout is for programs.
pub fn print_reply(reply: &Reply, format: Format) -> Result<(), Failure> {
    let ink = Ink::for_stdout();
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Table => {
            let footer = if is_quiet() { Vec::new() } else { footer(reply, ink) };
            for line in table::table(&reply.answer).lines("", ink).iter().chain(&footer) {
                writeln!(out, "{line}")?;
            }
        }
        Format::Csv => csv::write(&mut out, &reply.answer, None)?,
        Format::Json => writeln!(out, "{}", Json(&json::reply(reply)))?,
        Format::Arrow => write_arrow(&mut out, reply)?,
    }
    out.flush()?;
    if matches!(format, Format::Csv | Format::Arrow) {
        for line in footer(reply, Ink::plain()) {
            say(line);
        }
    }
    if format != Format::Json {
        print_notes(&reply.answer.notes);
    }
    Ok(())
}

/// Prints a list of tables or columns.
pub fn print_list(list: &List, format: Format) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Table => {
            for line in crate::table::of_list(list).lines("", Ink::for_stdout()) {
                writeln!(out, "{line}")?;
            }
        }
        Format::Json => print_json(&mut out, list)?,
        Format::Csv => {
            for fields in list.lines() {
                writeln!(out, "{}", csv::line(&fields))?;
            }
        }
        Format::Arrow => {
            let text = "lists are not written as Arrow\nhint: use --format csv or --json";
            return Err(Failure::Request(text.to_owned()));
        }
    }
    Ok(out.flush()?)
}

/// Binary on a screen helps nobody.
pub fn refuse_arrow_on_a_terminal(format: Format) -> Result<(), Failure> {
    if format == Format::Arrow && io::stdout().is_terminal() {
        let text = "an Arrow stream is not for a terminal\nhint: send it to a file: … --format arrow > answer.arrows";
        return Err(Failure::Request(text.to_owned()));
    }
    Ok(())
}

/// What to know about an answer, on stderr.
pub fn print_notes(notes: &[String]) {
    for note in notes {
        let lines = wrapped(&readable(note), WIDTH - 6);
        for (index, line) in lines.iter().enumerate() {
            say(format_args!("{}{line}", if index == 0 { "note: " } else { "      " }));
        }
    }
}

/// Price, what is left, receipt.
pub fn footer(reply: &Reply, ink: Ink) -> Vec<String> {
    let price = money::price_words(&reply.cost, reply.epsilon_at_delta.as_ref());
    let left = &reply.left;
    let remaining = money::left_words(left, reply.epsilon_at_delta.as_ref());
    let spent = money::part_spent(left);
    let receipt = &reply.receipt;
    let whose = match receipt.analyst.as_str() {
        pointillist_curator::OWNER => format!("of `{}`", receipt.scope),
        analyst => format!("of `{analyst}` in `{}`", receipt.scope),
    };
    let number = receipt.seq.map_or_else(String::new, |seq| format!("{seq} · "));
    let hash = match receipt.hash.get(..12) {
        Some(hash) => format!("{hash}…"),
        None => "the answer is the one that was recorded then".to_owned(),
    };
    let line = |name: &str, text: String| format!("{}  {text}", ink.faint(&format!("{name:>7}")));
    vec![
        line("price", money::paid_words(reply, &price)),
        line("left", format!("{remaining} {whose}  {}  {}", bar(spent, 12), money::more_words(reply.more))),
        line("receipt", ink.faint(&format!("{number}{hash}"))),
    ]
}

fn write_arrow(out: &mut impl Write, reply: &Reply) -> Result<(), Failure> {
    let price = ledger_price(&reply.cost);
    let facts = HashMap::from([
        ("pointillist.cost".to_owned(), price.to_string()),
        ("pointillist.receipt".to_owned(), reply.receipt.hash.clone()),
        ("pointillist.notes".to_owned(), reply.answer.notes.join("\n")),
    ]);
    arrow::write(out, &reply.answer, facts, false)
        .map_err(|error| Failure::Environment(format!("the Arrow stream could not be written: {error}")))
}
