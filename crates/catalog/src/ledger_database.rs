//! A ledger's records, or its anchor, in a database: `postgres:NAME`, or `postgres:NAME/SCHEMA`.

use crate::System;

/// A schema behind a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerDatabase {
    /// The connection, by its name.
    pub connection: String,
    /// The schema, where the owner names one.
    pub schema: Option<String>,
}

impl LedgerDatabase {
    /// What a text of `[ledger]` names; `None` for paths of files.
    pub fn of_text(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(System::Postgres.word())?.strip_prefix(':')?;
        let (connection, schema) = match rest.split_once('/') {
            Some((connection, schema)) => (connection, Some(schema.to_owned())),
            None => (rest, None),
        };
        Some(Self { connection: connection.to_owned(), schema })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_a_connection_and_maybe_a_schema() {
        let database = |connection: &str, schema: Option<&str>| {
            Some(LedgerDatabase { connection: connection.into(), schema: schema.map(Into::into) })
        };
        assert_eq!(LedgerDatabase::of_text("postgres:main"), database("main", None));
        assert_eq!(LedgerDatabase::of_text("postgres:main/budget"), database("main", Some("budget")));
        assert_eq!(LedgerDatabase::of_text("/mnt/other-disk/anchor"), None);
        assert_eq!(LedgerDatabase::of_text("spark:lake"), None);
    }
}
