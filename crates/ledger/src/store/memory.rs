//! A ledger's rows and anchor in memory: every rule of the ledger, and nothing that lasts.
//!
//! **Not for anybody's data.** What is spent here is forgotten with the process, so a budget kept here protects nobody. It
//! is for sandboxes, where thousands of answers about made-up people are paid for and nobody ever sees them.

use std::io;

use super::{Row, Store};
use crate::{Anchor, Witness};

/// Rows that are forgotten with the process.
#[derive(Default)]
pub struct MemoryStore(Vec<Row>);

impl Store for MemoryStore {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        let before = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(self.0.iter().skip(before).take(count).cloned().collect())
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        self.0.extend_from_slice(rows);
        Ok(())
    }
}

/// An anchor that is forgotten with the process.
#[derive(Default)]
pub struct MemoryAnchor(Option<Anchor>);

impl Witness for MemoryAnchor {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        Ok(self.0.clone())
    }

    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        self.0 = Some(anchor.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

    /// Specification: rows come back in order, from any number on, as those of a file do.
    #[test]
    fn rows_are_read_from_any_number_on() {
        let row = |seq: u64| Row { seq, hash: Digest::of("test", &[]), body: vec![seq as u8] };
        let mut store = MemoryStore::default();
        store.append(&[row(1), row(2)]).unwrap();
        store.append(&[row(3)]).unwrap();
        assert_eq!(store.read(1, 10).unwrap(), [row(1), row(2), row(3)]);
        assert_eq!(store.read(2, 1).unwrap(), [row(2)]);
        assert_eq!(store.read(4, 10).unwrap(), []);
    }
}
