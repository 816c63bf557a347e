//! Attacks on numbers: counts that are nearly right, that differ by one person, that are asked again, and floats.

use std::sync::atomic::{AtomicU64, Ordering};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pointillist_attack::averaging;
use pointillist_attack::differencing::published_counts;
use pointillist_attack::differencing::two_counts::{self, Counts};
use pointillist_attack::floating;
use pointillist_attack::minimiser;
use pointillist_attack::reconstruction::curator::{self, CuratorAttack, Total};
use pointillist_attack::reconstruction::{self, Method, Norm, Queries, Secret};
use pyo3::prelude::*;
use serde_json::{Value, json};

use super::outcome::{Outcome, epsilon, price, read};
use super::tables::{Table, conditions};
use crate::errors::wrong;
use crate::interrupt::interruptible;

/// Whose secret bit: of so many made-up people, or of a table's rows with a value in a column.
type Asked = (Option<Table>, String, String, Option<usize>);

fn secret(
    (table, column, value, people): Asked,
    made_up: usize,
    bits: &mut pointillist_noise::SystemBits,
) -> Result<Secret, pointillist_attack::AttackError> {
    match table {
        None => Secret::made_up(people.unwrap_or(made_up), bits),
        Some(table) => Secret::of_table(&table.read()?, &column, &value, people),
    }
}

/// A secret column from many slightly wrong counts.
#[pyfunction]
#[pyo3(signature = (asked, questions, error, epsilon))]
fn reconstruct(
    py: Python<'_>,
    asked: Asked,
    questions: usize,
    error: Option<f64>,
    epsilon: &str,
) -> PyResult<Outcome> {
    /// People whose secret is made up, unless others are asked for.
    const PEOPLE: usize = 1024;
    let epsilon = self::epsilon(epsilon)?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let secret = secret(asked, PEOPLE, bits)?;
        let settings = reconstruction::Settings { secret, questions_each: questions, error, epsilon };
        reconstruction::run(settings, bits)
    };
    Outcome::of(py, attack, |outcome: &reconstruction::Outcome| {
        json!({
            "secret": outcome.secret.bits(),
            "estimates": outcome.others.result.estimates,
            "estimates_private": outcome.ours.result.estimates,
        })
    })
}

/// The same against Pointillist itself: real SQL and a real ledger, until the budget is spent.
#[pyfunction]
#[pyo3(signature = (asked, questions, error, epsilon, budget, delta, curves, progress))]
#[expect(clippy::too_many_arguments, reason = "everything that a caller may say, once")]
fn reconstruct_curator(
    py: Python<'_>,
    asked: Asked,
    questions: usize,
    error: Option<f64>,
    epsilon: &str,
    budget: &str,
    delta: Option<&str>,
    curves: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    /// Fewer people, where every question goes to a ledger.
    const PEOPLE: usize = 256;
    let (epsilon, budget) = (self::epsilon(epsilon)?, read(Total::parse(budget, delta))?);
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let secret = secret(asked, PEOPLE, bits)?;
        let attack =
            CuratorAttack { secret, budget, epsilon, questions_each: questions, error, with_curves: curves };
        let told = AtomicU64::new(0);
        curator::run(attack, bits, &mut |now: curator::Progress| {
            let part = now.answered as f64 / now.allowed.max(1) as f64;
            let percent = (100.0 * part) as u64;
            if told.swap(percent, Ordering::Relaxed) < percent {
                tell(progress.as_ref(), part);
            }
        })
    };
    Outcome::of(py, attack, |_| Value::Null)
}

/// Whoever only listens stops nothing.
fn tell(progress: Option<&Py<PyAny>>, part: f64) {
    let Some(progress) = progress else { return };
    Python::attach(|py| {
        if let Err(error) = progress.call1(py, ("asking the curator", part.min(1.0))) {
            error.write_unraisable(py, Some(progress.bind(py)));
        }
    });
}

/// Everybody's bit from answers that somebody collected: an estimate for each, and what was minimised.
#[pyfunction]
#[pyo3(signature = (subsets, answers, method, error_deviation))]
fn decode<'py>(
    py: Python<'py>,
    subsets: PyReadonlyArray2<'py, bool>,
    answers: PyReadonlyArray1<'py, f64>,
    method: &str,
    error_deviation: Option<f64>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let method = match method {
        "least squares" => Method::LeastSquares,
        "sum of errors" => Method::LinearProgram(Norm::Sum),
        "largest error" => Method::LinearProgram(Norm::Largest),
        other => {
            return Err(wrong(
                format!("there is no method `{}`", other.chars().take(40).collect::<String>()),
                "take 'least squares', 'sum of errors' or 'largest error'",
            ));
        }
    };
    let rows: Vec<Vec<bool>> = subsets.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
    let answers = answers.as_array().to_vec();
    let decoded = interruptible(py, move || {
        reconstruction::decode(&Queries::from_rows(&rows)?, &answers, method, error_deviation)
    })?;
    let (estimates, objective) = read(decoded)?;
    Ok((estimates.into_pyarray(py), objective))
}

/// Two counts that differ by one person.
#[pyfunction]
fn difference(py: Python<'_>, with: i128, without: i128, epsilon: &str) -> PyResult<Outcome> {
    let counts = read(Counts::new(with, without))?;
    let question = two_counts::Question::of_counts(counts);
    subtract(py, move || Ok(question), epsilon)
}

/// The same, of the rows of a table.
#[pyfunction]
fn difference_in_table(
    py: Python<'_>,
    table: Table,
    counted: Vec<(String, String)>,
    except: Vec<(String, String)>,
    epsilon: &str,
) -> PyResult<Outcome> {
    let (counted, except) = (conditions(&counted), conditions(&except));
    subtract(py, move || two_counts::Question::of_table(&table.read()?, &counted, &except), epsilon)
}

fn subtract(
    py: Python<'_>,
    question: impl FnOnce() -> Result<two_counts::Question, pointillist_attack::AttackError> + Send + 'static,
    epsilon: &str,
) -> PyResult<Outcome> {
    let price_each = price(Some(epsilon), None)?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        two_counts::run(two_counts::Settings { question: question()?, price_each }, bits)
    };
    Outcome::of(py, attack, |_| Value::Null)
}

/// Who is certain from published counts.
#[pyfunction]
fn published(py: Python<'_>, table: Table, epsilon: &str) -> PyResult<Outcome> {
    let price = price(Some(epsilon), None)?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        published_counts::run(published_counts::Settings { table: table.read()?, price }, bits)
    };
    Outcome::of(py, attack, |_| Value::Null)
}

/// The same question again and again: about a count, or about the rows of a table.
#[pyfunction]
#[pyo3(signature = (truth, table, counted, epsilon, repetitions))]
fn average(
    py: Python<'_>,
    truth: i128,
    table: Option<Table>,
    counted: Vec<(String, String)>,
    epsilon: &str,
    repetitions: usize,
) -> PyResult<Outcome> {
    let price = price(Some(epsilon), None)?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let question = match table {
            Some(table) => averaging::Question::of_table(&table.read()?, &conditions(&counted))?,
            None => averaging::Question::of_count(truth),
        };
        averaging::run(averaging::Settings { question, price, repetitions_max: repetitions }, bits)
    };
    Outcome::of(py, attack, |_| Value::Null)
}

/// Textbook noise in floating point, and what its last digits tell.
#[pyfunction]
#[pyo3(name = "floating")]
fn last_digits(py: Python<'_>, truth: i64, other: i64, epsilon: &str, outputs: usize) -> PyResult<Outcome> {
    let settings = floating::Settings { truth, other, epsilon: self::epsilon(epsilon)?, outputs };
    Outcome::of(py, move |bits| floating::run(settings, bits), |_| Value::Null)
}

/// Whether the textbook's sampler, run on the candidate, can return the output.
#[pyfunction]
fn could_have_produced(output: f64, candidate: f64, scale: f64) -> PyResult<bool> {
    read(floating::could_have_produced(output, candidate, scale))
}

/// The last person's row, from a model that was trained on it.
#[pyfunction]
#[pyo3(signature = (people, epsilon, rho, models))]
fn model(
    py: Python<'_>,
    people: usize,
    epsilon: Option<&str>,
    rho: Option<&str>,
    models: usize,
) -> PyResult<Outcome> {
    let settings = minimiser::Settings { people, price: price(epsilon, rho)?, trials: models };
    Outcome::of(py, move |bits| minimiser::run(&settings, bits), |_| Value::Null)
}

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reconstruct, module)?)?;
    module.add_function(wrap_pyfunction!(reconstruct_curator, module)?)?;
    module.add_function(wrap_pyfunction!(decode, module)?)?;
    module.add_function(wrap_pyfunction!(difference, module)?)?;
    module.add_function(wrap_pyfunction!(difference_in_table, module)?)?;
    module.add_function(wrap_pyfunction!(published, module)?)?;
    module.add_function(wrap_pyfunction!(average, module)?)?;
    module.add_function(wrap_pyfunction!(last_digits, module)?)?;
    module.add_function(wrap_pyfunction!(could_have_produced, module)?)?;
    module.add_function(wrap_pyfunction!(model, module)?)
}
