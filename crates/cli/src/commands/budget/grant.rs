//! `pointillist budget grant`: what the catalog says becomes what the ledger knows, once the owner has seen what changes:
//! budgets, shares, and which files, units and scopes the names of tables and graphs stand for.
//!
//! A number or a path edited in a file must not quietly become permission to spend. Without `--yes` nothing changes.

use std::io::{self, BufWriter, Write};

use pointillist_catalog::Catalog;
use pointillist_curator::Change;
use pointillist_curator::words::{granted_amount, paid_amount};
use pointillist_privacy::Budget;
use serde::Serialize;

use super::Common;
use crate::failure::Failure;
use crate::terminal::print_json;
use pointillist_render::terminal_style::TerminalStyle;

/// Whether to go through with it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist budget grant         what would change
  pointillist budget grant --yes   change it

What was spent stays spent. A budget below what was spent admits nothing more.")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Accept the changes
    #[arg(long)]
    yes: bool,
}

/// Shows the changes, and makes them if the owner says so.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let mut changes = home.budget_changes()?;
    let settled = changes.is_empty() || arguments.yes;
    if arguments.yes && !changes.is_empty() {
        changes = home.accept_budgets()?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        print_json(&mut out, &Granted { changes: &changes, accepted: settled })?;
    } else if changes.is_empty() {
        writeln!(out, "The catalog and the ledger agree: nothing changes.")?;
    } else {
        for alike in changes.chunk_by(Change::goes_on_in) {
            let mut lines = lines(&home.catalog, &alike[0], TerminalStyle::for_stdout());
            if let [_, .., last] = alike {
                lines[0] = format!("{} … {} ({} periods alike)", lines[0], last.whose(), alike.len());
            }
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    out.flush()?;
    match settled {
        true => Ok(()),
        false => Err(Failure::Told(
            2,
            "this was only a look: nothing was changed\nhint: if this is meant, run it again with --yes"
                .to_owned(),
        )),
    }
}

#[derive(Serialize)]
struct Granted<'a> {
    changes: &'a [Change],
    accepted: bool,
}

fn lines(catalog: &Catalog, change: &Change, style: TerminalStyle) -> Vec<String> {
    let exact = || (change.before().unwrap_or_else(|| "nothing".to_owned()), change.after());
    let Change::Budget { account, before, after } = change else {
        let (old, new) = exact();
        return vec![style.strong(&change.whose()), format!("  now    {old}"), format!("  then   {new}")];
    };
    let whose = match &account.analyst {
        None => format!("scope {}", style.strong(&account.scope)),
        Some(analyst) => format!("analyst {} in scope {}", style.strong(analyst), account.scope),
    };
    let said = |budget: Budget| granted_amount(catalog, &account.scope, budget.currency, budget.amount);
    let granted = before.and_then(|balance| balance.budget());
    let (mut old, mut new) = (granted.map_or_else(|| "nothing".to_owned(), said), said(*after));
    if old == new {
        // A difference that a glance does not show.
        (old, new) = exact();
    }
    let mut lines = vec![whose, format!("  now    {old}"), format!("  then   {new}")];
    if let Some(balance) = before {
        let spent = paid_amount(catalog, &account.scope, balance.currency, balance.spent);
        lines.push(format!("  spent  {spent}"));
        if change.leaves_nothing() {
            lines.push(style.alarm("  that much is spent already: nothing more would be answered"));
        }
    }
    lines
}
