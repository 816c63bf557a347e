//! An answer as JSON: the shape that scripts rely on.

use pointillist_catalog::Value as Cell;
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_curator::{Answer, Column, Reply};
use pointillist_plan::Type;
use serde_json::{Map, Value, json};

use super::digits::Digits;
use super::money::{amount_json, cost_json, paid_word};

/// The whole reply.
pub fn reply(reply: &Reply) -> Value {
    let mut object = answer(&reply.answer);
    insert_account(&mut object, reply);
    Value::Object(object)
}

/// What a reply cost, where it is recorded and what is left.
pub fn insert_account(object: &mut Map<String, Value>, reply: &Reply) {
    object.insert("cost".to_owned(), cost_json(&reply.cost, reply.epsilon_at_delta.as_ref()));
    object.insert("paid".to_owned(), paid_word(reply.paid).into());
    let receipt = &reply.receipt;
    object.insert(
        "receipt".to_owned(),
        json!({ "seq": receipt.seq, "hash": receipt.hash, "scope": receipt.scope, "analyst": receipt.analyst }),
    );
    let remaining = reply.left.remaining.unwrap_or_default();
    let mut budget = amount_json("remaining_", reply.left.currency, remaining);
    budget.insert("more".to_owned(), reply.more.into());
    object.insert("budget".to_owned(), Value::Object(budget));
}

/// Columns, rows, intervals and notes.
pub fn answer(answer: &Answer) -> Map<String, Value> {
    let digits: Vec<Digits> = (0..answer.columns.len()).map(|column| Digits::of(answer, column)).collect();
    let rows =
        answer.rows.iter().map(|row| row.values.iter().map(|value| cell(value.as_ref())).collect::<Value>());
    let intervals = answer.rows.iter().map(|row| {
        let ends = row.intervals.iter().zip(&digits).map(|(interval, digits)| match interval {
            Some((low, high)) => json!([number(&digits.low(*low)), number(&digits.high(*high))]),
            None => Value::Null,
        });
        ends.collect::<Value>()
    });
    let mut object = Map::new();
    object.insert("columns".to_owned(), answer.columns.iter().map(column).collect());
    object.insert("rows".to_owned(), rows.collect());
    object.insert("intervals".to_owned(), intervals.collect());
    object.insert("notes".to_owned(), answer.notes.clone().into());
    object
}

/// A value: numbers as numbers, days and moments as text.
pub fn cell(value: Option<&Cell>) -> Value {
    match value {
        None => Value::Null,
        Some(Cell::Boolean(value)) => (*value).into(),
        Some(Cell::Integer(value)) => (*value).into(),
        Some(Cell::Number(value)) => (*value).into(),
        Some(Cell::Text(value)) => value.clone().into(),
        Some(Cell::Date(days)) => date_text(*days).into(),
        Some(Cell::Timestamp(micros)) => timestamp_text(*micros).into(),
    }
}

/// The name that PostgreSQL has for a type.
pub fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Boolean => "bool",
        Type::Integer => "int8",
        Type::Number => "float8",
        Type::Text => "text",
        Type::Date => "date",
        Type::Timestamp => "timestamp",
    }
}

fn column(column: &Column) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), column.name.clone().into());
    object.insert("type".to_owned(), type_name(column.kind).into());
    object.insert("role".to_owned(), column.role.into());
    if let Some(release) = &column.release {
        object.insert("mechanism".to_owned(), release.mechanism.into());
        object.insert("scale".to_owned(), release.scale.clone().into());
        if let Some(error) = release.error_95 {
            object.insert("error_95".to_owned(), whole_or_float(error));
        }
        object.insert("grid".to_owned(), release.grid.clone().into());
    }
    Value::Object(object)
}

/// A decimal text as a number; an end that is nowhere is null.
fn number(text: &str) -> Value {
    text.parse().map_or(Value::Null, whole_or_float)
}

/// `25`, not `25.0`; an end that is nowhere is null.
pub fn whole_or_float(value: f64) -> Value {
    // Below 2^53 every whole float is that integer.
    if value.fract() == 0.0 && value.abs() < 9e15 { (value as i64).into() } else { value.into() }
}
