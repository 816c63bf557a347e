//! Where records are kept. A trait, so that tests can break it at every call.

mod memory;
mod postgres;
mod sqlite;

use std::io;

use crate::Digest;
use crate::record::StoreId;

pub use memory::{MemoryAnchor, MemoryStore};
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;
pub(crate) use sqlite::sync_directory;

/// Bytes of bodies after which a page ends, however many rows were asked for: one answer alone may have as many.
pub(crate) const PAGE_BYTES: usize = 32 << 20;

/// One record as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number, from 1 without gaps.
    pub seq: u64,
    /// The hash of the row before it and of the body.
    pub hash: Digest,
    /// The canonical bytes of the [`Entry`](crate::Entry).
    pub body: Vec<u8>,
}

/// Rows that are only ever added. An error of any call stops the ledger: it never tries again.
///
/// A shared store is one that several servers write to, one at a time. Each of them calls `begin`, then `read` for what the
/// others have added, `append` at most once, writes the anchor, and calls `end`.
pub trait Store: Send {
    /// Up to `count` rows from number `from` on, in order. Fewer than there are only after bodies of 32 MiB.
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>>;

    /// Adds the rows, all or none, and returns once they survive a loss of power. A shared store refuses rows whose first
    /// does not follow from the last that it holds.
    fn append(&mut self, rows: &[Row]) -> io::Result<()>;

    /// Whether others may write as well, now and in turns.
    fn is_shared(&self) -> bool {
        false
    }

    /// Waits for our turn: until `end`, nobody else adds anything. [`io::ErrorKind::TimedOut`] says that others took too
    /// long; nothing has happened then, and the ledger goes on.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Finds out, between `begin` and `end`, whether rows can be added: tries it, and leaves nothing behind.
    fn rehearse(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Lets the others go on, also after anything has failed.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether these rows are all there are from where they were read on.
pub(crate) fn is_last_page(rows: &[Row], count: usize) -> bool {
    rows.len() < count && rows.iter().map(|row| row.body.len()).sum::<usize>() < PAGE_BYTES
}

/// A name that no other store has.
fn new_id() -> io::Result<StoreId> {
    random_bytes().map(StoreId)
}

pub(crate) fn random_bytes() -> io::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}
