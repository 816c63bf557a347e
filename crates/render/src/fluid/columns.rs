//! Columns side by side, with whiskers: for a few groups.

use maud::{Markup, html};

use super::{percent, pixels, round_up};
use crate::decimals::{grouped, significant};

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What stands below it.
    pub name: String,
    /// How high it is.
    pub value: f64,
    /// Where the truth lies, 19 times in 20.
    pub interval: Option<(f64, f64)>,
    /// The number as it is written elsewhere.
    pub label: String,
}

/// Where columns stand, in pixels.
const TOP: f64 = 34.5;
const BOTTOM: f64 = 232.5;
const HEIGHT: f64 = 270.0;
/// The part of the width that is left to the numbers of the grid.
const LEFT: f64 = 0.12;
/// More columns than this are not labelled with their numbers.
const LABELLED: usize = 4;

/// A chart of columns; `finding` says what to see in it, for those who listen. Columns below zero are not drawn: `None`.
pub fn columns(title: &str, finding: &str, columns: &[Column]) -> Option<Markup> {
    let tops = columns.iter().map(|column| column.interval.map_or(column.value, |(_, high)| high));
    let high = round_up(tops.filter(|top| top.is_finite()).fold(0.0, f64::max));
    if columns.is_empty() || columns.iter().any(|column| !column.value.is_finite() || column.value < 0.0) {
        return None;
    }
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * (value / high).clamp(0.0, 1.0);
    let pitch = (1.0 - LEFT) / columns.len() as f64;
    let middle = |place: usize| LEFT + pitch * (place as f64 + 0.5);
    let (half, cap) = ((0.26 * pitch).min(0.055), (0.08 * pitch).min(0.016));
    let names_fit = columns.iter().all(|column| (column.name.chars().count() as f64) < 75.0 * pitch);
    Some(html! {
        svg.chart height=(HEIGHT) role="img" aria-label=(format!("{title}. {finding}")) {
            @for value in ticks(high) {
                line.grid x1="0" x2="100%" y1=(pixels(y(value))) y2=(pixels(y(value))) {}
                text x="0" y=(pixels(y(value) - 5.0)) { (tick(value)) }
            }
            line.axis x1="0" x2="100%" y1=(BOTTOM) y2=(BOTTOM) {}
            @for (place, column) in columns.iter().enumerate() {
                @let x = middle(place);
                rect.b x=(percent(x - half)) width=(percent(2.0 * half)) y=(pixels(y(column.value)))
                    height=(pixels(BOTTOM - y(column.value))) {}
                @if let Some((low, high)) = column.interval {
                    (whisker(x, cap, y(low), y(high)))
                }
                @if columns.len() <= LABELLED {
                    @let top = column.interval.map_or(column.value, |(_, high)| high);
                    text.strong x=(percent(x)) y=(pixels(y(top) - 8.0)) text-anchor="middle" { (column.label) }
                }
                @if names_fit {
                    text x=(percent(x)) y="252" text-anchor="middle" { (column.name) }
                }
            }
        }
    })
}

fn whisker(x: f64, cap: f64, low: f64, high: f64) -> Markup {
    let (x_text, left, right) = (percent(x), percent(x - cap), percent(x + cap));
    let (low, high) = (pixels(low), pixels(high));
    html! {
        g.w {
            line x1=(x_text) x2=(x_text) y1=(high) y2=(low) {}
            line x1=(left) x2=(right) y1=(high) y2=(high) {}
            line x1=(left) x2=(right) y1=(low) y2=(low) {}
        }
    }
}

/// Three to five round numbers up to `high`, which is round itself.
pub(super) fn ticks(high: f64) -> Vec<f64> {
    let power = 10f64.powf(high.log10().floor());
    let is_round = |count: &i32| {
        let step = high / f64::from(*count) / power * 20.0;
        (step - step.round()).abs() < 1e-6
    };
    let count = [4, 3, 5].into_iter().find(is_round).unwrap_or(2);
    (1..=count).map(|step| high * f64::from(step) / f64::from(count)).collect()
}

/// A number of the grid.
pub(super) fn tick(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e12 {
        grouped(&format!("{value:.0}"))
    } else {
        significant(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, value: f64) -> Column {
        Column {
            name: name.to_owned(),
            value,
            interval: Some((value - 2.0, value + 2.0)),
            label: value.to_string(),
        }
    }

    #[test]
    fn names_and_titles_stay_texts() {
        let name = "<img src=x onerror=alert(1)>";
        let drawn = columns(name, "\"><script>", &[column(name, 5.0)]).unwrap().into_string();
        assert!(!drawn.contains("<img") && !drawn.contains("<script"), "{drawn}");
        assert!(drawn.contains("class=\"w\"") && !drawn.contains("style="), "{drawn}");
    }

    #[test]
    fn the_grid_has_round_numbers() {
        for (high, first) in
            [(8_000.0, 2_000.0), (12_000.0, 3_000.0), (5.0, 1.25), (0.2, 0.05), (1_500.0, 500.0)]
        {
            let ticks = ticks(high);
            assert!(
                (ticks[0] - first).abs() < 1e-9 && (ticks[ticks.len() - 1] - high).abs() < 1e-9,
                "{high}: {ticks:?}"
            );
        }
    }

    #[test]
    fn what_is_below_zero_is_not_drawn_as_a_column() {
        assert!(columns("t", "f", &[column("a", -1.0)]).is_none());
        assert!(columns("t", "f", &[]).is_none());
    }
}
