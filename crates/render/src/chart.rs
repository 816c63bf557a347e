//! Charts as SVG that stands alone: lines and dots over two axes, bars with their intervals, and grids of numbers.

mod axis;
mod bar;
mod heat;
mod line;

pub use axis::Scale;
pub use bar::{Bar, BarChart};
pub use heat::{HeatCell, HeatMap, fits_a_page};
pub use line::{Chart, Mark, Series};
