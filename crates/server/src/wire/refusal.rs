//! What a client is told when something is not done: an ErrorResponse.
//!
//! **Guarantee.** The text is the one that the curator, the system catalog or this door made of public things; nothing is added.
//! `0A000` becomes `42501`: pools of connections throw a connection away that says `0A000`, and nothing is wrong with it.
//! No routine is ever named: drivers ask again, unasked, where they see certain ones.

use pointillist_curator::AskError;
use pointillist_errors::{Explained, Kind};
use pointillist_pg_catalog::PgError;
use pointillist_query::Refusal;

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

    /// The same in a statement before which so many characters stand.
    pub(crate) fn behind(self, characters: usize) -> Self {
        let position = self.position.map(|position| position + characters);
        Self { position, ..self }
    }

    fn explained(error: &impl Explained) -> Self {
        Self { hint: error.hint(), ..Self::new(on_the_wire(error.kind().sqlstate()), error.to_string()) }
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

/// Clients that look for missing tables and columns know PostgreSQL's words for them.
impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let failure = Self { position: refusal.position(), ..Self::explained(&refusal) };
        let what = match refusal.kind() {
            Kind::UnknownTable => "relation",
            Kind::UnknownColumn => "column",
            _ => return failure,
        };
        let Some(name) = refusal.name() else { return failure };
        let hint = format!("{}; {}", refusal.message(), refusal.hint());
        Self { message: format!("{what} \"{name}\" does not exist"), hint: Some(hint), ..failure }
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Refused(refusal) => refusal.into(),
            error => Self::explained(&error),
        }
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
