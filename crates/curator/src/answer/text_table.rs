//! An answer as a table with error bars.

use pointillist_plan::{Role, Type};
use pointillist_render::decimals::grouped;
use pointillist_render::text::shown;
use pointillist_render::text_table::{Cell, Side, Table, Tone};

use super::{Answer, Digits, Row};

impl Answer {
    /// The answer as a table of text with error bars; further columns may be put behind it.
    pub fn table(&self) -> Table {
        table(self)
    }
}

fn table(answer: &Answer) -> Table {
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
