//! One value of a column or of an answer: the few types that data has here.

use std::cmp::Ordering;

use serde::{Serialize, Serializer};

use crate::calendar::{date_text, timestamp_text};

/// A value that is not NULL. Numbers are finite; minus zero does not occur.
#[derive(Clone, Debug)]
pub enum Value {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Number(f64),
    /// Text; compared byte by byte.
    Text(String),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since 1970-01-01T00:00:00, without a time zone.
    Timestamp(i64),
}

impl Value {
    /// A number that exists: finite, with one zero.
    pub fn number(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self::Number(value + 0.0))
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Boolean(_) => 0,
            Self::Integer(_) => 1,
            Self::Number(_) => 2,
            Self::Text(_) => 3,
            Self::Date(_) => 4,
            Self::Timestamp(_) => 5,
        }
    }
}

/// Numbers as numbers, days and moments as text.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Date(days) => serializer.serialize_str(&date_text(*days)),
            Self::Timestamp(micros) => serializer.serialize_str(&timestamp_text(*micros)),
        }
    }
}

/// Values of one type are ordered as people expect, text by its bytes; types come one after the other.
impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) | (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}
