//! `pointillist mechanisms`: what can be released, under which guarantee.

use std::io::{self, BufWriter, Write};

use pointillist_mechanisms::{Card, catalogue};
use serde_json::json;

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
    let word = arguments.word.as_deref().unwrap_or_default().to_lowercase();
    let cards: Vec<&Card> = catalogue().iter().filter(|card| mentions(card, &word)).collect();
    if cards.is_empty() {
        return Err(Failure::Request(format!(
            "no mechanism mentions `{word}`\nhint: `pointillist mechanisms` lists them all"
        )));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        let list: Vec<_> = cards.iter().map(|card| as_json(card)).collect();
        writeln!(out, "{}", Json(&json!({ "mechanisms": list })))?;
    } else if word.is_empty() {
        let width = cards.iter().map(|card| card.name.chars().count()).max().unwrap_or(0);
        for card in &cards {
            writeln!(out, "{:width$}  {}", card.name, card.guarantee)?;
        }
    } else {
        for (index, card) in cards.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{}: {}", card.name, card.releases)?;
            writeln!(
                out,
                "  guarantee  {}\n  error      {}\n  source     {}",
                card.guarantee, card.error, card.source
            )?;
        }
    }
    out.flush()?;
    Ok(())
}

fn mentions(card: &Card, word: &str) -> bool {
    [card.name, card.releases].iter().any(|text| text.to_lowercase().contains(word))
}

fn as_json(card: &Card) -> serde_json::Value {
    json!({
        "name": card.name,
        "releases": card.releases,
        "guarantee": card.guarantee,
        "error": card.error,
        "source": card.source,
    })
}
