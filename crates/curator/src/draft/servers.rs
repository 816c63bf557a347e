//! Drafts of tables that live behind a connection: names and types, as the server says. No row is read.

use std::path::Path;

use pointillist_catalog::{Connection, Draft, DraftTable, GuessedType, RemoteTable};
use pointillist_errors::{Explanation, Kind};
use pointillist_lowering::Stored;
use pointillist_remote::Server;

use super::{DraftError, DraftRequest, UnitWish, column_in, unit};

/// Adds tables of a server, by `schema.table`, or by `schema` for all of its tables.
pub(super) fn add(
    draft: &mut Draft,
    connection: &Connection,
    names: &[String],
    request: &DraftRequest,
) -> Result<(), DraftError> {
    if request.guess {
        let words = "guesses are made from rows, and rows of a server are not read for a draft";
        return Err(DraftError::Server(
            Explanation::new(Kind::Request, words).with_hint("say what is possible yourself, in the catalog"),
        ));
    }
    let folder = request.catalog.parent().unwrap_or(Path::new(""));
    let server = Server::of(connection, folder).map_err(DraftError::Server)?;
    draft.connect(connection.clone());
    for name in names {
        for table in tables(&server, connection, name)? {
            let stored = server.stored(&table).map_err(|error| DraftError::Server(error.about(&table)))?;
            let columns: Vec<(String, GuessedType)> =
                stored.columns.iter().map(|(name, stored)| (name.clone(), guessed(stored))).collect();
            let column = match &request.unit {
                Some(UnitWish::Column(name)) => {
                    Some(column_in(name, &columns, Path::new(&table.path.join(".")))?)
                }
                Some(UnitWish::Row) | None => None,
            };
            draft.add(DraftTable::elsewhere(&table, columns).owned_by(unit(column, None, request)));
        }
    }
    Ok(())
}

/// One table, or all of a schema.
fn tables(server: &Server, connection: &Connection, name: &str) -> Result<Vec<RemoteTable>, DraftError> {
    let source = |path: &str| format!("{}:{}/{path}", connection.system.word(), connection.name);
    let parsed = RemoteTable::of_source(&source(name));
    if let Some(Ok(table)) = parsed {
        return Ok(vec![table]);
    }
    let names = server.tables(name).map_err(DraftError::Server)?;
    if names.is_empty() {
        let words =
            format!("there is no table `{name}`, and no schema of that name with tables that may be read");
        let error = Explanation::new(Kind::Request, words);
        return Err(DraftError::Server(error.with_hint("name a table as schema.table; capitals count")));
    }
    let table = |table: String| RemoteTable {
        system: connection.system,
        connection: connection.name.clone(),
        path: vec![name.to_owned(), table],
    };
    Ok(names.into_iter().map(table).collect())
}

fn guessed(stored: &Stored) -> GuessedType {
    match stored {
        Stored::Boolean => GuessedType::Boolean,
        Stored::Whole => GuessedType::Integer,
        Stored::Single | Stored::Double | Stored::Decimal => GuessedType::Number,
        Stored::Text | Stored::Padded | Stored::Label | Stored::Uuid => GuessedType::Text,
        Stored::Date => GuessedType::Date,
        Stored::Timestamp | Stored::ZonedTimestamp => GuessedType::Timestamp,
        Stored::Other(_) => GuessedType::Unsupported,
    }
}
