//! Questions for sanitized tables: `SELECT * FROM synth('mst', 'SELECT age, sex, income FROM people')`.
//!
//! **Guarantee.** Like every plan, a [`SynthesisQuestion`] is a function of the catalog, the text and the options alone. The rows
//! that made-up people resemble are named by a statement of their own, as those that a model is trained on are
//! (`training_rows.rs`): every column has public bounds or a public list of values, and a person has a bounded number of rows.

use pointillist_catalog::Catalog;
use pointillist_plan::TrainingRows;
use pointillist_privacy::Spend;
use pointillist_synth::{Method, SynthError, TableRecipe};
use sqlparser::ast::{FunctionArg, Query};

use crate::graph::{function_call, plain_columns, texts};
use crate::options::Options;
use crate::parse;
use crate::price::whole_spend;
use crate::refusal::Refusal;
use crate::training::only_a_price;
use crate::training_rows::training_rows;

/// The function.
const FUNCTION: &str = "synth";

/// A table of made-up people that somebody wants, priced.
#[derive(Clone, Debug, PartialEq)]
pub struct SynthesisQuestion {
    /// The rows that the made-up ones resemble.
    pub rows: TrainingRows,
    /// The method, its settings and the bins.
    pub recipe: TableRecipe,
    /// What that may lose.
    pub spend: Spend,
    /// The columns of the answer that are shown, in order; `None` for all.
    pub columns: Option<Vec<String>>,
    /// What the asker should know about the price.
    pub notes: Vec<String>,
}

/// The statement that asks for a sanitized table.
pub fn synthesis_statement(method: &str, rows: &str, settings: Option<&str>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let settings = settings.map(|settings| format!(", {}", quoted(settings))).unwrap_or_default();
    format!("SELECT * FROM {FUNCTION}({}, {}{settings})", quoted(method), quoted(rows))
}

/// The rows that a statement for a sanitized table names.
pub fn rows_of_synthesis(sql: &str) -> Option<String> {
    let (query, _) = parse::read(sql).ok()?;
    let (function, arguments) = function_call(&query)?;
    let [_, rows, _] = texts(arguments, usage).ok().filter(|_| function == FUNCTION)?;
    rows
}

/// The refusal of a table that nobody makes.
pub fn refused_synthesis(error: &SynthError) -> Refusal {
    Refusal::parameter(
        error.to_string(),
        "look at `EXPLAIN SELECT * FROM synth(...)`, or at `pointillist synth --help`",
    )
}

/// The question of a query whose FROM is the function; `None` where it is something else.
pub(crate) fn call(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
) -> Option<Result<SynthesisQuestion, Refusal>> {
    let (function, arguments) = function_call(query)?;
    (function == FUNCTION).then(|| read(catalog, query, arguments, options))
}

fn read(
    catalog: &Catalog,
    query: &Query,
    arguments: &[FunctionArg],
    options: &Options,
) -> Result<SynthesisQuestion, Refusal> {
    let [Some(method), Some(rows), settings] = &texts(arguments, usage)? else { return Err(usage()) };
    let refused = |error: SynthError| refused_synthesis(&error);
    let method = Method::parse(method).map_err(refused)?;
    let recipe =
        TableRecipe::new(method).with_settings(settings.as_deref().unwrap_or_default()).map_err(refused)?;
    let rows = training_rows(catalog, rows, None, &only_a_price(options, "a sanitized table")?)?;
    let scope = catalog.paying_scope(&rows.scope).ok_or_else(usage)?;
    let mut notes = Vec::new();
    let spend = whole_spend(scope, options, &mut notes)?;
    let names: Vec<&str> = rows.features.iter().map(|column| column.name.as_str()).collect();
    let columns = plain_columns(catalog, query, FUNCTION, &names)?;
    Ok(SynthesisQuestion { rows, recipe, spend, columns, notes })
}

fn usage() -> Refusal {
    Refusal::parameter(
        "`synth` takes a method, a statement that names the rows, and perhaps settings, all in quotes",
        "write synth('mst', 'SELECT age, sex, income FROM people')",
    )
}
