//! Numbers as a reader sees them: with as many digits as their error leaves standing.

use pointillist_catalog::Value;
use pointillist_render::decimals::grouped;
use pointillist_render::text;

use crate::files::value_text;
use crate::{Cell, Figure, Row};

/// A number that is shown, as a float to draw with.
pub(super) fn drawn(cell: &Cell) -> Option<f64> {
    cell.value.map(|figure| match figure {
        Figure::Whole(value) => value as f64,
        Figure::Real(value) => value,
    })
}

/// A number rounded so that its error has two digits left: 12,345 with an error of 230 is `12,350`.
pub(super) fn rounded(value: f64, error: Option<f64>) -> String {
    let Some(step) = error.and_then(step) else {
        return grouped(&value.to_string());
    };
    let places = (-step.log10()).ceil().clamp(0.0, 9.0) as usize;
    let text = format!("{:.places$}", (value / step).round() * step);
    let zero = text.chars().all(|sign| "-0.".contains(sign));
    grouped(if zero { text.trim_start_matches('-') } else { &text })
}

/// An error with two digits, rounded up.
pub(super) fn error(error: f64) -> String {
    let Some(step) = step(error) else {
        return "0".to_owned();
    };
    let places = (-step.log10()).ceil().clamp(0.0, 9.0) as usize;
    let steps = error / step;
    let near = steps.round();
    let whole = if (steps - near).abs() < 1e-9 { near } else { steps.ceil() };
    grouped(&format!("{:.places$}", whole * step))
}

/// `12,350 ± 230`, or nothing where the number is undefined.
pub(super) fn with_error(cell: &Cell) -> String {
    match (drawn(cell), cell.error_95) {
        (None, _) => "undefined".to_owned(),
        (Some(value), Some(error_95)) if error_95.is_finite() && error_95 > 0.0 => {
            format!("{} ± {}", rounded(value, Some(error_95)), error(error_95))
        }
        (Some(value), _) => rounded(value, None),
    }
}

/// The power of ten in which an error has two digits.
fn step(error: f64) -> Option<f64> {
    (error.is_finite() && error > 0.0).then(|| 10_f64.powf(error.log10().floor() - 1.0))
}

/// A key as a reader sees it; signs that a browser would obey are spelled out.
pub(super) fn key(value: &Option<Value>) -> String {
    match value {
        None => "(no value)".to_owned(),
        Some(Value::Text(text)) if text.trim().is_empty() => "(empty)".to_owned(),
        Some(value) => text::shown(&value_text(value)),
    }
}

/// Keys of a row from one to another, as one name.
pub(super) fn keys(row: &Row, places: std::ops::Range<usize>) -> String {
    row.keys[places].iter().map(key).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_error() {
        for (value, error_95, text) in [
            (12_345.0, Some(230.0), "12,350"),
            (12_345.0, Some(2300.0), "12,300"),
            (12_345.678, Some(0.23), "12,345.68"),
            (12_345.678, Some(12.0), "12,346"),
            (-3.0, Some(100.0), "0"),
            (-16.0, Some(100.0), "-20"),
            (7.5, None, "7.5"),
            (7.0, Some(0.0), "7"),
        ] {
            assert_eq!(rounded(value, error_95), text, "{value} {error_95:?}");
        }
        for (value, text) in [(231.0, "240"), (230.0, "230"), (0.0231, "0.024"), (0.0, "0"), (99.9, "100")] {
            assert_eq!(error(value), text, "{value}");
        }
    }
}
