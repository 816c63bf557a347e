//! The outcome of an attack: others' answers beside ours, as an object, in words and as a page.

use std::sync::Arc;

use pointillist_attack::{AttackError, Comparison};
use pointillist_errors::Explained;
use pointillist_noise::{EntropyError, SystemBits, with_system_bits};
use pointillist_privacy::{Epsilon, Rho, Spend};
use pointillist_render::page::MadeBy;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::{raised, wrong};
use crate::interrupt::interruptible;

type Drawn<T> = Result<Result<T, AttackError>, EntropyError>;
type MakePage = dyn Fn(&MadeBy) -> Drawn<String> + Send + Sync;

/// What an attack found.
#[pyclass(frozen)]
pub struct Outcome {
    json: String,
    more: String,
    without: String,
    with: String,
    page: Arc<MakePage>,
}

#[pymethods]
impl Outcome {
    /// The object that scripts get.
    fn to_json(&self) -> &str {
        &self.json
    }

    /// What is beside that object.
    fn more(&self) -> &str {
        &self.more
    }

    /// What was learnt without differential privacy.
    fn without(&self) -> &str {
        &self.without
    }

    /// What was learnt from our answers to the same questions.
    fn with_pointillist(&self) -> &str {
        &self.with
    }

    /// The page with plots and explanations.
    fn page(&self, py: Python<'_>, command: String, date: String) -> PyResult<String> {
        let (page, made_by) = (self.page.clone(), MadeBy { command, date });
        read(read(interruptible(py, move || page(&made_by))?)?)
    }
}

impl Outcome {
    /// Runs an attack with unpredictable bits.
    pub fn of<O: Comparison + Send + Sync + 'static>(
        py: Python<'_>,
        attack: impl FnOnce(&mut SystemBits) -> Result<O, AttackError> + Send + 'static,
        more: impl FnOnce(&O) -> Value,
    ) -> PyResult<Self> {
        let outcome = read(read(interruptible(py, move || with_system_bits(attack))?)?)?;
        let json =
            serde_json::to_string(&outcome).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let (more, without, with) = (more(&outcome).to_string(), outcome.without(), outcome.with());
        let page = move |made_by: &MadeBy| {
            with_system_bits(|bits| outcome.page(bits).map(|page| page.to_html(made_by)))
        };
        Ok(Self { json, more, without, with, page: Arc::new(page) })
    }
}

/// What a room made, or what it says against it.
pub fn read<T>(result: Result<T, impl Explained>) -> PyResult<T> {
    result.map_err(|error| raised(&error))
}

/// An ε as its text says it, exactly.
pub fn epsilon(text: &str) -> PyResult<Epsilon> {
    read(Epsilon::parse(text))
}

/// The price of an attack's private side: ε or ρ, one of them.
pub fn price(epsilon: Option<&str>, rho: Option<&str>) -> PyResult<Spend> {
    match (epsilon, rho) {
        (Some(epsilon), None) => Ok(Spend::Pure(self::epsilon(epsilon)?)),
        (None, Some(rho)) => Ok(Spend::Concentrated(read(Rho::parse(rho))?)),
        _ => Err(wrong("there is not one price", "give epsilon, or rho alone")),
    }
}
