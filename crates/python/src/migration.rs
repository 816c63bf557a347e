//! Declarations of other libraries as the text of a catalog.

use std::path::PathBuf;

use pointillist_catalog::Catalog;
use pointillist_curator::{import_smartnoise, ledger_section};
use pyo3::prelude::*;

use crate::errors::raised;
use crate::submodule;

/// The catalog that stands for SmartNoise SQL metadata, and what had no counterpart.
#[pyfunction]
fn from_smartnoise(metadata: &str, catalog: PathBuf) -> PyResult<(String, Vec<String>)> {
    let drafted = import_smartnoise(metadata, &catalog).map_err(|error| raised(&error))?;
    Ok((drafted.text, drafted.notes))
}

/// The part of a new catalog that says where its anchor is.
#[pyfunction]
fn anchor_section(catalog: PathBuf) -> String {
    ledger_section(&catalog)
}

/// Reads a catalog, and says what is wrong with it.
#[pyfunction]
fn check_catalog(text: &str) -> PyResult<()> {
    Catalog::parse(text).map(drop).map_err(|error| raised(&error))
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "migration")?;
    module.add_function(wrap_pyfunction!(from_smartnoise, &module)?)?;
    module.add_function(wrap_pyfunction!(anchor_section, &module)?)?;
    module.add_function(wrap_pyfunction!(check_catalog, &module)?)
}
