//! `pointillist budget history`: every record of the ledger, in words.

use std::io::{self, BufWriter, Write};

use pointillist_catalog::calendar::timestamp_text;
use pointillist_curator::HistoryEntry;
use serde::Serialize;

use super::Common;
use crate::failure::Failure;
use crate::terminal::print_json;
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text::{cut, shown};

/// Signs of a statement that are printed; `--json` has all of them.
const STATEMENT_MAX: usize = 400;

/// Which records.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist budget history
  pointillist budget history --last 20 --json

What was asked stands below what was paid for it: it is for the owner, in a file beside the ledger that nobody else can
read. A long statement is cut, and whole with --json. Times are the ledger's, in UTC. Answers have none: how long one took is not for whoever reads the ledger.")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Only the last records
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Also when the ledger was opened
    #[arg(long)]
    all: bool,
}

/// Prints the records.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let all = home.history(arguments.all)?;
    let records = &all[all.len().saturating_sub(arguments.last.unwrap_or(usize::MAX))..];
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        print_json(&mut out, &History { records })?;
    } else if all.is_empty() {
        writeln!(out, "There is no ledger yet: nobody has asked anything.")?;
    }
    let style = TerminalStyle::for_stdout();
    for record in records.iter().filter(|_| !arguments.common.json) {
        let at = record.entry.at.map_or_else(String::new, minute);
        let hash: String = record.hash.chars().take(8).collect();
        let words = record.words(&home.catalog);
        writeln!(out, "{:>5}  {}  {at:16}  {words}", record.entry.seq, style.faint(&hash))?;
        let statement = record.sql.as_ref().map(|sql| cut(sql, STATEMENT_MAX));
        for line in statement.iter().flat_map(|sql| sql.lines()) {
            writeln!(out, "{:33}  {}", "", style.faint(&shown(line)))?;
        }
    }
    Ok(out.flush()?)
}

#[derive(Serialize)]
struct History<'a> {
    records: &'a [HistoryEntry],
}

/// Seconds from 1970 as `2026-12-31 23:59`.
fn minute(seconds: u64) -> String {
    let micros = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    timestamp_text(micros).replace('T', " ").chars().take(16).collect()
}
