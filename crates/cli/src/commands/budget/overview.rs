//! `pointillist budget`: granted, spent and left.

use std::io::{self, BufWriter, Write};

use pointillist_curator::words::{amount_upper, delta_lower, loss_lower, part};
use pointillist_curator::{Balances, Home, ScopeBalance};
use pointillist_ledger::Balance;
use pointillist_privacy::Amount;
use unicode_width::UnicodeWidthStr;

use crate::bar::bar;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::terminal::print_json;
use pointillist_render::decimals::percent;

/// The cells of a bar.
const CELLS: usize = 30;

/// Prints the overview.
pub fn print_overview(home: &Home, json: bool) -> Result<(), Failure> {
    let balances = home.balances()?;
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        print_json(&mut out, &balances)?;
        return Ok(out.flush()?);
    }
    let ink = Ink::for_stdout();
    for line in lines(&balances, ink) {
        writeln!(out, "{line}")?;
    }
    if !balances.has_ledger {
        let words = "Nobody has asked anything yet: these are the catalog's numbers.";
        writeln!(out, "{}", ink.faint(words))?;
    }
    Ok(out.flush()?)
}

/// The overview, scope by scope: shared with the demo.
pub fn lines(balances: &Balances, ink: Ink) -> Vec<String> {
    let analysts = balances.scopes.iter().flat_map(|scope| &scope.analysts);
    let width = analysts.map(|(name, _)| name.width()).max().unwrap_or(1);
    let mut lines: Vec<String> = Vec::new();
    for scope in &balances.scopes {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(scope_lines(scope, width, ink));
        lines.extend(scope.analysts.iter().map(|(analyst, share)| share_line(analyst, share, width, ink)));
    }
    lines
}

fn scope_lines(scope: &ScopeBalance, width: usize, ink: Ink) -> Vec<String> {
    let balance = &scope.balance;
    let mut lines = vec![format!("scope {}", ink.strong(&scope.scope))];
    let Some(granted) = balance.granted else {
        lines.push("  no budget was granted: nothing is answered".to_owned());
        return lines;
    };
    if let Some(words) = &scope.in_epsilon {
        lines[0] = format!("{}  {}", lines[0], ink.faint(words));
    }
    lines.push(line(&balance.currency.symbol().to_string(), width, loss(balance, granted)));
    if granted.delta_units > 0 {
        let delta = delta(balance, granted);
        lines.push(format!("{}{}", line("δ", width, delta), ink.faint(", for earned keys")));
    }
    lines
}

/// An analyst's share: the one of its two sums that is nearer to its end.
fn share_line(analyst: &str, balance: &Balance, width: usize, ink: Ink) -> String {
    let Some(granted) = balance.granted else {
        let spent = amount_upper(balance.currency, balance.spent);
        let words = ink.faint(&format!("no share of their own; spent {spent}"));
        return format!("  {analyst}{}  {words}", " ".repeat(width - analyst.width()));
    };
    let (loss, delta) = (loss(balance, granted), delta(balance, granted));
    if delta.0 > loss.0 { format!("{} δ", line(analyst, width, delta)) } else { line(analyst, width, loss) }
}

/// The part that is spent, and what is left in words.
fn loss(balance: &Balance, granted: Amount) -> (f64, String) {
    let left = balance.remaining.unwrap_or_default();
    let words = format!("{} of {} left", loss_lower(left), loss_lower(granted));
    (part(balance.spent.loss_units, granted.loss_units), words)
}

/// The same for δ.
fn delta(balance: &Balance, granted: Amount) -> (f64, String) {
    let left = balance.remaining.unwrap_or_default();
    let words = format!("{} of {} left", delta_lower(left), delta_lower(granted));
    (part(balance.spent.delta_units, granted.delta_units), words)
}

fn line(name: &str, width: usize, (part, words): (f64, String)) -> String {
    let blanks = " ".repeat(width.saturating_sub(name.width()));
    format!("  {name}{blanks}  {}  {:>8} spent   {words}", bar(part, CELLS), percent(part))
}
