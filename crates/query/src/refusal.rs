//! Why a question is not answered, and what to change.
//!
//! **Guarantee.** A refusal is made of the asker's own SQL, the catalog and fixed words: nothing in it comes from
//! data, because nothing that makes one has seen any.

use std::fmt;

use pointillist_catalog::nearest_word;
use pointillist_errors::{Explained, Kind};
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

/// The most characters of a name that a message repeats.
const NAME_MAX: usize = 63;

/// A question that is not answered, with a reason and a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    kind: Kind,
    message: String,
    hint: String,
}

impl Refusal {
    /// Something that would show single rows, or let one person move an answer without limit.
    pub fn not_private(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Privacy, message: message.into(), hint: hint.into() }
    }

    /// Something that is not answered, or not yet: no proof covers it, and another way of asking may have one.
    pub fn not_provable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Unsupported, message: message.into(), hint: hint.into() }
    }

    /// An option or a constant outside its range.
    pub(crate) fn parameter(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Parameter, message: message.into(), hint: hint.into() }
    }

    /// Text that is not SQL, or too much of it.
    pub(crate) fn syntax(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Syntax, message: message.into(), hint: hint.into() }
    }

    /// Types that do not go together.
    pub(crate) fn mismatch(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Type, message: message.into(), hint: hint.into() }
    }

    /// A table that is not declared.
    pub fn table(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::UnknownTable, message: message.into(), hint: hint.into() }
    }

    /// A column that is not declared.
    pub fn column(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::UnknownColumn, message: message.into(), hint: hint.into() }
    }

    /// From an error of another crate of ours.
    fn of(error: &impl Explained) -> Self {
        Self::parameter(error.to_string(), error.hint().unwrap_or_else(|| "choose another price".to_owned()))
    }

    /// The five characters by which PostgreSQL's clients tell errors apart.
    pub fn sqlstate(&self) -> &'static str {
        self.kind.sqlstate()
    }

    /// What is refused.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to change.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl Explained for Refusal {
    fn hint(&self) -> Option<String> {
        Some(self.hint.clone())
    }

    fn kind(&self) -> Kind {
        self.kind
    }
}

impl From<MechanismError> for Refusal {
    fn from(error: MechanismError) -> Self {
        Self::of(&error)
    }
}

impl From<ParameterError> for Refusal {
    fn from(error: ParameterError) -> Self {
        Self::of(&error)
    }
}

/// A name for a message: short, and without signs that a terminal would obey.
pub(crate) fn shown(name: &str) -> String {
    let mut text: String = name.chars().take(NAME_MAX).flat_map(char::escape_debug).collect();
    if name.chars().nth(NAME_MAX).is_some() {
        text.push('…');
    }
    text
}

/// `did you mean …?` where a known word is near, otherwise the words given instead.
pub(crate) fn did_you_mean<'k>(
    typed: &str,
    known: impl IntoIterator<Item = &'k str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    match nearest_word(typed, known) {
        Some(word) => format!("did you mean `{}`?", shown(word)),
        None => otherwise(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_offered_and_far_ones_are_not() {
        let known = ["epsilon", "rho", "max_groups"];
        assert_eq!(did_you_mean("epsilom", known, || "none".into()), "did you mean `epsilon`?");
        assert_eq!(did_you_mean("MAXGROUPS", known, || "none".into()), "did you mean `max_groups`?");
        assert_eq!(did_you_mean("colour", known, || "none".into()), "none");
        assert_eq!(did_you_mean(&"x".repeat(100_000), known, || "none".into()), "none");
    }

    #[test]
    fn names_in_messages_cannot_draw_on_a_terminal() {
        assert_eq!(shown("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(shown(&"é".repeat(100)).chars().count(), 64);
    }
}
