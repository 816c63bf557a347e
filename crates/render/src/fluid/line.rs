//! A line over days or numbers, with a whisker at every point.

use maud::{Markup, html};

use super::columns::{tick, ticks};
use super::{percent, pixels, round_up};

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct LinePoint {
    /// Its place along the axis: days, or the number itself.
    pub at: f64,
    /// What it is called.
    pub name: String,
    /// How high it is.
    pub value: f64,
    /// Where the truth lies, 19 times in 20.
    pub interval: Option<(f64, f64)>,
}

const TOP: f64 = 24.5;
const BOTTOM: f64 = 232.5;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 0.08;
const RIGHT: f64 = 0.97;
/// About so many names below the axis.
const NAMES: usize = 5;

/// A line through the points, in the order of their places; nothing for fewer than two places, or below zero.
pub fn line(title: &str, finding: &str, points: &[LinePoint]) -> Option<Markup> {
    let mut points: Vec<&LinePoint> = points.iter().collect();
    points.sort_by(|a, b| a.at.total_cmp(&b.at));
    let (first, last) = (points.first()?.at, points.last()?.at);
    let is_drawable =
        |point: &&LinePoint| point.at.is_finite() && point.value.is_finite() && point.value >= 0.0;
    if !points.iter().all(is_drawable) || last <= first {
        return None;
    }
    let tops = points.iter().map(|point| point.interval.map_or(point.value, |(_, high)| high));
    let high = round_up(tops.filter(|top| top.is_finite()).fold(0.0, f64::max));
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * (value / high).clamp(0.0, 1.0);
    let x = |at: f64| LEFT + (RIGHT - LEFT) * (at - first) / (last - first);
    let path: Vec<String> = points
        .iter()
        .enumerate()
        .map(|(place, point)| {
            let word = if place == 0 { 'M' } else { 'L' };
            format!("{word}{:.2} {:.1}", 100.0 * x(point.at), y(point.value))
        })
        .collect();
    let stride = points.len().div_ceil(NAMES).max(1);
    Some(html! {
        svg.chart height=(HEIGHT) role="img" aria-label=(format!("{title}. {finding}")) {
            @for value in ticks(high) {
                line.grid x1="0" x2="100%" y1=(pixels(y(value))) y2=(pixels(y(value))) {}
                text x="0" y=(pixels(y(value) - 5.0)) { (tick(value)) }
            }
            line.axis x1="0" x2="100%" y1=(BOTTOM) y2=(BOTTOM) {}
            svg x="0" y="0" width="100%" height=(HEIGHT) viewBox=(format!("0 0 100 {HEIGHT}")) preserveAspectRatio="none" {
                path.series d=(path.join("")) {}
            }
            @for (place, point) in points.iter().enumerate() {
                @let x = percent(x(point.at));
                @if let Some((low, high)) = point.interval {
                    g.w { line x1=(x) x2=(x) y1=(pixels(y(high))) y2=(pixels(y(low))) {} }
                }
                circle.pt cx=(x) cy=(pixels(y(point.value))) r="3" {}
                @if place % stride == 0 {
                    text x=(x) y="252" text-anchor="middle" { (point.name) }
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_its_whisker() {
        let point = |at: f64| LinePoint {
            at,
            name: format!("<{at}>"),
            value: at,
            interval: Some((at - 1.0, at + 1.0)),
        };
        let drawn = line("t", "f", &[point(3.0), point(1.0), point(2.0)]).unwrap().into_string();
        assert_eq!(drawn.matches("class=\"w\"").count(), 3, "{drawn}");
        assert!(drawn.contains("&lt;1&gt;") && !drawn.contains("style="), "{drawn}");
        assert!(line("t", "f", &[point(3.0)]).is_none());
        assert!(line("t", "f", &[point(3.0), point(f64::NAN)]).is_none());
    }
}
