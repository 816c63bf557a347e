//! Attempts to refute a promise, of ours or of anybody's.

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    submodule(parent, "audit")?;
    Ok(())
}
