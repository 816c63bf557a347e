//! What an engine cannot do faithfully, by name, before anything is paid.

use pointillist_errors::{Explained, Kind};

/// Why an aggregation does not run where its rows are. It depends on the plan, the catalog and the types of columns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refusal {
    what: String,
    hint: String,
}

impl Refusal {
    /// What is refused, and what can be done instead.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

impl Explained for Refusal {
    fn hint(&self) -> Option<String> {
        Some(self.hint.clone())
    }

    fn kind(&self) -> Kind {
        Kind::Unsupported
    }
}
