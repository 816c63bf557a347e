//! `pointillist ledger fence`: the owner takes a server out.

use std::io::{self, Write};

use serde_json::json;

use super::Common;
use crate::failure::Failure;
use crate::terminal::Json;

/// Whom.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist ledger fence 9f86d081884c7d659a2feaa0c55ad015
  pointillist ledger fence 9f86d081884c7d659a2feaa0c55ad015 --json

The server hands out no receipt and records no answer any more, wherever it runs and whether or not it knows. What it
had reserved stays spent. A request that it was answering counts as lost from now on. Its name is one of those that
`pointillist ledger` lists; a server that is started again has another.")]
pub struct Arguments {
    /// The server's name, as `pointillist ledger` lists it
    server: String,
    #[command(flatten)]
    common: Common,
}

/// Takes it out.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.common.home.open()?.fence_server(&arguments.server)?;
    let mut out = io::stdout().lock();
    match arguments.common.json {
        true => writeln!(out, "{}", Json(&json!({ "fenced": arguments.server })))?,
        false => writeln!(out, "✓ server {} is out", arguments.server)?,
    }
    Ok(())
}
