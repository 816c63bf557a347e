//! Everything that an asker sees of one answer.

use pointillist_catalog::Value;
use pointillist_curator::{Answer, AskError, Column, Reply};
use pointillist_errors::Explained;
use pointillist_plan::Role;

use super::text_table::text;
use crate::Observation;

/// Ends of an interval that differ by less are what the error bar says.
const ROUNDING: f64 = 1e-6;

/// An answer or a refusal: keys, values, intervals, shape and words. Where it is recorded and what is left
/// count the audit's own questions, and are left out.
pub fn observe(outcome: &Result<Reply, AskError>) -> Observation {
    match outcome {
        Ok(reply) => of_answer(&reply.answer)
            .with("price", format!("{:?}", reply.price))
            .with("paid", format!("{:?}", reply.paid)),
        Err(error) => Observation::new().with("refusal", error.explanation().text()),
    }
}

fn of_answer(answer: &Answer) -> Observation {
    let mut seen = Observation::new().with("rows", answer.rows.len()).with("notes", answer.notes.join("\n"));
    for column in &answer.columns {
        seen = seen.with(format!("column {}", column.name), about(column));
    }
    for (place, row) in answer.rows.iter().enumerate() {
        let keys: Vec<String> = answer
            .columns
            .iter()
            .zip(&row.values)
            .filter(|(column, _)| matches!(column.role, Role::Key(_)))
            .map(|(_, value)| value.as_ref().map_or_else(|| "NULL".to_owned(), text))
            .collect();
        let group = if keys.is_empty() { format!("row {place}") } else { keys.join(", ") };
        if !keys.is_empty() {
            seen = seen.with(format!("place of {group}"), place);
        }
        let cells = answer.columns.iter().zip(&row.values).zip(&row.intervals);
        for ((column, value), interval) in
            cells.filter(|((column, _), _)| !matches!(column.role, Role::Key(_)))
        {
            let name = format!("{} of {group}", column.name);
            seen = match value {
                None => seen.with(&*name, "NULL"),
                Some(Value::Integer(value)) => seen.with(&*name, *value),
                Some(Value::Number(value)) => seen.with(&*name, *value),
                Some(value) => seen.with(&*name, text(value)),
            };
            seen = with_interval(seen, &name, column, value.as_ref(), *interval);
        }
    }
    seen
}

/// The error bar of a count or a sum is the same in every row, and adds nothing where it is; other intervals
/// are numbers of their own.
fn with_interval(
    seen: Observation,
    name: &str,
    column: &Column,
    value: Option<&Value>,
    interval: Option<(f64, f64)>,
) -> Observation {
    let Some((low, high)) = interval else {
        return seen.with(format!("interval of {name}"), "none");
    };
    let error = column.release.as_ref().and_then(|release| release.error_95);
    let number = match value {
        Some(Value::Integer(value)) => Some(*value as f64),
        Some(Value::Number(value)) => Some(*value),
        _ => None,
    };
    if let (Some(error), Some(number)) = (error, number) {
        let near = |end: f64, stated: f64| (end - stated).abs() <= ROUNDING * (1.0 + stated.abs());
        let as_stated = near(low, number - error) && near(high, number + error);
        if as_stated {
            return seen.with(format!("interval of {name}"), "as stated");
        }
    }
    seen.with(format!("low end of {name}"), low).with(format!("high end of {name}"), high)
}

/// What the head of a column says.
fn about(column: &Column) -> String {
    format!("{:?} {:?} {:?}", column.kind, column.role, column.release)
}
