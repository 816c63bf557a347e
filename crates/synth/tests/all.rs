//! Synthesizers from outside: whatever the rows, the columns and the price, a table or a clear refusal.

#[path = "all/error_bars.rs"]
mod error_bars;
#[path = "all/hostile.rs"]
mod hostile;
#[path = "all/synthesizers.rs"]
mod synthesizers;
