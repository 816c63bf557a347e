//! How many digits the numbers of a column are worth.

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_plan::Type;
use pointillist_render::places::Places;

use super::{Answer, Column, Disclosure};

/// The places behind the point of a column's numbers; `None` where a number is shown as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    places: Option<Places>,
}

impl Digits {
    /// The digits of a column.
    pub(crate) fn of(answer: &Answer, column: usize) -> Self {
        let Column { kind, release, .. } = &answer.columns[column];
        let places = match (kind, release) {
            (Type::Integer, _) => Some(Places::WHOLE),
            (Type::Number, Some(Disclosure { error_95: Some(_), grid: Some(step), .. })) => {
                Places::of_step(step)
            }
            (Type::Number, _) => {
                let intervals = answer.rows.iter().filter_map(|row| row.intervals[column]);
                Places::of_known_errors(intervals.map(|(low, high)| (high - low) / 2.0))
            }
            _ => None,
        };
        Self { places }
    }

    /// A value as text, without groups of three; NULL is nothing.
    pub fn value(self, value: Option<&Value>) -> Option<String> {
        Some(match value? {
            Value::Boolean(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Number(value) => match self.places {
                Some(places) => places.nearest(*value),
                None => value.to_string(),
            },
            Value::Text(value) => value.clone(),
            Value::Date(days) => date_text(*days),
            Value::Timestamp(micros) => timestamp_text(*micros).replace('T', " "),
        })
    }

    /// The lower end of an interval, rounded down.
    pub fn low(self, value: f64) -> String {
        self.places.map_or_else(|| value.to_string(), |places| places.low(value))
    }

    /// The upper end of an interval, or an error, rounded up.
    pub fn high(self, value: f64) -> String {
        self.places.map_or_else(|| value.to_string(), |places| places.high(value))
    }
}
