//! An answer as people look at it: a table with error bars and bars, and a chart of the same numbers.

use maud::{Markup, html};
use pointillist_catalog::Value;
use pointillist_curator::{Answer, Digits};
use pointillist_plan::{Role, Type};
use pointillist_render::decimals::grouped;
use pointillist_render::fluid::{self, LinePoint, RowAxis, RowBar};
use pointillist_render::text::shown;

use crate::money::size_upper;

/// Rows that a page shows; of more, the first.
pub const ROWS_MAX: usize = 200;
/// Columns of a chart that can be told apart.
const CHART_COLUMNS_MAX: usize = 12;
/// Points of a line that can be told apart.
const CHART_POINTS_MAX: usize = 200;

/// A number with its error bar, as text and as a length.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The number.
    pub text: String,
    /// `± 304`, or where the truth lies; nothing where it has none.
    pub error: Option<String>,
    /// The bar; nothing where there is no number.
    pub bar: Option<RowBar>,
}

/// One row: keys, then numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRow {
    /// The keys; `None` for NULL.
    pub keys: Vec<Option<String>>,
    /// The numbers.
    pub figures: Vec<Figure>,
    /// Where the row stands on an axis, if its only key has an order.
    place: Option<f64>,
}

/// An answer, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerTable {
    /// The names of the keys.
    pub keys: Vec<String>,
    /// The names of the numbers.
    pub numbers: Vec<String>,
    /// The rows that are shown.
    pub rows: Vec<AnswerRow>,
    /// How many there are.
    pub row_count: usize,
    /// What to know when reading it.
    pub notes: Vec<String>,
}

impl AnswerTable {
    /// The answer's rows, as far as a page shows them.
    pub fn new(answer: &Answer) -> Self {
        let columns = 0..answer.columns.len();
        let is_number = |column: &usize| {
            let column = &answer.columns[*column];
            !matches!(column.role, Role::Key(_)) && matches!(column.kind, Type::Integer | Type::Number)
        };
        let (numbers, keys): (Vec<usize>, Vec<usize>) = columns.partition(is_number);
        let digits: Vec<Digits> = (0..answer.columns.len()).map(|column| answer.digits(column)).collect();
        let rows = answer.rows.iter().take(ROWS_MAX).map(|row| AnswerRow {
            keys: keys
                .iter()
                .map(|key| digits[*key].value(row.values[*key].as_ref()).map(|text| shown(&text)))
                .collect(),
            figures: numbers
                .iter()
                .map(|column| figure(digits[*column], row.values[*column].as_ref(), row.intervals[*column]))
                .collect(),
            place: match keys.as_slice() {
                [key] => place(row.values[*key].as_ref()),
                _ => None,
            },
        });
        let name = |column: &usize| answer.columns[*column].name.clone();
        Self {
            rows: rows.collect(),
            keys: keys.iter().map(name).collect(),
            numbers: numbers.iter().map(name).collect(),
            row_count: answer.rows.len(),
            notes: answer.notes.clone(),
        }
    }

    /// What it is about, for a heading: `visits by region`.
    pub fn title(&self) -> String {
        let numbers = self.numbers.join(" and ");
        let words = match (numbers.is_empty(), self.keys.is_empty()) {
            (true, _) => self.keys.join(" and "),
            (false, true) => numbers,
            (false, false) => format!("{numbers} by {}", self.keys.join(" and ")),
        };
        let words = shown(&words).replace('_', " ");
        words
            .chars()
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(words.chars().skip(1)).collect())
    }

    /// The axis of the bars of a column of numbers.
    fn axis(&self, column: usize) -> RowAxis {
        let bars: Vec<RowBar> = self
            .rows
            .iter()
            .filter_map(|row| row.figures.get(column).and_then(|figure| figure.bar))
            .collect();
        RowAxis::around(&bars)
    }

    /// The table, with a bar for the first of its numbers.
    pub fn table(&self) -> Markup {
        let axis = self.axis(0);
        let has_bars = !self.numbers.is_empty() && !self.keys.is_empty();
        html! {
            div.scroll tabindex="0" role="region" aria-label="The answer as a table" {
                table.bars.several[self.numbers.len() > 1 || self.keys.len() > 1] {
                    caption {
                        "Each number holds within its error bar, 19 times in 20"
                        @if self.row_count > self.rows.len() {
                            ". The first " (self.rows.len()) " of " (grouped(&self.row_count.to_string())) " rows"
                        }
                    }
                    thead { tr {
                        @for key in &self.keys { th scope="col" { (shown(key)) } }
                        @for number in &self.numbers { th.n scope="col" { (shown(number)) } th.n scope="col" { "error bar" } }
                        @if has_bars {
                            th.cellbar scope="col" { span.unit { (range(axis)) } }
                        }
                    } }
                    tbody { @for row in &self.rows { (self.row(row, has_bars.then_some(axis))) } }
                }
            }
        }
    }

    fn row(&self, row: &AnswerRow, axis: Option<RowAxis>) -> Markup {
        html! {
            tr {
                @for (place, key) in row.keys.iter().enumerate() {
                    @if place == 0 { th scope="row" { (key_text(key.as_deref())) } }
                    @else { td { (key_text(key.as_deref())) } }
                }
                @for figure in &row.figures {
                    td.n { (figure.text) }
                    td.n.pm { @if let Some(error) = &figure.error { (error) } @else { "–" } }
                }
                @if let Some(axis) = axis {
                    td.cellbar { @if let Some(bar) = row.figures.first().and_then(|figure| figure.bar) { (axis.svg(bar, 26.0)) } }
                }
            }
        }
    }

    /// Hollow bars for rows that nobody is in, one a line.
    pub fn invented_rows(&self, height: f64) -> Markup {
        let axis = self.axis(0);
        html! {
            @for row in self.rows.iter().take(CHART_COLUMNS_MAX) {
                @if let Some(bar) = row.figures.first().and_then(|figure| figure.bar) {
                    span { (self.row_name(row)) }
                    (axis.svg(bar, height))
                }
            }
        }
    }

    /// How long half a whisker is, in per cent of the width, row by row: where the script begins.
    pub fn reaches(&self) -> Vec<f64> {
        let axis = self.axis(0);
        let bars = self.rows.iter().take(CHART_COLUMNS_MAX).filter_map(|row| row.figures.first()?.bar);
        bars.map(|bar| {
            let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
            100.0 * (high - low) / 2.0 / (axis.high - axis.low)
        })
        .collect()
    }

    fn row_name(&self, row: &AnswerRow) -> String {
        let keys: Vec<&str> = row.keys.iter().map(|key| key.as_deref().unwrap_or("none")).collect();
        if keys.is_empty() { self.numbers.first().cloned().unwrap_or_default() } else { keys.join(" · ") }
    }

    /// A chart of the first column of numbers; nothing where a chart would say less than the table.
    pub fn chart(&self) -> Option<Markup> {
        let name = self.numbers.first()?;
        if self.rows.len() < 2 || self.row_count > self.rows.len() {
            return None;
        }
        let finding = self.finding();
        let figures = || self.rows.iter().filter_map(|row| Some((row, row.figures.first()?)));
        let places = self.rows.iter().all(|row| row.place.is_some());
        if places && self.rows.len() > 2 && self.rows.len() <= CHART_POINTS_MAX {
            let points: Option<Vec<LinePoint>> = figures()
                .map(|(row, figure)| {
                    let bar = figure.bar?;
                    let name = self.row_name(row);
                    Some(LinePoint {
                        at: row.place?,
                        name: short_day(&name),
                        value: bar.value,
                        interval: bar.interval,
                    })
                })
                .collect();
            return fluid::line(name, &finding, &points?);
        }
        if self.rows.len() > CHART_COLUMNS_MAX {
            return None;
        }
        let columns: Option<Vec<fluid::Column>> = figures()
            .map(|(row, figure)| {
                let bar = figure.bar?;
                let (name, label) = (self.row_name(row), figure.text.clone());
                Some(fluid::Column { name, value: bar.value, interval: bar.interval, label })
            })
            .collect();
        fluid::columns(name, &finding, &columns?)
    }

    /// The numbers in a sentence, for those who listen.
    fn finding(&self) -> String {
        let says = |row: &AnswerRow| {
            let figure = row.figures.first()?;
            Some(format!(
                "{} {} {}",
                self.row_name(row),
                figure.text,
                figure.error.as_deref().unwrap_or_default()
            ))
        };
        let mut said: Vec<String> = self.rows.iter().take(CHART_COLUMNS_MAX).filter_map(says).collect();
        if self.rows.len() > CHART_COLUMNS_MAX {
            said.push("the table has the others".to_owned());
        }
        format!("{}.", said.join(", "))
    }
}

fn key_text(key: Option<&str>) -> Markup {
    match key {
        None => html! { span.quiet { "none" } },
        Some("") => html! { span.quiet { "empty" } },
        Some(key) => html! { (key) },
    }
}

fn figure(digits: Digits, value: Option<&Value>, interval: Option<(f64, f64)>) -> Figure {
    let Some(text) = digits.value(value) else {
        return Figure { text: "–".to_owned(), error: None, bar: None };
    };
    let number = match value {
        Some(Value::Integer(value)) => Some(*value as f64),
        Some(Value::Number(value)) => Some(*value),
        _ => None,
    };
    let error = interval.zip(number).map(|((low, high), value)| {
        let (below, above) = (value - low, high - value);
        let is_even = (below - above).abs() <= 1e-6 * (below.abs() + above.abs()).max(1e-300)
            || below.max(above) <= 1.0;
        match is_even && low.is_finite() && high.is_finite() {
            true => format!("±\u{a0}{}", size_upper(below.max(above))),
            false => format!("{} to {}", signed(&digits.low(low)), signed(&digits.high(high))),
        }
    });
    let bar = number.map(|value| RowBar {
        value,
        interval: interval.filter(|(low, high)| low.is_finite() && high.is_finite()),
    });
    Figure { text: signed(&text), error, bar }
}

/// Digits in groups, with a true minus.
fn signed(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => format!("−{}", grouped(digits)),
        None => grouped(digits),
    }
}

/// The ends of an axis.
fn range(axis: RowAxis) -> String {
    let number = |value: f64| {
        let text = if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value}") };
        signed(&text)
    };
    format!("{} to {}", number(axis.low), number(axis.high))
}

/// Where a key stands on an axis of days.
fn place(key: Option<&Value>) -> Option<f64> {
    match key? {
        Value::Date(days) => Some(f64::from(*days)),
        Value::Timestamp(micros) => Some(*micros as f64 / 86_400_000_000.0),
        _ => None,
    }
}

/// A day without what an axis does not need: `2025-03` for the first of a month.
fn short_day(name: &str) -> String {
    let day = name.split(' ').next().unwrap_or(name);
    day.strip_suffix("-01").unwrap_or(day).to_owned()
}
