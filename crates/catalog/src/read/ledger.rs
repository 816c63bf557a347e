//! Where the ledger is: `[ledger]`.
//!
//! A ledger in a database is there for several servers, so its anchor is named as well: in a file of its own each server would
//! remember something else.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{Connection, LedgerDatabase, Service, System, name, suggestion};

/// Reads the section; it need not be there.
pub(super) fn ledger(
    root: &Section<'_>,
    service: &mut Service,
    connections: &BTreeMap<String, Connection>,
) -> Result<(), Fault> {
    let Some(entry) = root.get("ledger") else { return Ok(()) };
    let section = Section::of(&entry, "the ledger", &["folder", "store", "anchor"])?;
    let text =
        |key: &str, what| section.get(key).map(|entry| entry.text(what).map(str::to_owned)).transpose();
    service.ledger_folder = text("folder", "a path")?;
    service.ledger_store = text("store", "a database")?;
    service.ledger_anchor = text("anchor", "a path or a database")?;
    if let (Some(entry), Some(store)) = (section.get("store"), &service.ledger_store) {
        match LedgerDatabase::of_text(store) {
            Some(database) => check(&entry, &database, connections)?,
            None => {
                let hint = "write `store = \"postgres:CONNECTION\"`, or leave it out: records are kept in a folder then";
                return Err(entry.fault("the ledger is kept in a folder or in PostgreSQL", hint));
            }
        }
        if service.ledger_anchor.is_none() {
            let hint = "name one that is not restored together with the ledger: `anchor = \"postgres:OTHER\"`, behind another \
                        connection, or a file on a disk that they share";
            return Err(
                section.fault("a ledger in a database has an anchor that every server can reach", hint)
            );
        }
    }
    if let (Some(entry), Some(anchor)) = (section.get("anchor"), &service.ledger_anchor)
        && let Some(database) = LedgerDatabase::of_text(anchor)
    {
        check(&entry, &database, connections)?;
    }
    Ok(())
}

/// Whether a database of the ledger is behind a connection that is declared, and is PostgreSQL's.
fn check(
    entry: &Entry<'_>,
    database: &LedgerDatabase,
    connections: &BTreeMap<String, Connection>,
) -> Result<(), Fault> {
    let LedgerDatabase { connection, schema } = database;
    let is_sound =
        |name: &String| !name.is_empty() && name.len() <= 63 && !name.chars().any(char::is_control);
    if !schema.as_ref().is_none_or(is_sound) {
        let hint = "write a short name behind the slash, or leave both out";
        return Err(entry.fault("the name of the schema is empty, too long or has control characters", hint));
    }
    match connections.get(connection) {
        Some(declared) if declared.system == System::Postgres => Ok(()),
        Some(_) => Err(entry.fault(
            format!("the connection `{connection}` is not of PostgreSQL"),
            "name a [connection.NAME] whose url is of PostgreSQL",
        )),
        None => Err(entry.fault(
            format!("there is no connection `{}`", name::shown(connection)),
            match connections.is_empty() {
                true => "declare it with a [connection.NAME] and its url".to_owned(),
                false => suggestion::hint(connection, connections.keys().map(String::as_str)),
            },
        )),
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;

    use crate::Catalog;

    const CONNECTIONS: &str = "[connection.main]\nurl = \"postgres://ledger@db.example/budget\"\n\
                               [connection.other]\nurl = \"postgres://ledger@other.example/budget\"\n\
                               [connection.lake]\nurl = \"sc://spark.example:15002\"\n";

    fn catalog(ledger: &str) -> Result<Catalog, String> {
        Catalog::parse(&format!("{CONNECTIONS}[ledger]\n{ledger}"))
            .map_err(|error| error.explanation().text())
    }

    #[test]
    fn a_ledger_in_a_database_comes_back() {
        let text = "store = \"postgres:main/budget\"\nanchor = \"postgres:other\"\n";
        let declared = catalog(text).unwrap();
        assert_eq!(declared.service.ledger_store.as_deref(), Some("postgres:main/budget"));
        assert_eq!(Catalog::parse(&declared.to_toml()).unwrap(), declared);
    }

    #[test]
    fn a_ledger_in_a_database_names_both_places() {
        for (text, complaint) in [
            ("store = \"postgres:main\"\n", "has an anchor that every server can reach"),
            ("store = \"postgres:mian\"\nanchor = \"postgres:other\"\n", "did you mean `main`?"),
            ("store = \"postgres:lake\"\nanchor = \"postgres:other\"\n", "is not of PostgreSQL"),
            ("store = \"postgres:main\"\nanchor = \"postgres:nobody\"\n", "there is no connection `nobody`"),
            ("store = \"postgres:main/\"\nanchor = \"a\"\n", "the name of the schema is empty"),
            ("store = \"sqlite\"\nanchor = \"a\"\n", "in a folder or in PostgreSQL"),
        ] {
            let error = catalog(text).unwrap_err();
            assert!(error.contains(complaint), "{text}: {error}");
        }
        assert!(
            catalog("anchor = \"postgres:other\"\n").is_ok(),
            "an anchor in a database, records in a folder"
        );
    }
}
