//! Mechanisms by themselves, for whoever keeps their own books: one class for each mechanism of the catalogue.
//!
//! Parameters come in as texts and are read exactly; the classes of Python hold one of these each, and have the words. Nothing
//! here is charged to any ledger: [`loss`](values::loss_json) says what a release costs, and the caller adds it up.

mod aggregate;
mod choice;
mod keys;
mod local_sensitivity;
mod number;
mod order_statistic;
mod parameters;
mod response;
mod stream;
mod values;

use pointillist_mechanisms::cards_about;
use pointillist_render::mechanisms::cards_json;
use pyo3::prelude::*;

use crate::submodule;

/// The cards whose name or description has this word, as JSON; all, where the word is empty.
#[pyfunction]
fn cards(word: &str) -> String {
    cards_json(&cards_about(word)).to_string()
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "mechanisms")?;
    module.add_function(wrap_pyfunction!(cards, &module)?)?;
    response::register(&module)?;
    number::register(&module)?;
    aggregate::register(&module)?;
    keys::register(&module)?;
    order_statistic::register(&module)?;
    choice::register(&module)?;
    stream::register(&module)?;
    local_sensitivity::register(&module)
}
