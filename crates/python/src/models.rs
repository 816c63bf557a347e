//! Models and sanitized tables that were paid for: what they say, and the files that they are.
//!
//! Everything here is post-processing: training and measuring are questions to a curator, and what it released is read, used and
//! written by the same functions as on the command line.

mod arrow_frame;
mod coded_rows;
mod sanitized_rows;
mod trained_model;

use pointillist_learn::{Family, SETTINGS};
use pointillist_query::{synthesis_statement, training_statement};
use pointillist_synth::{Method, SETTINGS as SYNTH_SETTINGS, TABLE_SETTINGS};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::submodule;

/// The statement that asks for a model.
#[pyfunction]
#[pyo3(name = "training_statement")]
fn statement_of_training(kind: &str, rows: &str, target: Option<&str>, settings: Option<&str>) -> String {
    training_statement(kind, rows, target, settings)
}

/// The statement that asks for a sanitized table.
#[pyfunction]
#[pyo3(name = "synthesis_statement")]
fn statement_of_synthesis(method: &str, rows: &str, settings: Option<&str>) -> String {
    synthesis_statement(method, rows, settings)
}

/// Kinds of models and their settings, as JSON.
#[pyfunction]
fn kinds() -> String {
    let models: Vec<Value> = Family::ALL
        .iter()
        .map(|it| json!({ "model": it.name(), "about": it.about(), "target": it.has_target() }))
        .collect();
    let settings = SETTINGS.map(|(name, about)| json!({ "setting": name, "about": about }));
    json!({ "models": models, "settings": settings }).to_string()
}

/// Methods of sanitized tables and their settings, as JSON.
#[pyfunction]
fn methods() -> String {
    let methods = Method::ALL.map(|it| json!({ "method": it.name(), "about": it.about() }));
    let settings = TABLE_SETTINGS.iter().chain(&SYNTH_SETTINGS);
    let settings: Vec<Value> =
        settings.map(|(name, about)| json!({ "setting": name, "about": about })).collect();
    json!({ "methods": methods, "settings": settings }).to_string()
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "models")?;
    module.add_class::<trained_model::TrainedModel>()?;
    module.add_class::<sanitized_rows::SanitizedRows>()?;
    module.add_class::<arrow_frame::ArrowFrame>()?;
    module.add_function(wrap_pyfunction!(statement_of_training, &module)?)?;
    module.add_function(wrap_pyfunction!(statement_of_synthesis, &module)?)?;
    module.add_function(wrap_pyfunction!(kinds, &module)?)?;
    module.add_function(wrap_pyfunction!(methods, &module)?)
}
