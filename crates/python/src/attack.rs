//! What an adversary learns from what others publish.

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    submodule(parent, "attack")?;
    Ok(())
}
