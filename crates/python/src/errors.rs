//! What an error says, as an exception of `pointillist.errors`: message, hint and kind as they are behind every door.

use pointillist_errors::{Explained, Explanation, Kind};
use pyo3::prelude::*;

/// An error of ours as the exception of its kind.
pub fn raised(error: &impl Explained) -> PyErr {
    explained(&error.explanation())
}

/// A wrong request, and what to write instead.
pub fn wrong(what: impl Into<String>, hint: impl Into<String>) -> PyErr {
    explained(&Explanation::new(Kind::Request, what).with_hint(hint))
}

/// What was explained, as the exception of its kind.
pub fn explained(said: &Explanation) -> PyErr {
    Python::attach(|py| {
        let kind = said.kind();
        let arguments = (kind.word(), said.message(), said.hint_text(), kind.sqlstate(), kind.exit_code());
        let made =
            py.import("pointillist.errors").and_then(|errors| errors.call_method1("of_kind", arguments));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}
