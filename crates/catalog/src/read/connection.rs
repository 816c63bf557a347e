//! Servers that hold tables: `[connection.NAME]`, and sources that name one.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{Connection, RemoteTable, System, name, suggestion};

/// Reads a `[connection.NAME]`.
pub(super) fn connection(entry: &Entry<'_>) -> Result<Connection, Fault> {
    let section = Section::of(entry, "a connection", &["url", "password_file", "trust_views"])?;
    let hint = "write an address such as `url = \"postgres://reader@db.example/clinic\"` or \"sc://spark.example:15002\"";
    let url = section.required("url", hint)?;
    let text = url.text("an address")?;
    let Some(system) = System::of_url(text).filter(|_| !text.chars().any(char::is_control)) else {
        return Err(url.fault("the address is neither of PostgreSQL nor of Spark Connect", hint));
    };
    let authority =
        text.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?', ';']).next().unwrap_or(""));
    let parameters =
        text.split_once(['?', ';']).map_or("", |(_, parameters)| parameters).to_ascii_lowercase();
    let has_secret = authority
        .rsplit_once('@')
        .is_some_and(|(user, _)| user.contains(':') || user.to_ascii_lowercase().contains("%3a"))
        || ["pass", "token", "secret"].iter().any(|word| parameters.contains(word));
    if has_secret {
        let fault = url.fault(
            "the address holds a secret, and catalogs are read by everybody",
            "write `password_file = \"/run/secrets/…\"`, or leave it to the environment",
        );
        return Err(fault.without_its_line());
    }
    let password_file = section.get("password_file").map(|entry| super::path(&entry)).transpose()?;
    let trust_views = section.get("trust_views").map_or(Ok(false), |flag| flag.flag())?;
    Ok(Connection { name: entry.name.clone(), system, url: text.to_owned(), password_file, trust_views })
}

/// Whether a source that names a connection names one that exists, of its kind.
pub(super) fn check_source(
    entry: &Entry<'_>,
    source: &str,
    connections: &BTreeMap<String, Connection>,
) -> Result<(), Fault> {
    let table = match RemoteTable::of_source(source) {
        None => return Ok(()),
        Some(Ok(table)) => table,
        Some(Err(what)) => {
            return Err(entry.fault(
                format!("the source is no table: {what}"),
                "write `source = \"postgres:CONNECTION/SCHEMA.TABLE\"` or \"spark:CONNECTION/DATABASE.TABLE\"",
            ));
        }
    };
    match connections.get(&table.connection) {
        Some(connection) if connection.system == table.system => Ok(()),
        Some(connection) => Err(entry.fault(
            format!("the connection `{}` is of {}", connection.name, connection.system.word()),
            format!("write `source = \"{}:{}/…\"`", connection.system.word(), connection.name),
        )),
        None => Err(entry.fault(
            format!("there is no connection `{}`", name::shown(&table.connection)),
            match connections.is_empty() {
                true => "declare it with a [connection.NAME] and its url".to_owned(),
                false => suggestion::hint(&table.connection, connections.keys().map(String::as_str)),
            },
        )),
    }
}
