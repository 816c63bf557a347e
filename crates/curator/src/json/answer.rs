//! A table of released values.

use std::borrow::Cow;

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_numbers::decimal_upper;
use pointillist_plan::Type;
use pointillist_render::decimals::exact;
use serde::{Serialize, Serializer};

use crate::answer::{Answer, Column, SCALE_DIGITS, role_word};

/// `25`, not `25.0`; an end that is nowhere is null.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// Any other.
    Float(f64),
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        // Below 2^53 every whole float is that integer.
        let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
        if is_whole { Self::Whole(value as i64) } else { Self::Float(value) }
    }
}

/// A value: numbers as numbers, days and moments as text, NULL as null.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Cell<'a> {
    /// NULL.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A text, a day or a moment.
    Text(Cow<'a, str>),
}

impl<'a> From<Option<&'a Value>> for Cell<'a> {
    fn from(value: Option<&'a Value>) -> Self {
        match value {
            None => Self::Null,
            Some(Value::Boolean(value)) => Self::Boolean(*value),
            Some(Value::Integer(value)) => Self::Integer(*value),
            Some(Value::Number(value)) => Self::Number(*value),
            Some(Value::Text(value)) => Self::Text(Cow::Borrowed(value)),
            Some(Value::Date(days)) => Self::Text(Cow::Owned(date_text(*days))),
            Some(Value::Timestamp(micros)) => Self::Text(Cow::Owned(timestamp_text(*micros))),
        }
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

#[derive(Serialize)]
pub(super) struct AnswerJson<'a> {
    columns: Vec<ColumnJson<'a>>,
    rows: Vec<Vec<Cell<'a>>>,
    intervals: Vec<Vec<Option<[Option<Number>; 2]>>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ColumnJson<'a> {
    name: &'a str,
    r#type: &'static str,
    role: &'static str,
    #[serde(flatten)]
    release: Option<ReleaseJson>,
}

#[derive(Serialize)]
struct ReleaseJson {
    mechanism: &'static str,
    scale: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_95: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank_error_95: Option<Number>,
    grid: Option<String>,
}

impl<'a> AnswerJson<'a> {
    pub(super) fn new(answer: &'a Answer) -> Self {
        let digits: Vec<_> = (0..answer.columns.len()).map(|column| answer.digits(column)).collect();
        let end = |text: String| text.parse().ok().map(|end: f64| Number::from(end));
        let intervals = answer.rows.iter().map(|row| {
            let ends = row.intervals.iter().zip(&digits);
            let ends = ends.map(|(interval, digits)| {
                interval.map(|(low, high)| [end(digits.low(low)), end(digits.high(high))])
            });
            ends.collect()
        });
        let cells = |values: &'a [Option<Value>]| values.iter().map(|value| value.as_ref().into()).collect();
        Self {
            columns: answer.columns.iter().map(ColumnJson::new).collect(),
            rows: answer.rows.iter().map(|row| cells(&row.values)).collect(),
            intervals: intervals.collect(),
            notes: &answer.notes,
        }
    }
}

impl<'a> ColumnJson<'a> {
    fn new(column: &'a Column) -> Self {
        let release = column.release.as_ref().map(|release| ReleaseJson {
            mechanism: release.mechanism.name(),
            scale: release.scale.as_ref().map(|scale| decimal_upper(scale, SCALE_DIGITS)),
            error_95: release.error_95.map(Number::from),
            rank_error_95: release.rank_error_95.map(Number::from),
            grid: release.grid.as_ref().map(exact),
        });
        Self { name: &column.name, r#type: type_name(column.kind), role: role_word(column.role), release }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        AnswerJson::new(self).serialize(serializer)
    }
}
