//! Tables drawn with lines: keys to the left, numbers to the right, what is less important in grey.

use unicode_width::UnicodeWidthStr;

use crate::terminal_style::TerminalStyle;
use crate::text::shown;

/// On which side the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// How a column is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// In the terminal's own colour.
    Plain,
    /// In grey: intervals.
    Faint,
    /// In colour: truths of a demo.
    Accent,
}

struct Column {
    heading: String,
    side: Side,
    tone: Tone,
}

/// A table of texts.
#[derive(Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// A cell: a text, and perhaps something behind it in grey.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    text: String,
    faint: String,
}

impl Cell {
    /// A text with something in grey behind it.
    pub fn with_faint(text: impl Into<String>, faint: impl Into<String>) -> Self {
        Self { text: text.into(), faint: faint.into() }
    }

    fn width(&self) -> usize {
        self.text.width() + self.faint.width()
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), faint: String::new() }
    }
}

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column with one cell for every row. A table without rows gets them.
    pub fn filled_column(
        &mut self,
        heading: impl Into<String>,
        side: Side,
        tone: Tone,
        cells: impl IntoIterator<Item = Cell>,
    ) {
        let position = self.columns.len();
        self.columns.push(Column { heading: shown(&heading.into()), side, tone });
        for (row, cell) in cells.into_iter().enumerate() {
            if self.rows.len() <= row {
                self.rows.push(Vec::new());
            }
            self.rows[row].resize(position, Cell::default());
            self.rows[row].push(cell);
        }
    }

    /// The lines of the table, each starting with the margin.
    pub fn lines(&self, margin: &str, style: TerminalStyle) -> Vec<String> {
        let nothing = Cell::default();
        let cell = |row: &'_ Vec<Cell>, column: usize| row.get(column).cloned().unwrap_or(nothing.clone());
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let cells = self.rows.iter().map(|row| cell(row, index).width());
                cells.max().unwrap_or(0).max(column.heading.width())
            })
            .collect();
        let rule = |left: &str, middle: &str, right: &str| {
            let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
            format!("{margin}{}", style.faint(&format!("{left}{}{right}", parts.join(middle))))
        };
        let bar = style.faint("│");
        let line = |texts: Vec<String>| format!("{margin}{bar} {} {bar}", texts.join(&format!(" {bar} ")));
        let mut lines = vec![rule("╭", "┬", "╮")];
        lines.push(line(
            self.columns
                .iter()
                .zip(&widths)
                .map(|(column, width)| {
                    padded(&style.strong(&column.heading), column.heading.width(), *width, column.side)
                })
                .collect(),
        ));
        lines.push(rule("├", "┼", "┤"));
        for row in &self.rows {
            lines.push(line(
                self.columns
                    .iter()
                    .zip(&widths)
                    .enumerate()
                    .map(|(index, (column, width))| {
                        let cell = cell(row, index);
                        let text = match column.tone {
                            Tone::Plain => cell.text.clone(),
                            Tone::Faint => style.faint(&cell.text),
                            Tone::Accent => style.accent(&cell.text),
                        };
                        let drawn = text + &style.faint(&cell.faint);
                        padded(&drawn, cell.width(), *width, column.side)
                    })
                    .collect(),
            ));
        }
        lines.push(rule("╰", "┴", "╯"));
        lines
    }
}

fn padded(drawn: &str, width: usize, full: usize, side: Side) -> String {
    let blanks = " ".repeat(full.saturating_sub(width));
    match side {
        Side::Left => format!("{drawn}{blanks}"),
        Side::Right => format!("{blanks}{drawn}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_left_and_numbers_right_whatever_the_script() {
        let mut table = Table::new();
        table.filled_column("ward", Side::Left, Tone::Plain, ["眼科", "burns"].map(Cell::from));
        let visits = ["1,204", "31"].map(|count| Cell::with_faint(count, " ± 25"));
        table.filled_column("visits", Side::Right, Tone::Plain, visits);
        let expected = "
  ╭───────┬────────────╮
  │ ward  │     visits │
  ├───────┼────────────┤
  │ 眼科  │ 1,204 ± 25 │
  │ burns │    31 ± 25 │
  ╰───────┴────────────╯";
        assert_eq!(format!("\n{}", table.lines("  ", TerminalStyle::plain()).join("\n")), expected);
    }

    #[test]
    fn columns_may_be_added_when_rows_exist() {
        let mut table = Table::new();
        table.filled_column("a", Side::Left, Tone::Plain, ["x", "y"].map(Cell::from));
        table.filled_column("b", Side::Right, Tone::Accent, [Cell::from("1")]);
        let lines = table.lines("", TerminalStyle::plain());
        assert_eq!(lines[3..5], ["│ x │ 1 │", "│ y │   │"]);
    }
}
