//! A ledger moves from one store to another, byte for byte.
//!
//! **Guarantee.** Whenever a move is broken off, at most one store holds a ledger that opens. The steps, and what is left
//! after each:
//!
//! | step | the old store | the new store |
//! |---|---|---|
//! | 1. the new store is empty, or holds a beginning of these records that has departed | live | does not open |
//! | 2. the departure, which names the new store by its random name, is written, and anchored | **closed** | does not open |
//! | 3. all records that are missing are copied, in one commit, the departure included | closed | ends with a departure: does not open |
//! | 4. the copy is read again from its first record, and its anchor is written | closed | does not open |
//! | 5. the arrival is written, then anchored | closed | **live** |
//!
//! A departure is followed by nothing but the arrival in the store that it names (`book/writers.rs`), so that a copy of
//! either store, or a move that is taken up again with another store behind the same name, makes no second ledger. Moving
//! is taken up again by doing it again. The old store keeps its records and its anchor: an older copy of it that is put
//! back is still noticed.

use std::io;

use super::opening::random_epoch;
use super::{Ledger, Options, Place};
use crate::anchor::{Anchor, Witness};
use crate::chain::Head;
use crate::record::{Departure, Entry, Epoch, Record, StoreId};
use crate::replay::{Replayed, replay};
use crate::store::{Row, Store};
use crate::{Digest, MoveError, OpenError};

/// Rows that are read at a time.
const PAGE: usize = 256;

/// A ledger that has moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// How many records there are, the departure and the arrival included.
    pub records: u64,
    /// The hash of the last.
    pub head: Digest,
}

/// The store that a ledger moves to.
pub struct Destination {
    /// Empty, or with a beginning of the records.
    pub store: Box<dyn Store>,
    /// The store's own name, which it keeps for ever.
    pub id: StoreId,
    /// Where its anchor is.
    pub witness: Box<dyn Witness>,
    /// What the owner calls it: `postgres:main`.
    pub name: String,
}

impl Ledger {
    /// Moves the ledger of one place to another, or goes on with a move that was broken off. Every server that has the
    /// ledger open stops.
    ///
    /// # Errors
    /// When either place does not open, when the new one holds something else, and when something fails on the way: then
    /// the ledger is where it was, or between the two, and moving again goes on.
    pub fn move_between(from: &Place, to: &Place, options: Options) -> Result<Moved, MoveError> {
        if from.store_words() == to.store_words() {
            return Err(MoveError::SamePlace { name: to.store_words() });
        }
        let _from = from.lock()?;
        // A folder of records moves to a database, or from one; one lock on a shared anchor is enough.
        let _to = if to.is_shared() { Vec::new() } else { to.lock_records()? };
        Self::move_on(|| from.open_parts(), to.destination()?, options)
    }

    /// The same over stores of one's own; `source` opens the old one, every time anew.
    ///
    /// # Errors
    /// As [`Ledger::move_between`].
    pub fn move_on(
        source: impl Fn() -> Result<(Box<dyn Store>, Box<dyn Witness>), OpenError>,
        mut destination: Destination,
        options: Options,
    ) -> Result<Moved, MoveError> {
        let (mut store, witness) = source()?;
        let replayed = replay(&mut *store, None, |_, _| {})?;
        if replayed.book.writers().departure().is_none() {
            destination.check(&all_rows(&mut *store)?)?;
            let to = Departure { to: destination.id, name: destination.name.clone() };
            Self::open_on(store, witness, Options::default())?.depart(to)?;
            store = source()?.0;
        }
        let rows = all_rows(&mut *store)?;
        let Replayed { book, head, .. } = replay(&mut *store, None, |_, _| {})?;
        match book.writers().departure() {
            Some(departure) if departure.to == destination.id => {}
            departure => {
                let to = departure.map_or_else(String::new, |departure| departure.name.clone());
                return Err(MoveError::Elsewhere { to });
            }
        }
        let epoch = options.epoch.map_or_else(random_epoch, Ok)?;
        let anchor = Anchor { seq: head.seq, head: head.hash, epoch, spent: book.spent() };
        destination.copy(&rows)?;
        destination.arrive(&rows, anchor, (options.clock)())
    }
}

impl Destination {
    /// Whether it can take these records: it holds none, or a beginning of them that has departed, and so does its anchor.
    fn check(&mut self, rows: &[Row]) -> Result<(), MoveError> {
        let here = all_rows(&mut *self.store)?;
        let replayed = replay(&mut *self.store, None, |_, _| {})?;
        let is_beginning = here.len() <= rows.len() && rows[..here.len()] == here[..];
        let has_departed = here.is_empty() || replayed.book.writers().departure().is_some();
        if !is_beginning || !has_departed {
            return Err(MoveError::Occupied { name: self.name.clone() });
        }
        self.known_anchor(rows).map(|_| ())
    }

    /// The anchor that is there, which must be of this history or none.
    fn known_anchor(&mut self, rows: &[Row]) -> Result<Option<Anchor>, MoveError> {
        let found = self.witness.read().map_err(OpenError::Anchor)?;
        let is_known =
            |anchor: &Anchor| rows.iter().any(|row| (row.seq, row.hash) == (anchor.seq, anchor.head));
        match found.as_ref().is_none_or(is_known) {
            true => Ok(found),
            false => Err(MoveError::ForeignAnchor { name: self.name.clone() }),
        }
    }

    /// Adds what is missing, in one commit, so that nothing but the whole is ever there.
    fn copy(&mut self, rows: &[Row]) -> Result<(), MoveError> {
        self.store.begin().map_err(MoveError::Store)?;
        let copied = self.copy_in_turn(rows);
        let ended = self.store.end().map_err(MoveError::Store);
        copied.and(ended)
    }

    fn copy_in_turn(&mut self, rows: &[Row]) -> Result<(), MoveError> {
        let here = all_rows(&mut *self.store)?;
        let shared = here.len().min(rows.len());
        if here[..shared] != rows[..shared] {
            return Err(MoveError::Occupied { name: self.name.clone() });
        }
        match &rows[shared..] {
            [] => Ok(()),
            missing => self.store.append(missing).map_err(MoveError::Store),
        }
    }

    /// Reads the copy again, anchors it, and lets it go on.
    fn arrive(&mut self, rows: &[Row], departed: Anchor, at: u64) -> Result<Moved, MoveError> {
        self.store.begin().map_err(MoveError::Store)?;
        let arrived = self.arrive_in_turn(rows, departed, at);
        let ended = self.store.end().map_err(MoveError::Store);
        arrived.and_then(|moved| ended.map(|()| moved))
    }

    fn arrive_in_turn(&mut self, rows: &[Row], departed: Anchor, at: u64) -> Result<Moved, MoveError> {
        let Replayed { book, head, .. } = replay(&mut *self.store, None, |_, _| {})?;
        if head.seq > departed.seq {
            // It has arrived before: what follows is its own.
            return Ok(Moved { records: head.seq, head: head.hash });
        }
        let is_whole = (head.seq, head.hash) == (departed.seq, departed.head)
            && book.writers().departure().is_some_and(|departure| departure.to == self.id);
        if !is_whole {
            return Err(MoveError::Occupied { name: self.name.clone() });
        }
        let found = self.known_anchor(rows)?;
        self.witness.replace(found.as_ref(), &departed).map_err(OpenError::Anchor)?;
        let Anchor { epoch, .. } = departed;
        let (row, head) = arrival(head, epoch, at, self.id);
        self.store.append(&[row]).map_err(MoveError::Store)?;
        let anchor = Anchor { seq: head.seq, head: head.hash, ..departed.clone() };
        self.witness.replace(Some(&departed), &anchor).map_err(OpenError::Anchor)?;
        Ok(Moved { records: head.seq, head: head.hash })
    }
}

fn arrival(mut head: Head, epoch: Epoch, at: u64, id: StoreId) -> (Row, Head) {
    let record = Record::Arrival { at: id };
    let row = head.extend(&Entry { seq: head.seq + 1, epoch, at: Some(at), record });
    (row, head)
}

fn all_rows(store: &mut dyn Store) -> Result<Vec<Row>, MoveError> {
    let mut rows: Vec<Row> = Vec::new();
    loop {
        let page: io::Result<Vec<Row>> = store.read(rows.len() as u64 + 1, PAGE);
        let page = page.map_err(MoveError::Store)?;
        if page.is_empty() {
            return Ok(rows);
        }
        rows.extend(page);
    }
}
