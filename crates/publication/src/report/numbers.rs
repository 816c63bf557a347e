//! The numbers of a table, as a table; long ones are cut and say where the rest is.

use pointillist_render::decimals::grouped;
use pointillist_render::page::Block;
use pointillist_render::text::shown;

use super::figure;
use crate::files::places;
use crate::{Figure, MeasureColumn, PublishedTable};

/// Longer tables are cut here.
const ROWS_MAX: usize = 60;
/// Longer tables are folded: the picture above them says more.
const ROWS_OPEN: usize = 20;
/// Longer descriptions do not stand on an axis.
const WORDS_MAX: usize = 40;

pub(super) fn blocks(table: &PublishedTable) -> Vec<Block> {
    if table.keys.is_empty() && table.rows.len() == 1 {
        return vec![totals(table)];
    }
    let mut head: Vec<String> = table.keys.iter().map(|key| key.name.clone()).collect();
    for measure in &table.measures {
        head.extend([measure.name.clone(), "95 % interval".to_owned()]);
    }
    let is_marked = table.rows.iter().any(|row| row.cells.iter().any(|cell| cell.is_noisy));
    if is_marked {
        head.push("of use?".to_owned());
    }
    let rows = table.rows.iter().take(ROWS_MAX).map(|row| {
        let mut cells: Vec<String> = row.keys.iter().map(figure::key).collect();
        for (at, cell) in row.cells.iter().enumerate() {
            let places = places(table, at);
            cells.push(match cell.value {
                None => "undefined".to_owned(),
                Some(Figure::Whole(value)) => grouped(&value.to_string()),
                Some(Figure::Real(value)) => grouped(&places.nearest(value)),
            });
            cells.push(match cell.interval {
                None => String::new(),
                Some((low, high)) => {
                    format!("{} – {}", grouped(&places.low(low)), grouped(&places.high(high)))
                }
            });
        }
        if is_marked {
            let noisy = row.cells.iter().any(|cell| cell.is_noisy);
            cells.push(if noisy { "too noisy" } else { "" }.to_owned());
        }
        cells
    });
    let mut blocks = vec![Block::Table { head, rows: rows.collect() }];
    let count = grouped(&table.rows.len().to_string());
    if table.rows.len() <= ROWS_OPEN {
        return blocks;
    }
    let mut summary = format!("All {count} rows");
    if table.rows.len() > ROWS_MAX {
        summary = format!("The first {ROWS_MAX} of {count} rows");
        blocks.push(Block::text(format!("The rest is in {}.csv.", table.name)));
    }
    vec![Block::Folded { summary, blocks }]
}

/// The one row of a table without keys.
fn totals(table: &PublishedTable) -> Block {
    let cells = table.rows.first().map_or(&[][..], |row| &row.cells);
    let facts = table.measures.iter().zip(cells).map(|(measure, cell)| {
        let noisy = if cell.is_noisy { " (too noisy to be of use)" } else { "" };
        (measure_words(measure), format!("{}{noisy}", figure::with_error(cell)))
    });
    Block::facts(facts)
}

/// What a measure is called on a picture: its description where that is short.
pub(super) fn measure_words(measure: &MeasureColumn) -> String {
    let short = measure
        .description
        .as_deref()
        .filter(|text| text.chars().count() <= WORDS_MAX && !text.contains('\n'));
    shown(short.unwrap_or(&measure.name).trim_end_matches('.'))
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.concat(),
    }
}

/// A text with a full stop at its end.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
