//! Where records are kept. A trait, so that tests can break it at every call.

mod memory;
mod sqlite;

use std::io;

use crate::Digest;

pub use memory::{MemoryAnchor, MemoryStore};
pub use sqlite::SqliteStore;
pub(crate) use sqlite::sync_directory;

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
pub trait Store: Send {
    /// Up to `count` rows from number `from` on, in order.
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>>;

    /// Adds the rows, all or none, and returns once they survive a loss of power.
    fn append(&mut self, rows: &[Row]) -> io::Result<()>;
}
