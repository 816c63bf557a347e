//! Lines and dots as self-contained SVG: for results that people would rather look at than read.

use std::fmt::Write;

/// How an axis runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal ratios; only positive numbers are drawn.
    Logarithmic,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// A line through them.
    #[default]
    Line,
    /// A dot each.
    Dots,
    /// A dot each, and a line through them.
    DottedLine,
    /// A thin dashed line in grey, to compare the others with.
    Reference,
}

/// One line, or its dots, with the name in the legend.
#[derive(Default)]
pub struct Series {
    /// The name; empty for none in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Where the truth may lie: for every x the lower and the upper end; none without a band.
    pub band: Vec<(f64, f64, f64)>,
    /// How they are drawn.
    pub mark: Mark,
    /// What stands beside the points, one each from the left; none for most series.
    pub labels: Vec<String>,
}

impl Series {
    /// Points drawn this way, without a band and without labels.
    pub fn new(mark: Mark, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, mark, ..Self::default() }
    }
}

/// A chart with two axes.
pub struct Chart {
    /// What is shown.
    pub title: String,
    /// The name of the horizontal axis.
    pub x_name: String,
    /// The name of the vertical axis.
    pub y_name: String,
    /// How the horizontal axis runs.
    pub x_scale: Scale,
    /// How the vertical axis runs.
    pub y_scale: Scale,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 82.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 62.0;
/// Colours that stay apart for most eyes and in grey (after Okabe and Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444"];
/// What is there only to compare with.
const GREY: &str = "#777777";
/// A line of the legend.
const LEGEND_ROW: f64 = 18.0;

struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let drawable = |value: &f64| value.is_finite() && (scale == Scale::Linear || *value > 0.0);
        let (mut low, mut high) = values
            .filter(drawable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        match scale {
            Scale::Linear => {
                low = low.min(0.0);
                if high <= low {
                    high = low + 1.0;
                }
            }
            Scale::Logarithmic => {
                if high <= low * 1.000_001 {
                    (low, high) = (low / 2.0, high * 2.0);
                }
            }
        }
        Self { scale, low, high }
    }

    /// The position between 0 and 1; `None` when it cannot be drawn.
    fn position(&self, value: f64) -> Option<f64> {
        let position = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Logarithmic => return None,
        };
        position.is_finite().then_some(position)
    }

    /// The value itself, or the lower end of the axis where it cannot be drawn: a band that reaches below zero is cut
    /// there.
    fn floor(&self, value: f64) -> f64 {
        if value > self.low { value } else { self.low }
    }

    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => {
                let rough = (self.high - self.low) / 6.0;
                let power = 10f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0]
                    .iter()
                    .map(|m| m * power)
                    .find(|step| *step >= rough)
                    .unwrap_or(rough);
                let first = (self.low / step).ceil() as i64;
                (first..)
                    .map(|i| i as f64 * step)
                    .take_while(|tick| *tick <= self.high + step * 1e-9)
                    .collect()
            }
            Scale::Logarithmic => {
                let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
                let stride = ((last - first) / 8 + 1).max(1);
                let decades: Vec<f64> =
                    (first..=last).step_by(stride as usize).map(|power| 10f64.powi(power)).collect();
                if decades.len() >= 2 {
                    decades
                } else {
                    vec![self.low, (self.low * self.high).sqrt(), self.high]
                }
            }
        }
    }
}

impl Chart {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let ends =
            self.series.iter().flat_map(|series| &series.band).flat_map(|(_, low, high)| [*low, *high]);
        let x_axis = Axis::around(self.x_scale, points().map(|point| point.0));
        let y_axis = Axis::around(self.y_scale, points().map(|point| point.1).chain(ends));
        let places = legend_places(&self.series);
        // More lines of legend push the drawing down.
        let top = TOP + places.last().map_or(0.0, |(_, y)| *y);
        let height = HEIGHT + top - TOP;
        let bottom = height - BOTTOM;
        let x_pixel = |position: f64| LEFT + position * (WIDTH - LEFT - RIGHT);
        let y_pixel = |position: f64| bottom - position * (bottom - top);
        let mut svg = String::new();
        let mut line = |text: String| {
            svg.push_str(&text);
            svg.push('\n');
        };
        line(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\" font-family=\"system-ui, sans-serif\" \
             font-size=\"13\" fill=\"#222\">",
            escaped(&self.title)
        ));
        line("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>".to_owned());
        line(format!(
            "<text x=\"{LEFT}\" y=\"26\" font-size=\"16\" font-weight=\"600\">{}</text>",
            escaped(&self.title)
        ));
        for tick in x_axis.ticks() {
            let Some(x) = x_axis.position(tick).map(x_pixel) else {
                continue;
            };
            line(format!("<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#e4e4e4\"/>"));
            line(format!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 20.0,
                label(tick)
            ));
        }
        for tick in y_axis.ticks() {
            let Some(y) = y_axis.position(tick).map(y_pixel) else {
                continue;
            };
            line(format!("<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#e4e4e4\"/>", WIDTH - RIGHT));
            line(format!(
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 4.5,
                label(tick)
            ));
        }
        line(format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            height - 16.0,
            escaped(&self.x_name)
        ));
        line(format!(
            "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (top + bottom) / 2.0,
            escaped(&self.y_name)
        ));
        let mut colours = COLOURS.iter().cycle();
        for (series, (legend_x, legend_y)) in self.series.iter().zip(places) {
            let colour = match series.mark {
                Mark::Reference => GREY,
                _ => colours.next().expect("a cycle does not end"),
            };
            let path_through = |points: &mut dyn Iterator<Item = (f64, f64)>| {
                let mut path = String::new();
                for (x, y) in points {
                    let (Some(x), Some(y)) = (x_axis.position(x), y_axis.position(y)) else {
                        continue;
                    };
                    let command = if path.is_empty() { 'M' } else { 'L' };
                    write!(path, "{command}{:.2} {:.2}", x_pixel(x), y_pixel(y))
                        .expect("writing to a string succeeds");
                }
                path
            };
            if !series.band.is_empty() {
                let upper = series.band.iter().map(|(x, _, high)| (*x, *high));
                let lower = series.band.iter().rev().map(|(x, low, _)| (*x, y_axis.floor(*low)));
                let outline = path_through(&mut upper.chain(lower));
                line(format!("<path d=\"{outline}Z\" fill=\"{colour}\" fill-opacity=\"0.2\"/>"));
            }
            let stroke = match series.mark {
                Mark::Line | Mark::DottedLine => "stroke-width=\"2\"",
                Mark::Reference => "stroke-width=\"1.2\" stroke-dasharray=\"5 4\"",
                Mark::Dots => "",
            };
            if series.mark != Mark::Dots {
                let path = path_through(&mut series.points.iter().copied());
                line(format!(
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" {stroke} \
                     stroke-linejoin=\"round\"/>"
                ));
            }
            if matches!(series.mark, Mark::Dots | Mark::DottedLine) {
                for (x, y) in &series.points {
                    if let (Some(x), Some(y)) = (x_axis.position(*x), y_axis.position(*y)) {
                        line(dot(x_pixel(x), y_pixel(y), colour));
                    }
                }
            }
            for (label, (x, y)) in series.labels.iter().zip(&series.points) {
                if let (Some(x), Some(y)) = (x_axis.position(*x), y_axis.position(*y)) {
                    line(beside(x_pixel(x), y_pixel(y), top, label));
                }
            }
            if series.name.is_empty() {
                continue;
            }
            // The legend stands above the drawing, where no line can cross it.
            let (x, y) = (legend_x, 43.0 + legend_y);
            let stroke = if series.mark == Mark::Reference { stroke } else { "stroke-width=\"3\"" };
            line(match series.mark {
                Mark::Dots => dot(x + 9.0, y, colour),
                _ => format!("<path d=\"M{x:.1} {y:.1}h18\" stroke=\"{colour}\" {stroke}/>"),
            });
            line(format!(
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 23.0,
                y + 4.5,
                escaped(&series.name)
            ));
        }
        line("</svg>".to_owned());
        svg
    }
}

/// Where the names of the legend stand: from the left edge, and below its first line.
fn legend_places(series: &[Series]) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (LEFT, 0.0);
    let place = |series: &Series| {
        if series.name.is_empty() {
            return (x, y);
        }
        let width = 40.0 + 7.2 * series.name.chars().count() as f64;
        if x > LEFT && x + width > WIDTH {
            (x, y) = (LEFT, y + LEGEND_ROW);
        }
        let own = (x, y);
        x += width;
        own
    };
    series.iter().map(place).collect()
}

/// A dot that shows those behind it.
fn dot(x: f64, y: f64, colour: &str) -> String {
    format!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" fill=\"{colour}\" fill-opacity=\"0.75\"/>")
}

/// A label above its point, or below where the drawing ends, on the side where there is room.
fn beside(x: f64, y: f64, top: f64, label: &str) -> String {
    let (x, anchor) = if x > 0.75 * WIDTH { (x - 5.0, "end") } else { (x + 5.0, "start") };
    let y = if y - 20.0 < top { y + 18.0 } else { y - 7.0 };
    let label = escaped(label);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"12\">{label}</text>")
}

/// A number short enough for an axis.
fn label(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&size) {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.0e}")
    }
}

/// A text inside an element or a quoted attribute of SVG or HTML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Neither format has a way to write these.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                safe.push('\u{fffd}')
            }
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>, scale: Scale) -> String {
        let series = vec![Series::new(Mark::Line, "a < b & c", points)];
        let (title, x_name, y_name) = ("title".to_owned(), "x".to_owned(), "y".to_owned());
        Chart { title, x_name, y_name, x_scale: scale, y_scale: scale, series }.to_svg()
    }

    #[test]
    fn points_run_from_the_lower_left_to_the_upper_right() {
        let svg = chart(vec![(1.0, 1.0), (10.0, 10.0)], Scale::Logarithmic);
        let corners = format!("M{:.2} {:.2}L{:.2} {:.2}", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP);
        assert!(svg.contains(&corners), "{svg}");
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out_and_names_are_escaped() {
        for points in
            [vec![], vec![(f64::NAN, 1.0)], vec![(0.0, 0.0)], vec![(1.0, f64::INFINITY), (2.0, 3.0)]]
        {
            for scale in [Scale::Linear, Scale::Logarithmic] {
                let svg = chart(points.clone(), scale);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(svg.contains("a &lt; b &amp; c"));
            }
        }
    }

    #[test]
    fn a_band_is_drawn_around_its_line_and_cut_at_the_axis() {
        let band = vec![(1.0, -5.0, 20.0), (10.0, 5.0, 20.0)];
        let points = vec![(1.0, 10.0), (10.0, 10.0)];
        let series = vec![Series { band, ..Series::new(Mark::Line, "n", points) }];
        let (title, x_name, y_name) = ("title".to_owned(), "x".to_owned(), "y".to_owned());
        let (x_scale, y_scale) = (Scale::Logarithmic, Scale::Logarithmic);
        let svg = Chart { title, x_name, y_name, x_scale, y_scale, series }.to_svg();
        let corners =
            format!("M{LEFT:.2} {TOP:.2}L{:.2} {TOP:.2}L{0:.2} {1:.2}", WIDTH - RIGHT, HEIGHT - BOTTOM);
        assert!(svg.contains(&corners) && svg.contains("fill-opacity"), "{svg}");
    }

    #[test]
    fn dots_and_references_are_drawn_their_way_and_long_legends_wrap() {
        let points = || vec![(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN)];
        let mut series = [Mark::Line, Mark::Dots, Mark::DottedLine, Mark::Reference]
            .map(|mark| Series::new(mark, "a name of forty letters, more or less wide", points()));
        series[1].labels = vec!["<1>".to_owned()];
        let (title, x_name, y_name) = ("\"t\"".to_owned(), "x".to_owned(), "y".to_owned());
        let (x_scale, y_scale) = (Scale::Linear, Scale::Linear);
        let svg = Chart { title, x_name, y_name, x_scale, y_scale, series: series.into() }.to_svg();
        // Two dots for each of two series, and one in the legend of the dots.
        assert_eq!(svg.matches("<circle").count(), 5, "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 2, "{svg}");
        // Two names do not fit on one line of the legend: the drawing moves down by three lines.
        assert!(svg.contains(&format!("height=\"{}\"", HEIGHT + 3.0 * LEGEND_ROW)), "{svg}");
        assert!(svg.contains("aria-label=\"&quot;t&quot;\""), "{svg}");
        assert_eq!(svg.matches("&lt;1&gt;</text>").count(), 1, "{svg}");
        // A reference takes no colour from the others.
        assert!(svg.contains(COLOURS[2]) && !svg.contains(COLOURS[3]), "{svg}");
    }

    #[test]
    fn labels_are_short() {
        for (value, text) in
            [(0.0, "0"), (0.5, "0.5"), (1e-6, "1e-6"), (1e7, "1e7"), (2500.0, "2500"), (-1.0, "-1")]
        {
            assert_eq!(label(value), text);
        }
    }
}
