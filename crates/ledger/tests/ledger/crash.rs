//! Every call to the disk fails once: before it did anything, or after it did everything.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pointillist_ledger::{
    Anchor, AnchorFile, ChargeError, Charged, Ledger, LedgerError, LedgerReader, OpenError, Options, Row,
    SqliteStore, Store, Witness,
};

use crate::fixture::*;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    Before,
    After,
}

/// From call number `at` on, nothing works. Call `at` itself may have done its work without saying so.
#[derive(Clone)]
pub struct Fault {
    at: usize,
    when: When,
    calls: Arc<AtomicUsize>,
}

impl Fault {
    pub fn new(at: usize, when: When) -> Self {
        Self { at, when, calls: Arc::default() }
    }

    pub fn has_fired(&self) -> bool {
        self.calls.load(Relaxed) > self.at
    }

    pub fn around<T>(&self, call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let number = self.calls.fetch_add(1, Relaxed);
        if number < self.at {
            return call();
        }
        if number == self.at && self.when == When::After {
            let _ = call();
        }
        Err(io::Error::other("the disk is gone"))
    }
}

struct Faulty<T>(T, Fault);

impl<T: Store> Store for Faulty<T> {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        self.1.around(|| self.0.read(from, count))
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        self.1.around(|| self.0.append(rows))
    }
}

impl<T: Witness> Witness for Faulty<T> {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        self.1.around(|| self.0.read())
    }

    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        self.1.around(|| self.0.write(anchor))
    }

    fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
        self.1.around(|| self.0.replace(found, anchor))
    }
}

fn open(home: &Home, fault: &Fault) -> Result<Ledger, OpenError> {
    std::fs::create_dir_all(home.records()).unwrap();
    let store = Faulty(SqliteStore::open(&home.records().join("ledger.sqlite")).unwrap(), fault.clone());
    let witness = Faulty(AnchorFile::new(home.anchor()), fault.clone());
    Ledger::open_on(Box::new(store), Box::new(witness), Options::default())
}

/// What clients have seen: the answer to each (analyst, request id).
#[derive(Default)]
struct Seen {
    answers: BTreeMap<(String, String), Vec<u8>>,
    /// Answers are told apart by this number, as noise would.
    noise: u32,
}

const BUDGET: u128 = 6;

/// Four questions for six tenths: fresh ones, a retry, repetitions by the same analyst and by another.
const REQUESTS: [(&str, &str, &str); 9] = [
    ("ada", "r1", "how many"),
    ("ada", "r1", "how many"),
    ("ada", "r2", "how many"),
    ("bo", "r1", "how many"),
    ("bo", "r2", "how tall"),
    ("ada", "r3", "how tall"),
    ("ada", "r4", "how old"),
    ("bo", "r3", "how far"),
    ("bo", "r4", "how far"),
];

impl Seen {
    /// Opens the ledger and makes all requests, until something fails.
    fn session(&mut self, home: &Home, fault: &Fault) -> Result<(), LedgerError> {
        let ledger = open(home, fault).map_err(|_| LedgerError::Stopped)?;
        let outcome = self.serve(&ledger);
        if outcome.is_err() {
            let after = ledger.charge(ask("ada", "after the fault", None)).map(|_| ());
            assert_eq!(
                after,
                Err(ChargeError::Ledger(LedgerError::Stopped)),
                "a stopped ledger stays stopped"
            );
            assert!(ledger.why_stopped().is_some());
        }
        outcome
    }

    fn serve(&mut self, ledger: &Ledger) -> Result<(), LedgerError> {
        let stopped = |_| LedgerError::Stopped;
        if ledger.granted(SCOPE)?.is_none() {
            ledger.grant_scope(SCOPE, budget(BUDGET)).map_err(stopped)?;
        }
        if ledger.granted_share(SCOPE, "bo")?.is_none() {
            ledger.grant_share("bo", SCOPE, budget(4)).map_err(stopped)?;
        }
        for (analyst, request_id, question) in REQUESTS {
            let answer = match ledger.charge(ask(analyst, question, Some(request_id))) {
                Ok(Charged::Fresh(receipt)) => {
                    self.noise += 1;
                    let answer = format!("{question}: {}", self.noise).into_bytes();
                    ledger.record(receipt, &answer)?;
                    answer
                }
                Ok(Charged::Repeat(repeated)) => repeated.answer,
                Err(
                    ChargeError::Spent { .. }
                    | ChargeError::Exhausted { .. }
                    | ChargeError::ScopeExhausted { .. },
                ) => continue,
                Err(ChargeError::Ledger(error)) => return Err(error),
                Err(error) => panic!("{error}"),
            };
            let key = (analyst.to_owned(), request_id.to_owned());
            let known = self.answers.entry(key).or_insert_with(|| answer.clone());
            assert_eq!(*known, answer, "one id has one answer");
        }
        Ok(())
    }

    /// Σ cost of the answers seen ≤ spent ≤ budget, for the scope and for each analyst.
    fn check(&self, home: &Home) {
        let ledger = open(home, &Fault::new(usize::MAX, When::Before)).unwrap();
        let count = |analyst: Option<&str>| {
            let is_theirs = |key: &(String, String)| analyst.is_none_or(|analyst| key.0 == analyst);
            let mut answers: Vec<_> =
                self.answers.iter().filter(|(key, _)| is_theirs(key)).map(|(_, answer)| answer).collect();
            answers.sort();
            answers.dedup();
            answers.len() as u128
        };
        let scope_spent = spent(&ledger);
        assert!(count(None) <= scope_spent && scope_spent <= BUDGET, "{} {scope_spent}", count(None));
        for analyst in ["ada", "bo"] {
            let share =
                ledger.share(SCOPE, analyst).unwrap().map_or(0, |share| share.spent.loss_units / TENTH);
            assert!(count(Some(analyst)) <= share, "{analyst} has seen more than they paid for");
        }
        ledger.verify().unwrap();
    }
}

/// Specification: whichever call the disk fails on, what clients have seen was paid for, and no id has two answers;
/// after the restart and after a second failure at any call as well.
#[test]
fn a_failure_at_any_call_never_refunds_and_never_answers_twice() {
    for when in [When::Before, When::After] {
        for at in 0.. {
            let (home, mut seen, fault) = (Home::new(), Seen::default(), Fault::new(at, when));
            let outcome = seen.session(&home, &fault);
            assert_eq!(
                outcome.is_err(),
                fault.has_fired(),
                "no failure passes unnoticed: {when:?} call {at}"
            );
            seen.check(&home);
            let second = Fault::new(at % 17, when);
            let _ = seen.session(&home, &second);
            seen.check(&home);
            seen.session(&home, &Fault::new(usize::MAX, when)).unwrap();
            seen.check(&home);
            if !fault.has_fired() {
                assert!(at > 20, "the run without a fault has visited every call");
                assert_eq!(seen.answers.len(), REQUESTS.len() - 1, "one of them is a retry");
                break;
            }
        }
    }
}

/// Specification: when the disk fails under many threads at once, everybody is told the same, and nobody has an
/// answer that was not paid for.
#[test]
fn a_failure_under_load_stops_everybody() {
    for at in [9, 12, 15, 20, 33] {
        for when in [When::Before, When::After] {
            let (home, fault) = (Home::new(), Fault::new(at, when));
            let ledger = open(&home, &fault).unwrap();
            ledger.grant_scope(SCOPE, budget(1000)).unwrap();
            let answered = AtomicUsize::new(0);
            std::thread::scope(|threads| {
                for thread in 0..16 {
                    let (ledger, answered) = (&ledger, &answered);
                    threads.spawn(move || {
                        for count in 0..50 {
                            let stopped = ChargeError::Ledger(LedgerError::Stopped);
                            match ledger.charge(ask("ada", &format!("{thread} {count}"), None)) {
                                Ok(Charged::Fresh(receipt)) => match ledger.record(receipt, b"42") {
                                    Ok(_) => drop(answered.fetch_add(1, Relaxed)),
                                    Err(error) => return assert_eq!(error, LedgerError::Stopped),
                                },
                                Ok(Charged::Repeat(_)) => panic!("nobody asked this before"),
                                Err(error) => return assert_eq!(error, stopped),
                            }
                        }
                        panic!("the ledger went on without a disk");
                    });
                }
            });
            assert_eq!(ledger.why_stopped().as_deref(), Some("the disk is gone"));
            drop(ledger);
            let spent = spent(&open(&home, &Fault::new(usize::MAX, when)).unwrap());
            assert!(answered.into_inner() as u128 <= spent);
        }
    }
}

/// Specification: a receipt in hand means that the debit is on disk and in the anchor; so does a recorded answer.
#[test]
fn what_was_acknowledged_is_on_disk_and_in_the_anchor() {
    let home = Home::new();
    let ledger = home.granted(10);
    let on_disk = || {
        let anchor = AnchorFile::new(home.anchor()).read().unwrap().unwrap();
        let audit = LedgerReader::read(&home.place()).unwrap();
        assert_eq!((anchor.seq, anchor.head), (audit.verified().records, audit.verified().head));
        assert_eq!(anchor.spent, audit.verified().spent);
        (anchor.seq, anchor.head)
    };
    let receipt = fresh(ledger.charge(ask("ada", "how many", None)));
    assert_eq!((receipt.seq(), receipt.hash()), on_disk());
    let recorded = ledger.record(receipt, b"42").unwrap();
    assert_eq!((recorded.seq, recorded.hash), on_disk());
    repeat(ledger.charge(ask("bo", "how many", None)));
    assert_eq!(recorded.seq + 1, on_disk().0, "another analyst's payment, too, before they get the answer");
}

struct Panicking<T>(T);

impl<T: Store> Store for Panicking<T> {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        self.0.read(from, count)
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        assert!(rows[0].seq < 10, "a bug in the store");
        self.0.append(rows)
    }
}

/// Specification: a panic while writing stops the ledger like any failure, and leaves nobody waiting.
#[test]
fn a_panic_while_writing_stops_everybody() {
    let home = Home::new();
    std::fs::create_dir_all(home.records()).unwrap();
    let store = Panicking(SqliteStore::open(&home.records().join("ledger.sqlite")).unwrap());
    let witness = AnchorFile::new(home.anchor());
    let ledger = Ledger::open_on(Box::new(store), Box::new(witness), Options::default()).unwrap();
    ledger.grant_scope(SCOPE, budget(100)).unwrap();
    std::thread::scope(|threads| {
        for thread in 0..16 {
            let ledger = &ledger;
            threads.spawn(move || {
                for count in 0.. {
                    match ledger.charge(ask("ada", &format!("{thread} {count}"), None)) {
                        Ok(_) => continue,
                        Err(error) => return assert_eq!(error, ChargeError::Ledger(LedgerError::Stopped)),
                    }
                }
            });
        }
    });
    assert_eq!(ledger.why_stopped().as_deref(), Some("a panic while writing"));
    drop(ledger);
    home.open().verify().unwrap();
}
