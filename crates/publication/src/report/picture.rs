//! The picture of a table: bars with their intervals, a line with its band where keys have an order, a grid for two keys.

use std::collections::BTreeMap;

use pointillist_catalog::Value;
use pointillist_render::chart::{Bar, BarChart, Chart, HeatCell, HeatMap, Mark, Scale, Series, fits_a_page};
use pointillist_render::page::Block;
use pointillist_render::svg::Colour;
use pointillist_render::text::shown;

use super::figure;
use super::numbers::{listed, measure_words};
use crate::{Cell, PublishedTable, Row};

/// More bars than this are no picture.
const BARS_MAX: usize = 30;
/// Ordered keys of more values than this are drawn as a line.
const LINE_FROM: usize = 12;
/// So many lines can be told apart.
const LINES_MAX: usize = 5;
/// So many rows of a grid are drawn.
const GRID_ROWS_MAX: usize = 40;
/// So many of a table's numbers get a picture each.
const PICTURES_MAX: usize = 3;

const BARS: &str =
    "The bar is the published number, the line at its end the 95 % interval for the number without noise.";
const NOISY: &str = " Grey: the noise is too large for the number to be of use.";
const LINE: &str =
    "The line is the published number, the band the 95 % interval for the number without noise.";
const GRID: &str = "The darker, the larger. The numbers are rounded as their error allows.";

/// A picture for every measure that has one.
pub(super) fn blocks(table: &PublishedTable) -> Vec<Block> {
    (0..table.measures.len().min(PICTURES_MAX)).filter_map(|measure| picture(table, measure)).collect()
}

fn picture(table: &PublishedTable, measure: usize) -> Option<Block> {
    let (keys, rows) = (table.keys.len(), table.rows.len());
    if keys == 0 || rows == 0 {
        return None;
    }
    let noisy = table.rows.iter().any(|row| row.cells.get(measure).is_some_and(|cell| cell.is_noisy));
    let noisy = if noisy { NOISY } else { "" };
    if let Some(chart) = lines(table, measure) {
        return Some(Block::figure(&chart, LINE));
    }
    if rows <= BARS_MAX {
        return Some(Block::figure(&bars(table, measure), format!("{BARS}{noisy}")));
    }
    if keys < 2 {
        let cut = format!(" These are the {BARS_MAX} largest of {rows}.");
        return Some(Block::figure(&bars(table, measure), format!("{BARS}{noisy}{cut}")));
    }
    let (map, left_out) = grid(table, measure)?;
    let cut = if left_out > 0 {
        format!(" {left_out} rows more are in {}.csv.", table.name)
    } else {
        String::new()
    };
    let crossed = if noisy.is_empty() { "" } else { " Crossed out: too noisy to be of use." };
    Some(Block::figure(&map, format!("{GRID}{crossed}{cut}")))
}

fn title(table: &PublishedTable, measure: usize) -> String {
    let keys: Vec<String> = table.keys.iter().map(|key| shown(&key.name)).collect();
    format!("{} by {}", measure_words(&table.measures[measure]), listed(&keys))
}

fn bars(table: &PublishedTable, measure: usize) -> BarChart {
    let keys = table.keys.len();
    let mut colours: BTreeMap<Option<Value>, usize> = BTreeMap::new();
    let mut rows: Vec<&Row> = table.rows.iter().collect();
    if rows.len() > BARS_MAX {
        // Chosen by what is published, so nothing more is told; the sort is stable, so ties stay in the order of keys.
        let size = |row: &Row| row.cells.get(measure).and_then(figure::drawn).unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|one, other| size(other).total_cmp(&size(one)));
    }
    let bars: Vec<Bar> = rows
        .into_iter()
        .take(BARS_MAX)
        .filter_map(|row| {
            let cell = row.cells.get(measure)?;
            let value = figure::drawn(cell)?;
            // With two keys, the last one has the colours: groups stand together, and members are found again.
            let next = colours.len();
            let number =
                if keys > 1 { *colours.entry(row.keys[keys - 1].clone()).or_insert(next) } else { 0 };
            let colour = if cell.is_noisy { Colour::Grey } else { Colour::Number(number) };
            let interval = cell.interval.unwrap_or((value, value));
            let label = figure::with_error(cell);
            let name = figure::keys(row, 0..keys);
            Some(Bar { name, value, likely: interval, sure: interval, label, colour })
        })
        .collect();
    BarChart {
        title: title(table, measure),
        axis: measure_words(&table.measures[measure]),
        likely_name: "95 % interval".to_owned(),
        signed: !table.measures[measure].is_count,
        bars,
        ..BarChart::default()
    }
}

/// Where a key lies on an axis; none where it has no place.
fn place(value: &Option<Value>) -> Option<f64> {
    match value.as_ref()? {
        Value::Integer(value) => Some(*value as f64),
        Value::Number(value) => Some(*value),
        Value::Date(days) => Some(f64::from(*days)),
        Value::Timestamp(micros) => Some(*micros as f64 / 86_400_000_000.0),
        Value::Boolean(_) | Value::Text(_) => None,
    }
}

/// A line for each value of the first key, along a last key that has an order; none where that is no picture.
fn lines(table: &PublishedTable, measure: usize) -> Option<Chart> {
    let (last, before) = table.keys.split_last()?;
    if !last.is_ordered || before.len() > 1 {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut series: Vec<Vec<(f64, &Cell)>> = Vec::new();
    for row in &table.rows {
        let (Some(x), Some(cell)) = (place(&row.keys[before.len()]), row.cells.get(measure)) else {
            continue;
        };
        let name = figure::keys(row, 0..before.len());
        let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            series.push(Vec::new());
            series.len() - 1
        });
        series[at].push((x, cell));
    }
    let longest = series.iter().map(Vec::len).max()?;
    if longest <= LINE_FROM || series.len() > LINES_MAX {
        return None;
    }
    let is_days = table
        .rows
        .iter()
        .any(|row| matches!(row.keys[before.len()], Some(Value::Date(_) | Value::Timestamp(_))));
    Some(Chart {
        title: title(table, measure),
        x_name: shown(&last.name),
        y_name: measure_words(&table.measures[measure]),
        x_scale: if is_days { Scale::Dates } else { Scale::Tight },
        y_scale: Scale::Linear,
        series: names.into_iter().zip(series).map(|(name, cells)| line(name, cells)).collect(),
    })
}

fn line(name: String, mut cells: Vec<(f64, &Cell)>) -> Series {
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let points = cells.iter().filter_map(|(x, cell)| Some((*x, figure::drawn(cell)?))).collect();
    let band = cells
        .iter()
        .filter_map(|(x, cell)| cell.interval.map(|(low, high)| (*x, low, high)))
        .filter(|(_, low, high)| low.is_finite() && high.is_finite())
        .collect();
    Series { band, ..Series::new(Mark::Line, name, points) }
}

/// The last key along the top, all others down the side; and how many rows are left out.
fn grid(table: &PublishedTable, measure: usize) -> Option<(HeatMap, usize)> {
    let last = table.keys.len() - 1;
    let mut columns: Vec<&Option<Value>> = Vec::new();
    let mut rows: Vec<(String, BTreeMap<usize, HeatCell>)> = Vec::new();
    for row in &table.rows {
        let column = columns.iter().position(|known| **known == row.keys[last]).unwrap_or_else(|| {
            columns.push(&row.keys[last]);
            columns.len() - 1
        });
        if !fits_a_page(columns.len()) {
            return None;
        }
        let name = figure::keys(row, 0..last);
        // Rows of one name stand together, because rows come in the order of their keys.
        if rows.last().is_none_or(|(known, _)| *known != name) {
            rows.push((name, BTreeMap::new()));
        }
        let cells = &mut rows.last_mut()?.1;
        cells.insert(column, heat(row, measure));
    }
    let left_out = rows.len().saturating_sub(GRID_ROWS_MAX);
    let width = columns.len();
    let rows = rows.into_iter().take(GRID_ROWS_MAX).map(|(name, mut cells)| {
        (name, (0..width).map(|column| cells.remove(&column).unwrap_or_default()).collect())
    });
    let map = HeatMap {
        title: title(table, measure),
        x_name: shown(&table.keys[last].name),
        columns: columns.into_iter().map(figure::key).collect(),
        rows: rows.collect(),
    };
    Some((map, left_out))
}

fn heat(row: &Row, measure: usize) -> HeatCell {
    let Some(cell) = row.cells.get(measure) else {
        return HeatCell::default();
    };
    let value = figure::drawn(cell);
    let label = value.map_or_else(String::new, |value| figure::rounded(value, cell.error_95));
    HeatCell { value, label, crossed: cell.is_noisy }
}
