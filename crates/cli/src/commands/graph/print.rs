//! Answers about graphs, on a screen and for scripts.

use std::io::{self, BufWriter, Write};

use pointillist_graph::{Estimate, Figure};
use pointillist_privacy::Loss;
use serde_json::{Map, Value, json};

use super::asked::Answered;
use crate::answer::json::{insert_account, whole_or_float};
use crate::commands::query::{footer, print_notes};
use crate::failure::Failure;
use crate::ink::Ink;
use crate::terminal::Json;
use pointillist_render::decimals::grouped;

/// What a one-off reminds its owner of.
const REMINDER: &str = "a one-off: no ledger guards repeated use, and every further answer adds to the loss";

/// Prints one figure with its interval.
pub fn figure(what: &str, answered: &Answered, as_json: bool) -> Result<(), Failure> {
    let estimates = answered.answer().estimates();
    let mut out = BufWriter::new(io::stdout().lock());
    if as_json {
        let mut object = Map::new();
        object.insert("statistic".to_owned(), what.into());
        match estimates.first() {
            Some(estimate) => insert_estimate(&mut object, estimate),
            None => {
                object.insert("value".to_owned(), Value::Null);
            }
        }
        insert_rest(&mut object, answered);
        writeln!(out, "{}", Json(&Value::Object(object)))?;
        return Ok(out.flush()?);
    }
    let ink = Ink::for_stdout();
    match estimates.first() {
        Some(estimate) => writeln!(
            out,
            "{}  {}  {}",
            ink.faint(&format!("{what:>9}")),
            ink.strong(&shown(estimate.value)),
            ink.faint(&interval(estimate)),
        )?,
        None => writeln!(out, "{}  no answer", ink.faint(&format!("{what:>9}")))?,
    }
    for line in account(answered, ink) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    print_notes(&answered.answer().notes);
    remind(answered);
    Ok(())
}

/// By which mechanism, at what price, with what left.
pub fn account(answered: &Answered, ink: Ink) -> Vec<String> {
    let line = |name: &str, text: &str| format!("{}  {text}", ink.faint(&format!("{name:>9}")));
    let mut lines = vec![line("mechanism", answered.mechanism())];
    match answered {
        Answered::Charged(reply) => {
            // The footer of a query is two columns narrower.
            lines.extend(footer(reply, ink).into_iter().map(|line| format!("  {line}")));
        }
        Answered::OneOff { loss, .. } => lines.push(line("price", &loss.to_string())),
    }
    lines
}

/// Says that nobody counts.
pub fn remind(answered: &Answered) {
    if matches!(answered, Answered::OneOff { .. }) {
        print_notes(&[REMINDER.to_owned()]);
    }
}

/// Mechanism, cost, notes, and where the answer is recorded.
pub fn insert_rest(object: &mut Map<String, Value>, answered: &Answered) {
    object.insert("mechanism".to_owned(), answered.mechanism().into());
    object.insert("notes".to_owned(), answered.answer().notes.clone().into());
    match answered {
        Answered::Charged(reply) => insert_account(object, reply),
        Answered::OneOff { loss, .. } => {
            object.insert("cost".to_owned(), loss_json(loss));
        }
    }
}

/// A loss that nobody charged, exactly.
pub fn loss_json(loss: &Loss) -> Value {
    match loss.approximate_epsilon() {
        Some((epsilon, delta)) if delta.is_zero() => json!({ "epsilon": epsilon.to_string() }),
        Some((epsilon, delta)) => json!({ "epsilon": epsilon.to_string(), "delta": delta.to_string() }),
        None => json!(loss.to_string()),
    }
}

/// A figure and its interval for scripts.
pub fn insert_estimate(object: &mut Map<String, Value>, estimate: &Estimate) {
    let value = match estimate.value {
        Figure::Whole(value) => {
            i64::try_from(value).map_or_else(|_| whole_or_float(value as f64), Value::from)
        }
        Figure::Ratio(value) => value.into(),
    };
    object.insert("value".to_owned(), value);
    object.insert("error_95".to_owned(), whole_or_float(estimate.error_95()));
    object.insert("lower".to_owned(), whole_or_float(estimate.lower));
    object.insert("upper".to_owned(), whole_or_float(estimate.upper));
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
