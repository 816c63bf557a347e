//! What an adversary learns from what others publish, and from the same at a price.
//!
//! Each function is one attack: it reads its tables and prices, runs without the interpreter's lock, and hands out the same
//! object that scripts of the command line get, with what only Python wants beside it.

mod counts;
mod outcome;
mod people;
mod tables;

use pyo3::prelude::*;

use crate::submodule;

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "attack")?;
    module.add_class::<outcome::Outcome>()?;
    counts::register(&module)?;
    people::register(&module)
}
