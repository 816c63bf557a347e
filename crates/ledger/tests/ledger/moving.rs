//! A ledger that moves: one that opens, or none, and never two.

use std::fs;
use std::io;
use std::sync::{Arc, Barrier};

use pointillist_ledger::{
    Anchor, AnchorFile, Charge, ChargeError, Destination, Ledger, LedgerError, LedgerReader, MoveError,
    Moved, OpenError, Options, Place, Row, SqliteStore, Store, StoreId, Witness,
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

    fn rows(&self) -> Vec<Row> {
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
            // Nothing was copied yet, or nothing has arrived.
            Err(OpenError::Departed { .. } | OpenError::Elsewhere { .. }) => {}
            // A copy without its anchor.
            Err(OpenError::AnchorMissing { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        opened.is_ok()
    }
}

/// Whether the ledger opens in the new store.
fn is_live(new: &Memory) -> bool {
    !is_untouched(new) && Old::Shared(new.clone()).is_live()
}

/// Whether nobody has ever been here, so that a new ledger would open, and its owner grant it everything.
fn is_untouched(new: &Memory) -> bool {
    new.room.rows.lock().unwrap().is_empty() && new.anchor.lock().unwrap().is_none()
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
            // Where nobody has been the owner may start a new ledger, for as long as the old one is where it was.
            assert!(old.is_live() || !is_untouched(&new), "{when:?} call {at}: a second budget");
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
    assert!(matches!(refusal, MoveError::Elsewhere { .. }), "{refusal}");
    assert!(!is_live(&other));
}

fn copy_of(new: &Memory, with_anchor: bool) -> Memory {
    let copy = Memory::default();
    *copy.room.rows.lock().unwrap() = new.room.rows.lock().unwrap().clone();
    if with_anchor {
        *copy.anchor.lock().unwrap() = new.anchor.lock().unwrap().clone();
    }
    copy
}

/// Specification: the store that a ledger moves to is copied, name and all, while the move is broken off, with its anchor or
/// with another one. Whichever of the two the move is taken up with first and second, one of them is the ledger.
#[test]
fn a_copy_of_the_new_store_makes_no_second_ledger() {
    for (with_anchor, copy_first) in [(false, false), (false, true), (true, false), (true, true)] {
        for at in 0.. {
            let (old, new, fault) = (old_ledger(false), Memory::default(), Fault::new(at, When::After));
            let broken_off = move_to(&old, &new, 1, &fault).is_err();
            let has_arrived = is_live(&new) && !old.is_live();
            let copy = copy_of(&new, with_anchor);
            let mut stores = [&new, &copy];
            // A copy of what has arrived already, its anchor included, is not for a move to notice.
            if has_arrived && with_anchor {
                break;
            }
            if copy_first {
                stores.reverse();
            }
            let outcomes = stores.map(|store| move_to(&old, store, 1, &no_fault()).is_ok());
            let live = [&new, &copy].map(is_live);
            let says = format!("call {at}, {with_anchor}, {copy_first}: {outcomes:?} {live:?}");
            assert_eq!(live.iter().filter(|live| **live).count(), 1, "{says}");
            assert!(!old.is_live(), "{says}");
            if !broken_off {
                assert!(at > 20, "every call was visited");
                break;
            }
        }
    }
}

/// Specification: the same where the move is taken up with the new store and broken off once more, wherever that is, the moment
/// after its arrival included, before anybody comes with the copy and an anchor of its own.
#[test]
fn a_copy_from_before_makes_no_second_ledger_either() {
    let mut arrived = 0;
    for first in [12, 22, 30] {
        for second in 0.. {
            let (old, new) = (old_ledger(false), Memory::default());
            let _ = move_to(&old, &new, 1, &Fault::new(first, When::After));
            let copy = copy_of(&new, false);
            let fault = Fault::new(second, When::After);
            let broken_off = move_to(&old, &new, 1, &fault).is_err();
            arrived += usize::from(broken_off && !old.is_live() && is_live(&new));
            let outcomes = [&copy, &new].map(|store| move_to(&old, store, 1, &no_fault()).is_ok());
            let live = [&new, &copy].map(is_live);
            assert!(live[0] != live[1] && !old.is_live(), "{first}, {second}: {outcomes:?} {live:?}");
            if !broken_off {
                break;
            }
        }
    }
    assert!(arrived > 3, "{arrived} times it had arrived, and the old anchor did not know");
}

/// Specification: two that take a move up at the same moment, with two copies of the new store and of its anchor: one arrives.
#[test]
fn of_two_that_arrive_at_the_same_moment_one_does() {
    /// Waits for the other when it first writes: by then both have looked at the old anchor.
    struct Meeting(Box<dyn Witness>, Arc<Barrier>, bool);
    impl Witness for Meeting {
        fn read(&mut self) -> io::Result<Option<Anchor>> {
            self.0.read()
        }
        fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
            self.0.write(anchor)
        }
        fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
            if !std::mem::replace(&mut self.2, true) {
                self.1.wait();
            }
            self.0.replace(found, anchor)
        }
    }
    let mut visited = 0;
    for at in 0..80 {
        let (old, new) = (Memory::default(), Memory::default());
        drop(old.servers(1, 10));
        let source = Old::Shared(old.clone());
        let _ = move_to(&source, &new, 1, &Fault::new(at, When::After));
        if old.open().is_ok() || new.open().is_ok() {
            continue;
        }
        visited += 1;
        let (copy, meeting) = (copy_of(&new, true), Arc::new(Barrier::new(2)));
        let arrived: Vec<bool> = std::thread::scope(|threads| {
            let arrive = |store: &Memory| {
                let witness = Box::new(Meeting(store.witness(), Arc::clone(&meeting), false));
                let there = Destination { witness, ..destination(store, 1, &no_fault()) };
                let old = old.clone();
                threads.spawn(move || {
                    let source = || Ok((old.store(), old.witness()));
                    Ledger::move_on(source, there, Options::default()).is_ok()
                })
            };
            let both = [&new, &copy].map(arrive);
            both.into_iter().map(|mover| mover.join().unwrap()).collect()
        });
        assert_ne!(arrived[0], arrived[1], "call {at}");
        assert_ne!(new.open().is_ok(), copy.open().is_ok(), "call {at}");
    }
    assert!(visited > 5, "{visited} times between the two");
}

/// Specification: an older copy of the place that a ledger has left is no ledger any more, whatever its owner accepts: its
/// anchor knows that the ledger goes on elsewhere. Also where both places have one anchor, and where the move was broken off.
#[test]
fn an_older_copy_of_the_old_place_is_never_accepted() {
    for (at, has_one_anchor) in (0..60).step_by(3).flat_map(|at| [(at, false), (at, true)]) {
        let home = Home::new();
        let mut new = Memory::default();
        let shared_anchor = Memory::default();
        if has_one_anchor {
            new.anchor = shared_anchor.anchor.clone();
        }
        let anchor = || -> Box<dyn Witness> {
            match has_one_anchor {
                true => shared_anchor.witness(),
                false => Box::new(AnchorFile::new(home.anchor())),
            }
        };
        let parts = |folder: &std::path::Path| -> Result<Parts, OpenError> {
            fs::create_dir_all(folder).unwrap();
            Ok((Box::new(SqliteStore::open(&folder.join("ledger.sqlite")).unwrap()), anchor()))
        };
        let open = |folder: &std::path::Path| {
            let (store, witness) = parts(folder)?;
            Ledger::open_on(store, witness, Options::default())
        };
        let ledger = open(&home.records()).unwrap();
        ledger.grant_scope(SCOPE, budget(10)).unwrap();
        answer(&ledger, ask("ada", "1", None), "42");
        drop(ledger);
        let backup = home.folder.path().join("backup");
        copy_folder(&home.records(), &backup);
        let fault = Fault::new(at, When::After);
        let _ = Ledger::move_on(|| parts(&home.records()), destination(&new, 1, &fault), Options::default());
        Ledger::move_on(|| parts(&home.records()), destination(&new, 1, &no_fault()), Options::default())
            .unwrap();
        answer(&new.server(), ask("ada", "2", None), "43");
        let refusal = open(&backup).map(|_| ()).unwrap_err();
        assert!(matches!(&refusal, OpenError::Elsewhere { to } if to == "postgres:main"), "{refusal}");
        if has_one_anchor {
            // What the owner accepts is looked at in a file.
            AnchorFile::new(home.anchor()).write(&shared_anchor.witness().read().unwrap().unwrap()).unwrap();
        }
        let place = Place::new(&backup, home.anchor());
        let refusal = Ledger::accept_restored(&place, Options::default()).map(|_| ()).unwrap_err();
        assert!(matches!(refusal, OpenError::Elsewhere { .. }), "{refusal}");
        let refusal = LedgerReader::read(&place).map(|_| ()).unwrap_err();
        assert!(matches!(refusal, OpenError::Elsewhere { .. }), "{refusal}");
        assert_eq!(spent(&new.server()), 2);
    }
}

/// Specification: what cannot be written is found while the old ledger is still open.
#[test]
fn a_ledger_does_not_leave_for_what_cannot_be_written() {
    struct NoRows(Box<dyn Store>);
    impl Store for NoRows {
        fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
            self.0.read(from, count)
        }
        fn append(&mut self, _: &[Row]) -> io::Result<()> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
        fn rehearse(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
    struct NoAnchor;
    impl Witness for NoAnchor {
        fn read(&mut self) -> io::Result<Option<Anchor>> {
            Ok(None)
        }
        fn write(&mut self, _: &Anchor) -> io::Result<()> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
    let (old, new) = (old_ledger(true), Memory::default());
    let Old::Folder(home) = &old else { unreachable!() };
    let source = || Ok(Old::parts(&old));
    let no_rows = Destination { store: Box::new(NoRows(new.store())), ..destination(&new, 1, &no_fault()) };
    let refusal = Ledger::move_on(source, no_rows, Options::default()).unwrap_err();
    assert!(matches!(refusal, MoveError::Store(_)), "{refusal}");
    let no_anchor = Destination { witness: Box::new(NoAnchor), ..destination(&new, 1, &no_fault()) };
    let refusal = Ledger::move_on(source, no_anchor, Options::default()).unwrap_err();
    assert!(matches!(refusal, MoveError::Anchor(_)), "{refusal}");
    assert!(old.is_live() && is_untouched(&new));
    // The same with files: an anchor where no folder can be.
    fs::write(home.folder.path().join("file"), "").unwrap();
    let nowhere = Place::new(home.folder.path().join("other"), home.folder.path().join("file/anchor"));
    assert!(Ledger::move_between(&home.place(), &nowhere, Options::default()).is_err());
    assert!(old.is_live());
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
    assert!(matches!(refusal, OpenError::Elsewhere { .. }), "{refusal}");
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
