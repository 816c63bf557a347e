//! Which engine adds up the rows of a question: the one in this process, or the server that holds them.
//!
//! **Guarantee.** All of this comes before the payment and looks at no row of a person. The tables of one aggregation live in
//! one place: in files and memory, or behind one connection. All aggregations of a question that a server adds up share one
//! session with it, and so one state of its tables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pointillist_catalog::{Protection, RemoteTable, Table};
use pointillist_engine::{Embedded, Prepared, Source};
use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_plan::Aggregation;
use pointillist_query::Refusal;
use pointillist_remote::{Server, Session};

use crate::curator::State;
use crate::error::AskError;
use crate::rows::not_opened;

/// The tables of a question, found: files held open, sessions begun.
pub(crate) struct Engines<'s> {
    state: &'s State,
    sources: BTreeMap<String, Source>,
    /// By the connection's name.
    sessions: BTreeMap<String, Arc<Session>>,
}

impl<'s> Engines<'s> {
    /// Finds tables; looks at no row.
    pub(crate) fn open<'n>(
        state: &'s State,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, AskError> {
        let mut sources = BTreeMap::new();
        let mut elsewhere: BTreeMap<String, BTreeMap<String, RemoteTable>> = BTreeMap::new();
        for name in names.into_iter().collect::<BTreeSet<_>>() {
            let unavailable = || AskError::Unavailable { table: name.to_owned() };
            let table = state.catalog.table(name).ok_or_else(unavailable)?;
            match remote(table) {
                None => {
                    _ = sources.insert(name.to_owned(), state.data.open(table).map_err(|_| unavailable())?)
                }
                Some(remote) => {
                    let tables = elsewhere.entry(remote.connection.clone()).or_default();
                    tables.insert(name.to_owned(), remote);
                }
            }
        }
        let mut sessions = BTreeMap::new();
        for (name, tables) in elsewhere {
            let table = tables.keys().next().cloned().unwrap_or_default();
            let unavailable = || AskError::Unavailable { table: table.clone() };
            let connection = state.catalog.connections.get(&name).ok_or_else(unavailable)?;
            let server = Server::of(connection, state.data.path()).map_err(|error| away(&error, &table))?;
            let session = server
                .begin(&tables, state.patience, state.watcher.teller())
                .map_err(|error| away(&error, &table))?;
            sessions.insert(name, session);
        }
        Ok(Self { state, sources, sessions })
    }

    /// Prepares an aggregation where its rows are.
    pub(crate) fn prepare(&self, aggregation: &Aggregation) -> Result<Box<dyn Prepared>, AskError> {
        let names = aggregation.relation.tables();
        let first = names.first().copied().unwrap_or_default();
        let declared = names.iter().filter_map(|name| self.state.catalog.table(name));
        let places: BTreeSet<Option<String>> =
            declared.map(|table| remote(table).map(|remote| remote.connection)).collect();
        let mut places = places.into_iter();
        match (places.next().flatten(), places.next()) {
            (_, Some(_)) => Err(Refusal::not_provable(
                "the tables of this question live in different places",
                "ask about tables behind one connection or in files; public tables can be copied to either",
            )
            .into()),
            (None, None) => {
                let scan = self.state.engine.scan(&self.sources, aggregation);
                let scan = scan.map_err(|error| not_opened(&error, first))?;
                Ok(Box::new(Embedded::new(Arc::clone(&self.state.engine), scan)))
            }
            (Some(connection), None) => {
                let session = self.sessions.get(&connection);
                let session = session.ok_or_else(|| AskError::Unavailable { table: first.to_owned() })?;
                session.prepare(aggregation).map_err(|error| away(&error, first))
            }
        }
    }

    /// The files and rows in memory among the tables.
    pub(crate) fn sources(&self) -> &BTreeMap<String, Source> {
        &self.sources
    }
}

/// Where a table lives, if that is behind a connection.
pub(crate) fn remote(table: &Table) -> Option<RemoteTable> {
    RemoteTable::of_source(&table.source)?.ok()
}

/// Refuses what only rows in this process are used for.
pub(crate) fn here(table: &Table, what: &str) -> Result<(), Refusal> {
    match RemoteTable::of_source(&table.source) {
        None => Ok(()),
        Some(_) => {
            let whose =
                if table.protection == Protection::Public { "a public table" } else { "people's rows" };
            Err(Refusal::not_provable(
                format!("{what} reads {whose} in files, and `{}` lives behind a connection", table.name),
                "export the rows to a file, and declare that",
            ))
        }
    }
}

/// Why a server does not answer, before anything was paid: what it cannot do is a refusal, and that it is away is said.
fn away(error: &Explanation, table: &str) -> AskError {
    match error.kind() {
        Kind::Unsupported => {
            let hint = Explained::hint(error).unwrap_or_else(|| "ask in another way".to_owned());
            Refusal::not_provable(error.message(), hint).into()
        }
        _ => AskError::Away { table: table.to_owned(), why: error.clone() },
    }
}
