//! `pointillist graph explain`: the price and the expected error, from public quantities alone.

use std::io::{self, BufWriter, Write};

use serde_json::{Map, Value};

use super::asked::GraphArguments;
use super::print::loss_json;
use crate::answer::json::whole_or_float;
use crate::answer::money::{cost_json, price_words};
use crate::commands::query::print_notes;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::terminal::Json;
use pointillist_render::text::wrapped;

/// Columns that words are wrapped to.
const WIDTH: usize = 80;

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
    let statistic: pointillist_graph::Statistic = arguments.statistic.parse().map_err(Failure::request)?;
    let offered = arguments.graph.offer(statistic)?;
    let outlook = offered.mechanism.outlook();
    let loss = offered.mechanism.loss();
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.graph.json {
        let mut object = Map::new();
        object.insert("statistic".to_owned(), statistic.to_string().into());
        object.insert("privacy".to_owned(), offered.privacy.to_string().into());
        object.insert("mechanism".to_owned(), offered.mechanism.name().into());
        object.insert("error_95".to_owned(), outlook.error_95.map_or(Value::Null, whole_or_float));
        object.insert("outlook".to_owned(), outlook.words.into());
        let cost = match &offered.charged {
            Some((cost, epsilon)) => cost_json(cost, epsilon.as_ref()),
            None => loss_json(&loss),
        };
        object.insert("cost".to_owned(), cost);
        object.insert("notes".to_owned(), offered.notes.into());
        writeln!(out, "{}", Json(&Value::Object(object)))?;
        return Ok(out.flush()?);
    }
    let ink = Ink::for_stdout();
    let mut line = |name: &str, text: &str| -> Result<(), Failure> {
        for (index, part) in wrapped(text, WIDTH).iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            writeln!(out, "{}  {part}", ink.faint(&format!("{name:>9}")))?;
        }
        Ok(())
    };
    line("asks", &format!("{statistic}, under {} privacy", offered.privacy))?;
    line("mechanism", offered.mechanism.name())?;
    match &offered.charged {
        Some((cost, epsilon)) => line("price", &price_words(cost, epsilon.as_ref()))?,
        None => line("price", &loss.to_string())?,
    }
    match outlook.error_95 {
        Some(error) => line("error", &format!("within {error} with 95 %"))?,
        None => line("error", "depends on the graph, and comes with the answer")?,
    }
    for words in &outlook.words {
        line("", words)?;
    }
    out.flush()?;
    print_notes(&offered.notes);
    Ok(())
}
