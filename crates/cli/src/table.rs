//! Tables of this door: lists of the catalog, and tables on stdout.

use pointillist_curator::List;
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text::shown;
pub use pointillist_render::text_table::{Cell, Side, Table, Tone};

/// A list of tables or columns, drawn.
pub fn of_list(list: &List) -> Table {
    let mut table = Table::new();
    for (index, heading) in list.headings.iter().enumerate() {
        let cells = list.rows.iter().map(|row| Cell::from(shown(&row[index])));
        table.filled_column(*heading, Side::Left, Tone::Plain, cells);
    }
    table
}

/// Prints a table: every column has a name, a side and a tone.
pub fn print_table(indent: &str, columns: &[(&str, Side, Tone)], rows: &[Vec<String>]) {
    let mut table = Table::new();
    for (place, (name, side, tone)) in columns.iter().enumerate() {
        table.filled_column(*name, *side, *tone, rows.iter().map(|row| row[place].clone().into()));
    }
    for line in table.lines(indent, TerminalStyle::for_stdout()) {
        println!("{line}");
    }
}
