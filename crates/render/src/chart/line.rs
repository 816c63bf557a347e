//! Lines and dots as self-contained SVG: for results that people would rather look at than read.

use std::fmt::Write;

use super::axis::{Axis, Scale};
use crate::svg::{Colour, Drawing, LETTER, MARGIN, Sheet, WIDE, broken, escaped, width_of};

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
    /// The line above the chart.
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

const HEIGHT: f64 = 480.0;
const RIGHT: f64 = 24.0;
const BOTTOM: f64 = 62.0;
/// A line of the legend.
const LEGEND_ROW: f64 = 18.0;
/// Curves that are never farther apart than this look like one.
const TOUCHING: f64 = 2.0;
/// Dashes of curves that lie on others repeat after so much.
const DASH: f64 = 24.0;

/// Where numbers become places on the sheet.
struct Frame {
    x_axis: Axis,
    y_axis: Axis,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn x(&self, value: f64) -> Option<f64> {
        self.x_axis.position(value).map(|position| self.left + position * (self.right - self.left))
    }

    fn y(&self, value: f64) -> Option<f64> {
        self.y_axis.position(value).map(|position| self.bottom - position * (self.bottom - self.top))
    }

    /// The points that can be drawn, on the sheet.
    fn places(&self, points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
        points.into_iter().filter_map(|(x, y)| Some((self.x(x)?, self.y(y)?))).collect()
    }
}

impl Drawing for Chart {
    fn svg(&self, width: f64) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let ends =
            self.series.iter().flat_map(|series| &series.band).flat_map(|(_, low, high)| [*low, *high]);
        let mut sheet = Sheet::new(width, &self.title);
        let legend = legend(&self.series, width, sheet.top());
        let top = legend.iter().map(|entry| entry.below).fold(sheet.top(), f64::max) + 10.0;
        // More lines of title and legend push the drawing down; a narrow one is less high, too.
        let height = top + (HEIGHT - BOTTOM - 56.0) * (0.55 + 0.45 * width / WIDE) + BOTTOM;
        let narrow = width < 0.7 * WIDE;
        let frame = Frame {
            x_axis: Axis::around(self.x_scale, points().map(|point| point.0)),
            y_axis: Axis::around(self.y_scale, points().map(|point| point.1).chain(ends)),
            left: if narrow { 62.0 } else { 82.0 },
            right: width - RIGHT,
            top,
            bottom: height - BOTTOM,
        };
        self.draw_axes(&mut sheet, &frame, narrow);
        let mut drawn: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut numbers = 0..;
        for (series, entry) in self.series.iter().zip(legend) {
            let colour = match series.mark {
                Mark::Reference => Colour::Grey,
                _ => Colour::Number(numbers.next().expect("there is no last number")),
            };
            let places = frame.places(series.points.iter().copied());
            let below = drawn.iter().filter(|other| touch(other, &places)).count();
            let stroke = match series.mark {
                Mark::Reference => "stroke-width=\"1.2\" stroke-dasharray=\"5 4\"".to_owned(),
                _ => format!("stroke-width=\"2\"{}", dashes(below)),
            };
            draw(&mut sheet, &frame, series, &places, (colour, &stroke));
            entry.draw(&mut sheet, series, (colour, &stroke));
            if matches!(series.mark, Mark::Line | Mark::DottedLine) {
                drawn.push(places);
            }
        }
        sheet.finish(height)
    }
}

impl Chart {
    fn draw_axes(&self, sheet: &mut Sheet, frame: &Frame, narrow: bool) {
        let (rule, about) = (Colour::Rule.stroke(), if narrow { 3 } else { 6 });
        let Frame { left, right, top, bottom, .. } = *frame;
        for tick in frame.x_axis.ticks(about) {
            let Some(x) = frame.x(tick) else { continue };
            sheet.add(format!("<path d=\"M{x:.1} {top:.1}V{bottom:.1}\" {rule}/>"));
            sheet.text(x, bottom + 20.0, "text-anchor=\"middle\"", &frame.x_axis.label(tick));
        }
        for tick in frame.y_axis.ticks(6) {
            let Some(y) = frame.y(tick) else { continue };
            sheet.add(format!("<path d=\"M{left:.1} {y:.1}H{right:.1}\" {rule}/>"));
            sheet.text(left - 8.0, y + 4.5, "text-anchor=\"end\"", &frame.y_axis.label(tick));
        }
        sheet.text((left + right) / 2.0, bottom + 46.0, "text-anchor=\"middle\"", &self.x_name);
        sheet.add(format!(
            "<text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (top + bottom) / 2.0,
            escaped(&self.y_name)
        ));
    }
}

/// One series, below what comes after it.
fn draw(
    sheet: &mut Sheet,
    frame: &Frame,
    series: &Series,
    places: &[(f64, f64)],
    (colour, stroke): (Colour, &str),
) {
    if !series.band.is_empty() {
        let upper = series.band.iter().map(|(x, _, high)| (*x, *high));
        let lower = series.band.iter().rev().map(|(x, low, _)| (*x, frame.y_axis.floor(*low)));
        let outline = path(&frame.places(upper.chain(lower)));
        sheet.add(format!("<path d=\"{outline}Z\" {} fill-opacity=\"0.2\"/>", colour.fill()));
    }
    if series.mark != Mark::Dots {
        sheet.add(format!(
            "<path d=\"{}\" style=\"fill:none\" fill=\"none\" {} {stroke} stroke-linejoin=\"round\"/>",
            path(places),
            colour.stroke()
        ));
    }
    if matches!(series.mark, Mark::Dots | Mark::DottedLine) {
        for (x, y) in places {
            sheet.add(dot(*x, *y, colour));
        }
    }
    for (label, (x, y)) in series.labels.iter().zip(&series.points) {
        if let (Some(x), Some(y)) = (frame.x(*x), frame.y(*y)) {
            beside(sheet, (x, y), frame, label);
        }
    }
}

fn path(places: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in places.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        write!(path, "{command}{x:.2} {y:.2}").expect("writing to a string succeeds");
    }
    path
}

/// Whether one curve lies on another for a third of its way or more, so that it would hide it.
fn touch(below: &[(f64, f64)], above: &[(f64, f64)]) -> bool {
    let near =
        |&&(x, y): &&(f64, f64)| height_at(below, x).is_some_and(|other| (other - y).abs() <= TOUCHING);
    !above.is_empty() && 3 * above.iter().filter(near).count() >= above.len()
}

/// How high a curve is above one place, between its points as it is drawn.
fn height_at(curve: &[(f64, f64)], x: f64) -> Option<f64> {
    let between = |pair: &[(f64, f64)]| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let inside = (x0.min(x1)..=x0.max(x1)).contains(&x);
        inside.then(|| if x1 == x0 { y0 } else { y0 + (y1 - y0) * (x - x0) / (x1 - x0) })
    };
    curve.windows(2).find_map(between)
}

/// Dashes that let as many curves below shine through; none where there is no other curve.
fn dashes(below: usize) -> String {
    if below == 0 {
        return String::new();
    }
    let on = DASH / (below as f64 + 1.0);
    format!(" stroke-dasharray=\"{on:.1} {:.1}\"", DASH - on)
}

/// Where the name of a series stands: above the drawing, where no line can cross it.
struct LegendEntry {
    x: f64,
    y: f64,
    lines: Vec<String>,
    /// Where the entry ends.
    below: f64,
}

impl LegendEntry {
    fn draw(&self, sheet: &mut Sheet, series: &Series, (colour, stroke): (Colour, &str)) {
        if series.name.is_empty() {
            return;
        }
        let (x, y) = (self.x, self.y);
        sheet.add(match series.mark {
            Mark::Dots => dot(x + 9.0, y, colour),
            _ => format!("<path d=\"M{x:.1} {y:.1}h24\" {} {stroke}/>", colour.stroke()),
        });
        for (row, line) in self.lines.iter().enumerate() {
            sheet.text(x + 30.0, y + 4.5 + LEGEND_ROW * row as f64, "", line);
        }
    }
}

/// The names from the left, in as many lines as they need.
fn legend(series: &[Series], width: f64, top: f64) -> Vec<LegendEntry> {
    let (mut x, mut y) = (MARGIN, top + 9.0);
    let mut below = top;
    let entry = |series: &Series| {
        if series.name.is_empty() {
            return LegendEntry { x, y, lines: Vec::new(), below };
        }
        let lines = broken(&series.name, width - 2.0 * MARGIN - 30.0, LETTER);
        let wide = 46.0 + lines.iter().map(|line| width_of(line)).fold(0.0, f64::max);
        if x > MARGIN && x + wide > width {
            (x, y) = (MARGIN, below + 9.0);
        }
        below = below.max(y - 9.0 + LEGEND_ROW * lines.len() as f64);
        let entry = LegendEntry { x, y, lines, below };
        x += wide;
        entry
    };
    series.iter().map(entry).collect()
}

/// A dot that shows those behind it.
fn dot(x: f64, y: f64, colour: Colour) -> String {
    format!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" {} fill-opacity=\"0.75\"/>", colour.fill())
}

/// A label above its point, or below where the drawing ends, on the side where there is room.
fn beside(sheet: &mut Sheet, (x, y): (f64, f64), frame: &Frame, label: &str) {
    let room = frame.right + RIGHT - x;
    let (x, anchor) = if width_of(label) + 5.0 > room { (x - 5.0, "end") } else { (x + 5.0, "start") };
    let y = if y - 20.0 < frame.top { y + 18.0 } else { y - 7.0 };
    sheet.text(x, y, &format!("text-anchor=\"{anchor}\" font-size=\"12\""), label);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::NARROW;

    fn chart(points: Vec<(f64, f64)>, scale: Scale) -> String {
        let series = vec![Series::new(Mark::Line, "a < b & c", points)];
        let (title, x_name, y_name) = ("title".to_owned(), "x".to_owned(), "y".to_owned());
        Chart { title, x_name, y_name, x_scale: scale, y_scale: scale, series }.to_svg()
    }

    #[test]
    fn points_run_from_the_lower_left_to_the_upper_right() {
        let svg = chart(vec![(1.0, 1.0), (10.0, 10.0)], Scale::Logarithmic);
        let height: f64 = svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let corners = format!("M82.00 {:.2}L{:.2} ", height - BOTTOM, WIDE - RIGHT);
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
        let height: f64 = svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let corner = format!("L{0:.2} {1:.2}L82.00 {1:.2}Z", WIDE - RIGHT, height - BOTTOM);
        assert!(svg.contains(&corner) && svg.contains("fill-opacity"), "{svg}");
    }

    fn of(series: Vec<Series>) -> Chart {
        let (title, x_name, y_name) = ("\"t\"".to_owned(), "x".to_owned(), "y".to_owned());
        Chart { title, x_name, y_name, x_scale: Scale::Linear, y_scale: Scale::Linear, series }
    }

    #[test]
    fn dots_and_references_are_drawn_their_way_and_long_legends_wrap() {
        let points = |up: f64| vec![(0.0, up), (1.0, 1.0 + up), (2.0, f64::NAN)];
        let mut series: Vec<Series> = [Mark::Line, Mark::Dots, Mark::DottedLine, Mark::Reference]
            .into_iter()
            .zip([0.0, 1.0, 2.0, 3.0])
            .map(|(mark, up)| Series::new(mark, "a name of forty letters, more or less wide", points(up)))
            .collect();
        series[1].labels = vec!["<1>".to_owned()];
        let svg = of(series).to_svg();
        // Two dots for each of two series, and one in the legend of the dots.
        assert_eq!(svg.matches("<circle").count(), 5, "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 2, "{svg}");
        assert!(svg.contains("aria-label=\"&quot;t&quot;\""), "{svg}");
        assert_eq!(svg.matches("&lt;1&gt;</text>").count(), 1, "{svg}");
        // A reference takes no colour from the others.
        let of_colour = |number| svg.contains(&Colour::Number(number).stroke());
        assert!(of_colour(2) && !of_colour(3), "{svg}");
    }

    /// Specification: no text leaves a drawing on either side, on a screen or on a telephone, however long.
    #[test]
    fn every_text_of_a_legend_fits_at_any_width() {
        let long = "a name that goes on and on, at ε = 1 in total, for as long as somebody cares to read it";
        let chart = of(vec![Series::new(Mark::Line, long, vec![(0.0, 0.0), (1.0, 1.0)])]);
        for width in [NARROW, WIDE] {
            let svg = chart.svg(width);
            let mut seen = 0;
            for text in svg.split("<text x=\"").skip(1).filter(|text| !text.contains("text-anchor")) {
                let x: f64 = text.split('"').next().unwrap().parse().unwrap();
                let words = text.split('>').nth(1).unwrap().split('<').next().unwrap();
                assert!(x + LETTER * words.chars().count() as f64 <= width + 1.0, "{width}: {words}");
                seen += usize::from(long.contains(words));
            }
            assert!(seen > 0, "{svg}");
        }
    }

    #[test]
    fn curves_that_coincide_are_told_apart() {
        let curve = |shift: f64| (0..50).map(|x| (f64::from(x), f64::from(x) + shift)).collect::<Vec<_>>();
        let line = |shift| Series::new(Mark::Line, "n", curve(shift));
        assert!(!of(vec![line(0.0), line(5.0)]).to_svg().contains("dasharray"));
        // The curve and its name.
        assert_eq!(of(vec![line(0.0), line(0.01)]).to_svg().matches("dasharray").count(), 2);
        let three = of(vec![line(0.0), line(0.01), line(0.0)]).to_svg();
        assert!(three.contains("dasharray=\"12.0 12.0\"") && three.contains("dasharray=\"8.0 16.0\""));
        // Other points of the same curve coincide as well.
        let sparse = Series::new(Mark::Line, "n", vec![(0.0, 0.0), (49.0, 49.0)]);
        assert!(of(vec![sparse, line(0.0)]).to_svg().contains("dasharray"));
    }
}
