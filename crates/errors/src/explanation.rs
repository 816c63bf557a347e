//! A message, a hint and a kind, detached from the error that they came from.

use std::fmt;

use crate::{Explained, Kind};

/// What an error said. An error itself, for code that only passes errors on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

impl Explanation {
    /// A failure without advice.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// The same failure with this advice in place of any it had.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same failure of another kind.
    #[must_use]
    pub fn of_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// The same failure with words before its message, such as the name of a file: `words: message`.
    #[must_use]
    pub fn about(self, words: impl fmt::Display) -> Self {
        Self { message: format!("{words}: {}", self.message), ..self }
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Message and hint, each on lines of its own: for logs, and for doors that print plain text.
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }

    /// What to do next.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Explanation {}

impl Explained for Explanation {
    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }

    fn kind(&self) -> Kind {
        self.kind
    }
}
