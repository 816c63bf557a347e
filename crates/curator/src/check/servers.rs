//! Tables behind connections: whether the server is there, and has what is declared. No row is read.

use std::path::Path;

use pointillist_catalog::{Catalog, Connection, Finding, Protection, RemoteTable, Severity, Table, Unit};
use pointillist_errors::{Explained, Explanation};
use pointillist_remote::Server;

use super::finding;

/// Asks every server once about each of its tables.
pub(super) fn findings(folder: &Path, catalog: &Catalog) -> Vec<Finding> {
    let mut list = Vec::new();
    for connection in catalog.connections.values() {
        let mut tables =
            catalog.tables.values().filter_map(|table| Some((table, behind(connection, table)?)));
        let Some(first) = tables.next() else { continue };
        let server = match Server::of(connection, folder) {
            Ok(server) => server,
            Err(error) => {
                list.push(unanswered(&format!("connection.{}", connection.name), &error));
                continue;
            }
        };
        for (table, remote) in std::iter::once(first).chain(tables) {
            let place = format!("table.{}", table.name);
            match server.readable(&remote, &named(table)) {
                Err(error) => list.push(unanswered(&place, &error)),
                Ok(refused) => list.extend(
                    refused
                        .iter()
                        .map(|(column, error)| unanswered(&format!("{place}.columns.{column}"), error)),
                ),
            }
        }
        if connection.trust_views {
            list.push(finding(
                Severity::Note,
                &format!("connection.{}", connection.name),
                "views and row security are trusted: that no expression of theirs fails on a row, and that each looks at the \
                 rows of one person, is not proven here",
                "remove trust_views, or store such views as tables",
            ));
        }
    }
    list
}

fn behind(connection: &Connection, table: &Table) -> Option<RemoteTable> {
    let remote = RemoteTable::of_source(&table.source)?.ok()?;
    (remote.connection == connection.name).then_some(remote)
}

/// The columns that are declared, and those that say whose rows they are, by their names on the server.
fn named(table: &Table) -> Vec<(String, Option<pointillist_catalog::ColumnType>)> {
    let columns =
        table.columns.iter().map(|column| (column.name_in_file().to_owned(), Some(column.kind.clone())));
    let owner = match &table.protection {
        Protection::Private { unit: Unit::Column(column) | Unit::Linked { column, .. }, .. } => {
            Some((table.name_in_file(column).to_owned(), None))
        }
        _ => None,
    };
    columns.chain(owner).collect()
}

fn unanswered(place: &str, error: &Explanation) -> Finding {
    let advice = Explained::hint(error).unwrap_or_else(|| "look at the server".to_owned());
    finding(Severity::Error, place, error.message(), advice)
}
