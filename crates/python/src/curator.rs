//! A curator in the process: the same life of a question as behind every door.

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    submodule(parent, "curator")?;
    Ok(())
}
