//! An answer as a table with error bars.

use pointillist_curator::{Answer, Digits, Row};

use crate::table::{Cell, Side, Table, Tone};
use pointillist_plan::{Role, Type};
use pointillist_render::decimals::grouped;
use pointillist_render::text::shown;

/// The table; further columns may be put behind it.
pub fn table(answer: &Answer) -> Table {
    let mut table = Table::new();
    for (index, column) in answer.columns.iter().enumerate() {
        let digits = answer.digits(index);
        let is_number = matches!(column.kind, Type::Integer | Type::Number);
        let side = if is_number && !matches!(column.role, Role::Key(_)) { Side::Right } else { Side::Left };
        let error = column.release.as_ref().and_then(|release| release.error_95);
        let behind = error.map_or_else(String::new, |error| format!(" ± {}", grouped(&digits.high(error))));
        let cell = |row: &Row| {
            let Some(text) = digits.value(row.values[index].as_ref()) else {
                return Cell::with_faint("", "NULL");
            };
            // A year among the keys is no amount: only amounts are grouped.
            let text = if side == Side::Right { grouped(&text) } else { shown(&text) };
            Cell::with_faint(text, behind.clone())
        };
        table.filled_column(&column.name, side, Tone::Plain, answer.rows.iter().map(cell));
        let intervals: Vec<_> = answer.rows.iter().map(|row| row.intervals[index]).collect();
        if error.is_none() && intervals.iter().any(Option::is_some) {
            table.filled_column("95 % interval", Side::Left, Tone::Faint, interval_cells(digits, &intervals));
        }
    }
    table
}

/// `[low, high]`, the numbers standing below each other.
fn interval_cells(digits: Digits, intervals: &[Option<(f64, f64)>]) -> Vec<Cell> {
    let ends = |interval: &Option<(f64, f64)>| {
        interval.map(|(low, high)| [grouped(&digits.low(low)), grouped(&digits.high(high))])
    };
    let ends: Vec<_> = intervals.iter().map(ends).collect();
    let width = |end: usize| ends.iter().flatten().map(|ends| ends[end].chars().count()).max().unwrap_or(0);
    let [low_width, high_width] = [width(0), width(1)];
    let cell = |ends: &Option<[String; 2]>| match ends {
        Some([low, high]) => Cell::from(format!("[{low:>low_width$}, {high:>high_width$}]")),
        None => Cell::default(),
    };
    ends.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Value;
    use pointillist_curator::{Column, Disclosure, Mechanism};
    use pointillist_mechanisms::number::additive_noise::NoiseLaw;
    use pointillist_numbers::Rational;

    use super::*;
    use pointillist_render::terminal_style::TerminalStyle;

    /// Two years: a count, a total of cents, a mean; the second year has no mean.
    fn answer() -> Answer {
        let column = |name: &str, kind, role, error_95: Option<f64>, grid: &str| Column {
            name: name.into(),
            kind,
            role,
            release: error_95.map(|error| Disclosure {
                mechanism: Mechanism::Noise(NoiseLaw::DiscreteGaussian),
                scale: None,
                error_95: Some(error),
                grid: Rational::parse(grid).ok(),
            }),
        };
        let row = |year, count, total: f64, mean: Option<f64>| Row {
            values: vec![
                Some(Value::Integer(year)),
                Some(Value::Integer(count)),
                Value::number(total),
                mean.and_then(Value::number),
            ],
            intervals: vec![None, None, None, mean.map(|mean| (mean - 0.37, mean + 0.37))],
        };
        Answer {
            columns: vec![
                column("year", Type::Integer, Role::Key(0), None, ""),
                column("n", Type::Integer, Role::Aggregate(0), Some(25.0), "1"),
                column("total", Type::Number, Role::Aggregate(1), Some(1250.5), "0.01"),
                column("mean", Type::Number, Role::Derived, None, ""),
            ],
            rows: vec![
                row(2025, 10_432, 123_456.700_000_000_01, Some(11.834_567)),
                row(2026, -3, 0.1 + 0.2, None),
            ],
            notes: Vec::new(),
        }
    }

    #[test]
    fn people_see_keys_left_amounts_in_groups_and_error_bars() {
        let expected = "
╭──────┬─────────────┬───────────────────────┬───────┬────────────────╮
│ year │           n │                 total │  mean │ 95 % interval  │
├──────┼─────────────┼───────────────────────┼───────┼────────────────┤
│ 2025 │ 10,432 ± 25 │ 123,456.70 ± 1,250.50 │ 11.83 │ [11.46, 12.21] │
│ 2026 │     -3 ± 25 │       0.30 ± 1,250.50 │  NULL │                │
╰──────┴─────────────┴───────────────────────┴───────┴────────────────╯";
        assert_eq!(format!("\n{}", table(&answer()).lines("", TerminalStyle::plain()).join("\n")), expected);
    }
}
