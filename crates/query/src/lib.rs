//! SQL to private plan: who owns each row, how contributions are bounded, which mechanism answers, at what
//! cost, with what error.
//!
//! **Guarantee.** [`plan()`] is a pure function of the catalog, the text and the options: it reads no data, no file and
//! no clock. So a plan, a price and a refusal leak nothing, and what it does not understand it refuses by name.
//!
//! The way of a question: `parse` (size of the text, sqlparser) → `plain` (the shape of a query) → `from`, `subquery`
//! (rows, and whose: `source`) → `expression`, `functions`, `aggregate` (expressions, by allow-list) → `domain`, `bounds`,
//! `contribution`, `measure` (keys and sensitivities) → `prune` (what is read) → `price` (noise) → [`PrivatePlan`]. SQL is
//! never printed back.

mod aggregate;
mod answer;
mod bounds;
mod coercion;
mod completion;
mod conjuncts;
mod contribution;
mod date_template;
mod dialect;
mod domain;
mod evaluation;
mod exact;
mod expression;
mod facts;
mod from;
mod functions;
mod graph;
mod grouping_sets;
mod interval_literal;
mod join;
mod listed_keys;
mod measure;
mod membership;
mod merge;
mod model_expression;
mod names;
mod options;
mod parameter;
mod parameter_type;
mod parse;
mod period;
mod person_group;
mod plain;
mod prediction;
mod price;
mod prune;
mod public;
mod ratio;
mod refusal;
mod released;
mod same_person;
mod schema_probe;
mod select;
mod session;
mod size;
mod source;
mod statements;
mod subquery;
mod synthesis;
mod top_keys;
mod training;
mod training_rows;
mod union;
mod value_list;
mod wider;
mod window;
mod without_from;

#[cfg(test)]
mod tests;

use pointillist_catalog::Catalog;
use pointillist_plan::{PrivatePlan, PublicStatement, StatementPlan};

pub use completion::Completion;
pub use dialect::Postgres as Dialect;
pub use evaluation::{EVALUATION_COLUMNS, EvaluationQuestion, EvaluationSubject, evaluation_statement};
pub use graph::{
    GRAPH_COLUMNS, GraphQuestion, canonical_graph, epsilon_of_rho, graph_price, graph_statement, refused,
};
pub use model_expression::model_expression;
pub use options::{NoiseChoice, Options, WantedError};
pub use parameter::Parameter;
pub use parameter_type::{ParameterType, parameter_types};
pub use parse::{parsed, skip_blank, strip_explain};
pub use refusal::Refusal;
pub use schema_probe::has_no_rows;
pub use session::{SessionOptions, setting};
pub use statements::Statements;
pub use synthesis::{SynthesisQuestion, refused_synthesis, rows_of_synthesis, synthesis_statement};
pub use training::{
    EarnedValues, MODEL_COLUMNS, TrainingQuestion, refused_training, table_rows, training_statement,
};
pub use training_rows::training_rows;
pub use wider::wider;

/// What a statement asks about.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Rows of tables.
    Rows(Box<StatementPlan>),
    /// A graph.
    Graph(Box<GraphQuestion>),
    /// A model, trained on rows of tables.
    Training(Box<TrainingQuestion>),
    /// A sanitized table, made from rows of tables.
    Synthesis(Box<SynthesisQuestion>),
    /// What a public model or table is worth, by rows of other tables.
    Evaluation(Box<EvaluationQuestion>),
    /// Public tables alone, keys that are declared, or no row at all: it is free, and nothing private is read.
    Public(Box<PublicStatement>),
}

/// What a statement asks, or why it is not answered.
///
/// Options inside the statement go before those given here. `EXPLAIN` is taken off by [`strip_explain`] first.
pub fn statement(catalog: &Catalog, sql: &str, options: &Options) -> Result<Statement, Refusal> {
    statement_with(catalog, sql, &[], options)
}

/// The same with values for the statement's parameters: what the statement with these values in it asks.
pub fn statement_with(
    catalog: &Catalog,
    sql: &str,
    parameters: &[Parameter],
    options: &Options,
) -> Result<Statement, Refusal> {
    let (mut query, in_statement) = parse::read(sql)?;
    parameter::bind(&mut query, parameters)?;
    prediction::write_out(catalog, &mut query).map_err(|refusal| refusal.located(sql))?;
    let options = options.overridden_by(&in_statement);
    options.check()?;
    planned(catalog, &query, &options).map_err(|refusal| refusal.located(sql))
}

/// What a query asks.
fn planned(
    catalog: &Catalog,
    query: &sqlparser::ast::Query,
    options: &Options,
) -> Result<Statement, Refusal> {
    if let Some(question) = graph::call(catalog, query, options) {
        return Ok(Statement::Graph(Box::new(question?)));
    }
    if let Some(question) = training::call(catalog, query, options) {
        return Ok(Statement::Training(Box::new(question?)));
    }
    if let Some(question) = synthesis::call(catalog, query, options) {
        return Ok(Statement::Synthesis(Box::new(question?)));
    }
    if let Some(question) = evaluation::call(catalog, query, options) {
        return Ok(Statement::Evaluation(Box::new(question?)));
    }
    if let Some(public) = public::statement(catalog, query, options)? {
        return Ok(Statement::Public(Box::new(public)));
    }
    if has_no_rows(query) {
        return schema_probe::statement(catalog, query, options)
            .map(|probe| Statement::Public(Box::new(probe)));
    }
    match released::statement(catalog, query, options) {
        Ok(plan) => Ok(Statement::Rows(Box::new(plan))),
        // Keys that are declared are no news: what lists them alone is free.
        Err(refusal) => match listed_keys::statement(catalog, query, options) {
            Some(listed) => Ok(Statement::Public(Box::new(listed))),
            None => Err(refusal),
        },
    }
}

/// The private plan of a statement about rows that is one release and nothing more, or why there is none.
pub fn plan(catalog: &Catalog, sql: &str, options: &Options) -> Result<PrivatePlan, Refusal> {
    match statement(catalog, sql, options)? {
        Statement::Rows(plan) => plan.into_only().ok_or_else(|| {
            Refusal::not_provable(
                "this statement computes something from what is released, or releases several things",
                "ask for each released part on its own",
            )
        }),
        Statement::Public(_) => Err(Refusal::not_provable(
            "this statement reads public tables alone: it has no price and no noise",
            "ask it as it is",
        )),
        Statement::Training(_) | Statement::Evaluation(_) => Err(Refusal::not_provable(
            "a model has no groups to plan for",
            "ask for it as it is: models have prices of their own",
        )),
        Statement::Synthesis(_) => Err(Refusal::not_provable(
            "a sanitized table has no groups to plan for",
            "ask for it as it is: sanitized tables have prices of their own",
        )),
        Statement::Graph(_) => Err(Refusal::not_provable(
            "a graph has no rows to plan for",
            "ask about the graph itself: its statistics have prices of their own",
        )),
    }
}
