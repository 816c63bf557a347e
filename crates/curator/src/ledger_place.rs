//! Where the ledger is, and the way from one place to another.
//!
//! A ledger is in a folder beside its catalog, for one server, or in a PostgreSQL database, for several. It moves when the owner
//! says so, and the catalog is changed afterwards: until then nothing opens where it was, and the error says where it is.

use pointillist_catalog::{Catalog, CatalogError, LedgerDatabase};
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::record::Record;
use pointillist_ledger::{
    Epoch, FenceError, Ledger, MoveError, Moved, OpenError, Options, Place, PostgresPlace,
};

use crate::{Home, StartError};

/// What the owner calls the folder of records, where a ledger moves back to.
pub const FOLDER: &str = "sqlite";

/// A ledger that has moved, and what the catalog has to say from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedLedger {
    /// How many records there are, and the hash of the last.
    pub moved: Moved,
    /// Where it was, in words.
    pub from: String,
    /// Where it is, in words.
    pub to: String,
    /// Where its anchor is, in words.
    pub anchor: String,
    /// The section of the catalog.
    pub section: String,
}

/// A ledger that cannot be moved, or a server that cannot be taken out.
#[derive(Debug, thiserror::Error)]
pub enum LedgerPlaceError {
    /// The catalog would not be understood.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Moving failed.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The ledger does not open.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Nobody, or oneself.
    #[error(transparent)]
    Fence(#[from] FenceError),
    /// A name that is none.
    #[error("a server's name is 32 hexadecimal digits")]
    Name,
    /// A ledger of one server.
    #[error("the ledger is in a folder, and one process at a time has it open")]
    NotShared,
}

/// A server that writes to a shared ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerServer {
    /// Its name, new at every start.
    pub epoch: String,
    /// When it opened the ledger, in seconds since 1970 on its own clock.
    pub since: Option<u64>,
    /// When it last wrote anything but an answer.
    pub last: Option<u64>,
}

/// Where a ledger is, and who has it open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerStatus {
    /// Where the records are, in words.
    pub store: String,
    /// Where the anchor is, in words.
    pub anchor: String,
    /// Whether several servers may have it open.
    pub is_shared: bool,
    /// How many records there are.
    pub records: u64,
    /// The servers that have opened it and are not over.
    pub servers: Vec<LedgerServer>,
}

impl Home {
    /// The place that a catalog would declare with these two texts of `[ledger]`.
    pub(crate) fn ledger_place(&self, store: Option<&str>, anchor: Option<&str>) -> Place {
        let home = self.folder.join(".pointillist");
        let folder = self.catalog.service.ledger_folder.as_ref();
        let folder = folder.map_or_else(|| home.join("ledger"), |path| self.folder.join(path));
        let in_database = |text: Option<&str>, schema: &str| {
            let LedgerDatabase { connection, schema: named } = LedgerDatabase::of_text(text?)?;
            let declared = self.catalog.connections.get(&connection)?;
            Some(PostgresPlace {
                name: connection,
                url: declared.url.clone(),
                password_file: declared.password_file.as_ref().map(|path| self.folder.join(path)),
                schema: named.unwrap_or_else(|| schema.to_owned()),
            })
        };
        let witness = in_database(anchor, PostgresPlace::ANCHOR);
        let file = anchor.filter(|_| witness.is_none());
        let file = file.map_or_else(|| home.join("anchor"), |path| self.folder.join(path));
        let mut place = Place::new(folder, file);
        if let Some(store) = in_database(store, PostgresPlace::RECORDS) {
            place = place.with_records_in(store);
        }
        if let Some(witness) = witness {
            place = place.with_anchor_in(witness);
        }
        place
    }

    /// Moves the ledger to `postgres:NAME`, `postgres:NAME/SCHEMA` or back to its folder, with this anchor or the one that it
    /// has. Moving again goes on with a move that was broken off. Afterwards the owner puts the section into the catalog.
    ///
    /// # Errors
    /// When the places are not declared as a catalog would have to, and as [`Ledger::move_between`].
    pub fn move_ledger(&self, to: &str, anchor: Option<&str>) -> Result<MovedLedger, LedgerPlaceError> {
        let service = &self.catalog.service;
        let store = (to != FOLDER).then(|| to.to_owned());
        let anchor = anchor.map(str::to_owned).or_else(|| service.ledger_anchor.clone());
        // The catalog as it will be, so that what it would not accept is found before anything moves.
        let mut next = self.catalog.clone();
        (next.service.ledger_store, next.service.ledger_anchor) = (store.clone(), anchor.clone());
        Catalog::parse(&next.to_toml())?;
        let (from, to) = (self.place(), self.ledger_place(store.as_deref(), anchor.as_deref()));
        let moved = Ledger::move_between(&from, &to, Options::default())?;
        let line = |key: &str, value: Option<&String>| {
            value
                .map_or_else(String::new, |value| format!("{key} = {}\n", pointillist_catalog::quoted(value)))
        };
        let section = [
            "[ledger]\n".to_owned(),
            line("folder", service.ledger_folder.as_ref()),
            line("store", store.as_ref()),
            line("anchor", anchor.as_ref()),
        ];
        let (from, anchor) = (from.store_words(), to.anchor_words());
        Ok(MovedLedger { moved, from, to: to.store_words(), anchor, section: section.concat() })
    }

    /// Where the ledger is, and which servers have it open.
    ///
    /// # Errors
    /// When the ledger is not safe to use as it is.
    pub fn ledger_status(&self) -> Result<LedgerStatus, OpenError> {
        let place = self.place();
        let (store, anchor) = (place.store_words(), place.anchor_words());
        let (mut records, mut servers) = (0, Vec::new());
        if let Some(reader) = self.reader()? {
            records = reader.verified().records;
            for epoch in reader.servers() {
                let mut server = LedgerServer { epoch: epoch.to_string(), since: None, last: None };
                for (entry, _) in reader.history().iter().filter(|(entry, _)| entry.epoch == epoch) {
                    if matches!(entry.record, Record::Epoch | Record::Join | Record::Arrival { .. }) {
                        server.since = entry.at;
                    }
                    server.last = entry.at.or(server.last);
                }
                servers.push(server);
            }
        }
        servers.sort_by_key(|server| server.since);
        Ok(LedgerStatus { store, anchor, is_shared: place.is_shared(), records, servers })
    }

    /// Takes a server out of a shared ledger, by its name: it hands out no receipt any more.
    ///
    /// # Errors
    /// When the ledger is not shared, nobody of that name has it open, or it does not open.
    pub fn fence_server(&self, epoch: &str) -> Result<(), LedgerPlaceError> {
        if !self.place().is_shared() {
            return Err(LedgerPlaceError::NotShared);
        }
        let epoch: Epoch = epoch.parse().map_err(|()| LedgerPlaceError::Name)?;
        self.ledger()?.fence(epoch)?;
        Ok(())
    }
}

impl Explained for LedgerPlaceError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Catalog(error) => error.hint(),
            Self::Move(error) => error.hint(),
            Self::Start(error) => error.hint(),
            Self::Fence(error) => error.hint(),
            Self::Name => Some("copy it from the list of servers".to_owned()),
            Self::NotShared => Some("stop that process; the lock goes with it".to_owned()),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Catalog(error) => error.kind(),
            Self::Move(error) => error.kind(),
            Self::Start(error) => error.kind(),
            Self::Fence(error) => error.kind(),
            Self::Name | Self::NotShared => Kind::Request,
        }
    }
}

#[cfg(test)]
mod tests;
