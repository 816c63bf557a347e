//! Models trained on private data: what is minimised, what noise it takes, and what is proven of it.
//!
//! A trainer is made of public numbers alone: how many features there are, how long a row may be, how many rows one person
//! has, and what may be lost. It says what it loses ([`Loss`](pointillist_privacy::Loss)) before it sees a row, and what it
//! returns are integers on a grid. [`Rows`] is all that it sees of data.

mod error;
mod grid_numbers;
mod rows;

pub use error::LearnError;
pub use grid_numbers::GridNumbers;
pub use rows::{Block, MemoryRows, Rows, RowsError};
