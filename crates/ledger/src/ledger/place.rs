//! Where a ledger lives: its records in a folder or a PostgreSQL database, its anchor in a file or another database.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::Destination;
use crate::anchor::{Anchor, AnchorFile, PostgresWitness, TURN, Witness};
use crate::record::StoreId;
use crate::store::{PostgresStore, SqliteStore, Store};
use crate::{OpenError, PostgresPlace, permission};

/// A store, its witness, and the store's name where several servers share it.
type NamedParts = (Box<dyn Store>, Box<dyn Witness>, Option<StoreId>);

/// Where a ledger lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) directory: PathBuf,
    pub(crate) anchor: PathBuf,
    /// Where the records are, if not in the directory.
    store: Option<PostgresPlace>,
    /// Where the anchor is, if not in the file.
    witness: Option<PostgresPlace>,
}

/// What there is to read.
pub(crate) struct ReadParts {
    pub anchor: Option<Anchor>,
    pub store: Option<Box<dyn Store>>,
    /// The store's name where several servers share it.
    pub id: Option<StoreId>,
}

/// Where records and anchor are, opened.
type Parts = (Box<dyn Store>, Box<dyn Witness>);

impl Place {
    /// A directory for the records, and a file for the anchor. Choose another disk for the anchor: one that is
    /// not restored together with the records.
    pub fn new(directory: impl Into<PathBuf>, anchor: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), anchor: anchor.into(), store: None, witness: None }
    }

    /// The same with the records in a database, which other servers may share. The directory still holds what is a server's
    /// own: the key that signs releases, and the words of questions.
    #[must_use]
    pub fn with_records_in(self, store: PostgresPlace) -> Self {
        Self { store: Some(store), ..self }
    }

    /// The same with the anchor in a database: of another server than the records, or it is restored together with them.
    #[must_use]
    pub fn with_anchor_in(self, witness: PostgresPlace) -> Self {
        Self { witness: Some(witness), ..self }
    }

    /// The directory of the records, and of what is a server's own.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of the anchor, where it is kept in one.
    pub fn anchor(&self) -> &Path {
        &self.anchor
    }

    /// The database of the records, where they are in one.
    pub fn records_database(&self) -> Option<&PostgresPlace> {
        self.store.as_ref()
    }

    /// The database of the anchor, where it is in one.
    pub fn anchor_database(&self) -> Option<&PostgresPlace> {
        self.witness.as_ref()
    }

    /// Whether several servers may have it open.
    pub fn is_shared(&self) -> bool {
        self.store.is_some()
    }

    /// Where the records are, in words: `postgres:main`, or the folder.
    pub fn store_words(&self) -> String {
        self.store.as_ref().map_or_else(|| self.directory.display().to_string(), PostgresPlace::words)
    }

    /// Where the anchor is, in words.
    pub fn anchor_words(&self) -> String {
        self.witness.as_ref().map_or_else(|| self.anchor.display().to_string(), PostgresPlace::words)
    }

    /// Whether there are records or an anchor in files here: without either, a ledger that is opened is new and nothing is
    /// spent. What is in a database only that knows.
    pub fn exists(&self) -> bool {
        (self.store.is_none() && self.records().exists()) || (self.witness.is_none() && self.anchor.exists())
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.directory.join("ledger.sqlite")
    }

    fn locks(&self) -> [PathBuf; 2] {
        [permission::with_ending(&self.anchor, ".lock"), self.directory.join("ledger.lock")]
    }

    /// The files of the ledger that somebody else than their owner has rights to. A ledger that is opened for writing
    /// takes them away where it may.
    pub fn files_open_to_others(&self) -> Vec<PathBuf> {
        let records = self.records();
        let beside = ["-wal", "-shm"].map(|ending| permission::with_ending(&records, ending));
        let turn = permission::with_ending(&self.anchor, TURN);
        let alone = vec![self.anchor.clone(), turn, self.release_key()];
        let files = [vec![records], beside.to_vec(), alone, self.locks().to_vec()].concat();
        files.into_iter().filter(|file| permission::others_may_read(file)).collect()
    }

    /// Makes the folders, and locks what has one writer. Servers that share a database take turns there instead.
    pub(super) fn lock(&self) -> Result<Vec<File>, OpenError> {
        let mut locks = match self.is_shared() {
            // What is a server's own is there all the same.
            true => create_directory(&self.directory).map(|()| Vec::new())?,
            false => self.lock_records()?,
        };
        if self.witness.is_none() {
            self.make_anchor_folder()?;
            if !self.is_shared() {
                // Two locks: a copy of the directory that shares our anchor is a second writer too.
                locks.push(lock(&self.locks()[0])?);
            }
            permission::tighten(&self.anchor);
        }
        Ok(locks)
    }

    /// An anchor elsewhere may be the first thing there. What is created where a disk should have been mounted holds no
    /// anchor, and a ledger that has records refuses to go on without one.
    pub(super) fn make_anchor_folder(&self) -> Result<(), OpenError> {
        match self.anchor.parent().filter(|_| self.witness.is_none()) {
            Some(folder) => create_directory(folder),
            None => Ok(()),
        }
    }

    /// Locks the folder of records alone.
    pub(super) fn lock_records(&self) -> Result<Vec<File>, OpenError> {
        create_directory(&self.directory)?;
        Ok(vec![lock(&self.locks()[1])?])
    }

    /// The store and the witness, for writing.
    pub(super) fn open_parts(&self) -> Result<Parts, OpenError> {
        self.open_named_parts().map(|(store, witness, _)| (store, witness))
    }

    /// The same, with the name of a store that several servers share.
    pub(super) fn open_named_parts(&self) -> Result<NamedParts, OpenError> {
        let (store, id): (Box<dyn Store>, _) = match &self.store {
            Some(place) => {
                let store = PostgresStore::open(place).map_err(in_database(place))?;
                let id = store.id();
                (Box::new(store), Some(id))
            }
            None => (Box::new(self.sqlite()?), None),
        };
        Ok((store, self.open_witness()?, id))
    }

    fn sqlite(&self) -> Result<SqliteStore, OpenError> {
        let failed = |source| OpenError::File { path: self.directory.clone(), source };
        SqliteStore::open(&self.records()).map_err(failed)
    }

    fn open_witness(&self) -> Result<Box<dyn Witness>, OpenError> {
        Ok(match &self.witness {
            Some(place) => Box::new(PostgresWitness::open(place).map_err(in_database(place))?),
            None => Box::new(AnchorFile::new(&self.anchor)),
        })
    }

    /// The anchor as it stands, then the records, if there are any. Makes nothing.
    pub(crate) fn open_to_read(&self) -> Result<ReadParts, OpenError> {
        // The anchor first: what is written in between makes the ledger longer, which is fine.
        let anchor = match &self.witness {
            Some(place) => PostgresWitness::look(place).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => OpenError::Anchor(error),
                _ => in_database(place)(error),
            })?,
            None => AnchorFile::new(&self.anchor).read().map_err(OpenError::Anchor)?,
        };
        let (store, id): (Option<Box<dyn Store>>, _) = match &self.store {
            Some(place) => {
                let store = PostgresStore::open_read_only(place).map_err(in_database(place))?;
                let id = store.as_ref().map(PostgresStore::id);
                (store.map(|store| Box::new(store) as Box<dyn Store>), id)
            }
            None if !self.records().exists() => (None, None),
            None => {
                let failed = |source| OpenError::File { path: self.records(), source };
                (Some(Box::new(SqliteStore::open_read_only(&self.records()).map_err(failed)?)), None)
            }
        };
        Ok(ReadParts { anchor, store, id })
    }

    /// The store and the witness, for a ledger that moves here.
    pub(super) fn destination(&self) -> Result<Destination, OpenError> {
        let (store, id): (Box<dyn Store>, _) = match &self.store {
            Some(place) => {
                let store = PostgresStore::open(place).map_err(in_database(place))?;
                let id = store.id();
                (Box::new(store), id)
            }
            None => {
                let mut store = self.sqlite()?;
                let id = store.id().map_err(OpenError::Store)?;
                (Box::new(store), id)
            }
        };
        Ok(Destination { store, id, witness: self.open_witness()?, name: self.store_words() })
    }
}

fn in_database(place: &PostgresPlace) -> impl Fn(io::Error) -> OpenError {
    let name = place.words();
    move |source| OpenError::Postgres { name: name.clone(), source }
}

fn create_directory(path: &Path) -> Result<(), OpenError> {
    permission::create_directory(path).map_err(|source| OpenError::File { path: path.to_owned(), source })
}

fn lock(path: &Path) -> Result<File, OpenError> {
    let failed = |source: io::Error| OpenError::File { path: path.to_owned(), source };
    let file = permission::open_file(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}
