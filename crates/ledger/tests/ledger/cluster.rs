//! Several servers over one ledger: a store in memory that they share, and what every shared store is tested with.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use pointillist_ledger::{Anchor, Ledger, OpenError, Options, Row, Store, Witness};

use crate::fixture::*;

/// A ledger that several servers share, wherever it is.
pub trait Cluster: Sync {
    fn store(&self) -> Box<dyn Store>;
    fn witness(&self) -> Box<dyn Witness>;

    fn open(&self) -> Result<Ledger, OpenError> {
        Ledger::open_on(self.store(), self.witness(), Options::default())
    }

    /// One more server.
    fn server(&self) -> Ledger {
        self.open().unwrap()
    }

    /// So many servers, and a budget of so many tenths.
    fn servers(&self, count: usize, tenths: u128) -> Vec<Ledger> {
        let servers: Vec<Ledger> = (0..count).map(|_| self.server()).collect();
        servers[0].grant_scope(SCOPE, budget(tenths)).unwrap();
        servers
    }
}

/// Everything in memory.
#[derive(Clone, Default)]
pub struct Memory {
    pub room: Arc<Room>,
    pub anchor: Arc<Mutex<Option<Anchor>>>,
}

#[derive(Default)]
pub struct Room {
    pub rows: Mutex<Vec<Row>>,
    /// Whose turn it is, by number, and how many there were.
    turn: Mutex<(Option<usize>, usize)>,
    over: Condvar,
    pub appends: Mutex<usize>,
}

impl Room {
    /// Waits for a turn for a moment.
    pub fn begin(&self) -> io::Result<usize> {
        let turn = self.turn.lock().unwrap();
        let (mut turn, waited) =
            self.over.wait_timeout_while(turn, Duration::from_secs(2), |turn| turn.0.is_some()).unwrap();
        if waited.timed_out() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        turn.1 += 1;
        turn.0 = Some(turn.1);
        Ok(turn.1)
    }

    /// Ends a turn if it is still that one.
    pub fn end(&self, number: usize) {
        let mut turn = self.turn.lock().unwrap();
        if turn.0 == Some(number) {
            turn.0 = None;
            self.over.notify_one();
        }
    }

    /// Cuts off whoever has a turn, as a server does that loses a session.
    pub fn cut_off(&self) {
        let turn = self.turn.lock().unwrap().0;
        turn.into_iter().for_each(|number| self.end(number));
    }
}

struct SharedStore {
    room: Arc<Room>,
    turn: Option<usize>,
}

impl Store for SharedStore {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        let rows = self.room.rows.lock().unwrap();
        Ok(rows.iter().filter(|row| row.seq >= from).take(count).cloned().collect())
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        let mut all = self.room.rows.lock().unwrap();
        if self.turn.is_none() || self.room.turn.lock().unwrap().0 != self.turn {
            return Err(io::Error::other("not our turn"));
        }
        assert_eq!(rows[0].seq, all.len() as u64 + 1, "a row that does not follow");
        all.extend_from_slice(rows);
        *self.room.appends.lock().unwrap() += 1;
        Ok(())
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn begin(&mut self) -> io::Result<()> {
        self.turn = Some(self.room.begin()?);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.turn.take().into_iter().for_each(|number| self.room.end(number));
        Ok(())
    }
}

impl Drop for SharedStore {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

struct SharedAnchor(Arc<Mutex<Option<Anchor>>>);

impl Witness for SharedAnchor {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        *self.0.lock().unwrap() = Some(anchor.clone());
        Ok(())
    }

    fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
        let mut place = self.0.lock().unwrap();
        if place.as_ref() != found {
            return Err(io::Error::other("the anchor has changed"));
        }
        *place = Some(anchor.clone());
        Ok(())
    }
}

impl Cluster for Memory {
    fn store(&self) -> Box<dyn Store> {
        Box::new(SharedStore { room: Arc::clone(&self.room), turn: None })
    }

    fn witness(&self) -> Box<dyn Witness> {
        Box::new(SharedAnchor(Arc::clone(&self.anchor)))
    }
}
