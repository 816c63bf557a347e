//! What losses add up to: the calculators of every door.

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    submodule(parent, "accounting")?;
    Ok(())
}
