//! Data on their way in, draws, and what was released on its way out.

use numpy::PyReadonlyArray1;
use pointillist_errors::Explained;
use pointillist_mechanisms::{Grid, Scores};
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_numbers::Rational;
use pointillist_privacy::{Guarantee, Loss};
use pyo3::prelude::*;
use serde_json::{Value, json};

use super::parameters::{made, rationals};
use crate::errors::wrong;
use crate::interrupt::interruptible;

/// Numbers of somebody's data: whole, floating at their exact values, or as texts of exact numbers.
#[derive(FromPyObject)]
pub enum Values<'py> {
    /// Whole numbers.
    Integers(PyReadonlyArray1<'py, i64>),
    /// Floats.
    Floats(PyReadonlyArray1<'py, f64>),
    /// Texts.
    Texts(Vec<String>),
}

impl Values<'_> {
    /// The exact numbers. What is not a number has none.
    pub fn rationals(&self, py: Python<'_>) -> PyResult<Vec<Rational>> {
        match self {
            Self::Integers(values) => {
                let values = values.as_array().to_vec();
                Ok(py.detach(|| values.into_iter().map(Rational::from).collect()))
            }
            Self::Floats(values) if values.as_array().is_empty() => Ok(Vec::new()),
            // The one way from floats that takes all finite ones, the smallest too.
            Self::Floats(values) => {
                let values = values.as_array().to_vec();
                let exact = py.detach(|| Scores::from_f64(&values));
                Ok(exact.map_err(|_| not_a_number())?.values().to_vec())
            }
            Self::Texts(texts) => rationals(texts).map_err(|_| not_a_number()),
        }
    }

    /// The nearest points of a grid, by their indexes.
    pub fn indexes(&self, py: Python<'_>, grid: &Grid) -> PyResult<Vec<i64>> {
        match self {
            Self::Integers(values) => {
                let values = values.as_array().to_vec();
                Ok(py.detach(|| {
                    values.into_iter().map(|value| grid.index_of(&Rational::from(value))).collect()
                }))
            }
            Self::Floats(values) => {
                let values = values.as_array().to_vec();
                let indexes: Option<Vec<i64>> =
                    py.detach(|| values.into_iter().map(|value| grid.index_of_f64(value)).collect());
                indexes.ok_or_else(not_a_number)
            }
            Self::Texts(_) => Ok(self.rationals(py)?.iter().map(|value| grid.index_of(value)).collect()),
        }
    }

    /// Scores of candidates.
    pub fn scores(&self) -> PyResult<Scores> {
        made(match self {
            Self::Integers(values) => {
                Scores::from_integers(&values.as_array().iter().copied().collect::<Vec<i64>>())
            }
            Self::Floats(values) => {
                Scores::from_f64(&values.as_array().iter().copied().collect::<Vec<f64>>())
            }
            Self::Texts(texts) => Scores::new(rationals(texts).map_err(|_| not_a_number())?),
        })
    }
}

fn not_a_number() -> PyErr {
    wrong("a value is not a finite number", "leave out or replace such rows first, one row at a time")
}

/// Rows by person: `lengths` says how many rows each person has; without it each row is another person.
pub struct People {
    rows: Vec<i64>,
    lengths: Option<Vec<usize>>,
}

impl People {
    /// Rows that belong to people.
    pub fn new(rows: Vec<i64>, lengths: Option<Vec<usize>>) -> PyResult<Self> {
        let total =
            lengths.as_ref().map(|lengths| lengths.iter().try_fold(0usize, |sum, n| sum.checked_add(*n)));
        if total.is_some_and(|total| total != Some(rows.len())) {
            return Err(wrong(
                "the lengths do not add up to the rows",
                "give the number of rows of each person",
            ));
        }
        Ok(Self { rows, lengths })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// One list a person.
    pub fn each(&self) -> impl Iterator<Item = std::iter::Copied<std::slice::Iter<'_, i64>>> {
        let mut rest = self.rows.as_slice();
        let mut lengths = self.lengths.as_ref().map(|lengths| lengths.iter());
        std::iter::from_fn(move || {
            let length = match &mut lengths {
                Some(lengths) => *lengths.next()?,
                None => 1,
            };
            let (person, others) = rest.split_at_checked(length)?;
            rest = others;
            Some(person.iter().copied())
        })
    }
}

/// Data of at most this many rows are drawn for at once: a thread of its own would take longer.
const AT_ONCE: usize = 1024;

/// A draw for data of this size. One that may take long runs without the lock, and can be interrupted.
pub fn drawn<T: Send + 'static>(
    py: Python<'_>,
    size: usize,
    draw: impl FnOnce(&mut SystemBits) -> T + Send + 'static,
) -> PyResult<T> {
    if size <= AT_ONCE {
        return quick(draw);
    }
    made(interruptible(py, move || with_system_bits(draw))?)
}

/// The same for a draw that may be refused.
pub fn drawn_or<T: Send + 'static, E: Explained + Send + 'static>(
    py: Python<'_>,
    size: usize,
    draw: impl FnOnce(&mut SystemBits) -> Result<T, E> + Send + 'static,
) -> PyResult<T> {
    made(drawn(py, size, draw)?)
}

/// A draw of microseconds, at once.
pub fn quick<T>(draw: impl FnOnce(&mut SystemBits) -> T) -> PyResult<T> {
    made(with_system_bits(draw))
}

/// Whole numbers for an array: those beyond 64 bits become the ends of the range.
pub fn clamped(values: Vec<i128>) -> Vec<i64> {
    values.into_iter().map(|value| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64).collect()
}

/// An exact number as the text of a fraction.
pub fn fraction(value: &Rational) -> String {
    format!("{}/{}", value.numerator(), value.denominator())
}

/// Two of them.
pub fn fractions((low, high): &(Rational, Rational)) -> (String, String) {
    (fraction(low), fraction(high))
}

/// Everything that is proven of a release, numbers exact.
pub fn loss_json(loss: &Loss) -> String {
    let guarantees: Vec<Value> = loss.guarantees().iter().map(guarantee_json).collect();
    let (epsilon, delta) = loss.approximate_epsilon().unzip();
    let (rho, rho_delta) = loss.approximate_rho().unzip();
    json!({
        "epsilon": epsilon.map(|epsilon| epsilon.value().to_string()),
        "delta": delta.or(rho_delta).map(|delta| delta.value().to_string()),
        "rho": loss.rho().or(rho).map(|rho| rho.value().to_string()),
        "words": loss.to_string(),
        "guarantees": guarantees,
    })
    .to_string()
}

fn guarantee_json(guarantee: &Guarantee) -> Value {
    let words = guarantee.to_string();
    match guarantee {
        Guarantee::Pure { epsilon } => {
            json!({ "kind": "pure", "epsilon": epsilon.value().to_string(), "words": words })
        }
        Guarantee::Approximate { epsilon, delta } => json!({
            "kind": "approximate",
            "epsilon": epsilon.value().to_string(),
            "delta": delta.value().to_string(),
            "words": words,
        }),
        Guarantee::ZeroConcentrated { rho } => {
            json!({ "kind": "zcdp", "rho": rho.value().to_string(), "words": words })
        }
        Guarantee::ApproximateZeroConcentrated { rho, delta } => json!({
            "kind": "approximate zcdp",
            "rho": rho.value().to_string(),
            "delta": delta.value().to_string(),
            "words": words,
        }),
        Guarantee::BoundedRange { eta } => {
            json!({ "kind": "bounded range", "epsilon": eta.value().to_string(), "words": words })
        }
    }
}
