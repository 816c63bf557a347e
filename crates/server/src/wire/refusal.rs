//! What a client is told when something is not done: an ErrorResponse.
//!
//! **Guarantee.** The text is the one that the curator, the system catalog or this door made of public things; nothing is added.
//! `0A000` becomes `42501`: pools of connections throw a connection away that says `0A000`, and nothing is wrong with it.
//! No routine is ever named: drivers ask again, unasked, where they see certain ones.

use pointillist_curator::AskError;
use pointillist_errors::{Explained, Kind};
use pointillist_pg_catalog::PgError;
use pointillist_query::Refusal;

use super::tokens;

/// The longest message or hint that is sent, in bytes.
const TEXT_MAX: usize = 8_192;

/// Something that is not done, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) severity: &'static str,
    pub(crate) sqlstate: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// The character of the statement at which it went wrong, counted from one.
    pub(crate) position: Option<usize>,
}

impl Failure {
    /// An error without a hint.
    pub(crate) fn new(sqlstate: &'static str, message: impl Into<String>) -> Self {
        Self { severity: "ERROR", sqlstate, message: message.into(), hint: None, position: None }
    }

    /// The same with what to do next.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same at a byte of the statement.
    pub(crate) fn at_byte(self, sql: &str, byte: usize) -> Self {
        let position = sql.get(..byte).map(|before| before.chars().count() + 1);
        Self { position, ..self }
    }

    /// A message of the client that breaks the protocol.
    pub(crate) fn protocol(message: impl Into<String>) -> Self {
        Self::new("08P01", message)
    }

    /// Something that this server does for nobody.
    pub(crate) fn not_done(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new("42501", message).with_hint(hint)
    }

    /// A question that was not answered; `sql` is where a name that is not known is looked for.
    pub(crate) fn of_question(error: &impl Explained, sql: &str) -> Self {
        let failure = Self::explained(error.kind(), error.to_string(), error.hint());
        failure.with_name_in(sql)
    }

    fn explained(kind: Kind, message: String, hint: Option<String>) -> Self {
        Self { hint, ..Self::new(on_the_wire(kind.sqlstate()), message) }
    }

    /// Clients that look for missing tables and columns know PostgreSQL's words for them, and where they stand.
    fn with_name_in(self, sql: &str) -> Self {
        let words = match self.sqlstate {
            "42P01" => "relation",
            "42703" => "column",
            _ => return self,
        };
        // The name is what the refusal quotes first; it is one that the asker wrote.
        let Some(name) = self.message.split('`').nth(1).map(str::to_owned) else { return self };
        if !self.message.starts_with("there is no ") {
            return self;
        }
        let hint = match self.hint {
            Some(hint) => format!("{}; {hint}", self.message),
            None => self.message,
        };
        let message = format!("{words} \"{name}\" does not exist");
        let failure = Self { message, hint: Some(hint), ..self };
        match tokens::first_name(sql, &name) {
            Some(byte) => failure.at_byte(sql, byte),
            None => failure,
        }
    }

    /// The fields of an ErrorResponse or a NoticeResponse.
    pub(crate) fn fields(&self) -> Vec<(u8, String)> {
        let mut fields = vec![
            (b'S', self.severity.to_owned()),
            (b'V', self.severity.to_owned()),
            (b'C', self.sqlstate.to_owned()),
            (b'M', sendable(&self.message)),
        ];
        fields.extend(self.hint.as_deref().map(|hint| (b'H', sendable(hint))));
        fields.extend(self.position.map(|position| (b'P', position.to_string())));
        fields
    }
}

impl From<PgError> for Failure {
    fn from(error: PgError) -> Self {
        Self { hint: error.hint, ..Self::new(on_the_wire(error.sqlstate), error.message) }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::explained(refusal.kind(), refusal.to_string(), Some(refusal.hint().to_owned()))
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        Self::explained(error.kind(), error.to_string(), error.hint())
    }
}

fn on_the_wire(sqlstate: &'static str) -> &'static str {
    if sqlstate == "0A000" { "42501" } else { sqlstate }
}

/// A text that ends where a message of the wire can hold it: no zero byte, and not without end.
pub(crate) fn sendable(text: &str) -> String {
    let mut end = text.len().min(TEXT_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].replace('\0', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_told_in_the_words_that_clients_look_for() {
        let refusal = Refusal::table("there is no table `vizits`", "did you mean `visits`?");
        let failure = Failure::of_question(&refusal, "select 'vizits', é from Vizits");
        assert_eq!(failure.message, "relation \"vizits\" does not exist");
        assert_eq!((failure.sqlstate, failure.position), ("42P01", Some(25)));
        assert_eq!(failure.hint.as_deref(), Some("there is no table `vizits`; did you mean `visits`?"));
    }

    #[test]
    fn what_would_cost_a_pool_its_connection_is_said_otherwise() {
        let failure = Failure::from(Refusal::not_private("rows", "count them"));
        assert_eq!(failure.sqlstate, "42501");
        assert!(failure.fields().iter().all(|(field, _)| *field != b'R'));
    }

    #[test]
    fn long_texts_and_zero_bytes_do_not_break_a_message() {
        assert_eq!(sendable("a\0b"), "a b");
        assert!(sendable(&"é".repeat(TEXT_MAX)).len() <= TEXT_MAX);
    }
}
