//! Who may write: the one that started last, or those that joined a shared ledger and are not over.
//!
//! **Guarantee.** A record is entered only if its writer has started and is not over. [`Record::Epoch`] ends everybody
//! before it, so that a ledger which nobody joins has one writer at a time; [`Record::Join`] ends nobody; a fence ends
//! one. A writer that is over never starts again: every start has a name of its own. After a departure nothing is
//! entered but the arrival in the store that it names, so that of two copies one goes on.
//! **Why this fences.** Whoever writes enters its own record here first, after everything that the store holds: a server
//! that was taken out finds that out before it judges anything. One that does not look has a head that is not the
//! store's, and the store refuses that (`store/postgres.rs`).

use std::collections::HashSet;

use crate::record::{Departure, Entry, Epoch, Record, StoreId};

#[derive(Default)]
pub(crate) struct Writers {
    ever: HashSet<Epoch>,
    live: HashSet<Epoch>,
    last: Option<Epoch>,
    departure: Option<Departure>,
    home: Option<StoreId>,
}

impl Writers {
    /// Enters what a record says about writers, or says why its own may not write it.
    pub fn enter(&mut self, entry: &Entry) -> Result<(), &'static str> {
        let epoch = entry.epoch;
        match (&self.departure, &entry.record) {
            (None, Record::Arrival { .. }) => return Err("it arrives, and nothing has departed"),
            (Some(departure), Record::Arrival { at }) if departure.to == *at => self.departure = None,
            (Some(_), _) => return Err("the ledger had departed to another store"),
            (None, _) => {}
        }
        if matches!(entry.record, Record::Epoch | Record::Arrival { .. }) {
            self.live.clear();
        }
        if matches!(entry.record, Record::Epoch | Record::Arrival { .. } | Record::Join) {
            self.live.insert(epoch);
            self.ever.insert(epoch).then_some(()).ok_or("its epoch was used before")?;
        }
        if !self.live.contains(&epoch) {
            return Err("its writer is not the one that started last, and has joined no others or is over");
        }
        match &entry.record {
            Record::Fence { epoch } if !self.live.remove(epoch) => return Err("it ends nobody who writes"),
            Record::Departure(departure) => self.departure = Some(departure.clone()),
            Record::Arrival { at } => self.home = Some(*at),
            _ => {}
        }
        self.last = Some(epoch);
        Ok(())
    }

    /// The writer of the last record.
    pub fn last(&self) -> Option<Epoch> {
        self.last
    }

    pub fn has_used(&self, epoch: Epoch) -> bool {
        self.ever.contains(&epoch)
    }

    /// Whether this writer may still write.
    pub fn is_live(&self, epoch: Epoch) -> bool {
        self.live.contains(&epoch)
    }

    /// Where the ledger has gone.
    pub fn departure(&self) -> Option<&Departure> {
        self.departure.as_ref()
    }

    /// The store in which the ledger arrived last, if it ever moved.
    pub fn home(&self) -> Option<StoreId> {
        self.home
    }

    /// Everybody who may write, in the order of their names.
    pub fn live(&self) -> Vec<Epoch> {
        let mut live: Vec<Epoch> = self.live.iter().copied().collect();
        live.sort_unstable();
        live
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::StoreId;

    const A: Epoch = Epoch([1; 16]);
    const B: Epoch = Epoch([2; 16]);

    fn enter(records: &[(Epoch, Record)]) -> Result<Writers, &'static str> {
        let mut writers = Writers::default();
        for (epoch, record) in records {
            writers.enter(&Entry { seq: 1, epoch: *epoch, at: None, record: record.clone() })?;
        }
        Ok(writers)
    }

    /// Any record that starts and ends nobody.
    fn writes() -> Record {
        Record::Burn { anchor_seq: 0, anchor_head: crate::Digest([0; 32]), spent: vec![] }
    }

    #[test]
    fn a_start_ends_everybody_before_and_joining_ends_nobody() {
        assert!(enter(&[(A, Record::Epoch), (B, Record::Epoch), (A, writes())]).is_err());
        assert!(enter(&[(A, Record::Join), (B, Record::Epoch), (A, writes())]).is_err());
        assert!(enter(&[(A, Record::Epoch), (B, Record::Join), (A, writes()), (B, writes())]).is_ok());
        assert!(enter(&[(A, Record::Join), (B, writes())]).is_err());
        for again in [Record::Epoch, Record::Join] {
            assert!(enter(&[(A, Record::Epoch), (B, Record::Epoch), (A, again)]).is_err());
        }
    }

    #[test]
    fn whoever_is_fenced_writes_no_more() {
        let joined = [(A, Record::Join), (B, Record::Join), (A, Record::Fence { epoch: B })];
        let writers = enter(&joined).ok().unwrap();
        assert!(writers.is_live(A) && !writers.is_live(B) && writers.has_used(B));
        for refused in [(B, writes()), (B, Record::Join), (A, Record::Fence { epoch: B })] {
            assert!(enter(&[&joined[..], &[refused]].concat()).is_err());
        }
    }

    #[test]
    fn after_a_departure_only_its_arrival_follows() {
        let [here, there] = [StoreId([3; 16]), StoreId([4; 16])];
        let departure = Departure { to: there, name: "postgres:main".into() };
        let departed = [(A, Record::Epoch), (A, Record::Departure(departure))];
        for refused in [
            (A, writes()),
            (B, Record::Epoch),
            (B, Record::Join),
            (B, Record::Arrival { at: here }),
            (A, Record::Arrival { at: there }),
        ] {
            assert!(enter(&[&departed[..], std::slice::from_ref(&refused)].concat()).is_err(), "{refused:?}");
        }
        let arrived = [&departed[..], &[(B, Record::Arrival { at: there })]].concat();
        let writers = enter(&arrived).ok().unwrap();
        assert_eq!((writers.live(), writers.departure(), writers.home()), (vec![B], None, Some(there)));
        assert_eq!(enter(&departed).ok().unwrap().home(), None);
        assert!(enter(&[&arrived[..], &[(A, writes())]].concat()).is_err(), "those before are over");
        assert!(enter(&[(A, Record::Epoch), (B, Record::Arrival { at: there })]).is_err());
    }
}
