//! The shape of an answer, and the types of parameters, before anything is asked.
//!
//! **Guarantee.** A function of the catalog and the text: nothing is read, nothing is charged, nothing of the ledger or of
//! others is in it. What is described is what the answer will have, column by column, whatever the rows and the noise.
//! Without values for its parameters a statement is described with values that stand for them: the shape does not depend on
//! which.

use pointillist_catalog::{Catalog, OWNER};
use pointillist_graph::Statistic;
use pointillist_plan::{Role, Type};
use pointillist_query::{
    GRAPH_COLUMNS, GraphQuestion, Parameter, ParameterType, Refusal, Statement, parameter_types,
};

use crate::admission::admit;
use crate::answer::{Answer, Column};
use crate::ask::Ask;
use crate::curator::Curator;
use crate::error::AskError;
use crate::evaluation::evaluation_columns;
use crate::home::Home;
use crate::listing::{List, Listing};
use crate::rows::empty_answer;
use crate::synthesis::described;
use crate::training::model_columns;

/// What a statement will give, if it is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// What comes of it.
    pub kind: DescribedKind,
    /// The columns of its answer. An explanation has one of text, [`QUERY_PLAN`], line by line.
    pub columns: Vec<DescribedColumn>,
    /// The types of `$1`, `$2` and so on.
    pub parameters: Vec<ParameterType>,
}

/// The name of the column of an explanation, as PostgreSQL's clients know it.
pub const QUERY_PLAN: &str = "QUERY PLAN";

/// What comes of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescribedKind {
    /// An answer that may have to be paid for.
    Question,
    /// What an answer would cost: free.
    Explanation,
    /// An answer from public tables alone: free.
    Public,
    /// A list of what can be asked about: free.
    List,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedColumn {
    /// The name.
    pub name: String,
    /// The type of its values.
    pub kind: Type,
    /// Whether it is a key, an aggregate of the question, or computed from several.
    pub role: Role,
    /// Whether its numbers may have intervals.
    pub has_interval: bool,
}

impl DescribedColumn {
    fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Type::Text, role: Role::Derived, has_interval: false }
    }
}

impl From<&Column> for DescribedColumn {
    fn from(column: &Column) -> Self {
        let Column { name, kind, role, has_interval, .. } = column;
        Self { name: name.clone(), kind: *kind, role: *role, has_interval: *has_interval }
    }
}

impl Answer {
    /// Its shape.
    pub fn described(&self) -> Vec<DescribedColumn> {
        self.columns.iter().map(DescribedColumn::from).collect()
    }
}

impl List {
    /// Its shape: the headings as names.
    pub fn described(&self) -> Vec<DescribedColumn> {
        self.names().map(DescribedColumn::text).collect()
    }
}

impl Curator {
    /// What a statement will give. Free; with or without values for its parameters.
    ///
    /// # Errors
    /// Those with which the statement would be refused, as far as the catalog decides that.
    pub fn describe(&self, ask: &Ask) -> Result<Described, AskError> {
        describe(self.catalog(), ask)
    }
}

impl Home {
    /// The same; nothing is opened.
    ///
    /// # Errors
    /// As [`Curator::describe`].
    pub fn describe(&self, ask: &Ask) -> Result<Described, AskError> {
        describe(&self.catalog_for(&ask.analyst), ask)
    }
}

fn describe(catalog: &Catalog, ask: &Ask) -> Result<Described, AskError> {
    if let Some(listing) = Listing::of_statement(&ask.sql) {
        let columns = listing.list(catalog)?.described();
        return Ok(Described { kind: DescribedKind::List, columns, parameters: Vec::new() });
    }
    let explained = ask.explained();
    let asked = explained.as_ref().unwrap_or(ask);
    let parameters = parameter_types(catalog, &asked.sql)?;
    let statement = with_samples(catalog, asked, &parameters)?;
    admitted(catalog, &ask.analyst, &statement)?;
    let (kind, columns) = match &statement {
        Statement::Rows(plan) => (DescribedKind::Question, empty_answer(plan)?.described()),
        Statement::Graph(question) => (DescribedKind::Question, graph_columns(question)),
        Statement::Training(question) => {
            (DescribedKind::Question, model_columns(question.columns.as_deref()))
        }
        Statement::Synthesis(question) => (DescribedKind::Question, described(question)),
        Statement::Evaluation(question) => {
            (DescribedKind::Question, evaluation_columns(question.columns.as_deref()))
        }
        Statement::Public(public) => {
            let columns = public.outer().columns.iter();
            let column =
                |(name, kind): (&String, Type)| DescribedColumn { kind, ..DescribedColumn::text(name) };
            let columns = columns.map(|known| column((&known.name, known.kind))).collect();
            (DescribedKind::Public, columns)
        }
    };
    Ok(match explained {
        Some(_) => {
            let columns = vec![DescribedColumn::text(QUERY_PLAN)];
            Described { kind: DescribedKind::Explanation, columns, parameters }
        }
        None => Described { kind, columns, parameters },
    })
}

/// The statement with the values that it came with, or where there are none with some that stand for them.
fn with_samples(catalog: &Catalog, ask: &Ask, types: &[ParameterType]) -> Result<Statement, Refusal> {
    if types.is_empty() || !ask.parameters.is_empty() {
        return ask.statement(catalog);
    }
    let with = |parameter: fn(ParameterType) -> Parameter| {
        let parameters = types.iter().copied().map(parameter).collect();
        Ask { parameters, ..ask.clone() }.statement(catalog)
    };
    with(Parameter::sample).or_else(|refusal| with(|_| Parameter::Null).map_err(|_| refusal))
}

/// Whether whoever asks may ask this.
fn admitted(catalog: &Catalog, analyst: &str, statement: &Statement) -> Result<(), AskError> {
    match statement {
        Statement::Rows(plan) => admit(catalog, analyst, plan.scope()),
        Statement::Graph(question) => admit(catalog, analyst, &question.scope),
        Statement::Training(question) => admit(catalog, analyst, &question.rows.scope),
        Statement::Synthesis(question) => admit(catalog, analyst, &question.rows.scope),
        Statement::Evaluation(question) => admit(catalog, analyst, &question.rows.scope),
        Statement::Public(_) if analyst == OWNER || catalog.analysts.contains_key(analyst) => Ok(()),
        Statement::Public(_) => Err(AskError::Unknown { analyst: analyst.to_owned() }),
    }
}

/// The columns of an answer about a graph (`graph_answer.rs`).
fn graph_columns(question: &GraphQuestion) -> Vec<DescribedColumn> {
    let is_distribution = question.question.statistic == Statistic::Degrees;
    let is_share =
        matches!(question.question.statistic, Statistic::GlobalClustering | Statistic::AverageClustering);
    let names: Vec<&str> = match &question.columns {
        Some(chosen) => chosen.iter().map(String::as_str).collect(),
        None => GRAPH_COLUMNS.into_iter().filter(|name| is_distribution || *name != "degree").collect(),
    };
    let column = |name: &str| {
        let (kind, role) = match name {
            "degree" => (Type::Integer, Role::Key(0)),
            "value" if is_share => (Type::Number, Role::Aggregate(0)),
            "value" => (Type::Integer, Role::Aggregate(0)),
            _ => (Type::Number, Role::Derived),
        };
        DescribedColumn { name: name.to_owned(), kind, role, has_interval: name == "value" }
    };
    names.into_iter().map(column).collect()
}
