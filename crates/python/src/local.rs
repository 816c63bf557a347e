//! The local model: everyone randomizes their own answer.

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    submodule(parent, "local")?;
    Ok(())
}
