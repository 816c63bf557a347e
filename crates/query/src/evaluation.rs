//! Questions about what something public is worth: of a model, `SELECT * FROM evaluate('ill', 'SELECT age, ill FROM people', 'auc')`,
//! and of a table of made-up rows, `SELECT * FROM evaluate('people_rows', 'SELECT age, sex FROM people')`.
//!
//! **Guarantee.** Like every plan, an [`EvaluationQuestion`] is a function of the catalog, its public models, the text and the
//! options alone. The whole model is part of the question: another model of the same name is another question. So are the
//! version and the place of a public table, as everywhere.

use std::sync::Arc;

use pointillist_catalog::{Catalog, Protection, Table};
use pointillist_learn::{Measure, Model};
use pointillist_plan::{
    Owner, Relation, Scalar, Scan, ScanColumn, TrainingColumn, TrainingRows, Type, type_of_column,
};
use pointillist_privacy::Spend;
use pointillist_synth::Compared;
use sqlparser::ast::{FunctionArg, Query};

use crate::graph::{function_call, plain_columns, texts};
use crate::options::Options;
use crate::price::whole_spend;
use crate::refusal::{Refusal, did_you_mean, shown};
use crate::synthesis::refused_synthesis;
use crate::training::{only_a_price, refused_training};
use crate::training_rows::{evaluation_rows, training_rows};

/// The function.
const FUNCTION: &str = "evaluate";

/// The columns of an evaluation.
pub const EVALUATION_COLUMNS: [&str; 5] = ["measure", "part", "value", "lower", "upper"];

/// What is public, and what is measured of it.
#[derive(Clone, Debug, PartialEq)]
pub enum EvaluationSubject {
    /// A model; private rows are coded as it knows them.
    Model {
        /// The model.
        model: Arc<Model>,
        /// What is measured.
        measure: Measure,
    },
    /// A table, whose rows are nobody's.
    Table {
        /// By what it is compared with private rows.
        compared: Compared,
        /// Its rows, with the columns of the private ones and coded like them.
        rows: Box<TrainingRows>,
    },
}

/// What somebody wants to know of a public model or table, priced.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationQuestion {
    /// The name by which it was asked for.
    pub name: String,
    /// What is public, and what is measured of it.
    pub subject: EvaluationSubject,
    /// The private rows that it is measured on.
    pub rows: TrainingRows,
    /// What it may lose.
    pub spend: Spend,
    /// The columns of the answer that are shown, in order; `None` for all.
    pub columns: Option<Vec<String>>,
    /// What the asker should know about the price.
    pub notes: Vec<String>,
}

/// The statement that asks what a model or a public table is worth.
pub fn evaluation_statement(name: &str, rows: &str, measure: Option<&str>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let arguments: Vec<String> =
        [Some(name), Some(rows), measure].into_iter().flatten().map(quoted).collect();
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
    let [Some(name), Some(rows), measure] = &texts(arguments, usage)? else { return Err(usage()) };
    let of_rows = only_a_price(options, "an evaluation")?;
    let (subject, rows) = match public_table(catalog, name)? {
        Some(table) => {
            let compared = measure.as_deref().map_or(Ok(Compared::Pairs), Compared::parse);
            let compared = compared.map_err(|error| refused_synthesis(&error))?;
            let rows = training_rows(catalog, rows, None, &of_rows)?;
            (EvaluationSubject::Table { compared, rows: Box::new(public_rows(table, &rows)?) }, rows)
        }
        None => {
            let model = Arc::clone(public_model(catalog, name)?);
            let measure = match measure {
                Some(measure) => Measure::parse(measure),
                None => Measure::usual(&model),
            };
            let measure = measure.map_err(|error| refused_training(&error))?;
            let rows = evaluation_rows(catalog, rows, model.encoding(), &of_rows)?;
            (EvaluationSubject::Model { model, measure }, rows)
        }
    };
    let scope = catalog.paying_scope(&rows.scope).ok_or_else(usage)?;
    let mut notes = Vec::new();
    let spend = whole_spend(scope, options, &mut notes)?;
    let columns = plain_columns(catalog, query, FUNCTION, &EVALUATION_COLUMNS)?;
    Ok(EvaluationQuestion { name: name.clone(), subject, rows, spend, columns, notes })
}

/// The public table of a name, where no model has it: as it is written, or else in lower case.
fn public_table<'c>(catalog: &'c Catalog, name: &str) -> Result<Option<&'c Table>, Refusal> {
    let folded = name.to_lowercase();
    if [name, &folded].into_iter().any(|name| catalog.models.contains_key(name)) {
        return Ok(None);
    }
    match catalog.table(name).or_else(|| catalog.table(&folded)) {
        Some(table) if table.protection != Protection::Public => Err(Refusal::table(
            format!("`{}` is not public: only what everybody may know is evaluated", shown(name)),
            "name a public model or table first, and private rows in the statement behind it",
        )
        .about(name)),
        found => Ok(found),
    }
}

/// The rows of a public table by the columns that private rows have, coded like those.
fn public_rows(table: &Table, like: &TrainingRows) -> Result<TrainingRows, Refusal> {
    let mut read = Vec::new();
    let mut features = Vec::new();
    for (place, wanted) in like.features.iter().enumerate() {
        let column = table.column(&wanted.name).ok_or_else(|| {
            let known = table.columns.iter().map(|column| column.name.as_str());
            Refusal::column(
                format!("`{}` has no column `{}`", shown(&table.name), shown(&wanted.name)),
                did_you_mean(&wanted.name, known, || {
                    "name the columns that both have in SELECT, with AS where they have other names"
                        .to_owned()
                }),
            )
        })?;
        let value = match (type_of_column(&column.kind), wanted.kind) {
            (Type::Integer, Type::Number) => Scalar::Cast(Box::new(Scalar::Column(place)), Type::Number),
            (kind, wanted) if kind == wanted => Scalar::Column(place),
            _ => {
                return Err(Refusal::parameter(
                    format!("`{}` is of another type in `{}`", shown(&wanted.name), shown(&table.name)),
                    "write CAST(x AS …) AS x for it in the rows",
                ));
            }
        };
        read.push(ScanColumn { name: column.name_in_file().to_owned(), kind: column.kind.clone() });
        features.push(TrainingColumn { value, ..wanted.clone() });
    }
    let scan = Scan { table: table.name.clone(), columns: read, filter: None, owner: Owner::Nobody };
    Ok(TrainingRows {
        scope: String::new(),
        relation: Relation::Table(scan),
        filter: None,
        rows_max: 0,
        features,
        target: None,
        notes: Vec::new(),
    })
}

fn usage() -> Refusal {
    Refusal::parameter(
        "`evaluate` takes the name of a model or a public table, a statement that names the rows, and perhaps a measure, all in quotes",
        "write evaluate('income', 'SELECT age, income FROM people', 'r2'); the measures are accuracy, confusion, auc, calibration and r2 of models, pairs and columns of tables",
    )
}
