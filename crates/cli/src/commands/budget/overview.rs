//! `pointillist budget`: granted, spent and left.

use std::io::{self, BufWriter, Write};

use pointillist_curator::words::{Spending, amount_upper, delta_spending, loss_spending};
use pointillist_curator::{Balances, Home, ScopeBalance};
use pointillist_ledger::Balance;
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;
use crate::terminal::print_json;
use pointillist_render::decimals::percent;
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text_bar::bar;

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
    let style = TerminalStyle::for_stdout();
    for line in lines(&balances, style) {
        writeln!(out, "{line}")?;
    }
    if !balances.has_ledger {
        let words = "Nobody has asked anything yet: these are the catalog's numbers.";
        writeln!(out, "{}", style.faint(words))?;
    }
    Ok(out.flush()?)
}

/// The overview, scope by scope: shared with the demo.
pub fn lines(balances: &Balances, style: TerminalStyle) -> Vec<String> {
    let analysts = balances.scopes.iter().flat_map(|scope| &scope.analysts);
    let width = analysts.map(|(name, _)| name.width()).max().unwrap_or(1);
    let mut lines: Vec<String> = Vec::new();
    for periods in &balances.periods {
        lines.push(format!("scope {}", style.strong(&periods.scope)));
        lines.extend(periods.lines().iter().map(|line| format!("  {line}")));
    }
    for scope in &balances.scopes {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(scope_lines(scope, width, style));
        lines.extend(scope.analysts.iter().map(|(analyst, share)| share_line(analyst, share, width, style)));
    }
    lines
}

fn scope_lines(scope: &ScopeBalance, width: usize, style: TerminalStyle) -> Vec<String> {
    let mut lines = vec![format!("scope {}", style.strong(&scope.scope))];
    let Some(loss) = loss_spending(&scope.balance) else {
        lines.push("  no budget was granted: nothing is answered".to_owned());
        return lines;
    };
    if let Some(words) = &scope.in_epsilon {
        lines[0] = format!("{}  {}", lines[0], style.faint(words));
    }
    lines.push(line(&scope.balance.currency.symbol().to_string(), width, &loss));
    if let Some(delta) = delta_spending(&scope.balance) {
        lines.push(format!("{}{}", line("δ", width, &delta), style.faint(", for earned keys")));
    }
    lines
}

/// An analyst's share: the one of its two sums that is nearer to its end.
fn share_line(analyst: &str, balance: &Balance, width: usize, style: TerminalStyle) -> String {
    let Some(loss) = loss_spending(balance) else {
        let spent = amount_upper(balance.currency, balance.spent);
        let words = style.faint(&format!("no share of their own; spent {spent}"));
        return format!("  {analyst}{}  {words}", " ".repeat(width - analyst.width()));
    };
    match delta_spending(balance).filter(|delta| delta.part > loss.part) {
        Some(delta) => format!("{} δ", line(analyst, width, &delta)),
        None => line(analyst, width, &loss),
    }
}

fn line(name: &str, width: usize, Spending { part, left }: &Spending) -> String {
    let blanks = " ".repeat(width.saturating_sub(name.width()));
    format!("  {name}{blanks}  {}  {:>8} spent   {left}", bar(*part, CELLS), percent(*part))
}
