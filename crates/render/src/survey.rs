//! Surveys of the local model for people: what to expect of one, and what its reports say, in sentences and charts.

mod estimates;
mod forecast;

pub use estimates::{
    EstimateRow, NoteWays, ROWS_MAX, estimate_notes, estimate_rows, interval_words, share_chart,
};
pub use forecast::{error_chart, forecast_facts, question_facts, reason_words};

use pointillist_local::Cost;

use crate::decimals::short_upper;

/// A name and the sentence that belongs to it; without a name the sentence goes on.
pub type Fact = (&'static str, String);

/// What a report costs, in words.
pub fn price_words(cost: &Cost) -> String {
    let one = short_upper(cost.epsilon.value());
    match &cost.epsilon_of_one_memory {
        None => format!("each report costs its sender ε = {one}"),
        Some(all) => format!(
            "a report costs its sender ε = {one}, and any number of them from one memory ε = {} together",
            short_upper(all.value())
        ),
    }
}
