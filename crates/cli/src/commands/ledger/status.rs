//! `pointillist ledger`: where the ledger is, and which servers have it open.

use std::io::{self, BufWriter, Write};

use pointillist_render::decimals::grouped_count;
use pointillist_render::text::shown;
use serde_json::json;

use super::Common;
use crate::failure::Failure;
use crate::terminal::Json;

/// Says it.
pub(super) fn run(common: &Common) -> Result<(), Failure> {
    let status = common.home.open()?.ledger_status()?;
    let mut out = BufWriter::new(io::stdout().lock());
    if common.json {
        let servers: Vec<_> = status
            .servers
            .iter()
            .map(|server| json!({ "epoch": server.epoch, "since": server.since, "last": server.last }))
            .collect();
        let status = json!({
            "store": status.store,
            "anchor": status.anchor,
            "shared": status.is_shared,
            "records": status.records,
            "servers": servers,
        });
        writeln!(out, "{}", Json(&status))?;
        return Ok(out.flush()?);
    }
    writeln!(out, "records  {} ({})", shown(&status.store), grouped_count(status.records))?;
    writeln!(out, "anchor   {}", shown(&status.anchor))?;
    if !status.is_shared {
        writeln!(out, "One process at a time has it open.")?;
        return Ok(out.flush()?);
    }
    match status.servers.len() {
        0 => writeln!(out, "No server has it open.")?,
        _ => writeln!(out, "Servers that opened it and have not said that they are over:")?,
    }
    for server in &status.servers {
        let last = server.last.map_or_else(|| "never".to_owned(), |at| at.to_string());
        writeln!(out, "  {}  last wrote at {last} (seconds since 1970)", server.epoch)?;
    }
    Ok(out.flush()?)
}
