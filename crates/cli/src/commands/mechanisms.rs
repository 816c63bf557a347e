//! `pointillist mechanisms`: what can be released, under which guarantee.

use std::io::{self, BufWriter, Write};

use pointillist_mechanisms::cards_about;
use pointillist_render::mechanisms::{card_details, card_lines, cards_json};

use crate::failure::Failure;
use crate::terminal::Json;

/// Which mechanisms to list.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist mechanisms              every mechanism in one line
  pointillist mechanisms median       those that speak of medians, with error bounds and sources
  pointillist mechanisms --json       the same for scripts")]
pub struct Arguments {
    /// Only mechanisms whose name or description has this word, in full detail
    word: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the list to stdout.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let word = arguments.word.as_deref().unwrap_or_default();
    let cards = cards_about(word);
    if cards.is_empty() {
        return Err(Failure::wrong(
            format!("no mechanism mentions `{word}`"),
            "`pointillist mechanisms` lists them all",
        ));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", Json(&cards_json(&cards)))?;
    } else {
        let lines = if word.is_empty() { card_lines(&cards) } else { card_details(&cards) };
        for line in lines {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}
