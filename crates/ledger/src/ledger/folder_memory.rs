//! What a folder knows of ledgers: the records in it, and the shared ledger that its server has opened.
//!
//! **Guarantee.** Nobody gets a second budget by a line of the catalog. A ledger that is to be new, and whose every budget is
//! whole, does not start where the folder holds records or has belonged to a ledger elsewhere; and a folder whose records have
//! not departed is a ledger of its own, beside which no shared one opens.
//!
//! | the folder | a shared ledger opens | a new shared ledger | a new ledger in the folder |
//! |---|---|---|---|
//! | knows nothing | yes | yes | yes |
//! | has records | no: they move first | no | – |
//! | has records that have departed | yes | no: it goes on where they went | – |
//! | remembers a shared ledger | yes | no, unless it is that one | no: it goes on there |
//!
//! **Not covered.** Folders that were never shown the ledger: whoever starts on a new machine with a catalog of the same tables
//! starts a new ledger there.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use super::Place;
use crate::digest::bytes_from_hex;
use crate::record::{Departure, Entry, Record, StoreId};
use crate::store::{SqliteStore, Store, sync_directory};
use crate::{OpenError, permission};

const FILE: &str = "shared-ledger";
const TITLE: &str = "pointillist shared ledger 1";
const PAGE: usize = 64;

/// The ledger that is in a folder.
enum OwnRecords {
    /// None, or one in which nothing was ever decided.
    Nothing,
    Live,
    Departed(Departure),
}

/// The shared ledger that a folder's server has opened last.
struct Remembered {
    store: StoreId,
    name: String,
}

impl Place {
    /// Refuses what the folder knows to be a second ledger. `store` is the name of a shared store; `is_blank`, that the owner
    /// has decided nothing there yet.
    pub(crate) fn check_folder(
        &self,
        store: Option<StoreId>,
        is_blank: bool,
        has_anchor: bool,
    ) -> Result<(), OpenError> {
        if self.is_shared() {
            match self.own_records()? {
                OwnRecords::Nothing => {}
                OwnRecords::Live => {
                    let (name, path) = (self.store_words(), self.directory.clone());
                    return Err(OpenError::RecordsBeside { name, path });
                }
                OwnRecords::Departed(departure) if is_blank => {
                    return Err(OpenError::Departed { to: departure.name });
                }
                OwnRecords::Departed(_) => {}
            }
        }
        match self.remembered()?.filter(|_| is_blank) {
            // It was opened from here before anything was decided, and its anchor is as old as that.
            Some(known) if has_anchor && store == Some(known.store) => Ok(()),
            Some(known) => Err(OpenError::Belongs { to: known.name, path: self.memory() }),
            None => Ok(()),
        }
    }

    /// Refuses a folder whose own ledger keeps a shared one from being opened; without a look at any database.
    ///
    /// # Errors
    /// When the folder has records that have not departed, or records that cannot be read.
    pub fn check_own_records(&self) -> Result<(), OpenError> {
        self.check_folder(None, false, false)
    }

    /// Remembers the shared ledger that is open.
    pub(super) fn remember(&self, store: StoreId) -> Result<(), OpenError> {
        let failed = |source| OpenError::File { path: self.memory(), source };
        let name = self.store_words().replace(char::is_control, "?");
        let text = format!("{TITLE}\nstore {store}\nname {name}\n");
        if fs::read_to_string(self.memory()).is_ok_and(|known| known == text) {
            return Ok(());
        }
        let write = || {
            let draft = permission::with_ending(&self.memory(), ".new");
            let mut file = permission::open_file(&draft)?;
            file.set_len(0)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&draft, self.memory())?;
            sync_directory(&self.directory)
        };
        write().map_err(failed)
    }

    fn memory(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    fn remembered(&self) -> Result<Option<Remembered>, OpenError> {
        let failed = |source| OpenError::File { path: self.memory(), source };
        let text = match fs::read_to_string(self.memory()) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let parse = || {
            let mut lines = text.lines();
            (lines.next()? == TITLE).then_some(())?;
            let store = StoreId(bytes_from_hex(lines.next()?.strip_prefix("store ")?)?);
            Some(Remembered { store, name: lines.next()?.strip_prefix("name ")?.to_owned() })
        };
        let unread = || failed(io::Error::new(io::ErrorKind::InvalidData, "it does not read as what it is"));
        parse().map(Some).ok_or_else(unread)
    }

    fn own_records(&self) -> Result<OwnRecords, OpenError> {
        let path = self.records();
        if !path.exists() {
            return Ok(OwnRecords::Nothing);
        }
        let look = || -> io::Result<OwnRecords> {
            let mut store = SqliteStore::open_read_only(&path)?;
            let Some(last) = store.last()? else { return Ok(OwnRecords::Nothing) };
            if let Some(Record::Departure(departure)) = Entry::decode(&last.body).map(|entry| entry.record) {
                return Ok(OwnRecords::Departed(departure));
            }
            // Starts alone are no ledger; anything else is, and the second record usually is something else.
            let mut from = 1;
            while from <= last.seq {
                let rows = store.read(from, PAGE)?;
                let is_start =
                    |body: &[u8]| matches!(Entry::decode(body), Some(Entry { record: Record::Epoch, .. }));
                if rows.is_empty() || !rows.iter().all(|row| is_start(&row.body)) {
                    return Ok(OwnRecords::Live);
                }
                from += rows.len() as u64;
            }
            Ok(OwnRecords::Nothing)
        };
        look().map_err(|source| OpenError::File { path: path.clone(), source })
    }
}
