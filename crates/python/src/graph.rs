//! Statistics of graphs that the owner holds in memory.

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    submodule(parent, "graph")?;
    Ok(())
}
