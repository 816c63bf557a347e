//! Values put beside each other: order, equality, and keys for hashing.

use std::cmp::Ordering;

use super::decimal;
use crate::PgValue;

/// The order of two values that are not NULL; `None` where there is none.
pub(super) fn compare(left: &PgValue, right: &PgValue) -> Option<Ordering> {
    use PgValue::{Array, Bool, Date, Float, Int, Interval, Numeric, Record, Reg, Text, Timestamp};
    Some(match (left, right) {
        (Int(left), Int(right)) => left.cmp(right),
        (Text(left), Text(right)) => left.cmp(right),
        (Bool(left), Bool(right)) => left.cmp(right),
        (Reg { oid: left, .. }, Reg { oid: right, .. }) => left.cmp(right),
        (Reg { oid, .. }, Int(right)) => i64::from(*oid).cmp(right),
        (Int(left), Reg { oid, .. }) => left.cmp(&i64::from(*oid)),
        (Float(left), Float(right)) => floats(*left, *right),
        (Float(left), _) => floats(*left, as_float(right)?),
        (_, Float(right)) => floats(as_float(left)?, *right),
        (Numeric(_), Int(_)) | (Int(_), Numeric(_)) | (Numeric(_), Numeric(_)) => {
            decimal::compare(left, right)?
        }
        (Date(left), Date(right)) => left.cmp(right),
        (Timestamp(left), Timestamp(right)) => left.cmp(right),
        (Date(left), Timestamp(right)) => moment(*left).cmp(right),
        (Timestamp(left), Date(right)) => left.cmp(&moment(*right)),
        (Interval { .. }, Interval { .. }) => span(left)?.cmp(&span(right)?),
        (Array { elements: left, .. }, Array { elements: right, .. }) => lists(left.iter(), right.iter()),
        (Record(left), Record(right)) => {
            lists(left.iter().map(|field| &field.1), right.iter().map(|field| &field.1))
        }
        _ => return None,
    })
}

/// The order by which rows are sorted: NULL after everything.
pub(super) fn sorted(left: &PgValue, right: &PgValue) -> Ordering {
    match (left, right) {
        (PgValue::Null, PgValue::Null) => Ordering::Equal,
        (PgValue::Null, _) => Ordering::Greater,
        (_, PgValue::Null) => Ordering::Less,
        (left, right) => compare(left, right).unwrap_or(Ordering::Equal),
    }
}

fn lists<'v>(
    left: impl Iterator<Item = &'v PgValue>,
    mut right: impl Iterator<Item = &'v PgValue>,
) -> Ordering {
    for left in left {
        match right.next().map(|right| sorted(left, right)) {
            None => return Ordering::Greater,
            Some(Ordering::Equal) => {}
            Some(order) => return order,
        }
    }
    if right.next().is_some() { Ordering::Less } else { Ordering::Equal }
}

/// NaN is greater than everything and equal to itself; both zeros are one.
fn floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
}

fn as_float(value: &PgValue) -> Option<f64> {
    match value {
        PgValue::Int(value) => Some(*value as f64),
        PgValue::Numeric(text) => text.parse().ok(),
        _ => None,
    }
}

fn moment(days: i32) -> i64 {
    i64::from(days).saturating_mul(86_400_000_000)
}

fn span(value: &PgValue) -> Option<i128> {
    let PgValue::Interval { months, days, microseconds } = value else { return None };
    let days = i128::from(*months) * 30 + i128::from(*days);
    Some(days * 86_400_000_000 + i128::from(*microseconds))
}

/// A value for hashing: equal exactly where the values are not distinct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Int(i128),
    Float(u64),
    Text(String),
    Moment(i64),
    List(Vec<Key>),
}

pub(super) fn key(value: &PgValue) -> Key {
    match value {
        PgValue::Null => Key::Null,
        PgValue::Bool(value) => Key::Bool(*value),
        PgValue::Int(value) => Key::Int(i128::from(*value)),
        PgValue::Reg { oid, .. } => Key::Int(i128::from(*oid)),
        PgValue::Float(value) => float_key(*value),
        // Numbers of all types that are equal have one key: whole ones as such, others as the nearest double, which
        // may put unequal numbers together; whoever joins compares them once more.
        PgValue::Numeric(text) => match decimal::whole(text) {
            Some(whole) => Key::Int(whole),
            None => float_key(text.parse().unwrap_or(f64::NAN)),
        },
        PgValue::Text(text) => Key::Text(text.clone()),
        PgValue::Date(days) => Key::Moment(moment(*days)),
        PgValue::Timestamp(microseconds) => Key::Moment(*microseconds),
        PgValue::Interval { .. } => Key::Int(span(value).unwrap_or_default()),
        PgValue::Array { elements, .. } => Key::List(elements.iter().map(key).collect()),
        PgValue::Record(fields) => Key::List(fields.iter().map(|field| key(&field.1)).collect()),
    }
}

fn float_key(value: f64) -> Key {
    if value.is_nan() {
        Key::Float(f64::NAN.to_bits())
    } else if value.fract() == 0.0 && value.abs() < 1e18 {
        Key::Int(value as i128)
    } else {
        Key::Float(value.to_bits())
    }
}
