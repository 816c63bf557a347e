//! Why a question is not answered, and what to change.
//!
//! **Guarantee.** A refusal is made of the asker's own SQL, the catalog and fixed words: nothing in it comes from
//! data, because nothing that makes one has seen any.

use std::fmt;

use pointillist_catalog::nearest_word;
use pointillist_errors::{Explained, Kind};
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::dialect::Postgres;

/// The most characters of a name that a message repeats.
const NAME_MAX: usize = 63;

/// A question that is not answered, with a reason and a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    kind: Kind,
    message: String,
    hint: String,
    /// The table or column that there is none of.
    name: Option<String>,
    /// Where it stands in the statement.
    position: Option<usize>,
}

impl Refusal {
    fn new(kind: Kind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: hint.into(), name: None, position: None }
    }

    /// The same about this name, its parts separated by points.
    pub(crate) fn about(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same with the place of its name in the statement, where it has one.
    pub(crate) fn located(self, sql: &str) -> Self {
        let position = self.name.as_deref().and_then(|name| position_of(sql, name));
        Self { position, ..self }
    }

    /// The table or column that there is none of, as the statement names it, where the refusal is about one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Where that name first stands in the statement, in characters from one on.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// Something that would show single rows, or let one person move an answer without limit.
    pub fn not_private(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Privacy, message, hint)
    }

    /// Something that is not answered, or not yet: no proof covers it, and another way of asking may have one.
    pub fn not_provable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Unsupported, message, hint)
    }

    /// An option or a constant outside its range.
    pub fn parameter(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Parameter, message, hint)
    }

    /// Text that is not SQL, or too much of it.
    pub(crate) fn syntax(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Syntax, message, hint)
    }

    /// Types that do not go together.
    pub(crate) fn mismatch(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::Type, message, hint)
    }

    /// A table that is not declared.
    pub fn table(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::UnknownTable, message, hint)
    }

    /// A column that is not declared.
    pub fn column(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Kind::UnknownColumn, message, hint)
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

/// Where a name first stands in a statement, in characters from one on.
fn position_of(sql: &str, name: &str) -> Option<usize> {
    let dialect = Postgres::new();
    let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location().ok()?;
    let last = name.rsplit('.').next()?;
    let is_named = |token: &Token| match token {
        Token::Word(word) if word.quote_style.is_none() => word.value.to_lowercase() == last,
        Token::Word(word) => word.value == last,
        _ => false,
    };
    let found = tokens.iter().position(|token| is_named(&token.token))?;
    // What stands before a point belongs to the name.
    let mut first = found;
    while first >= 2 && tokens[first - 1].token == Token::Period && name.contains('.') {
        first -= 2;
    }
    let start = tokens[first].span.start;
    let lines_before = usize::try_from(start.line.checked_sub(1)?).ok()?;
    let before: usize = sql.split_inclusive('\n').take(lines_before).map(|line| line.chars().count()).sum();
    Some(before + usize::try_from(start.column).ok()?)
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
    fn a_name_is_found_where_it_first_stands() {
        for (sql, name, position) in [
            ("SELECT x FROM nowhere", "nowhere", Some(15)),
            ("SELECT 'nowhere', nowhere", "nowhere", Some(19)),
            ("SELECT 1\n  FROM \"Now here\"", "Now here", Some(17)),
            ("SELECT é, v.Nothing", "v.nothing", Some(11)),
            ("SELECT 1", "nowhere", None),
        ] {
            assert_eq!(position_of(sql, name), position, "{sql}");
        }
    }

    #[test]
    fn names_in_messages_cannot_draw_on_a_terminal() {
        assert_eq!(shown("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(shown(&"é".repeat(100)).chars().count(), 64);
    }
}
