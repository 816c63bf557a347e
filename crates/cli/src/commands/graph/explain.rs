//! `pointillist graph explain`: the price and the expected error, from public quantities alone.

use std::io::{self, BufWriter, Write};

use pointillist_curator::OneOffQuote;
use pointillist_curator::words::{QuoteLine, laid_out};

use super::arguments::{GraphArguments, Offered};
use crate::commands::explain;
use crate::failure::Failure;
use crate::terminal::print_json;
use pointillist_render::decimals::grouped_in;
use pointillist_render::terminal_style::TerminalStyle;

/// What would be asked.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist graph explain triangles --graph contacts --epsilon 1
  pointillist graph explain edges --file contacts.txt --privacy node --epsilon 0.5 --json

Nothing is charged and no tie is looked at: what is printed follows from the question, the catalog and, under edge
privacy, the public list of nodes.")]
pub struct Arguments {
    /// What would be counted, or: degrees, global-clustering, average-clustering
    #[arg(value_name = "STATISTIC")]
    statistic: String,
    #[command(flatten)]
    graph: GraphArguments,
}

/// Prints the quote.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let statistic = arguments.statistic.parse()?;
    match arguments.graph.offer(statistic)? {
        Offered::Quoted(quote) => explain::print(&quote, false, arguments.graph.json),
        Offered::OneOff(offer) => print_one_off(&offer, arguments.graph.json),
    }
}

fn print_one_off(offer: &OneOffQuote, json: bool) -> Result<(), Failure> {
    let OneOffQuote { quote, loss } = offer;
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        print_json(&mut out, offer)?;
        return Ok(out.flush()?);
    }
    let price = QuoteLine { name: "price", text: loss.to_string() };
    let expected =
        quote.expectations().into_iter().map(|line| QuoteLine { text: grouped_in(&line.text), ..line });
    let lines: Vec<_> = quote.asks().into_iter().chain([price]).chain(expected).collect();
    for line in laid_out(&lines, TerminalStyle::for_stdout()) {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}
