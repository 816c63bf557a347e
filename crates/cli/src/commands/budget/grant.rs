//! `pointillist budget grant`: what the catalog says becomes what the ledger knows, once the owner has seen what changes:
//! budgets, shares, and which files, units and scopes the names of tables and graphs stand for.
//!
//! A number or a path edited in a file must not quietly become permission to spend. Without `--yes` nothing changes.

use std::io::{self, BufWriter, Write};

use pointillist_catalog::Catalog;
use pointillist_curator::{accept, dataset_words, declared};
use pointillist_ledger::{Account, Balance, Dataset, Decision, LedgerReader};
use pointillist_privacy::Budget;
use serde_json::{Value, json};

use super::Common;
use crate::answer::money;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::terminal::Json;

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

/// One thing that differs.
enum Change {
    Budget { account: Account, before: Option<Balance>, after: Budget },
    Dataset { before: Option<Dataset>, after: Dataset },
}

/// Shows the changes, and makes them if the owner says so.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let changes = changes(&home.catalog, home.reader()?.as_ref());
    let settled = changes.is_empty() || arguments.yes;
    if arguments.yes && !changes.is_empty() {
        accept(&home.catalog, &home.ledger()?)?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        let list: Vec<Value> = changes.iter().map(as_json).collect();
        writeln!(out, "{}", Json(&json!({ "changes": list, "accepted": settled })))?;
    } else if changes.is_empty() {
        writeln!(out, "The catalog and the ledger agree: nothing changes.")?;
    } else {
        for change in &changes {
            for line in words(&home.catalog, change, Ink::for_stdout()) {
                writeln!(out, "{line}")?;
            }
        }
    }
    out.flush()?;
    if !settled {
        let text = "nothing was changed\nhint: if this is meant, run it again with --yes";
        return Err(Failure::Told(2, text.to_owned()));
    }
    Ok(())
}

fn changes(catalog: &Catalog, audit: Option<&LedgerReader>) -> Vec<Change> {
    let change = |decision| match decision {
        Decision::Grant { account, budget: after } => {
            let before = audit.and_then(|audit| match &account.analyst {
                None => audit.balance(&account.scope),
                Some(analyst) => audit.share(&account.scope, analyst),
            });
            let same = before.and_then(|balance| balance.budget()) == Some(after);
            (!same).then_some(Change::Budget { account, before, after })
        }
        Decision::Dataset(after) => {
            let before = audit.and_then(|audit| audit.dataset(&after.name));
            (before != Some(&after)).then(|| Change::Dataset { before: before.cloned(), after })
        }
    };
    declared(catalog).into_iter().filter_map(change).collect()
}

fn words(catalog: &Catalog, change: &Change, ink: Ink) -> Vec<String> {
    let (account, before, after) = match change {
        Change::Budget { account, before, after } => (account, before, after),
        Change::Dataset { before, after } => {
            let old = before.as_ref().map_or_else(|| "nothing".to_owned(), dataset_words);
            return vec![
                ink.strong(&after.name),
                format!("  now    {old}"),
                format!("  then   {}", dataset_words(after)),
            ];
        }
    };
    let whose = match &account.analyst {
        None => format!("scope {}", ink.strong(&account.scope)),
        Some(analyst) => format!("analyst {} in scope {}", ink.strong(analyst), account.scope),
    };
    let granted = before.and_then(|balance| balance.budget());
    let said =
        |budget: Budget| money::granted_amount(catalog, &account.scope, budget.currency, budget.amount);
    let (mut old, mut new) = (granted.map_or_else(|| "nothing".to_owned(), said), said(*after));
    if let Some(granted) = granted.filter(|_| old == new) {
        // A difference that a glance does not show.
        (old, new) = (granted.to_string(), after.to_string());
    }
    let mut lines = vec![whose, format!("  now    {old}"), format!("  then   {new}")];
    if let Some(balance) = before {
        let spent = money::paid_amount(catalog, &account.scope, balance.currency, balance.spent);
        lines.push(format!("  spent  {spent}"));
        let (spent, limit) = (balance.spent, after.amount);
        if spent.loss_units >= limit.loss_units {
            lines.push(ink.alarm("  that much is spent already: nothing more would be answered"));
        }
    }
    lines
}

fn as_json(change: &Change) -> Value {
    match change {
        Change::Budget { account, before, after } => json!({
            "scope": account.scope,
            "analyst": account.analyst,
            "before": before.and_then(|balance| balance.budget()).map(|budget| budget.to_string()),
            "after": after.to_string(),
        }),
        Change::Dataset { before, after } => json!({
            "dataset": after.name,
            "before": before.as_ref().map(dataset_words),
            "after": dataset_words(after),
        }),
    }
}
