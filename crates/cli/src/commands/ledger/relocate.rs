//! `pointillist ledger move`: from a folder to PostgreSQL, or back.

use std::io::{self, BufWriter, Write};

use pointillist_curator::{FOLDER, MovedLedger};
use pointillist_render::decimals::grouped_count;
use pointillist_render::text::shown;
use serde_json::json;

use super::Common;
use crate::failure::Failure;
use crate::terminal::Json;

/// Where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist ledger move --to postgres:main --anchor postgres:witness
  pointillist ledger move --to postgres:main/budget --anchor /mnt/shared/pointillist.anchor
  pointillist ledger move --to sqlite --anchor /mnt/other-disk/pointillist.anchor --json

NAME of postgres:NAME is a [connection.NAME] of the catalog. The records are copied byte for byte and checked; the place that
they leave is closed for ever, and every server that has the ledger open stops. Broken off, a move is taken up by the
same words. Afterwards put the section that is printed into the catalog.")]
pub struct Arguments {
    /// `postgres:NAME`, `postgres:NAME/SCHEMA`, or `sqlite` for the folder
    #[arg(long, value_name = "PLACE")]
    to: String,
    /// Where the anchor will be: a file, or `postgres:NAME` of another server; where it is unless said
    #[arg(long, value_name = "PLACE")]
    anchor: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Moves, and says what the catalog has to say now.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let MovedLedger { moved, from, to, anchor, section } =
        home.move_ledger(&arguments.to, arguments.anchor.as_deref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        let said = json!({
            "from": from,
            "to": to,
            "anchor": anchor,
            "records": moved.records,
            "head": moved.head.to_string(),
            "section": section,
        });
        writeln!(out, "{}", Json(&said))?;
        return Ok(out.flush()?);
    }
    let records = grouped_count(moved.records);
    writeln!(out, "✓ {records} records are in {}, each follows from the one before", shown(&to))?;
    writeln!(out, "✓ {} is closed for ever", shown(&from))?;
    writeln!(out, "  anchor {}", shown(&anchor))?;
    writeln!(out, "  head {}", moved.head)?;
    writeln!(out, "\nThe catalog has to say so now:\n\n{}", section.trim_end())?;
    if arguments.to != FOLDER {
        writeln!(
            out,
            "\nThe key that signs releases stays in the folder: copy it to every server that publishes."
        )?;
    }
    Ok(out.flush()?)
}
