//! A bar with its whisker in a row of a table; all rows of a table share one axis.

use maud::{Markup, html};

use super::{percent, pixels, round_up};

/// A number and where the truth lies, 19 times in 20.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowBar {
    /// How long the bar is.
    pub value: f64,
    /// The ends of the whisker; nothing where there is none to draw.
    pub interval: Option<(f64, f64)>,
}

/// The axis of a table's bars, from `low` to `high`; zero is on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowAxis {
    /// The least number, zero or below.
    pub low: f64,
    /// The greatest one.
    pub high: f64,
}

/// Half the height of a whisker's caps, in pixels.
const CAP: f64 = 4.5;

impl RowAxis {
    /// An axis that holds these bars and their whiskers.
    pub fn around(bars: &[RowBar]) -> Self {
        let ends = bars.iter().flat_map(|bar| {
            let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
            [bar.value, low, high]
        });
        let (low, high) = ends
            .filter(|end| end.is_finite())
            .fold((0.0, 0.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
        let high = if high > 0.0 || low == 0.0 { round_up(high) } else { 0.0 };
        Self { low: if low < 0.0 { -round_up(-low) } else { 0.0 }, high }
    }

    /// The part of the width at which a number stands.
    pub fn part(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The bar, `height` pixels high. What stands beside it says the number; the drawing is hidden from those who listen.
    pub fn svg(&self, bar: RowBar, height: f64) -> Markup {
        let (zero, end) = (self.part(0.0), self.part(bar.value));
        let (from, wide) = (zero.min(end), (end - zero).abs());
        let thick = (0.54 * height).round();
        let middle = height / 2.0;
        html! {
            svg aria-hidden="true" height=(height) {
                line.axis x1=(percent(zero)) x2=(percent(zero)) y1="0" y2=(height) {}
                rect.b x=(percent(from)) y=(pixels(middle - thick / 2.0)) width=(percent(wide)) height=(thick) {}
                @if let Some((low, high)) = bar.interval {
                    (whisker(self.part(low), self.part(high), bar_middle(self, bar), middle))
                }
            }
        }
    }
}

/// Where the bar ends, for whoever moves its whisker.
fn bar_middle(axis: &RowAxis, bar: RowBar) -> f64 {
    axis.part(bar.value)
}

fn whisker(low: f64, high: f64, end: f64, y: f64) -> Markup {
    let (low, high, y_text) = (percent(low), percent(high), pixels(y));
    let (above, below) = (pixels(y - CAP), pixels(y + CAP));
    html! {
        g.w data-mid=(format!("{:.3}", 100.0 * end)) {
            line.halo x1=(low) x2=(high) y1=(y_text) y2=(y_text) {}
            line x1=(low) x2=(high) y1=(y_text) y2=(y_text) {}
            line data-lo x1=(low) x2=(low) y1=(above) y2=(below) {}
            line data-hi x1=(high) x2=(high) y1=(above) y2=(below) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: f64, reach: f64) -> RowBar {
        RowBar { value, interval: Some((value - reach, value + reach)) }
    }

    #[test]
    fn an_axis_holds_every_whisker_and_zero() {
        let axis = RowAxis::around(&[bar(10.0, 4.0), bar(-3.0, 1.0)]);
        assert!(axis.low <= -4.0 && axis.high >= 14.0, "{axis:?}");
        let positive = RowAxis::around(&[bar(10.0, 4.0)]);
        assert_eq!((positive.low, positive.high), (0.0, 15.0));
        let nothing = RowAxis::around(&[]);
        assert!(nothing.part(f64::INFINITY) <= 1.0 && nothing.high > nothing.low);
    }

    /// Specification: the whisker is drawn after the bar, so that nothing hides it.
    #[test]
    fn a_whisker_is_drawn_on_top() {
        let axis = RowAxis::around(&[bar(8.0, 2.0)]);
        let drawn = axis.svg(bar(8.0, 2.0), 26.0).into_string();
        let (rect, mark) = (drawn.find("<rect").unwrap(), drawn.find("class=\"w\"").unwrap());
        assert!(rect < mark && drawn.contains("x1=\"60%\" x2=\"100%\""), "{drawn}");
        assert!(!drawn.contains("style="), "{drawn}");
    }

    #[test]
    fn a_negative_bar_runs_to_the_left_of_zero() {
        let axis = RowAxis { low: -10.0, high: 10.0 };
        let drawn = axis.svg(RowBar { value: -5.0, interval: None }, 26.0).into_string();
        assert!(drawn.contains("x=\"25%\"") && drawn.contains("width=\"25%\""), "{drawn}");
    }
}
