//! An answer as a drawing: bars with whiskers, or a line with a band where the key is a date or a number.

use pointillist_catalog::Value;
use pointillist_errors::{Explanation, Kind};
use pointillist_plan::{Role, Type};
use pointillist_render::chart::{Bar, BarChart, Chart, Mark, Scale, Series};
use pointillist_render::svg::{Colour, Drawing};

use super::{Answer, Digits, Row};

/// More bars than this cannot be told apart.
const BARS_MAX: usize = 60;

impl Answer {
    /// A drawing of the answer's numbers with their 95 % intervals, and `price` in its title.
    ///
    /// What is drawn was released: a drawing costs nothing.
    ///
    /// # Errors
    /// Where there is no number to draw, or too many.
    pub fn plot(&self, price: &str) -> Result<Box<dyn Drawing>, Explanation> {
        plot(self, price)
    }
}

fn plot(answer: &Answer, price: &str) -> Result<Box<dyn Drawing>, Explanation> {
    let columns = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..answer.columns.len()).filter(|column| wanted(*column)).collect()
    };
    let is_key = |column: usize| matches!(answer.columns[column].role, Role::Key(_));
    let numbers = columns(&|column| {
        !is_key(column) && matches!(answer.columns[column].kind, Type::Integer | Type::Number)
    });
    let keys = columns(&is_key);
    let nothing = || {
        Explanation::new(Kind::Request, "the answer has no number to draw")
            .with_hint("ask for a count, a sum or a mean")
    };
    let first = *numbers.first().ok_or_else(nothing)?;
    if let [key] = keys[..]
        && is_ordered(answer.columns[key].kind)
        && answer.rows.len() > 2
    {
        return Ok(Box::new(line(answer, key, &numbers, price)));
    }
    let bars: Vec<Bar> = match keys.is_empty() {
        // One row: its numbers one below the other.
        true => numbers.iter().flat_map(|column| bars(answer, &[], *column, true)).collect(),
        false => bars(answer, &keys, first, false),
    };
    if bars.len() > BARS_MAX {
        let words = format!("{} bars cannot be told apart", bars.len());
        return Err(Explanation::new(Kind::Request, words)
            .with_hint("ask for fewer groups, with LIMIT or a coarser key"));
    }
    let name = &answer.columns[first].name;
    let has_interval = answer.rows.iter().any(|row| row.intervals[first].is_some());
    let title =
        if keys.is_empty() { "Answer".to_owned() } else { format!("{name} by {}", names(answer, &keys)) };
    Ok(Box::new(BarChart {
        title: format!("{title}, at {price}"),
        axis: if keys.is_empty() { String::new() } else { name.clone() },
        likely_name: if has_interval { "95 % interval".to_owned() } else { String::new() },
        signed: true,
        bars,
        ..BarChart::default()
    }))
}

fn names(answer: &Answer, columns: &[usize]) -> String {
    columns.iter().map(|column| answer.columns[*column].name.as_str()).collect::<Vec<_>>().join(" and ")
}

fn is_ordered(kind: Type) -> bool {
    matches!(kind, Type::Integer | Type::Number | Type::Date | Type::Timestamp)
}

fn bars(answer: &Answer, keys: &[usize], column: usize, named: bool) -> Vec<Bar> {
    let digits = answer.digits(column);
    let key_digits: Vec<Digits> = keys.iter().map(|key| answer.digits(*key)).collect();
    let bar = |row: &Row| {
        let value = number(row.values[column].as_ref())?;
        let parts = keys.iter().zip(&key_digits).map(|(key, digits)| {
            digits.value(row.values[*key].as_ref()).unwrap_or_else(|| "NULL".to_owned())
        });
        let name =
            if named { answer.columns[column].name.clone() } else { parts.collect::<Vec<_>>().join(" · ") };
        let label = digits.value(row.values[column].as_ref()).unwrap_or_default();
        let interval = row.intervals[column].unwrap_or((value, value));
        Some(Bar { likely: interval, sure: interval, ..Bar::plain(name, value, label, Colour::BLUE) })
    };
    answer.rows.iter().filter_map(bar).collect()
}

/// Where a row stands on the axes, and between which heights the truth lies.
type Place = (f64, f64, Option<(f64, f64)>);

fn line(answer: &Answer, key: usize, numbers: &[usize], price: &str) -> Chart {
    let dates = matches!(answer.columns[key].kind, Type::Date | Type::Timestamp);
    let series = numbers.iter().map(|column| {
        let mut rows: Vec<Place> = answer
            .rows
            .iter()
            .filter_map(|row| {
                let (x, y) = (number(row.values[key].as_ref())?, number(row.values[*column].as_ref())?);
                Some((x, y, row.intervals[*column]))
            })
            .collect();
        rows.sort_by(|left, right| left.0.total_cmp(&right.0));
        Series {
            band: rows.iter().filter_map(|(x, _, ends)| ends.map(|(low, high)| (*x, low, high))).collect(),
            ..Series::new(
                Mark::DottedLine,
                format!("{}, 95 % band", answer.columns[*column].name),
                rows.iter().map(|(x, y, _)| (*x, *y)).collect(),
            )
        }
    });
    Chart {
        title: format!("{} by {}, at {price}", names(answer, numbers), answer.columns[key].name),
        x_name: answer.columns[key].name.clone(),
        y_name: if let [one] = numbers { answer.columns[*one].name.clone() } else { String::new() },
        x_scale: if dates { Scale::Dates } else { Scale::Tight },
        y_scale: Scale::Linear,
        series: series.collect(),
    }
}

/// A value's place on an axis; days for dates and moments.
fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Integer(value) => Some(*value as f64),
        Value::Number(value) => Some(*value),
        Value::Date(days) => Some(f64::from(*days)),
        Value::Timestamp(micros) => Some(*micros as f64 / MICROS_A_DAY),
        Value::Boolean(_) | Value::Text(_) => None,
    }
}

const MICROS_A_DAY: f64 = 86_400_000_000.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Column;

    fn column(name: &str, kind: Type, role: Role) -> Column {
        Column {
            name: name.to_owned(),
            kind,
            role,
            release: None,
            has_interval: matches!(role, Role::Aggregate(_)),
        }
    }

    fn answer(key: Option<(Type, Vec<Value>)>, numbers: &[f64]) -> Answer {
        let keyed = key.is_some();
        let mut columns = vec![column("mean <delay>", Type::Number, Role::Aggregate(0))];
        let mut rows: Vec<Row> = numbers
            .iter()
            .map(|number| Row {
                values: vec![Some(Value::Number(*number))],
                intervals: vec![Some((number - 1.0, number + 1.0))],
            })
            .collect();
        if let Some((kind, keys)) = key {
            columns.insert(0, column("carrier", kind, Role::Key(0)));
            for (row, key) in rows.iter_mut().zip(keys) {
                row.values.insert(0, Some(key));
                row.intervals.insert(0, None);
            }
        }
        assert_eq!(columns.len(), 1 + usize::from(keyed));
        Answer { columns, rows, notes: Vec::new() }
    }

    fn svg(answer: &Answer) -> String {
        plot(answer, "ε = 1").map_err(|_| "refused").unwrap().to_svg()
    }

    #[test]
    fn words_are_bars_with_whiskers_below_zero_too() {
        let keys = ["AA", "<b>"].map(|key| Value::Text(key.to_owned())).to_vec();
        let drawn = svg(&answer(Some((Type::Text, keys)), &[4.0, -2.0]));
        assert!(drawn.contains(">AA</text>") && drawn.contains(">&lt;b&gt;</text>"), "{drawn}");
        assert!(drawn.contains("mean &lt;delay&gt; by carrier, at ε = 1"), "{drawn}");
        // Two bars, each with a whisker.
        assert_eq!(drawn.matches("fill-opacity").count(), 2, "{drawn}");
        assert_eq!(drawn.matches("stroke-width=\"3\"").count(), 3, "{drawn}");
        let widths: Vec<f64> = drawn
            .split("width=\"")
            .filter_map(|part| part.split('"').next()?.parse().ok())
            .filter(|width: &f64| *width < 700.0 && *width > 3.0)
            .collect();
        assert_eq!(widths.len(), 2, "{drawn}");
        assert!((widths[0] / widths[1] - 2.0).abs() < 0.01, "{widths:?}");
    }

    #[test]
    fn dates_are_a_line_with_a_band_and_say_when() {
        let keys = (0..4).map(|month| Value::Date(19_000 + 30 * month)).collect();
        let drawn = svg(&answer(Some((Type::Date, keys)), &[1.0, 2.0, 3.0, 2.0]));
        assert!(drawn.contains("fill-opacity=\"0.2\"") && drawn.contains(">2022-0"), "{drawn}");
    }

    #[test]
    fn one_row_is_its_numbers_and_a_row_of_words_is_nothing() {
        assert!(svg(&answer(None, &[7.0])).contains(">mean &lt;delay&gt;</text>"));
        let mut words = answer(None, &[7.0]);
        words.columns[0].kind = Type::Text;
        assert!(plot(&words, "").is_err());
        let keys = (0..100).map(|key| Value::Text(key.to_string())).collect();
        assert!(plot(&answer(Some((Type::Text, keys)), &[1.0; 100]), "").is_err());
    }
}
