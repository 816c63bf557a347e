//! Records that were changed, dropped, moved or added; bytes that rot.
//!
//! Who notices: a change within a record, a missing or moved one — the chain. A missing end — the anchor. A page of
//! the file whose structure is broken — SQLite, or the chain where SQLite reads it as other records. A damaged frame
//! of the log — SQLite drops it with all that follow, and the anchor notices.

use std::fs;
use std::path::{Path, PathBuf};

use pointillist_ledger::{Dataset, Decision, Ledger, LedgerReader, OpenError, Options, Place};
use rusqlite::Connection;

use crate::fixture::*;
use crate::publications::{approve, prepare, release};

/// A closed ledger of three answers, the last one prepared, approved and published, one lost answer and a repetition;
/// what it spent, in tenths.
fn small_ledger() -> Home {
    let home = Home::new();
    let ledger = home.granted(10);
    ledger.grant_share("bo", SCOPE, budget(5)).unwrap();
    let (name, scope) = ("table visits".to_owned(), Some(SCOPE.to_owned()));
    let dataset = Dataset { name, scope, source: "visits.csv".into(), unit: "row".into() };
    ledger.decide(vec![Decision::Dataset(dataset)]).unwrap();
    answer(&ledger, ask("ada", "1", Some("r1")), "42");
    drop(fresh(ledger.charge(ask("ada", "2", None))));
    answer(&ledger, ask("bo", "3", None), "43");
    repeat(ledger.charge(ask("bo", "1", Some("r1"))));
    prepare(&ledger, "4", "ada");
    approve(&ledger, "4", "bo").unwrap();
    release(&ledger, "4");
    home
}

const TRUTH: u128 = 4;

fn records(home: &Home) -> PathBuf {
    home.records().join("ledger.sqlite")
}

/// Runs SQL on the closed ledger, as somebody with access to the file could.
fn tamper(home: &Home, sql: &str) {
    Connection::open(records(home)).unwrap().execute_batch(sql).unwrap();
}

/// Reads the ledger without touching it.
fn audit(place: &Place) -> Result<u128, OpenError> {
    let audit = LedgerReader::read(place)?;
    Ok(audit.balance(SCOPE).map_or(0, |balance| balance.spent.loss_units / TENTH))
}

/// Specification: a beginning of the ledger never opens. Without its end it is an older copy.
#[test]
fn every_prefix_is_refused() {
    let home = small_ledger();
    let count = LedgerReader::read(&home.place()).unwrap().verified().records;
    for kept in (0..count).rev() {
        tamper(&home, &format!("DELETE FROM record WHERE seq > {kept}"));
        match audit(&home.place()) {
            Err(OpenError::AnchorAhead { seq, anchor_seq }) => assert_eq!((seq, anchor_seq), (kept, count)),
            other => panic!("{kept} records: {other:?}"),
        }
        assert!(Ledger::open(&home.place(), Options::default()).is_err());
    }
}

/// Specification: every flip of one bit of a body or a hash is found, and found where it is.
#[test]
fn every_flipped_bit_of_a_record_is_found() {
    let home = small_ledger();
    let connection = Connection::open(records(&home)).unwrap();
    connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
    let read = "SELECT seq, hash, body FROM record";
    let mut select = connection.prepare(read).unwrap();
    let rows: Vec<(u64, Vec<u8>, Vec<u8>)> = select
        .query_map([], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for (seq, hash, body) in rows {
        for (column, bytes) in [("hash", hash), ("body", body)] {
            let update = format!("UPDATE record SET {column} = ?1 WHERE seq = {seq}");
            // Every byte, and in each another bit: all bits would take minutes and the hash does not care which.
            for index in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[index] ^= 1 << (index % 8);
                connection.execute(&update, [&flipped]).unwrap();
                match audit(&home.place()) {
                    Err(OpenError::Damaged { seq: found, .. }) => assert_eq!(found, seq),
                    other => panic!("{column} of {seq}, byte {index}: {other:?}"),
                }
            }
            connection.execute(&update, [&bytes]).unwrap();
        }
    }
    assert_eq!(audit(&home.place()).unwrap(), TRUTH);
}

#[test]
fn swapped_duplicated_dropped_and_spliced_records_are_found() {
    let count = LedgerReader::read(&small_ledger().place()).unwrap().verified().records;
    let mut attacks = Vec::new();
    for seq in 1..count {
        let next = seq + 1;
        attacks.push(format!(
            "UPDATE record SET seq = -1 WHERE seq = {seq}; UPDATE record SET seq = {seq} WHERE seq = {next};
             UPDATE record SET seq = {next} WHERE seq = -1"
        ));
        attacks.push(format!("DELETE FROM record WHERE seq = {seq}"));
        attacks.push(format!(
            "DELETE FROM record WHERE seq = {seq};
             UPDATE record SET seq = -seq WHERE seq > {seq}; UPDATE record SET seq = -seq - 1 WHERE seq < 0"
        ));
        attacks
            .push(format!("INSERT INTO record SELECT {count} + 1, hash, body FROM record WHERE seq = {seq}"));
        attacks.push(format!(
            "UPDATE record SET body = (SELECT body FROM record WHERE seq = {next}) WHERE seq = {seq}"
        ));
    }
    let home = small_ledger();
    let whole = home.folder.path().join("whole");
    copy_folder(&home.records(), &whole);
    for attack in attacks {
        tamper(&home, &attack);
        assert!(matches!(audit(&home.place()), Err(OpenError::Damaged { .. })), "{attack}");
        fs::remove_dir_all(home.records()).unwrap();
        copy_folder(&whole, &home.records());
    }
    assert_eq!(audit(&home.place()).unwrap(), TRUTH);
}

/// Specification: whatever byte of the files rots, the ledger does not start, or starts with no less spent than the
/// truth and all records as they were. Both with the records still in the log and with all of them in the file.
/// Some 600 bytes of each file, in each another bit.
#[test]
fn a_rotten_byte_never_lowers_what_was_spent() {
    for is_checkpointed in [false, true] {
        let home = small_ledger();
        if is_checkpointed {
            let connection = Connection::open(records(&home)).unwrap();
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        }
        let truth = LedgerReader::read(&home.place()).unwrap().history().to_vec();
        let _ = fs::remove_file(home.records().join("ledger.sqlite-shm"));
        let (mut refused, mut unharmed) = (0, 0);
        for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
            let whole = fs::read(home.records().join(name)).unwrap_or_default();
            for index in (0..whole.len()).step_by((whole.len() / 600).max(1)) {
                let copy = home.folder.path().join("rotten");
                copy_folder(&home.records(), &copy);
                flip(&copy.join(name), &whole, index);
                match LedgerReader::read(&Place::new(&copy, home.anchor())) {
                    Ok(audit) => {
                        assert_eq!(audit.history(), truth, "{name} byte {index}");
                        unharmed += 1;
                    }
                    Err(_) => refused += 1,
                }
                fs::remove_dir_all(copy).unwrap();
            }
        }
        assert!(
            refused > 50 && unharmed > 50,
            "the flips reach records and free space: {refused} {unharmed}"
        );
    }
}

/// The same through `open`, which also writes: random places, a fixed seed.
#[test]
fn a_ledger_with_a_rotten_byte_opens_only_if_nothing_is_lost() {
    let home = small_ledger();
    let mut state = 20_260_914u64;
    for _ in 0..60 {
        for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
            let whole = fs::read(home.records().join(name)).unwrap();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let copy = home.folder.path().join("rotten");
            copy_folder(&home.records(), &copy);
            fs::copy(home.anchor(), copy.join("anchor")).unwrap();
            flip(&copy.join(name), &whole, (state >> 20) as usize % whole.len());
            if let Ok(ledger) = Ledger::open(&Place::new(&copy, copy.join("anchor")), Options::default()) {
                assert_eq!(spent(&ledger), TRUTH);
                answer(&ledger, ask("ada", "next", None), "45");
                ledger.verify().unwrap();
            }
            fs::remove_dir_all(copy).unwrap();
        }
    }
}

/// Specification: a log that ends anywhere, as after a loss of power, gives all that was acknowledged or nothing.
#[test]
fn a_log_cut_anywhere_is_whole_or_refused() {
    let home = small_ledger();
    let name = "ledger.sqlite-wal";
    let whole = fs::read(home.records().join(name)).unwrap();
    for length in (0..whole.len()).step_by(397) {
        let copy = home.folder.path().join("cut");
        copy_folder(&home.records(), &copy);
        fs::write(copy.join(name), &whole[..length]).unwrap();
        let _ = fs::remove_file(copy.join("ledger.sqlite-shm"));
        assert!(audit(&Place::new(&copy, home.anchor())).is_err(), "{length} of {} bytes", whole.len());
        fs::remove_dir_all(copy).unwrap();
    }
}

#[test]
fn a_file_that_is_no_ledger_is_refused() {
    let home = Home::new();
    fs::create_dir_all(home.records()).unwrap();
    fs::write(records(&home), "not a database, but long enough to have a header".repeat(9)).unwrap();
    assert!(Ledger::open(&home.place(), Options::default()).is_err());
    let home = small_ledger();
    tamper(&home, "PRAGMA user_version = 4");
    let error = Ledger::open(&home.place(), Options::default()).map(|_| ()).unwrap_err();
    assert!(matches!(error, OpenError::File { .. }), "{error}");
}

fn flip(path: &Path, whole: &[u8], index: usize) {
    let mut bytes = whole.to_vec();
    bytes[index] ^= 1 << (index % 8);
    fs::write(path, bytes).unwrap();
}
