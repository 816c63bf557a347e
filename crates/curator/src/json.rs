//! Answers, replies, quotes, rehearsals and budgets as JSON: the shape that scripts, browsers and notebooks rely on.
//!
//! Amounts of budgets are decimals in text, exactly as the ledger counts them; errors and ends of intervals are numbers,
//! rounded outwards to the digits they are worth, and null where there is no end. `grid` is the step that rows' values are
//! rounded to, in quotes and in answers.

mod answer;
mod answer_reader;
mod bound_proposal;
mod budget;
mod graph;
mod public_answer;
mod quote;
mod reply;

pub use answer::{Cell, Number, type_name};
pub use graph::{Account, LossJson, degrees, figure, made_up};
pub use reply::{AmountJson, CostJson};
