//! Answers about graphs, on a screen and for scripts.

use std::io::{self, BufWriter, Write};

use pointillist_curator::{Mechanism, json};
use pointillist_graph::{Estimate, Figure};
use pointillist_render::decimals::{grouped, grouped_in};

use super::arguments::Answered;
use crate::commands::query::{footer, print_notes};
use crate::failure::Failure;
use crate::terminal::print_json;
use pointillist_render::terminal_style::TerminalStyle;

/// What a one-off reminds its owner of.
const REMINDER: &str = "a one-off: no ledger guards repeated use, and every further answer adds to the loss";

/// Prints one figure with its interval.
pub fn figure(what: &str, answered: &Answered, as_json: bool) -> Result<(), Failure> {
    let estimates = answered.answer().estimates();
    let mut out = BufWriter::new(io::stdout().lock());
    if as_json {
        print_json(&mut out, &json::figure(what, answered.answer(), answered.account()))?;
        return Ok(out.flush()?);
    }
    let style = TerminalStyle::for_stdout();
    match estimates.first() {
        Some(estimate) => writeln!(
            out,
            "{}  {}  {}",
            style.faint(&format!("{what:>9}")),
            style.strong(&shown(estimate.value)),
            style.faint(&interval(estimate)),
        )?,
        None => writeln!(out, "{}  no answer", style.faint(&format!("{what:>9}")))?,
    }
    for line in account_lines(answered, style) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    print_answer_notes(answered);
    remind(answered);
    Ok(())
}

/// What to know about the numbers; every number in it counts nodes, ties or patterns.
pub fn print_answer_notes(answered: &Answered) {
    let notes = answered.answer().notes.iter().map(|note| grouped_in(note));
    print_notes(&notes.collect::<Vec<_>>());
}

/// By which mechanism, at what price, with what left.
pub fn account_lines(answered: &Answered, style: TerminalStyle) -> Vec<String> {
    let line = |name: &str, text: &str| format!("{}  {text}", style.faint(&format!("{name:>9}")));
    let mut lines = vec![line("mechanism", answered.answer().mechanism().map_or("", Mechanism::name))];
    match answered {
        Answered::Charged(reply) => {
            // The footer of a query is two columns narrower.
            lines.extend(footer(reply, style).into_iter().map(|line| format!("  {line}")));
        }
        Answered::OneOff(one_off) => lines.push(line("price", &one_off.loss.to_string())),
    }
    lines
}

/// Says that nobody counts.
pub fn remind(answered: &Answered) {
    if matches!(answered, Answered::OneOff(_)) {
        print_notes(&[REMINDER.to_owned()]);
    }
}

/// A figure for people.
pub fn shown(figure: Figure) -> String {
    match figure {
        Figure::Whole(value) => grouped(&value.to_string()),
        Figure::Ratio(value) => format!("{value:.4}"),
    }
}

/// Where the truth lies, in words.
pub fn interval(estimate: &Estimate) -> String {
    let end = |value: f64| match estimate.value {
        Figure::Whole(_) => grouped(&format!("{value:.0}")),
        Figure::Ratio(_) => format!("{value:.4}"),
    };
    match (estimate.lower.is_finite(), estimate.upper.is_finite()) {
        (true, true) => format!("95 %: {} to {}", end(estimate.lower), end(estimate.upper)),
        (true, false) => format!("95 %: {} or more", end(estimate.lower)),
        (false, true) => format!("95 %: {} or less", end(estimate.upper)),
        (false, false) => "no interval".to_owned(),
    }
}
