//! Questions for models: `SELECT * FROM learn('logistic', 'SELECT age, income FROM people', 'income')`.
//!
//! **Guarantee.** Like every plan, a [`TrainingQuestion`] is a function of the catalog, the text and the options alone. The rows
//! are named by a statement of their own, which is read as any other and binds nothing of what stands around it.

use std::num::NonZeroU64;

use pointillist_catalog::{Catalog, Column, ColumnType, Protection, Table, Unit};
use pointillist_learn::{Family, LearnError, Recipe};
use pointillist_plan::TrainingRows;
use pointillist_privacy::Spend;
use sqlparser::ast::{FunctionArg, Query};

use crate::graph::{function_call, plain_columns, texts};
use crate::options::Options;
use crate::price::whole_spend;
use crate::refusal::{Refusal, shown};
use crate::training_rows::training_rows;

/// The function.
const FUNCTION: &str = "learn";

/// The columns of a model as a table.
pub const MODEL_COLUMNS: [&str; 5] = ["part", "feature", "value", "lower", "upper"];

/// A model that somebody wants, priced.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingQuestion {
    /// The rows that it is trained on.
    pub rows: TrainingRows,
    /// What is trained.
    pub recipe: Recipe,
    /// What it may lose.
    pub spend: Spend,
    /// The columns of the answer that are shown, in order; `None` for all.
    pub columns: Option<Vec<String>>,
    /// What the asker should know about the price.
    pub notes: Vec<String>,
}

/// The statement that asks for a model.
pub fn training_statement(family: &str, rows: &str, target: Option<&str>, settings: Option<&str>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let arguments = [Some(family), Some(rows), target, settings];
    let mut arguments: Vec<String> =
        arguments.map(|argument| argument.map_or("NULL".to_owned(), quoted)).into();
    while arguments.last().is_some_and(|argument| argument == "NULL") {
        arguments.pop();
    }
    format!("SELECT * FROM {FUNCTION}({})", arguments.join(", "))
}

/// The statement of rows that a table has: these features beside the target, or, where none are named, every declared column that
/// a model can learn from. Names are those of the catalog, or else in lower case, as SQL reads names without quotes; a
/// name that there is not stays as it is, and whoever plans the statement refuses it.
///
/// # Errors
/// When no features are named and the table has none.
pub fn table_rows(
    catalog: &Catalog,
    table: &str,
    target: Option<&str>,
    features: &[String],
    earned: &[EarnedValues],
    condition: Option<&str>,
) -> Result<String, Refusal> {
    let folded = |name: &str, known: &dyn Fn(&str) -> bool| match name.to_lowercase() {
        lower if !known(name) && known(&lower) => lower,
        _ => name.to_owned(),
    };
    let table = folded(table, &|name| catalog.table(name).is_some());
    let declared = catalog.table(&table);
    let column =
        |name: &str| folded(name, &|name| declared.is_some_and(|table| table.column(name).is_some()));
    let target = target.map(column);
    let mut items: Vec<String> = match features {
        [] => {
            let mut all = declared.map(learnable).unwrap_or_default();
            all.extend(earned.iter().map(|earned| column(&earned.column)));
            all
        }
        features => features.iter().map(|feature| column(feature)).collect(),
    };
    items.retain(|item| target.as_ref() != Some(item));
    if items.is_empty() && declared.is_some() {
        return Err(Refusal::parameter(
            format!(
                "`{}` has no column with public bounds or values that a model could learn from",
                shown(&table)
            ),
            "the owner can declare lower and upper, or public_keys; expressions may have bounds of their own",
        ));
    }
    items.extend(target);
    let item = |name: &String| match earned.iter().find(|earned| column(&earned.column) == *name) {
        None => quoted(name),
        Some(earned) => earned.item(&quoted(name)),
    };
    let mut items: Vec<String> = items.iter().map(item).collect();
    if items.is_empty() {
        // Of a table that there is not: its name is what will be refused.
        items.push("1".to_owned());
    }
    let condition = condition.map(|condition| format!(" WHERE ({condition})")).unwrap_or_default();
    Ok(format!("SELECT {} FROM {}{condition}", items.join(", "), quoted(&table)))
}

/// The values of a column that enough people had to be shown: a list that was paid for is as public as a declared one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarnedValues {
    /// The column.
    pub column: String,
    /// Its values.
    pub values: Vec<String>,
}

impl EarnedValues {
    /// The question for the values of a column of text.
    pub fn question(catalog: &Catalog, table: &str, column: &str, condition: Option<&str>) -> String {
        let folded = table.to_lowercase();
        let table = if catalog.table(table).is_none() { folded.as_str() } else { table };
        let lower = column.to_lowercase();
        let is_column = |name: &str| catalog.table(table).is_some_and(|table| table.column(name).is_some());
        let column = if is_column(column) { column } else { lower.as_str() };
        let condition = condition.map(|condition| format!(" WHERE ({condition})")).unwrap_or_default();
        format!("SELECT {0} FROM {1}{condition} GROUP BY {0}", quoted(column), quoted(table))
    }

    /// The column as an item of SELECT: one of the values, or nothing. The values are written out as results, too, so that the
    /// statement itself says which there are.
    fn item(&self, column: &str) -> String {
        let case = |value: &String| {
            let text = format!("'{}'", value.replace('\'', "''"));
            format!("WHEN {column} = {text} THEN {text}")
        };
        let cases: Vec<String> = self.values.iter().map(case).collect();
        format!("CASE {} END AS {column}", cases.join(" "))
    }
}

/// A name in quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The columns with public bounds or values, but for those that say whose row it is.
fn learnable(table: &Table) -> Vec<String> {
    let names_people = |column: &Column| match &table.protection {
        Protection::Public | Protection::Private { unit: Unit::Row, .. } => false,
        Protection::Private { unit: Unit::Column(unit) | Unit::Linked { column: unit, .. }, .. } => {
            *unit == column.name
        }
    };
    let is_public = |column: &Column| {
        column.public_keys.is_some()
            || match &column.kind {
                ColumnType::Boolean => true,
                ColumnType::Text => false,
                ColumnType::Integer { bounds } => bounds.is_some(),
                ColumnType::Number { bounds, .. } => bounds.is_some(),
                ColumnType::Date { bounds } => bounds.is_some(),
                ColumnType::Timestamp { bounds } => bounds.is_some(),
            }
    };
    let columns = table.columns.iter().filter(|column| is_public(column) && !names_people(column));
    columns.map(|column| column.name.clone()).collect()
}

/// The refusal of a model that nobody trains.
pub fn refused_training(error: &LearnError) -> Refusal {
    Refusal::parameter(
        error.to_string(),
        "look at `EXPLAIN SELECT * FROM learn(...)`, or at `pointillist learn --help`",
    )
}

/// The question of a query whose FROM is the function; `None` where it is something else.
pub(crate) fn call(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
) -> Option<Result<TrainingQuestion, Refusal>> {
    let (function, arguments) = function_call(query)?;
    (function == FUNCTION).then(|| read(catalog, query, arguments, options))
}

fn read(
    catalog: &Catalog,
    query: &Query,
    arguments: &[FunctionArg],
    options: &Options,
) -> Result<TrainingQuestion, Refusal> {
    let [Some(family), Some(rows), target, settings] = &texts(arguments, usage)? else { return Err(usage()) };
    let family = Family::parse(family).map_err(|error| refused_training(&error))?;
    match (family.has_target(), target) {
        (true, None) => {
            return Err(Refusal::parameter(
                format!("`{family}` learns to say one of the columns, and none is named"),
                "name the target as the third argument: learn('logistic', 'SELECT age, income FROM people', 'income')",
            ));
        }
        (false, Some(_)) => {
            return Err(Refusal::parameter(
                format!("`{family}` has no target"),
                "leave the third argument out, or write NULL",
            ));
        }
        _ => {}
    }
    let recipe = Recipe::new(family).with_settings(settings.as_deref().unwrap_or_default());
    let recipe = recipe.map_err(|error| refused_training(&error))?;
    let of_rows = only_a_price(options, "a model")?;
    let rows = training_rows(catalog, rows, target.as_deref(), &of_rows)?;
    // How many rows there are about, where the owner says so: settings follow from it, and no promise does.
    let declared = match rows.relation.tables().as_slice() {
        [only] => catalog.table(only).and_then(|table| table.size).map(NonZeroU64::get),
        _ => None,
    };
    let recipe = Recipe { rows: recipe.rows.or(declared), ..recipe };
    let scope = catalog.paying_scope(&rows.scope).ok_or_else(usage)?;
    let mut notes = Vec::new();
    let spend = whole_spend(scope, options, &mut notes)?;
    let columns = plain_columns(catalog, query, FUNCTION, &MODEL_COLUMNS)?;
    Ok(TrainingQuestion { rows, recipe, spend, columns, notes })
}

fn usage() -> Refusal {
    Refusal::parameter(
        "`learn` takes a kind of model, a statement that names the rows, the target, and perhaps settings, all in quotes",
        "write learn('logistic', 'SELECT age, income FROM people', 'income', 'lambda = 10')",
    )
}

/// What of the options is about the rows; those that mean nothing for what is made of them (`a model`) are refused.
pub(crate) fn only_a_price(options: &Options, what: &str) -> Result<Options, Refusal> {
    let Options {
        epsilon: _,
        rho: _,
        error,
        confidence,
        delta,
        max_groups,
        max_contributions,
        noise,
        bias,
        period,
    } = options;
    let refused = |what: String, hint: &str| Err(Refusal::parameter(what, hint));
    if error.is_some() || confidence.is_some() {
        return refused(
            format!("how wrong {what} is depends on the rows, which nobody may know"),
            "give epsilon or rho, and evaluate it for a price of its own",
        );
    }
    if delta.as_ref().is_some_and(|delta| !delta.is_zero()) || max_groups.is_some() || *bias == Some(true) {
        return refused(format!("{what} has no groups and no keys"), "leave delta, max_groups and bias out");
    }
    if noise.is_some() {
        return refused(format!("the noise of {what} follows from its method"), "leave noise out");
    }
    Ok(Options { max_contributions: *max_contributions, period: period.clone(), ..Options::default() })
}
