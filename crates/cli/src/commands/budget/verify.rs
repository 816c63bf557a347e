//! `pointillist budget verify`: the chain of records and its anchor, read from the first to the last.

use std::io::{self, BufWriter, Write};

use pointillist_curator::words::paid_amount;
use pointillist_ledger::Spent;
use pointillist_privacy::Amount;

use super::Common;
use crate::failure::Failure;
use crate::terminal::print_json;
use pointillist_render::decimals::grouped_count;
use pointillist_render::text::shown;

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
    let verified = home.verify()?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        print_json(&mut out, &verified)?;
        return Ok(out.flush()?);
    }
    let (Some(head), Some(anchor)) = (&verified.head, &verified.anchor) else {
        writeln!(out, "There is no ledger yet: nobody has asked anything.")?;
        return Ok(out.flush()?);
    };
    writeln!(out, "✓ {} records, each follows from the one before", grouped_count(verified.records))?;
    writeln!(out, "✓ every payment was within its budget when it was made")?;
    writeln!(out, "✓ the anchor {} belongs to this history", shown(anchor))?;
    writeln!(out, "  head {head}")?;
    // Of many periods most may be untouched.
    let is_told = |line: &&Spent| {
        line.account.analyst.is_none() && (line.amount != Amount::ZERO || !line.account.scope.contains('@'))
    };
    for line in verified.spent.iter().filter(is_told) {
        let spent = paid_amount(&home.catalog, &line.account.scope, line.currency, line.amount);
        writeln!(out, "  spent from {}: {spent}", line.account.scope)?;
    }
    for one in &verified.published {
        let (publication, seq) = (&one.publication, one.seq);
        let (name, paid) = (&publication.name, publication.reserve_seq);
        writeln!(out, "  published: {name}, paid for in record {paid} (record {seq})")?;
    }
    if home.anchor_is_beside_the_ledger() {
        writeln!(out, "  hint: keep the anchor on another disk: what is restored together proves nothing")?;
    }
    Ok(out.flush()?)
}
