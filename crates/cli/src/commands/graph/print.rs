//! Answers about graphs, on a screen and for scripts.

use std::io::{self, BufWriter, Write};

use pointillist_curator::json::{EstimateJson, account as account_json};
use pointillist_graph::{Estimate, Figure};
use pointillist_privacy::Loss;
use pointillist_render::decimals::grouped;
use serde::Serialize;
use serde_json::{Map, Value};

use super::asked::Answered;
use crate::commands::query::{footer, print_notes};
use crate::failure::Failure;
use crate::ink::Ink;
use crate::terminal::print_json;

/// What a one-off reminds its owner of.
const REMINDER: &str = "a one-off: no ledger guards repeated use, and every further answer adds to the loss";

/// Prints one figure with its interval.
pub fn figure(what: &str, answered: &Answered, as_json: bool) -> Result<(), Failure> {
    let estimates = answered.answer().estimates();
    let mut out = BufWriter::new(io::stdout().lock());
    if as_json {
        #[derive(Serialize)]
        struct FigureJson<'a> {
            statistic: &'a str,
            #[serde(flatten)]
            figure: FigureOrNone,
            #[serde(flatten)]
            rest: Map<String, Value>,
        }
        let figure = estimates.first().map(EstimateJson::from).into();
        print_json(&mut out, &FigureJson { statistic: what, figure, rest: rest_json(answered)? })?;
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

/// A figure, or that there is none.
#[derive(Serialize)]
#[serde(untagged)]
enum FigureOrNone {
    Figure(EstimateJson),
    None { value: Option<f64> },
}

impl From<Option<EstimateJson>> for FigureOrNone {
    fn from(figure: Option<EstimateJson>) -> Self {
        figure.map_or(Self::None { value: None }, Self::Figure)
    }
}

/// Mechanism, cost, notes, and where the answer is recorded.
pub fn rest_json(answered: &Answered) -> Result<Map<String, Value>, Failure> {
    #[derive(Serialize)]
    struct RestJson<'a, A: Serialize> {
        mechanism: &'static str,
        notes: &'a [String],
        #[serde(flatten)]
        account: A,
    }
    #[derive(Serialize)]
    struct UnchargedJson {
        cost: LossJson,
    }
    let (mechanism, notes) = (answered.mechanism(), answered.answer().notes.as_slice());
    let value = match answered {
        Answered::Charged(reply) => {
            serde_json::to_value(RestJson { mechanism, notes, account: account_json(reply) })
        }
        Answered::OneOff { loss, .. } => {
            let account = UnchargedJson { cost: LossJson::new(loss) };
            serde_json::to_value(RestJson { mechanism, notes, account })
        }
    };
    match value {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Failure::Environment("an answer could not be written as JSON".to_owned())),
    }
}

/// A loss that nobody charged, exactly.
#[derive(Serialize)]
#[serde(untagged)]
pub enum LossJson {
    /// As ε, with a δ where there is one.
    Epsilon {
        /// ε.
        epsilon: String,
        /// δ.
        #[serde(skip_serializing_if = "Option::is_none")]
        delta: Option<String>,
    },
    /// In words.
    Words(String),
}

impl LossJson {
    /// The loss.
    pub fn new(loss: &Loss) -> Self {
        match loss.approximate_epsilon() {
            Some((epsilon, delta)) => Self::Epsilon {
                epsilon: epsilon.to_string(),
                delta: (!delta.is_zero()).then(|| delta.to_string()),
            },
            None => Self::Words(loss.to_string()),
        }
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
