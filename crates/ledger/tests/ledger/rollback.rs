//! Older copies, second writers, lost anchors: the ledger notices, or it does not start.

use std::fs;

use pointillist_errors::{Explained, Kind};
use pointillist_ledger::{
    Anchor, AnchorFile, ChargeError, Epoch, GrantError, Ledger, LedgerError, OpenError, Options, Place,
    SqliteStore, Witness,
};

use crate::fixture::*;

/// A ledger of three answers, a copy of its records after the first, and the ledger closed.
fn with_an_old_copy() -> (Home, std::path::PathBuf) {
    let home = Home::new();
    let ledger = home.granted(10);
    ledger.grant_share("bo", SCOPE, budget(5)).unwrap();
    answer(&ledger, ask("ada", "1", None), "42");
    let copy = home.folder.path().join("old copy");
    copy_folder(&home.records(), &copy);
    answer(&ledger, ask("ada", "2", None), "42");
    answer(&ledger, ask("bo", "3", None), "42");
    drop(ledger);
    (home, copy)
}

fn restore(home: &Home, copy: &std::path::Path) {
    fs::remove_dir_all(home.records()).unwrap();
    copy_folder(copy, &home.records());
}

fn refusal(opened: Result<Ledger, OpenError>) -> OpenError {
    match opened {
        Ok(_) => panic!("the ledger opened"),
        Err(error) => error,
    }
}

#[test]
fn a_restored_backup_is_refused_until_the_owner_accepts_it() {
    let (home, copy) = with_an_old_copy();
    restore(&home, &copy);
    for _ in 0..2 {
        let error = refusal(Ledger::open(&home.place(), Options::default()));
        assert!(matches!(error, OpenError::AnchorAhead { seq: 5, anchor_seq: 9 }), "{error}");
        let hint = error.hint().unwrap_or_default();
        assert!(
            hint.contains("the owner accepts this one") && error.kind() == Kind::LedgerRestored,
            "{hint}"
        );
    }
    let ledger = Ledger::accept_restored(&home.place(), Options::default()).unwrap();
    assert_eq!(spent(&ledger), 3, "what the anchor knows to be spent is spent");
    assert_eq!(ledger.share(SCOPE, "bo").unwrap().unwrap().spent, units(TENTH));
    answer(&ledger, ask("ada", "2", None), "43");
    assert_eq!(spent(&ledger), 4, "an answer that the copy does not know is charged again");
    drop(ledger);
    assert_eq!(spent(&home.open()), 4);
}

#[test]
fn an_empty_directory_is_an_old_copy_too() {
    let (home, _) = with_an_old_copy();
    fs::remove_dir_all(home.records()).unwrap();
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::AnchorAhead { seq: 0, .. }), "{error}");
    let ledger = Ledger::accept_restored(&home.place(), Options::default()).unwrap();
    assert_eq!(spent(&ledger), 3);
    let refusal = ledger.charge(ask("ada", "new", None)).unwrap_err();
    assert_eq!(
        refusal,
        ChargeError::NoBudget { scope: SCOPE.into() },
        "the grant is lost, the spending is not"
    );
    assert!(matches!(ledger.grant_share("bo", SCOPE, budget(5)), Err(GrantError::NoScope { .. })));
    ledger.grant_scope(SCOPE, budget(4)).unwrap();
    answer(&ledger, ask("ada", "new", None), "42");
    assert!(matches!(ledger.charge(ask("ada", "newer", None)), Err(ChargeError::Exhausted { .. })));
}

#[test]
fn a_deleted_log_is_an_old_copy_too() {
    let (home, _) = with_an_old_copy();
    fs::remove_file(home.records().join("ledger.sqlite-wal")).unwrap();
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::AnchorAhead { .. } | OpenError::File { .. }), "{error}");
}

/// The copy goes on under an anchor of its own, and then meets the anchor of the original.
#[test]
fn two_histories_are_refused_and_both_are_counted() {
    let (home, copy) = with_an_old_copy();
    let other_anchor = home.folder.path().join("other anchor");
    let clone = Place::new(&copy, &other_anchor);
    let error = refusal(Ledger::open(&clone, Options::default()));
    assert!(matches!(error, OpenError::AnchorMissing { seq: 5 }), "{error}");
    let ledger = Ledger::accept_missing_anchor(&clone, Options::default()).unwrap();
    for question in ["4", "5", "6"] {
        answer(&ledger, ask("ada", question, None), "42");
    }
    drop(ledger);
    restore(&home, &copy);
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::Forked { anchor_seq: 9 }), "{error}");
    let ledger = Ledger::accept_restored(&home.place(), Options::default()).unwrap();
    assert_eq!(spent(&ledger), 3 + 4, "three in the one history, four in the other");
}

/// A history of its own can be shorter than the other: it looks like an older copy, and is none.
#[test]
fn a_shorter_history_is_counted_as_well() {
    let (home, copy) = with_an_old_copy();
    let clone = Place::new(&copy, home.folder.path().join("other anchor"));
    let ledger = Ledger::accept_missing_anchor(&clone, Options::default()).unwrap();
    answer(&ledger, ask("ada", "4", None), "42");
    drop(ledger);
    restore(&home, &copy);
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::AnchorAhead { seq: 8, anchor_seq: 9 }), "{error}");
    let ledger = Ledger::accept_restored(&home.place(), Options::default()).unwrap();
    assert_eq!(spent(&ledger), 3 + 2, "three in the one history, two in the other");
}

/// The owner accepts a copy, and the power fails between the record of that and the anchor.
#[test]
fn accepting_twice_burns_once() {
    let (home, copy) = with_an_old_copy();
    restore(&home, &copy);
    let anchor = fs::read(home.anchor()).unwrap();
    for _ in 0..6 {
        drop(Ledger::accept_restored(&home.place(), Options::default()).unwrap());
        fs::write(home.anchor(), &anchor).unwrap();
    }
    assert_eq!(spent(&home.open()), 3, "the burn names the anchor it makes up for");
}

#[test]
fn a_missing_anchor_is_refused_until_the_owner_accepts_it() {
    let (home, _) = with_an_old_copy();
    fs::remove_file(home.anchor()).unwrap();
    for opened in [Ledger::open, Ledger::accept_restored] {
        let error = refusal(opened(&home.place(), Options::default()));
        assert!(matches!(error, OpenError::AnchorMissing { seq: 9 }), "{error}");
    }
    let ledger = Ledger::accept_missing_anchor(&home.place(), Options::default()).unwrap();
    assert_eq!(spent(&ledger), 3);
    drop(ledger);
    assert_eq!(spent(&home.open()), 3, "there is an anchor again");
}

#[test]
fn a_damaged_anchor_is_refused_by_every_way_in() {
    let (home, _) = with_an_old_copy();
    fs::write(home.anchor(), "pointillist anchor 1\nseq 0\n").unwrap();
    for opened in [Ledger::open, Ledger::accept_restored, Ledger::accept_missing_anchor] {
        let error = refusal(opened(&home.place(), Options::default()));
        assert!(matches!(error, OpenError::Anchor(_)), "{error}");
    }
}

#[test]
fn a_second_writer_finds_the_ledger_locked() {
    let home = Home::new();
    let ledger = home.granted(10);
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::Locked { .. }), "{error}");
    answer(&ledger, ask("ada", "1", None), "42");
    let copy = home.folder.path().join("clone");
    copy_folder(&home.records(), &copy);
    let clone = Place::new(&copy, home.anchor());
    let error = refusal(Ledger::open(&clone, Options::default()));
    assert!(
        matches!(error, OpenError::Locked { .. }),
        "a copy that shares the anchor is locked out: {error}"
    );
    drop(ledger);
    let clone = Ledger::open(&clone, Options::default()).unwrap();
    assert_eq!(spent(&clone), 1);
    drop(clone);
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::AnchorAhead { .. }), "the original is now the old copy: {error}");
}

/// Two machines see the same anchor, and their locks do not see one another: the older writer must not append.
#[test]
fn a_writer_whose_epoch_is_over_stops() {
    let home = Home::new();
    let zombie = home.granted(10);
    answer(&zombie, ask("ada", "1", None), "42");
    let held = fresh(zombie.charge(ask("ada", "2", None)));
    let copy = home.folder.path().join("clone");
    copy_folder(&home.records(), &copy);
    let store = SqliteStore::open(&copy.join("ledger.sqlite")).unwrap();
    let successor =
        Ledger::open_on(Box::new(store), Box::new(AnchorFile::new(home.anchor())), Options::default())
            .unwrap();
    answer(&successor, ask("ada", "3", None), "42");
    let before = zombie.balance(SCOPE).unwrap().unwrap();
    assert_eq!(
        zombie.record(held, b"42"),
        Err(LedgerError::Stopped),
        "an answer paid before is not given out"
    );
    assert_eq!(zombie.charge(ask("ada", "4", None)).unwrap_err(), ChargeError::Ledger(LedgerError::Stopped));
    assert_eq!(zombie.balance(SCOPE), Err(LedgerError::Stopped));
    assert_eq!(zombie.why_stopped().unwrap(), "the anchor has changed: another writer has taken over");
    assert_eq!((before.spent, spent(&successor)), (units(2 * TENTH), 3));
    successor.verify().unwrap();
    drop((zombie, successor));
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::AnchorAhead { .. }), "{error}");
}

#[test]
fn an_anchor_that_is_put_back_under_a_running_ledger_stops_it() {
    let home = Home::new();
    let ledger = home.granted(10);
    let anchor = AnchorFile::new(home.anchor()).read().unwrap().unwrap();
    answer(&ledger, ask("ada", "1", None), "42");
    AnchorFile::new(home.anchor()).write(&anchor).unwrap();
    assert!(ledger.charge(ask("ada", "2", None)).is_err());
    drop(ledger);
    assert_eq!(spent(&home.open()), 1, "the ledger is ahead of that anchor, which is fine");
}

#[test]
fn an_anchor_with_other_sums_is_refused() {
    let (home, _) = with_an_old_copy();
    let mut file = AnchorFile::new(home.anchor());
    let anchor = file.read().unwrap().unwrap();
    file.write(&Anchor { spent: vec![], ..anchor }).unwrap();
    let error = refusal(Ledger::open(&home.place(), Options::default()));
    assert!(matches!(error, OpenError::Damaged { seq: 9, .. }), "{error}");
}

#[test]
fn an_epoch_is_used_once() {
    let home = Home::new();
    drop(Ledger::open(&home.place(), repeatable(1)).unwrap());
    let error = refusal(Ledger::open(&home.place(), repeatable(1)));
    assert!(matches!(error, OpenError::EpochReused), "{error}");
    drop(Ledger::open(&home.place(), repeatable(2)).unwrap());
    assert_ne!(AnchorFile::new(home.anchor()).read().unwrap().unwrap().epoch, Epoch([1; 16]));
}
