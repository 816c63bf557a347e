//! A ledger moves from one store to another, byte for byte.
//!
//! **Guarantee.** Whenever a move is broken off, at most one store holds a ledger that opens, and none of the two opens as a
//! new one. The steps, and what is left after each:
//!
//! | step | the old store | the new store |
//! |---|---|---|
//! | 1. the new store is empty, or holds a beginning of these records that has departed | live | as it was |
//! | 2. it takes a row, which is undone, and its anchor is written: it names the new store | live | does not open: it has not arrived |
//! | 3. the departure, which names the new store by its random name, is written | **closed** | does not open |
//! | 4. all records that are missing are copied, in one commit, the departure included | closed | ends with a departure: does not open |
//! | 5. the copy is read again; both anchors name the new store, by one token: first the new one's, then the old one's | closed | does not open |
//! | 6. the arrival is written, and anchored in both | closed | **live** |
//!
//! A departure is followed by nothing but the arrival in the store that it names (`book/writers.rs`). That store's name is
//! copied with it, so names alone do not tell two copies apart: **the old anchor does.** It takes one token, that of one new
//! anchor; a move that is taken up again goes on where that anchor is, and nowhere else. Whoever is about to arrive replaces the
//! old anchor first, so that of two at the same moment one goes on. Once it names the arrival itself, only a store that holds
//! that record is where the ledger is. And an anchor that names a store keeps every copy closed that has not arrived there: also
//! an older one of the old store, whatever its owner accepts (`replay.rs`).
//! **Not covered.** The new store and its anchor, both copied in the middle of a move that is broken off between the arrival and
//! the last write of the old anchor. Moving is taken up again by doing it again.

use std::io;

use super::opening::random_epoch;
use super::{Ledger, Options, Place};
use crate::anchor::{Anchor, LedgerHome, Witness};
use crate::chain::Head;
use crate::record::{Departure, Entry, Epoch, Record, StoreId};
use crate::replay::{Replayed, replay};
use crate::store::{Row, Store, random_bytes};
use crate::{Digest, MoveError, OpenError};

/// Rows that are read at a time.
const PAGE: usize = 256;
/// Where both places have one anchor, servers replace it while we look at it.
const ATTEMPTS: usize = 20;

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
    /// When either place does not open, when the new one holds something else or cannot be written, and when something fails
    /// on the way: then the ledger is where it was, or between the two, and moving again goes on.
    pub fn move_between(from: &Place, to: &Place, options: Options) -> Result<Moved, MoveError> {
        if from.store_words() == to.store_words() {
            return Err(MoveError::SamePlace { name: to.store_words() });
        }
        let _from = from.lock()?;
        // A folder of records moves to a database, or from one; one lock on a shared anchor is enough.
        let _to = if to.is_shared() { Vec::new() } else { to.lock_records()? };
        to.make_anchor_folder()?;
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
        let (mut store, mut witness) = source()?;
        let replayed = replay(&mut *store, None, |_, _| {})?;
        if replayed.book.writers().departure().is_none() {
            if witness.read().map_err(MoveError::Anchor)?.is_none() {
                // A ledger that is opened has an anchor: what follows may rely on it.
                drop(Self::open_on(store, witness, Options::default())?);
                (store, witness) = source()?;
            }
            destination.expect(&mut *store)?;
            let to = Departure { to: destination.id, name: destination.name.clone() };
            Self::open_on(store, witness, Options::default())?.depart(to)?;
            (store, witness) = source()?;
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
        let departed = Anchor { seq: head.seq, head: head.hash, epoch, spent: book.spent(), home: None };
        let left = Left { witness, departed, at: (options.clock)() };
        destination.copy(&rows)?;
        destination.arrive(&rows, left)
    }
}

/// The place that a ledger has left.
struct Left {
    witness: Box<dyn Witness>,
    /// How it was left, in the words of an anchor that does not say yet where the ledger goes on.
    departed: Anchor,
    /// The time.
    at: u64,
}

impl Destination {
    /// Sees that it can take the records of the old store, and that it does not open before they have arrived. The old store
    /// is live, and stays so whatever is found.
    fn expect(&mut self, old: &mut dyn Store) -> Result<(), MoveError> {
        self.in_turn(|destination| destination.store.rehearse().map_err(MoveError::Store))?;
        for attempt in 1.. {
            // The anchor first: it may be that of the old store as well, and whatever it names is there by then.
            let found = self.witness.read().map_err(MoveError::Anchor)?;
            let rows = all_rows(old)?;
            self.check(&rows, found.as_ref())?;
            let Replayed { book, head, .. } = replay(old, None, |_, _| {})?;
            let expected = match &found {
                // Records that it names and the store does not hold: that store does not open.
                Some(found) => found.clone(),
                None => Anchor {
                    seq: head.seq,
                    head: head.hash,
                    epoch: random_epoch()?,
                    spent: book.spent(),
                    home: Some(self.new_home()?),
                },
            };
            match self.witness.replace(found.as_ref(), &expected) {
                Err(_) if attempt < ATTEMPTS => {}
                replaced => return replaced.map_err(MoveError::Anchor),
            }
        }
        Ok(())
    }

    /// Whether it can take these records: it holds none, or a beginning of them that has departed, and so does its anchor.
    fn check(&mut self, rows: &[Row], anchor: Option<&Anchor>) -> Result<(), MoveError> {
        let here = all_rows(&mut *self.store)?;
        let replayed = replay(&mut *self.store, None, |_, _| {})?;
        let is_beginning = here.len() <= rows.len() && rows[..here.len()] == here[..];
        let has_departed = here.is_empty() || replayed.book.writers().departure().is_some();
        if !is_beginning || !has_departed {
            return Err(MoveError::Occupied { name: self.name.clone() });
        }
        self.check_anchor(rows, anchor)
    }

    /// The anchor that is there must be of this history, or none.
    fn check_anchor(&self, rows: &[Row], found: Option<&Anchor>) -> Result<(), MoveError> {
        let is_known =
            |anchor: &Anchor| rows.iter().any(|row| (row.seq, row.hash) == (anchor.seq, anchor.head));
        match found.is_none_or(is_known) {
            true => Ok(()),
            false => Err(MoveError::ForeignAnchor { name: self.name.clone() }),
        }
    }

    fn new_home(&self) -> Result<LedgerHome, MoveError> {
        Ok(LedgerHome::new(self.id, random_bytes().map_err(|_| OpenError::NoRandomness)?, &self.name))
    }

    /// The words of an anchor by which the ledger goes on here.
    fn home_in(&self, anchor: Option<&Anchor>) -> Option<LedgerHome> {
        anchor.and_then(|anchor| anchor.home.clone()).filter(|home| home.store == self.id)
    }

    fn in_turn<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, MoveError>) -> Result<T, MoveError> {
        self.store.begin().map_err(MoveError::Store)?;
        let done = act(self);
        let ended = self.store.end().map_err(MoveError::Store);
        done.and_then(|done| ended.map(|()| done))
    }

    /// Adds what is missing, in one commit, so that nothing but the whole is ever there.
    fn copy(&mut self, rows: &[Row]) -> Result<(), MoveError> {
        self.in_turn(|destination| {
            let here = all_rows(&mut *destination.store)?;
            let shared = here.len().min(rows.len());
            if here[..shared] != rows[..shared] {
                return Err(MoveError::Occupied { name: destination.name.clone() });
            }
            match &rows[shared..] {
                [] => Ok(()),
                missing => destination.store.append(missing).map_err(MoveError::Store),
            }
        })
    }

    /// Reads the copy again, anchors it, and lets it go on.
    fn arrive(&mut self, rows: &[Row], left: Left) -> Result<Moved, MoveError> {
        self.in_turn(|destination| destination.arrive_in_turn(rows, left))
    }

    fn arrive_in_turn(&mut self, rows: &[Row], left: Left) -> Result<Moved, MoveError> {
        let Left { witness: mut old, departed, at } = left;
        let Replayed { book, head, .. } = replay(&mut *self.store, None, |_, _| {})?;
        let known = old.read().map_err(MoveError::Anchor)?;
        let found = self.witness.read().map_err(MoveError::Anchor)?;
        let is_told_of_arrival = known.as_ref().is_some_and(|known| known.seq > departed.seq);
        if let Some(known) = known.as_ref().filter(|_| is_told_of_arrival)
            && !self.holds(known)?
        {
            return Err(MoveError::Elsewhere { to: self.name.clone() });
        }
        let begun = self.home_in(known.as_ref()).filter(|_| !is_told_of_arrival);
        // A store that has arrived has an anchor, and one that has not shares the token.
        let is_bare = found.is_none() && head.seq > departed.seq;
        if is_bare || (begun.is_some() && self.home_in(found.as_ref()) != begun) {
            return Err(MoveError::OtherAnchor { name: self.name.clone() });
        }
        let home = match begun.or_else(|| self.home_in(found.as_ref())) {
            Some(home) => home,
            None => self.new_home()?,
        };
        let departed = Anchor { home: Some(home), ..departed };
        if head.seq > departed.seq {
            // It has arrived before: what follows is its own. Who left may not have heard of it.
            if !is_told_of_arrival {
                let arrival = self.store.read(departed.seq + 1, 1).map_err(MoveError::Store)?;
                let arrival =
                    arrival.first().ok_or_else(|| MoveError::Store(io::ErrorKind::NotFound.into()))?;
                let arrived = Anchor { seq: arrival.seq, head: arrival.hash, ..departed };
                old.replace(known.as_ref(), &arrived).map_err(MoveError::Anchor)?;
            }
            return Ok(Moved { records: head.seq, head: head.hash });
        }
        let is_whole = (head.seq, head.hash) == (departed.seq, departed.head)
            && book.writers().departure().is_some_and(|departure| departure.to == self.id);
        if !is_whole {
            return Err(MoveError::Occupied { name: self.name.clone() });
        }
        self.check_anchor(rows, found.as_ref())?;
        self.anchor_both(&mut *old, [found.as_ref(), known.as_ref()], &departed)?;
        let (row, head) = arrival(head, departed.epoch, at, self.id);
        self.store.append(&[row]).map_err(MoveError::Store)?;
        let arrived = Anchor { seq: head.seq, head: head.hash, ..departed.clone() };
        self.anchor_both(&mut *old, [Some(&departed); 2], &arrived)?;
        Ok(Moved { records: head.seq, head: head.hash })
    }

    /// Replaces the anchor here, then the old one; both may be the same.
    fn anchor_both(
        &mut self,
        old: &mut dyn Witness,
        [here, there]: [Option<&Anchor>; 2],
        anchor: &Anchor,
    ) -> Result<(), MoveError> {
        self.witness.replace(here, anchor).map_err(MoveError::Anchor)?;
        match old.read().map_err(MoveError::Anchor)?.as_ref() == Some(anchor) {
            true => Ok(()),
            false => old.replace(there, anchor).map_err(MoveError::Anchor),
        }
    }

    /// Whether the record that an anchor names is here.
    fn holds(&mut self, anchor: &Anchor) -> Result<bool, MoveError> {
        let rows = self.store.read(anchor.seq, 1).map_err(MoveError::Store)?;
        Ok(rows.first().is_some_and(|row| (row.seq, row.hash) == (anchor.seq, anchor.head)))
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
