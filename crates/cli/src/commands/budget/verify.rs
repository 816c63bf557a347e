//! `pointillist budget verify`: the chain of records and its anchor, read from the first to the last.

use std::io::{self, BufWriter, Write};

use serde_json::json;

use super::Common;
use crate::answer::money;
use crate::failure::Failure;
use crate::terminal::Json;
use pointillist_render::decimals::grouped_count;

/// Which ledger.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist budget verify
  pointillist budget verify --catalog hospital/pointillist.toml --json

Every record must follow from the one before, every payment must have been within its budget when it was made, and
the anchor must name a record of this history. Exit code 1 if not. The ledger may be in use meanwhile.")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
}

/// Checks and says what was found.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let mut out = BufWriter::new(io::stdout().lock());
    let Some(audit) = home.reader()? else {
        if arguments.common.json {
            writeln!(out, "{}", Json(&json!({ "records": 0, "head": null, "spent": [] })))?;
        } else {
            writeln!(out, "There is no ledger yet: nobody has asked anything.")?;
        }
        return Ok(out.flush()?);
    };
    let verified = audit.verified();
    let place = home.place();
    let anchor = place.anchor();
    if arguments.common.json {
        let spent = verified.spent.iter().map(|line| {
            json!({
                "scope": line.account.scope,
                "analyst": line.account.analyst,
                "spent": money::amount_json("", line.currency, line.amount),
            })
        });
        let head = verified.head.to_string();
        let spent: Vec<_> = spent.collect();
        writeln!(
            out,
            "{}",
            Json(&json!({ "records": verified.records, "head": head, "anchor": anchor, "spent": spent }))
        )?;
    } else {
        writeln!(out, "✓ {} records, each follows from the one before", grouped_count(verified.records))?;
        writeln!(out, "✓ every payment was within its budget when it was made")?;
        writeln!(out, "✓ the anchor {} belongs to this history", anchor.display())?;
        writeln!(out, "  head {}", verified.head)?;
        for line in verified.spent.iter().filter(|line| line.account.analyst.is_none()) {
            let spent = money::paid_amount(&home.catalog, &line.account.scope, line.currency, line.amount);
            writeln!(out, "  spent from {}: {spent}", line.account.scope)?;
        }
        if home.anchor_is_beside_the_ledger() {
            writeln!(
                out,
                "  hint: keep the anchor on another disk: what is restored together proves nothing"
            )?;
        }
    }
    out.flush()?;
    Ok(())
}
