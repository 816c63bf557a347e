//! Models: a question for one becomes a trainer, is paid for, and only then are rows looked at.
//!
//! **Guarantee.** Before the debit only the catalog is read: which trainer it is, what it loses and every refusal follow from it.
//! Rows are chosen and read after the debit, with a receipt in hand; a fit ends with a model or with the constant failure, and
//! that does not depend on what rows say (`engine/src/training.rs`, `learn/src/rows.rs`). What is recorded is what was released,
//! and the model is made from the record.
//! **Repeats.** The question is made of the rows, the recipe and the price: the same model of the same data is given again.

use std::collections::BTreeMap;

use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_catalog::{Catalog, Value};
use pointillist_engine::{Scan, TrainingTable};
use pointillist_learn::{
    CodeBlocks, ColumnEncoding, ColumnKind, Encoding, Label, LearnError, Model, NumberUnit, RowsError,
    Trained, Trainer,
};
use pointillist_ledger::Receipt;
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_numbers::Rational;
use pointillist_plan::{Code, Role, TrainingColumn, TrainingRows, Type, canonical_training};
use pointillist_privacy::Price;
use pointillist_query::{MODEL_COLUMNS, Refusal, TrainingQuestion, refused_training};

use crate::answer::{Answer, Column, Disclosure, Mechanism, Row};
use crate::ask::Work;
use crate::basket::Bill;
use crate::curator::State;
use crate::describe::DescribedColumn;
use crate::engines::here;
use crate::error::AskError;
use crate::order::{Order, Purchase};
use crate::recorded_bytes::{packed, unpacked};
use crate::release::Released;
use crate::reuse::Recorded;
use crate::rows::not_opened;

/// Rows and a trainer for them: what is bought.
pub(crate) struct Training {
    pub(crate) rows: TrainingRows,
    pub(crate) trainer: Trainer,
}

/// A question for a model, and the files that it reads.
pub(crate) struct TrainingWork {
    question: TrainingQuestion,
    order: Order<Training>,
    scan: Scan,
}

impl Training {
    /// The trainer of a question and its price; reads nothing.
    pub(crate) fn new(catalog: &Catalog, question: &TrainingQuestion) -> Result<(Self, Price), AskError> {
        let refused = |error: LearnError| AskError::from(refused_training(&error));
        let encoding = encoding(&question.rows, question).map_err(refused)?;
        let trainer = question.recipe.trainer(encoding, question.rows.rows_max, &question.spend);
        let trainer = trainer.map_err(refused)?;
        let scope = catalog.paying_scope(&question.rows.scope).ok_or(AskError::Failed)?;
        let price = Price::of_loss(scope.budget.currency(), trainer.loss()).ok_or_else(|| {
            Refusal::not_provable(
                "nothing is proven of this model in the currency of its budget",
                "choose another model or method",
            )
        })?;
        Ok((Self { rows: question.rows.clone(), trainer }, price))
    }

    /// What identifies the numbers that are released.
    pub(crate) fn canonical(&self, question: &TrainingQuestion) -> Vec<u8> {
        let mut bytes = canonical_training(&self.rows);
        // Everything public that a fit depends on: Debug of numbers is exact.
        let parts = [format!("{:?}", question.recipe), format!("{:?}", question.spend), REVISION.to_string()];
        for part in parts {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        bytes
    }
}

/// Recorded numbers mean what they meant to the trainer that released them: defaults and constants that change need a new number.
const REVISION: u8 = 1;

/// How the columns of codes become features.
fn encoding(rows: &TrainingRows, question: &TrainingQuestion) -> Result<Encoding, LearnError> {
    let columns = rows.features.iter().map(column).collect();
    Encoding::new(columns, rows.target.as_ref().map(column), question.recipe.row_length())
}

fn column(column: &TrainingColumn) -> ColumnEncoding {
    let kind = match &column.code {
        Code::Number(grid) => ColumnKind::Number {
            lower: grid.lower().to_f64_nearest(),
            upper: grid.upper().to_f64_nearest(),
            steps: u32::try_from(grid.last_index()).unwrap_or(u32::MAX),
            unit: match column.kind {
                Type::Date => NumberUnit::Day,
                Type::Timestamp => NumberUnit::Microsecond,
                _ => NumberUnit::Number,
            },
        },
        Code::Category(values) => {
            ColumnKind::Category { values: values.iter().map(|value| value.as_ref().map(label)).collect() }
        }
        Code::Truth => ColumnKind::Truth,
    };
    ColumnEncoding { name: column.name.clone(), kind, nullable: column.nullable }
}

fn label(value: &Value) -> Label {
    match value {
        Value::Boolean(value) => Label::Truth(*value),
        Value::Integer(value) => Label::Integer(*value),
        Value::Number(value) => Label::Number(*value),
        Value::Text(value) => Label::Text(value.clone()),
        Value::Date(days) => Label::Text(date_text(*days)),
        Value::Timestamp(micros) => Label::Text(timestamp_text(*micros)),
    }
}

impl TrainingWork {
    /// Finds the files of all tables and their schemas and holds them open; reads no row.
    pub(crate) fn open(state: &State, question: TrainingQuestion) -> Result<Self, AskError> {
        let order = Order::about_training(&state.catalog, &question)?;
        let scan = scan_of(state, &order.work().rows)?;
        Ok(Self { question, order, scan })
    }
}

/// Finds the files of rows and holds them open; reads none of them.
pub(crate) fn scan_of(state: &State, rows: &TrainingRows) -> Result<Scan, AskError> {
    let mut sources = BTreeMap::new();
    for name in rows.relation.tables() {
        let unavailable = || AskError::Unavailable { table: name.to_owned() };
        let table = state.catalog.table(name).ok_or_else(unavailable)?;
        here(table, "what is learnt from single rows")?;
        if !sources.contains_key(name) {
            let source = state.data.open(table).map_err(|_| unavailable())?;
            sources.insert(name.to_owned(), source);
        }
    }
    let table = rows.relation.tables().first().copied().unwrap_or_default().to_owned();
    state.engine.scan_training(&sources, rows).map_err(|error| not_opened(&error, &table))
}

/// Chosen rows as trainers and evaluations see them.
pub(crate) struct Codes<'t, 'e>(pub(crate) &'t TrainingTable<'e>);

impl CodeBlocks for Codes<'_, '_> {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        self.0.for_each_block(each).map_err(|_| RowsError)
    }
}

impl Work for TrainingWork {
    fn bill(&self) -> &dyn Bill {
        &self.order
    }

    fn canonical(&self) -> Vec<u8> {
        self.order.work().canonical(&self.question)
    }

    fn release(&self, state: &State, receipt: &Receipt, _: &[usize]) -> Result<Vec<Released>, AskError> {
        let paid = self.order.paid_by(receipt)?;
        let table = state.engine.training_rows(self.scan.clone(), &paid.work().rows);
        let table = table.map_err(|_| AskError::Failed)?;
        let fitted = with_system_bits(|bits| fit(&paid, &table, bits)).map_err(|_| AskError::Failed)??;
        Ok(vec![fitted])
    }

    fn present(&self, recorded: &[Recorded]) -> Result<Answer, AskError> {
        let model = self.model(recorded).ok_or(AskError::Failed)?;
        let mechanism = self.order.work().trainer.mechanism();
        let mut answer = of_model(&model, Some(mechanism), self.question.columns.as_deref());
        answer.notes.extend(self.question.notes.iter().cloned());
        answer.notes.push(model.interval_words().to_owned());
        answer.notes.extend(self.question.rows.words());
        Ok(answer)
    }

    fn model(&self, recorded: &[Recorded]) -> Option<Model> {
        let integers = recorded.first()?.released.measures.first()?;
        self.order.work().trainer.model_of(Trained::from_bytes(&unpacked(integers)?)?)
    }
}

/// Trains, for whoever has paid.
fn fit(
    paid: &Purchase<'_, Training>,
    table: &TrainingTable<'_>,
    bits: &mut SystemBits,
) -> Result<Released, AskError> {
    let trained = paid.work().trainer.train(&Codes(table), bits).map_err(|_| AskError::Failed)?;
    let integers = packed(&trained.to_bytes());
    Ok(Released { keys: vec![Vec::new(); integers.len()], measures: vec![integers] })
}

/// The columns of a model as a table.
pub(crate) fn model_columns(chosen: Option<&[String]>) -> Vec<DescribedColumn> {
    let column = |name: &str| {
        let (kind, role) = shape(name);
        DescribedColumn { name: name.to_owned(), kind, role, has_interval: name == "value" }
    };
    names(chosen).into_iter().map(column).collect()
}

fn names(chosen: Option<&[String]>) -> Vec<&str> {
    match chosen {
        Some(chosen) => chosen.iter().map(String::as_str).collect(),
        None => MODEL_COLUMNS.to_vec(),
    }
}

fn shape(name: &str) -> (Type, Role) {
    match name {
        "part" => (Type::Text, Role::Key(0)),
        "feature" => (Type::Text, Role::Key(1)),
        "value" => (Type::Number, Role::Aggregate(0)),
        _ => (Type::Number, Role::Derived),
    }
}

impl Answer {
    /// A model as a table like every other answer, where nothing but the model is known.
    pub fn of_model(model: &Model) -> Self {
        of_model(model, None, None)
    }
}

fn of_model(model: &Model, mechanism: Option<&'static str>, chosen: Option<&[String]>) -> Answer {
    let names = names(chosen);
    let column = |name: &&str| {
        let (kind, role) = shape(name);
        let release = mechanism.filter(|_| *name == "value").map(|mechanism| Disclosure {
            mechanism: Mechanism::Model(mechanism),
            scale: None,
            rank_error_95: None,
            error_95: None,
            grid: None::<Rational>,
        });
        Column { name: (*name).to_owned(), kind, role, release, has_interval: *name == "value" }
    };
    let rows = model.numbers().into_iter().map(|number| Row {
        values: names
            .iter()
            .map(|name| match *name {
                "part" => Some(Value::Text(number.part.clone())),
                "feature" => Some(Value::Text(number.feature.clone())),
                "value" => Value::number(shown(number.value)),
                "lower" => number.interval.and_then(|(low, _)| Value::number(shown(low))),
                _ => number.interval.and_then(|(_, high)| Value::number(shown(high))),
            })
            .collect(),
        intervals: names.iter().map(|name| number.interval.filter(|_| *name == "value")).collect(),
    });
    Answer { columns: names.iter().map(column).collect(), rows: rows.collect(), notes: Vec::new() }
}

/// Five digits: the model has them all.
fn shown(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
