//! An answer from its JSON: what a client of a server reads, to show it as the server's own doors do.
//!
//! Everything in it was released. What the JSON leaves out (the exact scale of noise) is not in the answer either.

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{parse_date, parse_timestamp};
use pointillist_errors::{Explanation, Kind};
use pointillist_plan::{Role, Type};
use serde_json::Value as Json;

use super::answer::type_name;
use crate::answer::{Answer, Column, Row};

const TYPES: [Type; 6] =
    [Type::Boolean, Type::Integer, Type::Number, Type::Text, Type::Date, Type::Timestamp];

impl Answer {
    /// The answer that this JSON is of: that of a reply, a rehearsal, a public answer or a list.
    ///
    /// # Errors
    /// When it is not the JSON of an answer.
    pub fn from_json(text: &str) -> Result<Self, Explanation> {
        let json: Json = serde_json::from_str(text).unwrap_or_default();
        read(&json).ok_or_else(|| {
            Explanation::new(Kind::Request, "this is not the JSON of an answer")
                .with_hint("send the question to a server of the same version")
        })
    }
}

fn read(json: &Json) -> Option<Answer> {
    let rows = json["rows"].as_array()?;
    let none = Vec::new();
    let intervals = json["intervals"].as_array().unwrap_or(&none);
    let columns: Vec<Column> = json["columns"].as_array()?.iter().map(column).collect::<Option<_>>()?;
    let row = |(number, cells): (usize, &Json)| {
        let cells = cells.as_array().filter(|cells| cells.len() == columns.len())?;
        let values = cells.iter().zip(&columns).map(|(cell, column)| value(column.kind, cell));
        let ends = |place: usize| Some(interval(&intervals.get(number)?[place]));
        let ends = (0..columns.len()).map(|place| ends(place).flatten());
        Some(Row { values: values.collect::<Option<_>>()?, intervals: ends.collect() })
    };
    let rows: Vec<Row> = rows.iter().enumerate().map(row).collect::<Option<_>>()?;
    let notes = json["notes"].as_array().unwrap_or(&none).iter().filter_map(Json::as_str);
    let notes = notes.map(str::to_owned).collect();
    let mut answer = Answer { columns, rows, notes };
    for place in 0..answer.columns.len() {
        let has_interval = answer.rows.iter().any(|row| row.intervals[place].is_some());
        answer.columns[place].has_interval |= has_interval;
    }
    Some(answer)
}

fn column(json: &Json) -> Option<Column> {
    let named = json["type"].as_str().unwrap_or("text");
    let role = match json["role"].as_str() {
        Some("key") => Role::Key(0),
        Some("aggregate") => Role::Aggregate(0),
        _ => Role::Derived,
    };
    Some(Column {
        name: json["name"].as_str()?.to_owned(),
        kind: TYPES.into_iter().find(|kind| type_name(*kind) == named)?,
        role,
        release: None,
        has_interval: matches!(role, Role::Aggregate(_)),
    })
}

/// NULL is a value; what does not fit its type is none.
#[allow(
    clippy::option_option,
    reason = "the outer one is whether the JSON is understood, the inner one is NULL"
)]
fn value(kind: Type, json: &Json) -> Option<Option<Value>> {
    if json.is_null() {
        return Some(None);
    }
    let value = match kind {
        Type::Boolean => Value::Boolean(json.as_bool()?),
        Type::Integer => Value::Integer(json.as_i64()?),
        Type::Number => Value::number(json.as_f64()?)?,
        Type::Text => Value::Text(json.as_str()?.to_owned()),
        Type::Date => Value::Date(parse_date(json.as_str()?)?),
        Type::Timestamp => Value::Timestamp(parse_timestamp(json.as_str()?)?),
    };
    Some(Some(value))
}

fn interval(json: &Json) -> Option<(f64, f64)> {
    let [low, high] = json.as_array()?.as_slice() else { return None };
    Some((low.as_f64().unwrap_or(f64::NEG_INFINITY), high.as_f64().unwrap_or(f64::INFINITY)))
}
