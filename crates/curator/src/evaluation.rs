//! What a public model or a public table is worth by private rows: priced, paid for, and only then are rows looked at.
//!
//! **Guarantee.** That of `training.rs`: before the debit only the catalog, its public models and public tables are read; rows are
//! chosen and read with a receipt in hand; an evaluation ends with its integers or with the constant failure, and that does not
//! depend on what rows say. What is shown is computed from the record and public things.
//! **Public is asked for twice.** The statement found the table declared public; so does whoever opens it, and what the ledger
//! was told of it counts (`public_answer.rs`).
//! **Repeats.** The question is made of the rows, every number of the model or the version and place of the table, the measure and
//! the price: what was changed under its name is another question, and the same one of the same data is given again.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointillist_catalog::{Catalog, Value};
use pointillist_engine::Scan;
use pointillist_learn::{EvaluationNumber, LearnError, ModelEvaluation};
use pointillist_ledger::Receipt;
use pointillist_noise::with_system_bits;
use pointillist_numbers::Rational;
use pointillist_plan::{Role, TrainingRows, Type, canonical_training};
use pointillist_privacy::{Loss, Price};
use pointillist_query::{
    EVALUATION_COLUMNS, EvaluationQuestion, EvaluationSubject, Refusal, refused_training,
};

use crate::answer::{Answer, Column, Disclosure, Mechanism, Row};
use crate::ask::Work;
use crate::basket::Bill;
use crate::books::Books;
use crate::curator::State;
use crate::describe::DescribedColumn;
use crate::error::AskError;
use crate::order::Order;
use crate::public_answer::public_source;
use crate::release::Released;
use crate::reuse::Recorded;
use crate::rows::not_opened;
use crate::table_evaluation::TableEvaluation;
use crate::training::{Codes, scan_of};

/// Rows and what is measured by them: what is bought.
pub(crate) struct Evaluating {
    pub(crate) rows: TrainingRows,
    pub(crate) evaluation: Evaluation,
}

/// What is measured.
pub(crate) enum Evaluation {
    /// What a model gets right.
    Model(Box<ModelEvaluation>),
    /// How far a public table is from the rows.
    Table(Box<TableEvaluation>),
}

/// A question about a model or a public table, and the files that it reads.
pub(crate) struct EvaluationWork {
    question: EvaluationQuestion,
    order: Order<Evaluating>,
    canonical: Vec<u8>,
    scan: Scan,
    /// The rows of the public table, where it is one that is evaluated.
    public: Option<Vec<u32>>,
}

/// Recorded integers mean what they meant when they were released: constants that change need a new number.
const REVISION: u8 = 1;

impl Evaluation {
    fn new(question: &EvaluationQuestion) -> Result<Self, AskError> {
        let EvaluationQuestion { subject, rows, spend, .. } = question;
        Ok(match subject {
            EvaluationSubject::Model { model, measure } => {
                let evaluation = ModelEvaluation::new(Arc::clone(model), *measure, rows.rows_max, spend);
                let refused = |error: LearnError| AskError::from(refused_training(&error));
                Self::Model(Box::new(evaluation.map_err(refused)?))
            }
            EvaluationSubject::Table { compared, .. } => {
                Self::Table(Box::new(TableEvaluation::new(rows, *compared, spend)?))
            }
        })
    }

    pub(crate) fn loss(&self) -> Loss {
        match self {
            Self::Model(it) => it.loss(),
            Self::Table(it) => it.loss(),
        }
    }

    pub(crate) fn mechanism(&self) -> &'static str {
        match self {
            Self::Model(it) => it.mechanism(),
            Self::Table(it) => it.mechanism(),
        }
    }

    pub(crate) fn outlook(&self) -> Vec<String> {
        match self {
            Self::Model(it) => it.outlook(),
            Self::Table(it) => it.outlook(),
        }
    }

    fn numbers(&self, released: &[i128]) -> Option<Vec<EvaluationNumber>> {
        match self {
            Self::Model(it) => it.numbers(released),
            Self::Table(it) => it.numbers(released),
        }
    }
}

impl Evaluating {
    /// The evaluation of a question and its price; reads nothing.
    pub(crate) fn new(catalog: &Catalog, question: &EvaluationQuestion) -> Result<(Self, Price), AskError> {
        let evaluation = Evaluation::new(question)?;
        let rows = question.rows.clone();
        let scope = catalog.paying_scope(&rows.scope).ok_or(AskError::Failed)?;
        let price = Price::of_loss(scope.budget.currency(), &evaluation.loss()).ok_or_else(|| {
            Refusal::not_provable(
                "nothing is proven of this measure in the currency of its budget",
                "choose another measure",
            )
        })?;
        Ok((Self { rows, evaluation }, price))
    }

    /// What identifies the numbers that are released: the whole model is part of it, or which public table it is.
    pub(crate) fn canonical(
        &self,
        catalog: &Catalog,
        question: &EvaluationQuestion,
    ) -> Result<Vec<u8>, AskError> {
        let mut bytes = canonical_training(&self.rows);
        let (spend, revision) = (format!("{:?}", question.spend), REVISION.to_string());
        let subject: Vec<Vec<u8>> = match &question.subject {
            EvaluationSubject::Model { model, measure } => {
                vec![b"evaluate".to_vec(), model.to_bytes(), measure.name().into()]
            }
            EvaluationSubject::Table { compared, rows } => {
                let name = rows.relation.tables().first().copied().unwrap_or_default();
                let unavailable = || AskError::Unavailable { table: name.to_owned() };
                let table = catalog.table(name).ok_or_else(unavailable)?;
                // The version of rows that were released is their digest, wherever they lie.
                let is_declared = catalog.tables.contains_key(name);
                let place = if is_declared { table.source.as_str() } else { "" };
                vec![
                    b"compare".to_vec(),
                    canonical_training(rows),
                    compared.name().into(),
                    table.version.clone().into(),
                    place.into(),
                ]
            }
        };
        for part in subject.iter().map(Vec::as_slice).chain([spend.as_bytes(), revision.as_bytes()]) {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        }
        Ok(bytes)
    }
}

impl EvaluationWork {
    /// Finds the files of all tables and their schemas and holds them open; of private ones it reads no row.
    pub(crate) fn open(state: &State, question: EvaluationQuestion) -> Result<Self, AskError> {
        let order = Order::about_evaluation(&state.catalog, &question)?;
        let canonical = order.work().canonical(&state.catalog, &question)?;
        let scan = scan_of(state, &order.work().rows)?;
        let public = match &question.subject {
            EvaluationSubject::Model { .. } => None,
            EvaluationSubject::Table { rows, .. } => Some(public_codes(state, rows)?),
        };
        Ok(Self { question, order, canonical, scan, public })
    }

    fn numbers(&self, recorded: &[Recorded]) -> Option<Vec<EvaluationNumber>> {
        let released = recorded.first()?.released.measures.first()?;
        self.order.work().evaluation.numbers(released)
    }
}

/// The rows of a public table as codes.
fn public_codes(state: &State, rows: &TrainingRows) -> Result<Vec<u32>, AskError> {
    let name = rows.relation.tables().first().copied().unwrap_or_default();
    let books = Books::Writer(&state.ledger);
    let source = public_source(&state.data, &state.catalog, &books, name)?;
    let sources = BTreeMap::from([(name.to_owned(), source)]);
    state.engine.public_codes(&sources, rows).map_err(|error| not_opened(&error, name))
}

impl Work for EvaluationWork {
    fn bill(&self) -> &dyn Bill {
        &self.order
    }

    fn canonical(&self) -> Vec<u8> {
        self.canonical.clone()
    }

    fn release(&self, state: &State, receipt: &Receipt, _: &[usize]) -> Result<Vec<Released>, AskError> {
        let paid = self.order.paid_by(receipt)?;
        let table = state.engine.training_rows(self.scan.clone(), &paid.work().rows);
        let table = table.map_err(|_| AskError::Failed)?;
        let integers = with_system_bits(|bits| match &paid.work().evaluation {
            Evaluation::Model(it) => it.release(&Codes(&table), bits).map_err(|_| AskError::Failed),
            Evaluation::Table(it) => {
                it.release(self.public.as_deref().ok_or(AskError::Failed)?, &table, bits)
            }
        });
        let integers = integers.map_err(|_| AskError::Failed)??;
        Ok(vec![Released { keys: vec![Vec::new(); integers.len()], measures: vec![integers] }])
    }

    fn present(&self, recorded: &[Recorded]) -> Result<Answer, AskError> {
        let numbers = self.numbers(recorded).ok_or(AskError::Failed)?;
        let mechanism = self.order.work().evaluation.mechanism();
        let mut answer = answer(&numbers, mechanism, self.question.columns.as_deref());
        answer.notes.extend(self.question.notes.iter().cloned());
        answer.notes.push(
            "every interval is about these rows and holds with 95 %; several of them at once with less"
                .to_owned(),
        );
        answer.notes.extend(self.question.rows.words());
        Ok(answer)
    }
}

/// The columns of an evaluation.
pub(crate) fn evaluation_columns(chosen: Option<&[String]>) -> Vec<DescribedColumn> {
    let names = names(chosen);
    let column = |name: &&str| {
        let (kind, role) = shape(name);
        DescribedColumn { name: (*name).to_owned(), kind, role, has_interval: has_interval(name, &names) }
    };
    names.iter().map(column).collect()
}

/// Whether a column has an interval of its own: the value, where its ends are no columns beside it.
fn has_interval(name: &str, names: &[&str]) -> bool {
    name == "value" && !(names.contains(&"lower") && names.contains(&"upper"))
}

fn names(chosen: Option<&[String]>) -> Vec<&str> {
    match chosen {
        Some(chosen) => chosen.iter().map(String::as_str).collect(),
        None => EVALUATION_COLUMNS.to_vec(),
    }
}

fn shape(name: &str) -> (Type, Role) {
    match name {
        "measure" => (Type::Text, Role::Key(0)),
        "part" => (Type::Text, Role::Key(1)),
        "value" => (Type::Number, Role::Aggregate(0)),
        _ => (Type::Number, Role::Derived),
    }
}

fn answer(numbers: &[EvaluationNumber], mechanism: &'static str, chosen: Option<&[String]>) -> Answer {
    let names = names(chosen);
    let column = |name: &&str| {
        let (kind, role) = shape(name);
        let release = (*name == "value").then_some(Disclosure {
            mechanism: Mechanism::Model(mechanism),
            scale: None,
            rank_error_95: None,
            error_95: None,
            grid: None::<Rational>,
        });
        Column { name: (*name).to_owned(), kind, role, release, has_interval: has_interval(name, &names) }
    };
    let rows = numbers.iter().map(|number| {
        let interval =
            number.interval.map(|(low, high)| (rounded(low, f64::floor), rounded(high, f64::ceil)));
        let whole = interval.filter(|(low, high)| low.is_finite() && high.is_finite());
        Row {
            values: names
                .iter()
                .map(|name| match *name {
                    "measure" => Some(Value::Text(number.measure.to_owned())),
                    "part" => Some(Value::Text(number.part.clone())),
                    "value" => Value::number(rounded(number.value, f64::round)),
                    "lower" => interval.and_then(|(low, _)| Value::number(low)),
                    _ => interval.and_then(|(_, high)| Value::number(high)),
                })
                .collect(),
            intervals: names.iter().map(|name| whole.filter(|_| has_interval(name, &names))).collect(),
        }
    });
    Answer { columns: names.iter().map(column).collect(), rows: rows.collect(), notes: Vec::new() }
}

/// Four places; ends of intervals outwards.
fn rounded(value: f64, how: fn(f64) -> f64) -> f64 {
    how(value * 1e4) / 1e4
}
