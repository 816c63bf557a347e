//! Taking over a ledger: lock it, read it, compare it with its anchor, and start a new epoch.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Disk, Ledger, State};
use crate::anchor::{AnchorFile, Witness};
use crate::record::{Epoch, Record};
use crate::replay::replay;
use crate::store::{SqliteStore, Store};
use crate::{LedgerError, OpenError, permission};

/// Where a ledger lives.
#[derive(Clone, Debug)]
pub struct Place {
    pub(crate) directory: PathBuf,
    pub(crate) anchor: PathBuf,
}

impl Place {
    /// A directory for the records, and a file for the anchor. Choose another disk for the anchor: one that is
    /// not restored together with the records.
    pub fn new(directory: impl Into<PathBuf>, anchor: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), anchor: anchor.into() }
    }

    /// The directory of the records.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of the anchor.
    pub fn anchor(&self) -> &Path {
        &self.anchor
    }

    /// Whether there are records or an anchor here: without either, a ledger that is opened is new and nothing is spent.
    pub fn exists(&self) -> bool {
        self.records().exists() || self.anchor.exists()
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
        let alone = vec![self.anchor.clone(), self.release_key()];
        let files = [vec![records], beside.to_vec(), alone, self.locks().to_vec()].concat();
        files.into_iter().filter(|file| permission::others_may_read(file)).collect()
    }
}

/// What a ledger takes from outside.
pub struct Options {
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    epoch: Option<Epoch>,
}

impl Default for Options {
    /// The system's clock, and an epoch from the operating system's randomness.
    fn default() -> Self {
        let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Self { clock: Box::new(seconds), epoch: None }
    }
}

impl Options {
    /// Stamps records with another clock, in seconds since 1970. No decision depends on it.
    pub fn with_clock(self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self { clock: Box::new(clock), ..self }
    }

    /// Names this writer. The name is no secret, but must be new: one that the records contain is refused.
    pub fn with_epoch(self, epoch: Epoch) -> Self {
        Self { epoch: Some(epoch), ..self }
    }
}

/// What the owner has explicitly accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accepted {
    Nothing,
    RestoredCopy,
    MissingAnchor,
}

impl Ledger {
    /// Opens a ledger, or starts a new one where there is neither a record nor an anchor.
    ///
    /// # Errors
    /// When another writer holds it, when a record is not what was written, and when the anchor is missing or has
    /// seen what the ledger does not contain.
    pub fn open(place: &Place, options: Options) -> Result<Self, OpenError> {
        Self::open_at(place, options, Accepted::Nothing)
    }

    /// The owner's way on when an older copy was restored and the newer one is lost: what the anchor knows to be
    /// spent is spent, and the ledger opens. Answers given since that copy are unknown to it, so that the same
    /// questions are charged again.
    ///
    /// # Errors
    /// As [`Ledger::open`], except for an anchor that is ahead or of another history.
    pub fn accept_restored(place: &Place, options: Options) -> Result<Self, OpenError> {
        Self::open_at(place, options, Accepted::RestoredCopy)
    }

    /// The owner's way on when the anchor is lost: whoever calls this vouches that the records are the newest.
    ///
    /// # Errors
    /// As [`Ledger::open`], except for a missing anchor.
    pub fn accept_missing_anchor(place: &Place, options: Options) -> Result<Self, OpenError> {
        Self::open_at(place, options, Accepted::MissingAnchor)
    }

    /// Opens a ledger over a store and a witness of one's own, who see to it that there is one writer.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_on(
        store: Box<dyn Store>,
        witness: Box<dyn Witness>,
        options: Options,
    ) -> Result<Self, OpenError> {
        Self::start(store, witness, options, Accepted::Nothing, Vec::new())
    }

    fn open_at(place: &Place, options: Options, accepted: Accepted) -> Result<Self, OpenError> {
        let path = || place.directory.clone();
        let created = permission::create_directory(&place.directory);
        created.map_err(|source| OpenError::File { path: path(), source })?;
        // An anchor elsewhere may be the first thing there. What is created where a disk should have been mounted holds
        // no anchor, and a ledger that has records refuses to go on without one.
        if let Some(folder) = place.anchor.parent() {
            let created = permission::create_directory(folder);
            created.map_err(|source| OpenError::File { path: folder.to_owned(), source })?;
        }
        // Two locks: a copy of the directory that shares our anchor is a second writer too.
        let [anchor_lock, ledger_lock] = place.locks();
        let locks = vec![lock(&ledger_lock)?, lock(&anchor_lock)?];
        permission::tighten(&place.anchor);
        let store =
            SqliteStore::open(&place.records()).map_err(|source| OpenError::File { path: path(), source })?;
        let witness = AnchorFile::new(&place.anchor);
        Self::start(Box::new(store), Box::new(witness), options, accepted, locks)
    }

    fn start(
        mut store: Box<dyn Store>,
        mut witness: Box<dyn Witness>,
        options: Options,
        accepted: Accepted,
        locks: Vec<File>,
    ) -> Result<Self, OpenError> {
        let anchor = witness.read().map_err(OpenError::Anchor)?;
        let replayed = replay(&mut *store, anchor.as_ref(), |_, _| {})?;
        let burn = match (replayed.compare(anchor.as_ref()), &anchor) {
            (Ok(()), _) => None,
            (Err(OpenError::AnchorMissing { .. }), None) if accepted == Accepted::MissingAnchor => None,
            (Err(OpenError::AnchorAhead { .. } | OpenError::Forked { .. }), Some(anchor))
                if accepted == Accepted::RestoredCopy =>
            {
                Some(replayed.burn(anchor))
            }
            (Err(error), _) => return Err(error),
        };
        let epoch = options.epoch.map_or_else(random_epoch, Ok)?;
        if replayed.book.has_used(epoch) {
            return Err(OpenError::EpochReused);
        }
        let state = State {
            durable_seq: replayed.head.seq,
            head: replayed.head,
            book: replayed.book,
            queue: Vec::new(),
            is_writing: false,
            open: HashMap::new(),
            stopped: None,
        };
        let disk = Disk { store, witness, anchor };
        let (state, written, disk) = (Mutex::new(state), Condvar::new(), Mutex::new(disk));
        let ledger = Self { epoch, clock: options.clock, state, written, disk, _locks: locks };
        // One batch: whoever finds the new epoch on disk finds the burn as well.
        match ledger.introduce(burn) {
            Ok(()) => Ok(ledger),
            Err(_) => Err(OpenError::Unwritable { cause: ledger.why_stopped().unwrap_or_default() }),
        }
    }

    fn introduce(&self, burn: Option<Record>) -> Result<(), LedgerError> {
        let mut state = self.state()?;
        for record in [Some(Record::Epoch), burn].into_iter().flatten() {
            self.enqueue(&mut state, record)?;
        }
        let last_seq = state.head.seq;
        drop(state);
        self.settle(last_seq)
    }
}

fn random_epoch() -> Result<Epoch, OpenError> {
    let mut epoch = Epoch([0; 16]);
    getrandom::fill(&mut epoch.0).map_err(|_| OpenError::NoRandomness)?;
    Ok(epoch)
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
