//! `pointillist budget recover`: the owner's explicit way on when the ledger and its anchor disagree.

use std::io::{self, BufWriter, Write};

use pointillist_errors::Kind;
use pointillist_ledger::{Ledger, LedgerReader, OpenError, Options};
use serde_json::json;

use super::Common;
use crate::failure::Failure;
use crate::terminal::Json;

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
    let place = home.place();
    let meaning = match (LedgerReader::read(&place), arguments.restored) {
        (Ok(_), _) => {
            return report(arguments, false, "The ledger and its anchor agree: there is nothing to recover.");
        }
        (Err(OpenError::AnchorAhead { seq, anchor_seq }), true) => format!(
            "The ledger ends at record {seq}; the anchor has seen record {anchor_seq}. What the anchor knows to be \
             spent stays spent; what these records say comes on top, unless they are certainly a part of that. Answers given after record {seq} are forgotten: asked again, they are charged again."
        ),
        (Err(OpenError::Forked { anchor_seq }), true) => format!(
            "Record {anchor_seq} is not the one that the anchor has seen: there were two histories. What was spent \
             in either is counted as spent, both together."
        ),
        (Err(OpenError::AnchorMissing { seq }), false) => format!(
            "The ledger has {seq} records and no anchor. Whoever goes on vouches that these records are the newest: \
             if an older copy was restored, what was spent since is forgotten and people are less protected."
        ),
        (
            Err(
                error @ (OpenError::AnchorAhead { .. }
                | OpenError::Forked { .. }
                | OpenError::AnchorMissing { .. }),
            ),
            _,
        ) => {
            let said = Failure::from(error).explanation();
            return Err(
                said.map_or(Failure::ReaderGone, |said| Failure::explained(said.of_kind(Kind::Request)))
            );
        }
        (Err(error), _) => return Err(error.into()),
    };
    if !arguments.yes {
        return Err(Failure::Request(format!(
            "nothing was changed\n{meaning}\nhint: if that is acceptable, run it again with --yes"
        )));
    }
    let ledger = match arguments.restored {
        true => Ledger::accept_restored(&place, Options::default())?,
        false => Ledger::accept_missing_anchor(&place, Options::default())?,
    };
    let records = ledger.verify()?.records;
    report(arguments, true, &format!("{meaning}\nDone: the ledger goes on at record {records}."))
}

fn report(arguments: &Arguments, recovered: bool, words: &str) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        writeln!(out, "{}", Json(&json!({ "recovered": recovered, "words": words })))?;
    } else {
        writeln!(out, "{words}")?;
    }
    Ok(out.flush()?)
}
