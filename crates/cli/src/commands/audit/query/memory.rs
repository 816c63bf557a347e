//! A ledger's records and anchor in memory: every rule of the ledger, without waiting for a disk.
//!
//! An audit pays for thousands of answers that nobody will ever see, in a house that is torn down after it.

use std::io;

use pointillist_ledger::{Anchor, Row, Store, Witness};

/// Records that die with the process.
#[derive(Default)]
pub struct Records(Vec<Row>);

impl Store for Records {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        let from = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(self.0.iter().skip(from).take(count).cloned().collect())
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        self.0.extend_from_slice(rows);
        Ok(())
    }
}

/// An anchor that dies with the process.
#[derive(Default)]
pub struct Memory(Option<Anchor>);

impl Witness for Memory {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        Ok(self.0.clone())
    }

    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        self.0 = Some(anchor.clone());
        Ok(())
    }
}
