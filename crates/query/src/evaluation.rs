//! Questions about what a public model is worth: `SELECT * FROM evaluate('ill', 'SELECT age, ill FROM people', 'auc')`.
//!
//! **Guarantee.** Like every plan, an [`EvaluationQuestion`] is a function of the catalog, its public models, the text and the
//! options alone. The whole model is part of the question: another model of the same name is another question.

use std::sync::Arc;

use pointillist_catalog::Catalog;
use pointillist_learn::{Measure, Model};
use pointillist_plan::TrainingRows;
use pointillist_privacy::Spend;
use sqlparser::ast::{FunctionArg, Query, Value as Literal};

use crate::graph::{function_call, literal, plain_columns};
use crate::options::Options;
use crate::price::whole_spend;
use crate::refusal::{Refusal, did_you_mean, shown};
use crate::training::{only_a_price, refused_training};
use crate::training_rows::evaluation_rows;

/// The function.
const FUNCTION: &str = "evaluate";

/// The columns of an evaluation.
pub const EVALUATION_COLUMNS: [&str; 5] = ["measure", "part", "value", "lower", "upper"];

/// What somebody wants to know of a public model, priced.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationQuestion {
    /// The name by which the model was asked for.
    pub name: String,
    /// The model.
    pub model: Arc<Model>,
    /// What is measured.
    pub measure: Measure,
    /// The rows that it is measured on, coded as the model knows them.
    pub rows: TrainingRows,
    /// What it may lose.
    pub spend: Spend,
    /// The columns of the answer that are shown, in order; `None` for all.
    pub columns: Option<Vec<String>>,
    /// What the asker should know about the price.
    pub notes: Vec<String>,
}

/// The statement that asks what a model is worth.
pub fn evaluation_statement(model: &str, rows: &str, measure: Option<&str>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let arguments: Vec<String> =
        [Some(model), Some(rows), measure].into_iter().flatten().map(quoted).collect();
    format!("SELECT * FROM {FUNCTION}({})", arguments.join(", "))
}

/// The public model of a name: as it is written, or else in lower case.
pub(crate) fn public_model<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c Arc<Model>, Refusal> {
    let found = catalog.models.get(name).or_else(|| catalog.models.get(&name.to_lowercase()));
    found.ok_or_else(|| {
        let known = || match catalog.models.is_empty() {
            true => "there is no public model here; the owner makes one with `pointillist learn publish`"
                .to_owned(),
            false => {
                let names: Vec<&str> = catalog.models.keys().map(String::as_str).collect();
                format!("the models are {}", names.join(", "))
            }
        };
        let names = catalog.models.keys().map(String::as_str);
        Refusal::table(format!("there is no model `{}`", shown(name)), did_you_mean(name, names, known))
            .about(name)
    })
}

/// The question of a query whose FROM is the function; `None` where it is something else.
pub(crate) fn call(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
) -> Option<Result<EvaluationQuestion, Refusal>> {
    let (function, arguments) = function_call(query)?;
    (function == FUNCTION).then(|| read(catalog, query, arguments, options))
}

fn read(
    catalog: &Catalog,
    query: &Query,
    arguments: &[FunctionArg],
    options: &Options,
) -> Result<EvaluationQuestion, Refusal> {
    let mut texts = Vec::new();
    for argument in arguments {
        texts.push(match literal(argument)? {
            Literal::SingleQuotedString(text) => Some(text),
            Literal::Null => None,
            _ => return Err(usage()),
        });
    }
    texts.resize(texts.len().max(3), None);
    let [Some(name), Some(rows), measure] = texts.as_slice() else { return Err(usage()) };
    let model = Arc::clone(public_model(catalog, name)?);
    let measure = match measure {
        Some(measure) => Measure::parse(measure),
        None => Measure::usual(&model),
    };
    let measure = measure.map_err(|error| refused_training(&error))?;
    let of_rows = only_a_price(options, "an evaluation")?;
    let rows = evaluation_rows(catalog, rows, model.encoding(), &of_rows)?;
    let scope = catalog.paying_scope(&rows.scope).ok_or_else(usage)?;
    let mut notes = Vec::new();
    let spend = whole_spend(scope, options, &mut notes)?;
    let columns = plain_columns(catalog, query, FUNCTION, &EVALUATION_COLUMNS)?;
    Ok(EvaluationQuestion { name: name.clone(), model, measure, rows, spend, columns, notes })
}

fn usage() -> Refusal {
    Refusal::parameter(
        "`evaluate` takes the name of a model, a statement that names the rows, and perhaps a measure, all in quotes",
        "write evaluate('income', 'SELECT age, income FROM people', 'r2'); the measures are accuracy, confusion, auc, calibration and r2",
    )
}
