//! Mechanisms by themselves, for whoever keeps their own books.

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    submodule(parent, "mechanisms")?;
    Ok(())
}
