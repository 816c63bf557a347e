//! SQL to private plan: who owns each row, how contributions are bounded, which mechanism answers, at what
//! cost, with what error.
//!
//! **Guarantee.** [`plan()`] is a pure function of the catalog, the text and the options: it reads no data, no file and
//! no clock. So a plan, a price and a refusal leak nothing, and what it does not understand it refuses by name.
//!
//! The way of a question: `guard` (size and shape of the text) → sqlparser → `relation` (whose rows) → `lower`,
//! `functions`, `aggregate` (expressions, by allow-list) → `domain`, `bounds`, `measure` (keys and sensitivities) →
//! `price` (noise) → [`plan::PrivatePlan`]. SQL is never printed back.

mod aggregate;
mod answer;
mod bounds;
mod calendar;
mod canonical;
mod describe;
mod dialect;
mod domain;
mod error_bound;
mod functions;
mod graph;
mod guard;
mod interval;
mod lower;
mod measure;
mod names;
mod notes;
mod options;
mod picked;
pub mod plan;
mod price;
mod question;
mod ratio;
mod refusal;
mod relation;
pub mod scalar;
mod terms;
mod text;
mod tree;
mod typed;

#[cfg(test)]
mod tests;

use pointillist_catalog::Catalog;

pub use canonical::{canonical, canonical_release, canonical_topic};
pub use describe::{AggregateQuote, KeysQuote, PartQuote, Quote, describe, quote};
pub use error_bound::error_bound;
pub use graph::{GRAPH_COLUMNS, GraphQuestion, canonical_graph, graph_cost, graph_question, refused};
pub use guard::{skip_blank, strip_explain};
pub use options::{NoiseChoice, Options};
pub use plan::PrivatePlan;
pub use refusal::Refusal;
pub use terms::{Found, MeasureTerms, Terms};
pub use typed::type_of_column;

/// What a statement asks about.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Rows of a table.
    Rows(Box<PrivatePlan>),
    /// A graph.
    Graph(Box<GraphQuestion>),
}

/// What a statement asks, or why it is not answered.
///
/// Options inside the statement go before those given here. `EXPLAIN` is taken off by [`strip_explain`] first.
pub fn statement(catalog: &Catalog, sql: &str, options: &Options) -> Result<Statement, Refusal> {
    let (query, in_statement) = guard::read(sql)?;
    let options = options.overridden_by(&in_statement);
    options.check()?;
    match graph::call(catalog, &query, &options) {
        Some(question) => Ok(Statement::Graph(Box::new(question?))),
        None => Ok(Statement::Rows(Box::new(question::plan(catalog, &query, &options)?))),
    }
}

/// The private plan of a statement about rows, or why there is none.
pub fn plan(catalog: &Catalog, sql: &str, options: &Options) -> Result<PrivatePlan, Refusal> {
    match statement(catalog, sql, options)? {
        Statement::Rows(plan) => Ok(*plan),
        Statement::Graph(_) => Err(Refusal::not_provable(
            "a graph has no rows to plan for",
            "ask `pointillist graph explain` what its statistics cost",
        )),
    }
}
