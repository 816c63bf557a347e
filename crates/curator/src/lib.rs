//! The trusted party: plan, charge, aggregate, release, record.
//!
//! The only crate that sees both raw aggregates and released answers. Read `curator.rs` and `settle.rs` for the
//! life of a question, `release.rs` for the one place where raw numbers become released ones.

mod answer;
mod arrays;
mod bars;
mod budgets;
mod curator;
mod datasets;
mod dummy;
mod error;
mod estimate;
mod fieller;
mod gate;
mod graph_files;
mod graphs;
mod interval;
mod linear;
mod order;
mod question_log;
mod release;
mod reply;
mod reuse;
pub mod sandbox;
mod schedule;
mod settle;
mod stored;

pub use pointillist_catalog::OWNER;

pub use answer::{Answer, Column, Disclosure, Row};
pub use arrays::{array, value};
pub use budgets::{accept, declared};
pub use curator::{Ask, Curator, Settings, epsilon_at_delta, ledger_price};
pub use datasets::{dataset_words, one_payer_a_file};
pub use dummy::{made_up, mixed, rehearse};
pub use error::{AskError, StartError};
pub use graph_files::{declared_first_line, load as load_graph, load_nodes};
pub use graphs::{GraphAsk, GraphQuote, GraphStatistic, explain_graph};
pub use question_log::QuestionLog;
pub use reply::{Paid, ReceiptFacts, Reply};
pub use schedule::Schedule;
