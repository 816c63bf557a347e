//! A ledger that moves: one that opens, or none, and never two.

use std::fs;

use pointillist_ledger::{
    AnchorFile, Charge, ChargeError, Destination, Ledger, LedgerError, LedgerReader, MoveError, Moved,
    OpenError, Options, Place, SqliteStore, Store, StoreId, Witness,
};

use crate::cluster::*;
use crate::crash::{Fault, When};
use crate::fixture::*;
use crate::shared_crash::Faulty;

const NEVER: usize = usize::MAX;

/// A folder, or a store in memory.
enum Old {
    Folder(Home),
    Shared(Memory),
}

type Parts = (Box<dyn Store>, Box<dyn Witness>);

impl Old {
    fn parts(&self) -> Parts {
        match self {
            Self::Folder(home) => {
                fs::create_dir_all(home.records()).unwrap();
                let store = SqliteStore::open(&home.records().join("ledger.sqlite")).unwrap();
                (Box::new(store), Box::new(AnchorFile::new(home.anchor())))
            }
            Self::Shared(memory) => (memory.store(), memory.witness()),
        }
    }

    fn rows(&self) -> Vec<pointillist_ledger::Row> {
        self.parts().0.read(1, 1000).unwrap()
    }

    /// Whether a ledger opens here. Looked at in a copy, so that looking changes nothing.
    fn is_live(&self) -> bool {
        let (mut store, mut witness) = self.parts();
        let copy = Memory::default();
        *copy.room.rows.lock().unwrap() = store.read(1, 1000).unwrap();
        *copy.anchor.lock().unwrap() = witness.read().unwrap();
        let opened = copy.open();
        match &opened {
            Ok(ledger) => assert_eq!(spent(ledger), 2),
            Err(OpenError::Departed { .. }) => {}
            // Nothing was copied yet.
            Err(error) => panic!("{error}"),
        }
        opened.is_ok()
    }
}

/// Whether a ledger opens in the new store.
fn is_live(new: &Memory) -> bool {
    // A store without a record starts a new ledger with no budget at all: nothing has moved there yet.
    !new.room.rows.lock().unwrap().is_empty() && Old::Shared(new.clone()).is_live()
}

fn destination(new: &Memory, id: u8, fault: &Fault) -> Destination {
    Destination {
        store: Box::new(Faulty(new.store(), fault.clone())),
        id: StoreId([id; 16]),
        witness: Box::new(Faulty(new.witness(), fault.clone())),
        name: "postgres:main".into(),
    }
}

fn move_to(old: &Old, new: &Memory, id: u8, fault: &Fault) -> Result<Moved, MoveError> {
    let source = || -> Result<Parts, OpenError> {
        let (store, witness) = old.parts();
        let (store, witness) = (Faulty(store, fault.clone()), Faulty(witness, fault.clone()));
        Ok((Box::new(store), Box::new(witness)))
    };
    Ledger::move_on(source, destination(new, id, fault), Options::default())
}

/// A ledger with an answer and a reservation whose answer was lost.
fn old_ledger(is_folder: bool) -> Old {
    let old = if is_folder { Old::Folder(Home::new()) } else { Old::Shared(Memory::default()) };
    let (store, witness) = old.parts();
    let ledger = Ledger::open_on(store, witness, Options::default()).unwrap();
    ledger.grant_scope(SCOPE, budget(10)).unwrap();
    answer(&ledger, ask("ada", "how many", Some("r1")), "42");
    drop(fresh(ledger.charge(ask("ada", "how old", None))));
    old
}

fn no_fault() -> Fault {
    Fault::new(NEVER, When::Before)
}

/// Specification: whichever call a move is broken off at, at most one of the two stores opens; moving again ends with the new
/// one, which holds the old records byte for byte and knows what was spent and answered.
#[test]
fn a_move_that_is_broken_off_anywhere_never_leaves_two_ledgers() {
    for (is_folder, when) in
        [(true, When::Before), (true, When::After), (false, When::Before), (false, When::After)]
    {
        let mut between = 0;
        for at in 0.. {
            let (old, new, fault) = (old_ledger(is_folder), Memory::default(), Fault::new(at, when));
            let outcome = move_to(&old, &new, 1, &fault);
            let live = (old.is_live(), is_live(&new));
            assert_ne!(live, (true, true), "{when:?} call {at}");
            between += usize::from(live == (false, false));
            // A call that did its work and did not say so may have been the last.
            assert!(outcome.is_err() || live == (false, true), "{when:?} call {at}");
            let moved = move_to(&old, &new, 1, &no_fault()).unwrap();
            assert_eq!((old.is_live(), is_live(&new)), (false, true), "{when:?} call {at}");
            let (before, after) = (old.rows(), new.room.rows.lock().unwrap().clone());
            assert_eq!(after[..before.len()], before[..], "byte for byte");
            assert_eq!((moved.records, moved.head), (after.len() as u64, after.last().unwrap().hash));
            let ledger = new.server();
            assert_eq!(repeat(ledger.charge(ask("ada", "how many", Some("r1")))).0, b"42");
            assert_eq!(spent(&ledger), 2);
            ledger.verify().unwrap();
            if !fault.has_fired() {
                assert!(at > 20 && between > 3, "{at} calls, {between} times between the two");
                break;
            }
        }
    }
}

/// Specification: moving is taken up again with the very store that the departure names, and with no other.
#[test]
fn a_ledger_goes_on_in_one_store_alone() {
    let (old, new, other) = (old_ledger(true), Memory::default(), Memory::default());
    move_to(&old, &new, 1, &no_fault()).unwrap();
    let refusal = move_to(&old, &other, 2, &no_fault()).unwrap_err();
    assert!(matches!(&refusal, MoveError::Elsewhere { to } if to == "postgres:main"), "{refusal}");
    assert!(other.room.rows.lock().unwrap().is_empty());
    // A copy that pretends to be that store is given away by the anchor, which both would have.
    *other.anchor.lock().unwrap() = new.anchor.lock().unwrap().clone();
    let refusal = move_to(&old, &other, 1, &no_fault()).unwrap_err();
    assert!(matches!(refusal, MoveError::ForeignAnchor { .. }), "{refusal}");
    assert!(!is_live(&other));
}

/// Specification: what is in the way is found before the old ledger is closed.
#[test]
fn a_ledger_does_not_move_over_another() {
    let (old, new) = (old_ledger(true), Memory::default());
    drop(new.servers(1, 5));
    let refusal = move_to(&old, &new, 1, &no_fault()).unwrap_err();
    assert!(matches!(refusal, MoveError::Occupied { .. }), "{refusal}");
    assert!(old.is_live());
    new.room.rows.lock().unwrap().clear();
    let refusal = move_to(&old, &new, 1, &no_fault()).unwrap_err();
    assert!(matches!(refusal, MoveError::ForeignAnchor { .. }), "{refusal}");
    assert!(old.is_live());
    // A copy of this very ledger, made behind its back, is one of its own as well.
    *new.room.rows.lock().unwrap() = old.rows();
    *new.anchor.lock().unwrap() = None;
    let refusal = move_to(&old, &new, 1, &no_fault()).unwrap_err();
    assert!(matches!(refusal, MoveError::Occupied { .. }), "{refusal}");
}

/// Specification: servers that have a ledger open while it moves stop, and their receipts buy nothing any more.
#[test]
fn servers_stop_when_their_ledger_moves() {
    let (memory, new) = (Memory::default(), Memory::default());
    let server = memory.servers(1, 10).remove(0);
    answer(&server, ask("ada", "how many", None), "42");
    let held = fresh(server.charge(ask("ada", "how old", None)));
    move_to(&Old::Shared(memory.clone()), &new, 1, &no_fault()).unwrap();
    assert_eq!(server.record(held, b"43"), Err(LedgerError::Stopped));
    assert_eq!(server.why_stopped().as_deref(), Some("the ledger has moved to postgres:main"));
    assert!(matches!(memory.open(), Err(OpenError::Departed { to }) if to == "postgres:main"));
}

/// Specification: a ledger moves there and back again, and an older copy of the place it left is still noticed.
#[test]
fn a_ledger_moves_there_and_back() {
    let home = Home::new();
    drop(home.granted(10));
    answer(&home.open(), ask("ada", "1", None), "42");
    let backup = home.folder.path().join("backup");
    copy_folder(&home.records(), &backup);
    answer(&home.open(), ask("ada", "2", None), "43");
    let new = Memory::default();
    let old = Old::Folder(home);
    move_to(&old, &new, 1, &no_fault()).unwrap();
    let Old::Folder(home) = &old else { unreachable!() };
    assert!(matches!(LedgerReader::read(&home.place()), Err(OpenError::Departed { .. })));
    let restored = Place::new(&backup, home.anchor());
    let refusal = Ledger::open(&restored, Options::default()).map(|_| ()).unwrap_err();
    assert!(matches!(refusal, OpenError::AnchorAhead { .. }), "{refusal}");
    answer(&new.server(), ask("ada", "3", None), "44");
    // And back, to the very file that it left.
    let mut store = SqliteStore::open(&home.records().join("ledger.sqlite")).unwrap();
    let id = store.id().unwrap();
    assert_eq!(store.id().unwrap(), id, "a name is for ever");
    let witness = Box::new(AnchorFile::new(home.anchor()));
    let back = Destination { store: Box::new(store), id, witness, name: "the folder".into() };
    Ledger::move_on(|| Ok((new.store(), new.witness())), back, Options::default()).unwrap();
    assert!(new.open().is_err());
    let ledger = home.open();
    assert_eq!(spent(&ledger), 3);
    for (question, told) in [("1", "42"), ("2", "43"), ("3", "44")] {
        assert_eq!(repeat(ledger.charge(ask("ada", question, None))).0, told.as_bytes());
    }
    assert!(matches!(
        ledger.charge(Charge { scope: "nobody".into(), ..ask("ada", "1", None) }),
        Err(ChargeError::NoBudget { .. })
    ));
}
