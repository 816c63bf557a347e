//! A value of a category, as a model file has it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value that is not NULL. Days and moments are texts, as people write them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// True or false.
    Truth(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
}

impl Label {
    /// Whether two values are the same; a whole number may be written as a number.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(whole), Self::Number(number)) | (Self::Number(number), Self::Integer(whole)) => {
                *whole as f64 == *number
            }
            (left, right) => left == right,
        }
    }

    /// The number that this is.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(whole) => Some(*whole as f64),
            Self::Number(number) => Some(*number),
            Self::Truth(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truth(truth) => truth.fmt(out),
            Self::Integer(whole) => whole.fmt(out),
            Self::Number(number) => number.fmt(out),
            Self::Text(text) => text.fmt(out),
        }
    }
}
