//! A grid of numbers as self-contained SVG: the darker a cell, the larger its number. For two keys at once.

use crate::svg::{Colour, Drawing, LETTER, MARGIN, Sheet, WIDE, broken, width_of};

/// One cell of the grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatCell {
    /// The number; none where there is none to show.
    pub value: Option<f64>,
    /// What stands in it, where there is room.
    pub label: String,
    /// Whether it is crossed out: the number is too uncertain to be of use.
    pub crossed: bool,
}

/// Numbers in rows and columns.
#[derive(Default)]
pub struct HeatMap {
    /// The line above the chart.
    pub title: String,
    /// What the columns are.
    pub x_name: String,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// The names of the rows and their cells, from the top.
    pub rows: Vec<(String, Vec<HeatCell>)>,
}

const ROW: f64 = 24.0;
/// Letters of labels inside cells.
const CELL_LETTER: f64 = 6.4;
const RIGHT: f64 = 16.0;
/// Names of rows that would take more of the width than this are cut.
const NAMES_MAX: f64 = 0.34;
/// Rows with names above them have so much more.
const NAME_ROW: f64 = 16.0;

struct Layout {
    /// Whether names of rows stand above their cells.
    stacked: bool,
    left: f64,
    cell: f64,
    /// Whether names of columns are turned, and how much room they take.
    turned: bool,
    head: f64,
    high: f64,
}

impl Layout {
    fn of(map: &HeatMap, width: f64) -> Self {
        let names = map.rows.iter().map(|(name, _)| width_of(name)).fold(0.0, f64::max);
        let stacked = names + 24.0 > NAMES_MAX * width;
        let left = if stacked { MARGIN } else { 16.0 + names };
        let cell = (width - RIGHT - left) / map.columns.len().max(1) as f64;
        let longest = map.columns.iter().map(|name| width_of(name)).fold(0.0, f64::max);
        let turned = longest + 8.0 > cell;
        let values = map.rows.iter().flat_map(|(_, cells)| cells).filter_map(|cell| cell.value);
        let high = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let head = if turned { longest.min(150.0) + 12.0 } else { 20.0 };
        Self { stacked, left, cell, turned, head, high: if high > 0.0 { high } else { 1.0 } }
    }
}

impl Drawing for HeatMap {
    fn svg(&self, width: f64) -> String {
        let mut sheet = Sheet::new(width, &self.title);
        let layout = Layout::of(self, width);
        let mut y = sheet.top() + 6.0;
        if !self.x_name.is_empty() {
            y += 12.0;
            sheet.text(layout.left, y, Colour::Grey.fill().as_str(), &self.x_name);
            y += 4.0;
        }
        y += layout.head;
        self.draw_head(&mut sheet, &layout, y - 6.0);
        for (name, cells) in &self.rows {
            if layout.stacked {
                for line in broken(name, width - 2.0 * MARGIN, LETTER) {
                    y += NAME_ROW;
                    sheet.text(layout.left, y - 3.0, "", &line);
                }
            } else {
                sheet.text(layout.left - 8.0, y + 16.5, "text-anchor=\"end\"", name);
            }
            for (column, cell) in cells.iter().take(self.columns.len()).enumerate() {
                draw_cell(&mut sheet, &layout, (layout.left + layout.cell * column as f64, y), cell);
            }
            y += ROW;
        }
        sheet.finish(y + 12.0)
    }
}

impl HeatMap {
    /// The names of the columns; where there are many, only those that have room.
    fn draw_head(&self, sheet: &mut Sheet, layout: &Layout, y: f64) {
        let every = if layout.turned { (15.0 / layout.cell).ceil().max(1.0) as usize } else { 1 };
        for (column, name) in self.columns.iter().enumerate().step_by(every) {
            let x = layout.left + layout.cell * (column as f64 + 0.5);
            if layout.turned {
                let most = (150.0 / LETTER) as usize;
                let short: String = match name.chars().count() > most {
                    true => name.chars().take(most - 1).chain(['…']).collect(),
                    false => name.clone(),
                };
                sheet.text(x + 4.5, y, &format!("transform=\"rotate(-90 {:.1} {y:.1})\"", x + 4.5), &short);
            } else {
                sheet.text(x, y, "text-anchor=\"middle\"", name);
            }
        }
    }
}

fn draw_cell(sheet: &mut Sheet, layout: &Layout, (x, y): (f64, f64), cell: &HeatCell) {
    let (wide, high) = ((layout.cell - 2.0).max(1.0), ROW - 2.0);
    let finite = cell.value.filter(|value| value.is_finite());
    let share = finite.map_or(0.0, |value| (value / layout.high).clamp(0.0, 1.0));
    // The root lets small numbers be told from none; ink on the darkest cell can still be read.
    let colour = if cell.crossed { Colour::Grey } else { Colour::BLUE };
    sheet.add(format!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" {} fill-opacity=\"{:.2}\"/>",
        colour.fill(),
        0.04 + 0.66 * share.sqrt()
    ));
    if cell.crossed {
        sheet.add(format!(
            "<path d=\"M{x:.1} {:.1}l{wide:.1} {:.1}\" {}/>",
            y + high,
            -high,
            Colour::Grey.stroke()
        ));
    }
    let needed = CELL_LETTER * cell.label.chars().count() as f64 + 4.0;
    if !cell.label.is_empty() && needed <= wide {
        let place = "text-anchor=\"middle\" font-size=\"11.5\"";
        sheet.text(x + 0.5 * wide, y + 0.5 * high + 4.0, place, &cell.label);
    }
}

/// Whether a grid of so many columns can be read on a page.
pub fn fits_a_page(columns: usize) -> bool {
    columns as f64 * 12.0 <= WIDE * (1.0 - NAMES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::NARROW;

    fn map(columns: usize, value: Option<f64>) -> HeatMap {
        let cell = HeatCell { value, label: "<7>".to_owned(), crossed: false };
        HeatMap {
            title: "t & u".to_owned(),
            x_name: "<x>".to_owned(),
            columns: (0..columns).map(|at| format!("column <{at}>")).collect(),
            rows: vec![("a < b".to_owned(), vec![cell.clone(); columns]), ("c".to_owned(), vec![cell])],
        }
    }

    #[test]
    fn every_cell_is_drawn_and_names_are_escaped() {
        let drawn = map(3, Some(5.0)).svg(WIDE);
        // Three cells and one, beside the paper.
        assert_eq!(drawn.matches("<rect").count(), 5, "{drawn}");
        assert!(
            drawn.contains("a &lt; b") && drawn.contains("column &lt;2&gt;") && drawn.contains("&lt;7&gt;")
        );
        assert!(!drawn.contains("<7>") && !drawn.contains("<x>"), "{drawn}");
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        for value in [None, Some(f64::NAN), Some(f64::INFINITY), Some(-5.0), Some(0.0)] {
            for columns in [0, 1, 40] {
                for width in [NARROW, WIDE] {
                    let drawn = map(columns, value).svg(width);
                    assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
                    assert!(!drawn.contains("width=\"-") && drawn.trim_end().ends_with("</svg>"), "{drawn}");
                }
            }
        }
    }

    #[test]
    fn uncertain_cells_are_crossed_out() {
        let mut crossed = map(1, Some(1.0));
        crossed.rows[0].1[0].crossed = true;
        let (plain, crossed) = (map(1, Some(1.0)).svg(WIDE), crossed.svg(WIDE));
        assert_eq!(plain.matches("<path").count() + 1, crossed.matches("<path").count(), "{crossed}");
        assert!(crossed.contains(&Colour::Grey.fill()));
    }
}
