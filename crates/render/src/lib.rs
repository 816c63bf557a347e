//! Typed results to what people look at: numbers as digits, charts as SVG, pages as HTML.
//!
//! Nothing here decides anything about privacy: whatever arrives was released before, or is public. What it does promise
//! is that a text from data or from a request stays a text: no terminal and no browser takes it for a command.

pub mod calculator;
pub mod chart;
pub mod csv;
pub mod decimals;
pub mod fluid;
pub mod mechanisms;
pub mod page;
pub mod places;
pub mod survey;
pub mod svg;
pub mod terminal_style;
pub mod text;
pub mod text_bar;
pub mod text_table;
