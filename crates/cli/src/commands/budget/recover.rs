//! `pointillist budget recover`: the owner's explicit way on when the ledger and its anchor disagree.

use std::io::{self, BufWriter, Write};

use pointillist_curator::{Consequences, Mishap};
use pointillist_errors::{Explained, Kind};
use serde_json::json;

use super::Common;
use crate::failure::Failure;
use crate::terminal::Json;
use pointillist_render::text::wrapped;

/// Columns that sentences are wrapped to, as those of `explain`.
const WIDTH: usize = 92;
/// What else a backup brings back.
const RESTORED_PEOPLE: &str = "\nIf access.toml was restored as well, people and tokens that were revoked since may come in again: look \
                               at `pointillist analyst list` and `pointillist token list` before you serve.";

/// What the owner says happened to the ledger.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist budget recover --restored               what it would mean
  pointillist budget recover --restored --yes         go on after a restored backup
  pointillist budget recover --missing-anchor --yes   go on without the anchor

First look for the newer copy: recovering is for when there is none.")]
pub struct Arguments {
    /// An older copy of the ledger was restored, and the newer one is lost
    #[arg(long, required_unless_present = "missing_anchor", conflicts_with = "missing_anchor")]
    restored: bool,
    /// The anchor is lost, and nobody can have restored an older copy
    #[arg(long)]
    missing_anchor: bool,
    /// Go through with it
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    common: Common,
}

/// Says what it means, and does it if the owner says so.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let mishap = if arguments.restored { Mishap::Restored } else { Mishap::MissingAnchor };
    let Consequences(meaning) = home.consequences(mishap).map_err(|error| match error.kind() {
        // The other mishap: the owner named the wrong one.
        Kind::LedgerRestored | Kind::AnchorMissing => Failure::of(&error).of_kind(Kind::Request),
        _ => error.into(),
    })?;
    let Some(meaning) = meaning else {
        return report(arguments, false, "The ledger and its anchor agree: there is nothing to recover.");
    };
    if !arguments.yes {
        let said = if arguments.common.json { meaning } else { in_lines(&meaning) };
        return Err(Failure::wrong(
            format!("this was only a look: nothing was changed\n{said}"),
            "if that is acceptable, run it again with --yes",
        ));
    }
    let records = home.recover(mishap)?;
    let people = match mishap {
        Mishap::Restored => RESTORED_PEOPLE,
        Mishap::MissingAnchor => "",
    };
    report(arguments, true, &format!("{meaning}\nDone: the ledger goes on at record {records}.{people}"))
}

fn report(arguments: &Arguments, recovered: bool, words: &str) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        writeln!(out, "{}", Json(&json!({ "recovered": recovered, "words": words })))?;
    } else {
        writeln!(out, "{}", in_lines(words))?;
    }
    Ok(out.flush()?)
}

/// The words as a terminal shows them; scripts get them as they are.
fn in_lines(words: &str) -> String {
    wrapped(words, WIDTH).join("\n")
}
