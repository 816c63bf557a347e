//! `pointillist budget`: granted, spent and left.

use std::io::{self, BufWriter, Write};

use pointillist_catalog::Catalog;
use pointillist_curator::declared_budgets;
use pointillist_ledger::{Account, Balance};
use pointillist_privacy::{Amount, Currency};
use pointillist_render::decimals::{glance_lower, glance_upper};
use serde_json::{Map, Value, json};
use unicode_width::UnicodeWidthStr;

use super::Common;
use crate::answer::money;
use crate::bar::bar;
use crate::failure::Failure;
use crate::home::Home;
use crate::ink::Ink;
use crate::terminal::Json;
use pointillist_render::decimals::percent;

/// The cells of a bar.
const CELLS: usize = 30;

/// Prints the overview.
pub fn run(arguments: &Common) -> Result<(), Failure> {
    print_overview(&arguments.home.open()?, arguments.json)
}

/// The same for a catalog that was read already.
pub fn print_overview(home: &Home, json: bool) -> Result<(), Failure> {
    let (balances, has_ledger) = balances(home)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        writeln!(out, "{}", Json(&as_json(&home.catalog, &balances)))?;
    } else {
        let ink = Ink::for_stdout();
        for line in lines(&home.catalog, &balances, ink) {
            writeln!(out, "{line}")?;
        }
        if !has_ledger {
            writeln!(
                out,
                "{}",
                ink.faint("Nobody has asked anything yet: these are the catalog's numbers.")
            )?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The ledger's balances, and what the catalog declares beyond them; whether there is a ledger.
fn balances(home: &Home) -> Result<(Vec<(Account, Balance)>, bool), Failure> {
    let audit = home.reader()?;
    let mut balances = audit.as_ref().map(pointillist_ledger::LedgerReader::balances).unwrap_or_default();
    for (account, budget) in declared_budgets(&home.catalog) {
        if !balances.iter().any(|(known, _)| *known == account) {
            let (spent, unreleased) = (Amount::ZERO, Amount::ZERO);
            let granted = Some(budget.amount);
            balances.push((
                account,
                Balance { currency: budget.currency, granted, spent, unreleased, remaining: granted },
            ));
        }
    }
    balances.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok((balances, audit.is_some()))
}

/// The overview, scope by scope: shared with the demo.
pub fn lines(catalog: &Catalog, balances: &[(Account, Balance)], ink: Ink) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let names = balances.iter().filter_map(|(account, _)| account.analyst.as_ref());
    let width = names.map(|name| name.width()).max().unwrap_or(1);
    for (account, balance) in balances {
        match &account.analyst {
            None => {
                if !lines.is_empty() {
                    lines.push(String::new());
                }
                lines.extend(scope_lines(catalog, &account.scope, balance, width, ink));
            }
            Some(analyst) => lines.push(share_line(analyst, balance, width, ink)),
        }
    }
    lines
}

fn scope_lines(catalog: &Catalog, scope: &str, balance: &Balance, width: usize, ink: Ink) -> Vec<String> {
    let mut lines = vec![format!("scope {}", ink.strong(scope))];
    let Some(granted) = balance.granted else {
        lines.push("  no budget was granted: nothing is answered".to_owned());
        return lines;
    };
    if let Some(words) = in_epsilon(catalog, scope, balance) {
        lines[0] = format!("{}  {}", lines[0], ink.faint(&words));
    }
    lines.push(line(&balance.currency.symbol().to_string(), width, loss(balance, granted)));
    if granted.delta_units > 0 {
        let delta = delta(balance, granted);
        lines.push(format!("{}{}", line("δ", width, delta), ink.faint(", for earned keys")));
    }
    lines
}

/// What all answers so far cost together, as ε.
fn in_epsilon(catalog: &Catalog, scope: &str, balance: &Balance) -> Option<String> {
    let conversion_delta = catalog.conversion_delta(scope)?;
    let granted = glance_lower(balance.budget()?.epsilon_granted(conversion_delta)?.value());
    let spent = balance.currency.epsilon_at(balance.spent, conversion_delta);
    let spent = spent.map_or_else(|| "0".to_owned(), |at| glance_upper(at.epsilon.value()));
    let delta = money::owners_delta(conversion_delta);
    Some(format!("all answers so far together: ε = {spent} of {granted}, at δ = {delta}"))
}

/// An analyst's share: the one of its two sums that is nearer to its end.
fn share_line(analyst: &str, balance: &Balance, width: usize, ink: Ink) -> String {
    let Some(granted) = balance.granted else {
        let spent = money::amount_upper(balance.currency, balance.spent);
        let blanks = " ".repeat(width - analyst.width());
        return format!(
            "  {analyst}{blanks}  {}",
            ink.faint(&format!("no share of their own; spent {spent}"))
        );
    };
    let (loss, delta) = (loss(balance, granted), delta(balance, granted));
    if delta.0 > loss.0 { format!("{} δ", line(analyst, width, delta)) } else { line(analyst, width, loss) }
}

/// The part that is spent, and what is left in words.
fn loss(balance: &Balance, granted: Amount) -> (f64, String) {
    let left = balance.remaining.unwrap_or_default();
    let words = format!("{} of {} left", money::loss_lower(left), money::loss_lower(granted));
    (money::part(balance.spent.loss_units, granted.loss_units), words)
}

/// The same for δ.
fn delta(balance: &Balance, granted: Amount) -> (f64, String) {
    let left = balance.remaining.unwrap_or_default();
    let words = format!("{} of {} left", money::delta_lower(left), money::delta_lower(granted));
    (money::part(balance.spent.delta_units, granted.delta_units), words)
}

fn line(name: &str, width: usize, (part, words): (f64, String)) -> String {
    let blanks = " ".repeat(width.saturating_sub(name.width()));
    format!("  {name}{blanks}  {}  {:>8} spent   {words}", bar(part, CELLS), percent(part))
}

/// The same for scripts, exactly.
pub fn as_json(catalog: &Catalog, balances: &[(Account, Balance)]) -> Value {
    let mut scopes = Vec::new();
    for (account, balance) in balances {
        let mut object = Map::new();
        match &account.analyst {
            None => {
                object.insert("scope".to_owned(), account.scope.clone().into());
                let model = if balance.currency == Currency::Zcdp { "zcdp" } else { "pure" };
                object.insert("model".to_owned(), model.into());
            }
            Some(analyst) => {
                object.insert("analyst".to_owned(), analyst.clone().into());
            }
        }
        for (name, amount) in [
            ("granted", balance.granted),
            ("spent", Some(balance.spent)),
            ("unreleased", Some(balance.unreleased)),
            ("remaining", balance.remaining),
        ] {
            let value = amount.map(|amount| Value::Object(money::amount_json("", balance.currency, amount)));
            object.insert(name.to_owned(), value.unwrap_or(Value::Null));
        }
        if account.analyst.is_none() {
            object.insert("declared".to_owned(), catalog.scopes.contains_key(&account.scope).into());
            object.insert("analysts".to_owned(), json!([]));
            scopes.push(Value::Object(object));
        } else if let Some(list) = scopes.last_mut().and_then(|scope| scope["analysts"].as_array_mut()) {
            list.push(Value::Object(object));
        }
    }
    json!({ "scopes": scopes })
}
