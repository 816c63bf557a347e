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

    /// A failure from a text whose advice, where it has some, stands on a line of its own that begins with `hint: `, as in
    /// the errors of numbers, noise, privacy and mechanisms.
    pub fn from_text(kind: Kind, text: &str) -> Self {
        match text.split_once("\nhint: ") {
            Some((message, hint)) => Self::new(kind, message).with_hint(hint),
            None => Self::new(kind, text),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_and_its_parts_are_the_same() {
        for (text, message, hint) in [
            ("epsilon = 0 is zero\nhint: write 0.5", "epsilon = 0 is zero", Some("write 0.5")),
            ("nothing is left", "nothing is left", None),
        ] {
            let explanation = Explanation::from_text(Kind::Request, text);
            assert_eq!((explanation.message(), explanation.hint_text()), (message, hint));
            assert_eq!(explanation.text(), text);
        }
    }
}
