//! Why an attack cannot be run, and what to change.

/// An attack that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}\nhint: {hint}")]
pub struct AttackError {
    /// What is wrong.
    pub what: String,
    /// The way out.
    pub hint: String,
}

impl AttackError {
    /// An attack that cannot be run.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}
