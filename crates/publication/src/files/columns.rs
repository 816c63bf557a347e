//! The columns of a table in files: its keys, and for every number what it is, how wrong it may be and what it was made of.
//!
//! CSV, Parquet, their description, the codebook and the statement all read this list, so they cannot disagree.
//! **Rounding.** Intervals and errors are rounded outwards to the digits that the error leaves standing; estimates are not
//! rounded, because sums of them must stay what they are.

use std::collections::BTreeSet;

use pointillist_catalog::{Value, calendar};
use pointillist_plan::Type;
use pointillist_render::places::Places;

use crate::{Figure, PublishedTable, Row};

/// A column as files have it.
pub(super) struct FileColumn {
    /// The name, which no other column of the table has.
    pub(super) name: String,
    /// What stands in it.
    pub(super) role: Role,
    /// The type of what stands in it.
    pub(super) kind: Type,
    /// What it means, in a sentence.
    pub(super) meaning: String,
    /// How intervals and errors are rounded.
    places: Places,
}

/// What stands in a column, of the key or of the measure of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Key(usize),
    Value(usize),
    Low(usize),
    High(usize),
    Estimate(usize),
    Error(usize),
    Noisy(usize),
}

impl Role {
    /// The word for scripts.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Key(_) => "key",
            Self::Value(_) => "value",
            Self::Low(_) => "low_95",
            Self::High(_) => "high_95",
            Self::Estimate(_) => "estimate",
            Self::Error(_) => "error_95",
            Self::Noisy(_) => "noisy",
        }
    }
}

/// One field of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    /// NULL, or undefined.
    Null,
    /// A value as it is.
    Value(Value),
    /// A whole number of any size.
    Whole(i128),
    /// A number as decimal digits, rounded as its column is.
    Rounded(String),
    /// A number as it is; also one without end.
    Real(f64),
}

/// The columns of a table, from the left.
pub(super) fn columns(table: &PublishedTable) -> Vec<FileColumn> {
    let mut columns = Vec::new();
    for (at, key) in table.keys.iter().enumerate() {
        let meaning = key.description.clone().unwrap_or_else(|| format!("Key: {}", key.name));
        let (name, places) = (key.name.clone(), Places::WHOLE);
        columns.push(FileColumn { name, role: Role::Key(at), kind: key.kind, meaning, places });
    }
    for (at, measure) in table.measures.iter().enumerate() {
        let places = places(table, at);
        let name = &measure.name;
        let what = measure.description.clone().unwrap_or_else(|| format!("The number `{name}`"));
        let what = what.trim_end_matches('.');
        let floor = if measure.is_count { ", never below zero" } else { "" };
        let ends = |end: &str| format!("{end} end of the 95 % interval for `{name}` without noise");
        let described: [(&str, Role, Type, String); 6] = [
            ("", Role::Value(at), measure.kind, format!("{what}, with noise{floor}")),
            ("_low", Role::Low(at), Type::Number, ends("Lower")),
            ("_high", Role::High(at), Type::Number, ends("Upper")),
            (
                "_estimate",
                Role::Estimate(at),
                Type::Number,
                format!(
                    "Unbiased estimate that `{name}` was made of, may be negative: compute sums and ratios from it"
                ),
            ),
            (
                "_error_95",
                Role::Error(at),
                Type::Number,
                format!("The noise of `{name}_estimate` stays within plus or minus this with 95 %"),
            ),
            (
                "_noisy",
                Role::Noisy(at),
                Type::Boolean,
                format!("True where the noise, which is public, is too large for `{name}` to be of use"),
            ),
        ];
        for (ending, role, kind, meaning) in described {
            columns.push(FileColumn { name: format!("{name}{ending}"), role, kind, meaning, places });
        }
    }
    with_names_of_their_own(&mut columns);
    columns
}

/// How the numbers of a measure are rounded: as the smallest of their errors allows.
pub(crate) fn places(table: &PublishedTable, measure: usize) -> Places {
    Places::of_errors(table.rows.iter().filter_map(|row| row.cells.get(measure)?.error_95))
}

/// SQL ignores case and Parquet takes each name once: a name that is taken gets a number.
fn with_names_of_their_own(columns: &mut [FileColumn]) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for column in columns {
        if column.name.is_empty() {
            column.name = "column".to_owned();
        }
        let wanted = column.name.clone();
        let mut number = 2;
        while !taken.insert(column.name.to_lowercase()) {
            column.name = format!("{wanted}_{number}");
            number += 1;
        }
    }
}

impl FileColumn {
    /// What a row has in this column.
    pub(super) fn field(&self, row: &Row) -> Field {
        let cell = |measure: usize| row.cells.get(measure);
        let field = match self.role {
            Role::Key(at) => row.keys.get(at).cloned().flatten().map(Field::Value),
            Role::Value(at) => cell(at).and_then(|cell| cell.value).map(|figure| match figure {
                Figure::Whole(value) => Field::Whole(value),
                Figure::Real(value) => self.rounded(value, |places, value| places.nearest(value)),
            }),
            Role::Low(at) => cell(at)
                .and_then(|cell| cell.interval)
                .map(|ends| self.rounded(ends.0, |places, low| places.low(low))),
            Role::High(at) => cell(at)
                .and_then(|cell| cell.interval)
                .map(|ends| self.rounded(ends.1, |places, high| places.high(high))),
            Role::Estimate(at) => {
                cell(at).and_then(|cell| cell.estimate).map(|value| Field::Real(value + 0.0))
            }
            Role::Error(at) => cell(at)
                .and_then(|cell| cell.error_95)
                .map(|error| self.rounded(error, |places, error| places.high(error))),
            Role::Noisy(at) => cell(at).map(|cell| Field::Value(Value::Boolean(cell.is_noisy))),
        };
        field.unwrap_or(Field::Null)
    }

    fn rounded(&self, value: f64, round: impl Fn(Places, f64) -> String) -> Field {
        if value.is_finite() { Field::Rounded(round(self.places, value)) } else { Field::Real(value) }
    }
}

impl Field {
    /// The field as text; none for NULL. Numbers without end are as XML Schema writes them.
    pub(super) fn text(&self) -> Option<String> {
        Some(match self {
            Self::Null => return None,
            Self::Value(value) => value_text(value),
            Self::Whole(value) => value.to_string(),
            Self::Rounded(text) => text.clone(),
            Self::Real(value) if value.is_nan() => return None,
            Self::Real(value) if value.is_infinite() => if *value > 0.0 { "INF" } else { "-INF" }.to_owned(),
            Self::Real(value) => value.to_string(),
        })
    }

    /// The field as a number; none for what is none.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Value(Value::Number(value)) | Self::Real(value) => {
                Some(*value).filter(|value| !value.is_nan())
            }
            Self::Value(Value::Integer(value)) => Some(*value as f64),
            Self::Whole(value) => Some(*value as f64),
            Self::Rounded(text) => text.parse().ok(),
            Self::Null | Self::Value(_) => None,
        }
    }
}

/// A value as text: days and moments in ISO 8601, numbers with all their digits.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::Date(days) => calendar::date_text(*days),
        Value::Timestamp(micros) => calendar::timestamp_text(*micros),
    }
}

/// The word for a type, as answers have it.
pub(super) fn type_word(kind: Type) -> &'static str {
    match kind {
        Type::Boolean => "boolean",
        Type::Integer => "integer",
        Type::Number => "number",
        Type::Text => "text",
        Type::Date => "date",
        Type::Timestamp => "timestamp",
    }
}
