//! What a public model is worth on private rows: priced, paid for, and only then are rows looked at.
//!
//! **Guarantee.** That of `training.rs`: before the debit only the catalog and its public models are read; rows are chosen and
//! read with a receipt in hand; an evaluation ends with its integers or with the constant failure, and that does not depend on
//! what rows say. What is shown is computed from the record and public things.
//! **Repeats.** The question is made of the rows, every number of the model, the measure and the price: a model that was
//! changed under its name is another question, and the same one of the same data is given again.

use std::sync::Arc;

use pointillist_catalog::{Catalog, Value};
use pointillist_engine::Scan;
use pointillist_learn::{EvaluationNumber, LearnError, ModelEvaluation};
use pointillist_ledger::Receipt;
use pointillist_noise::with_system_bits;
use pointillist_numbers::Rational;
use pointillist_plan::{Role, TrainingRows, Type, canonical_training};
use pointillist_privacy::Price;
use pointillist_query::{EVALUATION_COLUMNS, EvaluationQuestion, Refusal, refused_training};

use crate::answer::{Answer, Column, Disclosure, Mechanism, Row};
use crate::ask::Work;
use crate::basket::Bill;
use crate::curator::State;
use crate::describe::DescribedColumn;
use crate::error::AskError;
use crate::order::Order;
use crate::release::Released;
use crate::reuse::Recorded;
use crate::training::{Codes, scan_of};

/// Rows and what is measured on them: what is bought.
pub(crate) struct Evaluating {
    pub(crate) rows: TrainingRows,
    pub(crate) evaluation: ModelEvaluation,
}

/// A question about a model, and the files that it reads.
pub(crate) struct EvaluationWork {
    question: EvaluationQuestion,
    order: Order<Evaluating>,
    scan: Scan,
}

/// Recorded integers mean what they meant when they were released: constants that change need a new number.
const REVISION: u8 = 1;

impl Evaluating {
    /// The evaluation of a question and its price; reads nothing.
    pub(crate) fn new(catalog: &Catalog, question: &EvaluationQuestion) -> Result<(Self, Price), AskError> {
        let refused = |error: LearnError| AskError::from(refused_training(&error));
        let EvaluationQuestion { model, measure, rows, spend, .. } = question;
        let evaluation =
            ModelEvaluation::new(Arc::clone(model), *measure, rows.rows_max, spend).map_err(refused)?;
        let scope = catalog.paying_scope(&rows.scope).ok_or(AskError::Failed)?;
        let price = Price::of_loss(scope.budget.currency(), &evaluation.loss()).ok_or_else(|| {
            Refusal::not_provable(
                "nothing is proven of this measure in the currency of its budget",
                "choose another measure",
            )
        })?;
        Ok((Self { rows: rows.clone(), evaluation }, price))
    }

    /// What identifies the numbers that are released: the whole model is part of it.
    pub(crate) fn canonical(&self, question: &EvaluationQuestion) -> Vec<u8> {
        let mut bytes = canonical_training(&self.rows);
        let (measure, spend) = (question.measure.name(), format!("{:?}", question.spend));
        let (model, revision) = (question.model.to_bytes(), REVISION.to_string());
        let parts: [&[u8]; 5] =
            [b"evaluate", &model, measure.as_bytes(), spend.as_bytes(), revision.as_bytes()];
        for part in parts {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        }
        bytes
    }
}

impl EvaluationWork {
    /// Finds the files of all tables and their schemas and holds them open; reads no row.
    pub(crate) fn open(state: &State, question: EvaluationQuestion) -> Result<Self, AskError> {
        let order = Order::about_evaluation(&state.catalog, &question)?;
        let scan = scan_of(state, &order.work().rows)?;
        Ok(Self { question, order, scan })
    }

    fn numbers(&self, recorded: &[Recorded]) -> Option<Vec<EvaluationNumber>> {
        let released = recorded.first()?.released.measures.first()?;
        self.order.work().evaluation.numbers(released)
    }
}

impl Work for EvaluationWork {
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
        let evaluated = with_system_bits(|bits| paid.work().evaluation.release(&Codes(&table), bits));
        let integers = evaluated.map_err(|_| AskError::Failed)?.map_err(|_| AskError::Failed)?;
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
