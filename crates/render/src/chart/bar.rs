//! Bars as self-contained SVG, with or without intervals: one row a name, so that names may be long.

use super::axis::{label, round_numbers};
use crate::svg::{Colour, Drawing, LETTER, MARGIN, Sheet, WIDE, broken, width_of};

/// One bar.
pub struct Bar {
    /// Its name.
    pub name: String,
    /// How long it is.
    pub value: f64,
    /// Where the truth lies, probably.
    pub likely: (f64, f64),
    /// Where the truth lies, by a theorem: at least as wide.
    pub sure: (f64, f64),
    /// What stands behind its end; nothing, where an interval does.
    pub label: String,
    /// What it is drawn in.
    pub colour: Colour,
}

impl Bar {
    /// A bar without intervals, whose value stands behind its end in words.
    pub fn plain(name: impl Into<String>, value: f64, label: impl Into<String>, colour: Colour) -> Self {
        let (name, label) = (name.into(), label.into());
        Self { name, value, likely: (value, value), sure: (value, value), label, colour }
    }
}

/// Bars from zero to the right, one below the other.
#[derive(Default)]
pub struct BarChart {
    /// The line above the chart.
    pub title: String,
    /// The name of the axis.
    pub axis: String,
    /// What `likely` is, in the legend; nothing, where bars have no intervals.
    pub likely_name: String,
    /// What `sure` is, in the legend.
    pub sure_name: String,
    /// Whether bars may run to the left of zero; shares, which do not, are cut there.
    pub signed: bool,
    /// A value that all bars are compared with, as a dashed line.
    pub compared: Option<f64>,
    /// From the top.
    pub bars: Vec<Bar>,
}

const RIGHT: f64 = 24.0;
const ROW: f64 = 26.0;
const BOTTOM: f64 = 56.0;
/// From one line of a name to the next.
const NAME_ROW: f64 = 16.0;
/// Names that would take more of the width than this stand above their bars.
const NAMES_MAX: f64 = 0.42;

/// Where bars and their names stand.
struct Layout {
    /// Whether names stand above their bars, in as many lines as they need.
    stacked: bool,
    left: f64,
    right: f64,
    /// The least value, or zero.
    low: f64,
    /// The greatest value.
    high: f64,
}

impl Layout {
    fn of(chart: &BarChart, width: f64) -> Self {
        let names = chart.bars.iter().map(|bar| width_of(&bar.name)).fold(0.0, f64::max);
        let labels = chart.bars.iter().map(|bar| width_of(&bar.label)).fold(0.0, f64::max);
        let stacked = names + 24.0 > NAMES_MAX * width;
        let ends = chart.bars.iter().flat_map(|bar| [bar.value, bar.likely.1, bar.sure.1]);
        let high = ends.chain(chart.compared).filter(|end| end.is_finite()).fold(0.0, f64::max);
        let starts = chart.bars.iter().flat_map(|bar| [bar.value, bar.likely.0, bar.sure.0]);
        let low = match chart.signed {
            true => starts.filter(|start| start.is_finite()).fold(0.0, f64::min),
            false => 0.0,
        };
        Self {
            low,
            stacked,
            left: if stacked { MARGIN } else { 24.0 + names },
            right: (width - RIGHT - labels).max(0.4 * width),
            high: if high > low { high } else { 1.0 },
        }
    }

    /// Estimates may be negative, shares are not: nothing is drawn left of the axis.
    fn x(&self, value: f64) -> f64 {
        let value = if value.is_finite() { value } else { 0.0 };
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.left + part * (self.right - self.left)
    }
}

impl Drawing for BarChart {
    fn svg(&self, width: f64) -> String {
        let mut sheet = Sheet::new(width, &self.title);
        let layout = Layout::of(self, width);
        let top = self.draw_legend(&mut sheet, width);
        let mut rows = Vec::new();
        let mut bottom = top;
        for bar in &self.bars {
            let lines = if layout.stacked {
                broken(&bar.name, width - 2.0 * MARGIN, LETTER)
            } else {
                vec![bar.name.clone()]
            };
            let above = if layout.stacked { NAME_ROW * lines.len() as f64 + 4.0 } else { 0.0 };
            rows.push((lines, bottom, bottom + above + 0.5 * ROW));
            bottom += above + ROW;
        }
        let (rule, about) = (Colour::Rule.stroke(), if width < 0.7 * WIDE { 3 } else { 6 });
        for tick in round_numbers(layout.low, layout.high, about) {
            let x = layout.x(tick);
            sheet.add(format!("<path d=\"M{x:.1} {top:.1}V{bottom:.1}\" {rule}/>"));
            sheet.text(x, bottom + 18.0, "text-anchor=\"middle\"", &label(tick));
        }
        if let Some(at) = self.compared {
            let (at, ink) = (layout.x(at), Colour::Ink.stroke());
            sheet.add(format!("<path d=\"M{at:.1} {top:.1}V{bottom:.1}\" {ink} stroke-dasharray=\"5 4\"/>"));
        }
        for (bar, (lines, name_top, middle)) in self.bars.iter().zip(rows) {
            for (row, line) in lines.iter().enumerate() {
                if layout.stacked {
                    sheet.text(MARGIN, name_top + NAME_ROW * (row as f64 + 1.0), "", line);
                } else {
                    sheet.text(layout.left - 8.0, middle + 4.5, "text-anchor=\"end\"", line);
                }
            }
            self.draw_bar(&mut sheet, &layout, bar, middle);
        }
        let x = if layout.stacked { width / 2.0 } else { (layout.left + layout.right) / 2.0 };
        sheet.text(x, bottom + 42.0, "text-anchor=\"middle\"", &self.axis);
        sheet.finish(bottom + BOTTOM)
    }
}

impl BarChart {
    /// What the two kinds of interval are; returns where the bars begin.
    fn draw_legend(&self, sheet: &mut Sheet, width: f64) -> f64 {
        let (mut x, mut y) = (MARGIN, sheet.top() + 9.0);
        if !self.has_intervals() {
            return y;
        }
        let ink = Colour::Ink.stroke();
        let names = [(&self.likely_name, " stroke-width=\"3\""), (&self.sure_name, "")];
        for (name, stroke) in names.into_iter().filter(|(name, _)| !name.is_empty()) {
            if x > MARGIN && x + 50.0 + width_of(name) > width {
                (x, y) = (MARGIN, y + 18.0);
            }
            sheet.add(format!("<path d=\"M{x:.1} {y:.1}h18\" {ink}{stroke}/>"));
            sheet.text(x + 23.0, y + 4.5, "", name);
            x += 50.0 + width_of(name);
        }
        y + 16.0
    }

    fn draw_bar(&self, sheet: &mut Sheet, layout: &Layout, bar: &Bar, middle: f64) {
        let (zero, end) = (layout.x(0.0), layout.x(bar.value));
        let (left, wide) = (zero.min(end), (end - zero).abs());
        sheet.add(format!(
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" {} fill-opacity=\"0.6\"/>",
            middle - 0.32 * ROW,
            wide,
            0.64 * ROW,
            bar.colour.fill()
        ));
        if !bar.label.is_empty() {
            let behind = if self.has_intervals() { layout.x(bar.sure.1).max(end) } else { end.max(zero) };
            sheet.text(behind + 6.0, middle + 4.5, "", &bar.label);
        }
        if !self.has_intervals() {
            return;
        }
        let (top, bottom, ink) = (middle - 4.0, middle + 4.0, Colour::Ink.stroke());
        let [likely, sure] = [bar.likely, bar.sure].map(|(low, high)| (layout.x(low), layout.x(high)));
        sheet.add(format!(
            "<path d=\"M{0:.1} {top}V{bottom}M{0:.1} {middle}H{1:.1}M{1:.1} {top}V{bottom}\" {ink}/>\
             <path d=\"M{2:.1} {middle}H{3:.1}\" {ink} stroke-width=\"3\"/>",
            sure.0, sure.1, likely.0, likely.1
        ));
    }

    fn has_intervals(&self) -> bool {
        !self.likely_name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(bars: Vec<Bar>) -> String {
        let text = |text: &str| text.to_owned();
        let (title, axis) = (text("title"), text("%"));
        BarChart {
            title,
            axis,
            likely_name: text("likely"),
            sure_name: text("sure"),
            compared: None,
            signed: false,
            bars,
        }
        .to_svg()
    }

    fn bar(name: &str, value: f64) -> Bar {
        let (likely, sure) = ((value - 5.0, value + 5.0), (0.0, value + 10.0));
        Bar { likely, sure, ..Bar::plain(name, value, "", Colour::BLUE) }
    }

    #[test]
    fn every_bar_has_its_row_and_its_name() {
        let drawn = svg(vec![bar("yes & no", 40.0), bar("a < b", 10.0), bar(&"x".repeat(99), 5.0)]);
        assert!(drawn.contains("yes &amp; no") && drawn.contains("a &lt; b"), "{drawn}");
        assert_eq!(drawn.matches("fill-opacity").count(), 3);
        // Names are never cut: a long one stands above its bar, on a telephone in several lines.
        assert!(drawn.contains(&"x".repeat(60)), "{drawn}");
        // The longest interval ends at the right edge: 40 + 10 is the end of the axis.
        assert!(drawn.contains(&format!("H{:.1}M", WIDE - RIGHT)), "{drawn}");
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        for bars in [vec![], vec![bar("none", f64::NAN)], vec![bar("below", -50.0)], vec![bar("zero", 0.0)]] {
            let drawn = svg(bars);
            assert!(!drawn.contains("NaN") && !drawn.contains("inf") && !drawn.contains("\"-"), "{drawn}");
            assert!(drawn.trim_end().ends_with("</svg>"));
        }
    }

    #[test]
    fn a_bar_without_intervals_has_a_label() {
        let bars =
            vec![Bar::plain("a", 3.0, "<3>", Colour::ORANGE), Bar::plain("b", 0.0, "none", Colour::BLUE)];
        let text = |text: &str| text.to_owned();
        let (title, axis) = (text("title"), text("%"));
        let drawn = BarChart {
            title,
            axis,
            likely_name: text(""),
            sure_name: text(""),
            compared: None,
            signed: false,
            bars,
        }
        .to_svg();
        assert!(drawn.contains(">&lt;3&gt;</text>") && drawn.contains(">none</text>"), "{drawn}");
        assert!(drawn.contains(&Colour::ORANGE.fill()) && !drawn.contains("stroke-width=\"3\""), "{drawn}");
    }
}
