//! How many digits a number is worth: those of its grid, or those that its error leaves standing.
//!
//! A total of cents has two places, whatever the noise. A mean has no grid: it is shown with as many places as
//! its interval has two digits of width for. Bounds of intervals are rounded outwards.

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_curator::{Answer, Column, Disclosure};
use pointillist_plan::Type;

/// More places than this are noise in any unit.
const PLACES_MAX: usize = 9;

/// The places behind the point of a column's numbers; `None` where a number is shown as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    places: Option<usize>,
}

impl Digits {
    /// The digits of a column.
    pub fn of(answer: &Answer, column: usize) -> Self {
        let Column { kind, release, .. } = &answer.columns[column];
        let places = match (kind, release) {
            (Type::Integer, _) => Some(0),
            (Type::Number, Some(Disclosure { error_95: Some(_), grid, .. })) => places_of_grid(grid),
            (Type::Number, _) => {
                let intervals = answer.rows.iter().filter_map(|row| row.intervals[column]);
                places_of_widths(intervals.map(|(low, high)| high - low))
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
                Some(places) => without_minus_zero(format!("{value:.places$}")),
                None => value.to_string(),
            },
            Value::Text(value) => value.clone(),
            Value::Date(days) => date_text(*days),
            Value::Timestamp(micros) => timestamp_text(*micros).replace('T', " "),
        })
    }

    /// The lower end of an interval, rounded down.
    pub fn low(self, value: f64) -> String {
        self.rounded(value, f64::floor)
    }

    /// The upper end of an interval, or an error, rounded up.
    pub fn high(self, value: f64) -> String {
        self.rounded(value, f64::ceil)
    }

    fn rounded(self, value: f64, towards: fn(f64) -> f64) -> String {
        let Some(places) = self.places else {
            return value.to_string();
        };
        if !value.is_finite() {
            return if value > 0.0 { "∞".to_owned() } else { "-∞".to_owned() };
        }
        let scale = 10_f64.powi(i32::try_from(places).unwrap_or(0));
        let scaled = value * scale;
        // A bound that is a whole number of places, but for the last bit of a float, is not moved by a place.
        let near = scaled.round();
        let whole = if (scaled - near).abs() <= 1e-9 * near.abs().max(1.0) { near } else { towards(scaled) };
        without_minus_zero(format!("{:.places$}", whole / scale))
    }
}

/// The places of a finite decimal; a grid of thirds has none.
fn places_of_grid(grid: &str) -> Option<usize> {
    if grid.contains(['/', 'e']) {
        return None;
    }
    let places = grid.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len());
    Some(places.min(PLACES_MAX))
}

/// So many places that half of the narrowest interval has two digits.
fn places_of_widths(widths: impl Iterator<Item = f64>) -> Option<usize> {
    let narrowest = widths.filter(|width| width.is_finite() && *width > 0.0).reduce(f64::min)?;
    let magnitude = (narrowest / 2.0).log10().floor();
    Some((1.0 - magnitude).clamp(0.0, PLACES_MAX as f64) as usize)
}

fn without_minus_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_says_how_many_places() {
        for (grid, places) in
            [("1", Some(0)), ("0.01", Some(2)), ("0.50", Some(1)), ("1/3", None), ("100", Some(0))]
        {
            assert_eq!(places_of_grid(grid), places, "{grid}");
        }
    }

    #[test]
    fn an_interval_says_how_many_places() {
        for (widths, places) in [
            (&[0.074][..], Some(3)),
            (&[2.0, 7.4], Some(1)),
            (&[74.0], Some(0)),
            (&[74_000.0], Some(0)),
            (&[0.0, f64::INFINITY], None),
            (&[], None),
        ] {
            assert_eq!(places_of_widths(widths.iter().copied()), places, "{widths:?}");
        }
    }

    #[test]
    fn bounds_go_outwards_and_floats_do_not_show() {
        let two = Digits { places: Some(2) };
        assert_eq!((two.low(12.349), two.high(12.341)), ("12.34".into(), "12.35".into()));
        assert_eq!(
            (two.low(12.340_000_000_000_001), two.high(12.340_000_000_000_001)),
            ("12.34".into(), "12.34".into())
        );
        assert_eq!(two.value(Some(&Value::Number(-0.001))), Some("0.00".into()));
        assert_eq!(two.low(f64::NEG_INFINITY), "-∞");
        let whole = Digits { places: Some(0) };
        assert_eq!((whole.low(-3.0), whole.high(25.2)), ("-3".into(), "26".into()));
    }
}
