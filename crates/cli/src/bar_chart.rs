//! Bars as self-contained SVG, with or without intervals: one row a name, so that names may be long.

use std::fmt::Write;

use crate::chart::escaped;

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
    /// As SVG writes it.
    pub colour: &'static str,
}

impl Bar {
    /// A bar without intervals, whose value stands behind its end in words.
    pub fn plain(
        name: impl Into<String>,
        value: f64,
        label: impl Into<String>,
        colour: &'static str,
    ) -> Self {
        let (name, label) = (name.into(), label.into());
        Self { name, value, likely: (value, value), sure: (value, value), label, colour }
    }
}

/// Bars from zero to the right, one below the other.
pub struct BarChart {
    /// What is shown.
    pub title: String,
    /// The name of the axis.
    pub axis: String,
    /// What `likely` is, in the legend; nothing, where bars have no intervals.
    pub likely_name: String,
    /// What `sure` is, in the legend.
    pub sure_name: String,
    /// From the top.
    pub bars: Vec<Bar>,
}

const WIDTH: f64 = 760.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 62.0;
const ROW: f64 = 26.0;
const BOTTOM: f64 = 56.0;
/// A letter is about this wide.
const LETTER: f64 = 7.4;
/// Longer names are cut.
const NAME_MAX: usize = 32;
/// An ordinary bar, or what we do.
pub const BLUE: &str = "#0072b2";
/// A bar that should alarm: what others do.
pub const ORANGE: &str = "#d55e00";
const DARK: &str = "#222";

impl BarChart {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        self.drawn(None)
    }

    /// The same with a line at this value, to compare the bars with.
    pub fn to_svg_with_line(&self, at: f64) -> String {
        self.drawn(Some(at))
    }

    fn drawn(&self, compared: Option<f64>) -> String {
        let names: Vec<String> = self.bars.iter().map(|bar| shortened(&bar.name)).collect();
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let left = 24.0 + LETTER * longest as f64;
        let label = self.bars.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0);
        let right = RIGHT + LETTER * label as f64;
        // Without a legend, bars begin where it would stand.
        let top = if self.has_intervals() { TOP } else { TOP - 20.0 };
        let height = top + BOTTOM + ROW * self.bars.len() as f64;
        let bottom = height - BOTTOM;
        let ends = self.bars.iter().flat_map(|bar| [bar.value, bar.likely.1, bar.sure.1]);
        let high = ends.chain(compared).filter(|end| end.is_finite()).fold(0.0, f64::max);
        let high = if high > 0.0 { high } else { 1.0 };
        // Estimates may be negative, shares are not: nothing is drawn left of zero.
        let x = |value: f64| {
            let part = if value.is_finite() { (value / high).clamp(0.0, 1.0) } else { 0.0 };
            left + part * (WIDTH - right - left)
        };
        let mut svg = String::new();
        let mut line = |text: String| writeln!(svg, "{text}").expect("a string grows");
        line(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\" font-family=\"system-ui, sans-serif\" \
             font-size=\"13\" fill=\"{DARK}\">",
            escaped(&self.title)
        ));
        line("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>".to_owned());
        line(format!(
            "<text x=\"24\" y=\"24\" font-size=\"16\" font-weight=\"600\">{}</text>",
            escaped(&self.title)
        ));
        if self.has_intervals() {
            let second = 24.0 + 50.0 + LETTER * self.likely_name.chars().count() as f64;
            line(format!(
                "<path d=\"M24 43h18\" stroke=\"{DARK}\" stroke-width=\"3\"/><text x=\"47\" \
                 y=\"47.5\">{}</text><path d=\"M{second:.1} 43h18\" stroke=\"{DARK}\"/><text x=\"{:.1}\" \
                 y=\"47.5\">{}</text>",
                escaped(&self.likely_name),
                second + 23.0,
                escaped(&self.sure_name)
            ));
        }
        for tick in ticks(high) {
            line(format!(
                "<path d=\"M{0:.1} {top}V{bottom}\" stroke=\"#e4e4e4\"/>\
                 <text x=\"{0:.1}\" y=\"{1}\" text-anchor=\"middle\">{2}</text>",
                x(tick),
                bottom + 18.0,
                short(tick)
            ));
        }
        if let Some(at) = compared {
            let at = x(at);
            line(format!("<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"{DARK}\" stroke-dasharray=\"5 4\"/>"));
        }
        for (index, (bar, name)) in self.bars.iter().zip(&names).enumerate() {
            let middle = top + ROW * (index as f64 + 0.5);
            line(format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" \
                 fill-opacity=\"0.6\"/>",
                left - 8.0,
                middle + 4.5,
                escaped(name),
                middle - 0.32 * ROW,
                x(bar.value) - left,
                0.64 * ROW,
                bar.colour
            ));
            if !bar.label.is_empty() {
                line(format!(
                    "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    x(bar.value) + 6.0,
                    middle + 4.5,
                    escaped(&bar.label)
                ));
            }
            if !self.has_intervals() {
                continue;
            }
            let (top, bottom) = (middle - 4.0, middle + 4.0);
            line(format!(
                "<path d=\"M{0:.1} {top}V{bottom}M{0:.1} {middle}H{1:.1}M{1:.1} {top}V{bottom}\" \
                 fill=\"none\" stroke=\"{DARK}\"/><path d=\"M{2:.1} {middle}H{3:.1}\" stroke=\"{DARK}\" \
                 stroke-width=\"3\"/>",
                x(bar.sure.0),
                x(bar.sure.1),
                x(bar.likely.0),
                x(bar.likely.1)
            ));
        }
        line(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            (left + WIDTH - right) / 2.0,
            height - 14.0,
            escaped(&self.axis)
        ));
        line("</svg>".to_owned());
        svg
    }

    fn has_intervals(&self) -> bool {
        !self.likely_name.is_empty()
    }
}

/// Round numbers from zero to `high`, about six.
fn ticks(high: f64) -> impl Iterator<Item = f64> {
    let rough = high / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    (0..=10).map(move |place| f64::from(place) * step).take_while(move |tick| *tick <= high * (1.0 + 1e-9))
}

fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME_MAX {
        return name.to_owned();
    }
    name.chars().take(NAME_MAX - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(bars: Vec<Bar>) -> String {
        let text = |text: &str| text.to_owned();
        let (title, axis) = (text("title"), text("%"));
        BarChart { title, axis, likely_name: text("likely"), sure_name: text("sure"), bars }.to_svg()
    }

    fn bar(name: &str, value: f64) -> Bar {
        let (likely, sure) = ((value - 5.0, value + 5.0), (0.0, value + 10.0));
        Bar { likely, sure, ..Bar::plain(name, value, "", BLUE) }
    }

    #[test]
    fn every_bar_has_its_row_and_its_name() {
        let drawn = svg(vec![bar("yes & no", 40.0), bar("a < b", 10.0), bar(&"x".repeat(99), 5.0)]);
        assert!(drawn.contains("yes &amp; no") && drawn.contains("a &lt; b"), "{drawn}");
        assert_eq!(drawn.matches("fill-opacity").count(), 3);
        assert!(drawn.contains(&format!("{}…", "x".repeat(31))));
        // The longest interval ends at the right edge: 40 + 10 is the end of the axis.
        assert!(drawn.contains(&format!("H{:.1}M", WIDTH - RIGHT)), "{drawn}");
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
        let bars = vec![Bar::plain("a", 3.0, "<3>", ORANGE), Bar::plain("b", 0.0, "none", BLUE)];
        let text = |text: &str| text.to_owned();
        let (title, axis) = (text("title"), text("%"));
        let drawn = BarChart { title, axis, likely_name: text(""), sure_name: text(""), bars }.to_svg();
        assert!(drawn.contains(">&lt;3&gt;</text>") && drawn.contains(">none</text>"), "{drawn}");
        assert!(drawn.contains(ORANGE) && !drawn.contains("stroke-width=\"3\""), "{drawn}");
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(50.0).map(short).collect::<Vec<_>>(), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(ticks(0.7).map(short).collect::<Vec<_>>(), ["0", "0.2", "0.4", "0.6"]);
    }
}
