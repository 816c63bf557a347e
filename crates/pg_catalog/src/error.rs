//! What is wrong with a statement about the catalog, as PostgreSQL's clients know it.

/// An error with its SQLSTATE. Speaks of the statement and of what is declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PgError {
    /// Five characters.
    pub sqlstate: &'static str,
    /// One sentence, as PostgreSQL words it where clients match its words.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl PgError {
    /// An error without a hint.
    pub fn new(sqlstate: &'static str, message: impl Into<String>) -> Self {
        Self { sqlstate, message: message.into(), hint: None }
    }

    /// The same with what to do next.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
