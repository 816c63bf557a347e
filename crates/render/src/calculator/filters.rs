//! How many more questions of a price fit into a budget.

use pointillist_privacy::Delta;
use pointillist_privacy::calculator::{FilterComparison, FilterForm, LossForm};
use pointillist_privacy::filter::{FilterCount, FilterKind};
use serde_json::{Value, json};

use super::{CalculatorAnswer, RowRounding};
use crate::decimals::{exact, short_lower};

/// The sentence that every reader of a tight accountant needs here.
const WHY_NOT_TIGHT: &str = "\
A tight accountant may not decide here: its theorem fixes all losses in advance, and whoever chooses the next question
in the light of the last answer could then spend more than the budget.";

/// The counts for people and for programs.
pub fn filter_comparison(form: &FilterForm, comparison: &FilterComparison) -> CalculatorAnswer {
    let FilterComparison { counts, best } = comparison;
    let more: Vec<String> = counts.iter().map(|count| more_words(count.admits, form.asked)).collect();
    let width = more.iter().map(String::len).max().unwrap_or(0);
    let row = |(index, (count, more)): (usize, (&FilterCount, &String))| {
        let mark = if index == *best { "  ← most" } else { "" };
        [format!("{more:>width$} more   {}", title(count.kind)), format!("{}{mark}", rule(count))]
    };
    let filter = |count: &FilterCount| {
        json!({
            "filter": count.kind.name(),
            "admits": count.admits,
            "how_many_more": count.admits.saturating_sub(form.asked),
        })
    };
    CalculatorAnswer {
        heading: format!(
            "Questions of {} within a budget of {}, {} asked already:",
            loss_words(&form.question),
            loss_words(&form.budget),
            form.asked
        ),
        rows: counts.iter().zip(&more).enumerate().map(row).collect(),
        rounding: RowRounding::Exact,
        note: WHY_NOT_TIGHT.into(),
        json: json!({
            "budget": loss_json(&form.budget),
            "price": loss_json(&form.question),
            "asked": form.asked,
            "filters": counts.iter().map(filter).collect::<Vec<_>>(),
            "best": counts[*best].kind.name(),
        }),
    }
}

/// A count that has reached the largest one stands for that many or more.
fn more_words(admits: u64, asked: u64) -> String {
    match (admits, admits.checked_sub(asked)) {
        (u64::MAX, _) => "over 10^19".to_owned(),
        (_, Some(more)) => more.to_string(),
        (_, None) => "no".to_owned(),
    }
}

fn title(kind: FilterKind) -> &'static str {
    match kind {
        FilterKind::Basic => "basic",
        FilterKind::Advanced => "advanced",
        FilterKind::BasicOrAdvanced => "basic or advanced",
        FilterKind::ApproximateZcdp => "approximate zCDP",
    }
}

fn rule(count: &FilterCount) -> String {
    match (count.kind, &count.rho_within) {
        (FilterKind::Basic, _) => "Σε and Σδ within the budget".to_owned(),
        (FilterKind::Advanced, _) => "√(2·ln(1/δ)·Σε²) + ½·Σε² within ε".to_owned(),
        (FilterKind::BasicOrAdvanced, _) => {
            "whichever of the two still holds; pure questions only".to_owned()
        }
        (FilterKind::ApproximateZcdp, Some(rho)) => {
            format!("Σρ within {}, what the ledger enforces", short_lower(rho.value()))
        }
        (FilterKind::ApproximateZcdp, None) => "Σρ and Σδ within the budget".to_owned(),
    }
}

/// The symbol, the key and the digits of a loss, and the digits of its δ.
fn loss_parts(loss: &LossForm) -> (char, &'static str, String, String) {
    let delta = exact(loss.delta.clone().unwrap_or_else(Delta::zero).value());
    match (&loss.epsilon, &loss.rho) {
        (Some(epsilon), _) => ('ε', "epsilon", exact(epsilon.value()), delta),
        (None, Some(rho)) => ('ρ', "rho", exact(rho.value()), delta),
        (None, None) => ('ε', "epsilon", "0".to_owned(), delta),
    }
}

fn loss_words(loss: &LossForm) -> String {
    let (symbol, _, digits, delta) = loss_parts(loss);
    format!("({symbol} = {digits}, δ = {delta})")
}

fn loss_json(loss: &LossForm) -> Value {
    let (_, key, digits, delta) = loss_parts(loss);
    json!({ key: digits, "delta": delta })
}
