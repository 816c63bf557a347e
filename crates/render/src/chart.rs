//! Charts as SVG that stands alone: lines and dots over two axes, and bars with their intervals.

mod axis;
mod bar;
mod line;

pub use axis::Scale;
pub use bar::{Bar, BarChart};
pub use line::{Chart, Mark, Series};
