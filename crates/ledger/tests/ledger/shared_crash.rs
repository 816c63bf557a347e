//! A server of several fails at every call: before it did anything, or after it did everything. The others go on.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pointillist_ledger::{Anchor, ChargeError, Charged, Ledger, LedgerError, Options, Row, Store, Witness};

use crate::cluster::*;
use crate::crash::{Fault, When};
use crate::fixture::*;

pub struct Faulty<T: ?Sized>(pub Box<T>, pub Fault);

impl Store for Faulty<dyn Store> {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        self.1.around(|| self.0.read(from, count))
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        self.1.around(|| self.0.append(rows))
    }

    fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    fn begin(&mut self) -> io::Result<()> {
        self.1.around(|| self.0.begin())
    }

    fn rehearse(&mut self) -> io::Result<()> {
        self.1.around(|| self.0.rehearse())
    }

    fn end(&mut self) -> io::Result<()> {
        self.1.around(|| self.0.end())
    }
}

impl Witness for Faulty<dyn Witness> {
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

fn faulty(cluster: &dyn Cluster, fault: &Fault) -> Result<Ledger, LedgerError> {
    let store = Faulty(cluster.store(), fault.clone());
    let witness = Faulty(cluster.witness(), fault.clone());
    Ledger::open_on(Box::new(store), Box::new(witness), Options::default()).map_err(|_| LedgerError::Stopped)
}

const BUDGET: u128 = 6;
/// Who asks, under which id, for what.
type Request = (&'static str, &'static str, &'static str);

pub const REQUESTS: [Request; 7] = [
    ("ada", "r1", "how many"),
    ("ada", "r1", "how many"),
    ("bo", "r1", "how many"),
    ("bo", "r2", "how tall"),
    ("ada", "r3", "how tall"),
    ("ada", "r4", "how old"),
    ("bo", "r3", "how far"),
];

/// What clients of all servers have seen.
#[derive(Default)]
struct Seen {
    answers: BTreeMap<(String, String), Vec<u8>>,
    noise: u32,
}

impl Seen {
    fn ask(&mut self, ledger: &Ledger, request: (&str, &str, &str)) -> Result<(), LedgerError> {
        let (analyst, id, question) = request;
        let answer = match ledger.charge(ask(analyst, question, Some(id))) {
            Ok(Charged::Fresh(receipt)) => {
                self.noise += 1;
                let answer = format!("{question}: {}", self.noise).into_bytes();
                ledger.record(receipt, &answer)?;
                answer
            }
            Ok(Charged::Repeat(repeated)) => repeated.answer,
            // The other server may have died with it.
            Err(ChargeError::InFlight { .. } | ChargeError::Spent { .. } | ChargeError::Exhausted { .. }) => {
                return Ok(());
            }
            Err(ChargeError::Ledger(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        };
        let known = self.answers.entry((analyst.into(), id.into())).or_insert_with(|| answer.clone());
        assert_eq!(*known, answer, "one id has one answer");
        Ok(())
    }

    /// Both servers ask in turns, the one that fails first.
    fn session(
        &mut self,
        requests: &[Request],
        cluster: &dyn Cluster,
        healthy: &Ledger,
        fault: &Fault,
    ) -> Result<(), LedgerError> {
        let mut failing = faulty(cluster, fault);
        for &request in requests {
            if let Ok(ledger) = &failing
                && let Err(error) = self.ask(ledger, request)
            {
                assert_eq!(error, LedgerError::Stopped);
                assert!(ledger.why_stopped().is_some());
                failing = Err(error);
            }
            self.ask(healthy, request).expect("the healthy server goes on");
        }
        failing.map(|_| ())
    }

    /// Σ cost of the answers seen ≤ spent ≤ budget.
    fn check(&self, cluster: &dyn Cluster) {
        let ledger = cluster.server();
        let mut answers: Vec<_> = self.answers.values().collect();
        answers.sort();
        answers.dedup();
        let (seen, spent) = (answers.len() as u128, spent(&ledger));
        assert!(seen <= spent && spent <= BUDGET, "{seen} seen, {spent} spent");
        ledger.verify().unwrap();
    }
}

/// Specification: whichever call fails on one server, what clients of all servers have seen was paid for, no id has two
/// answers, and the other server goes on as if nothing had happened.
pub fn a_failure_at_any_call_of_one_server(requests: &[Request], new: impl Fn() -> Box<dyn Cluster>) {
    for when in [When::Before, When::After] {
        for at in 0.. {
            let (cluster, mut seen, fault) = (new(), Seen::default(), Fault::new(at, when));
            let healthy = cluster.servers(1, BUDGET).remove(0);
            let outcome = seen.session(requests, &*cluster, &healthy, &fault);
            let fired = fault.has_fired();
            assert!(fired || outcome.is_ok(), "{when:?} call {at}: {outcome:?}");
            drop(healthy);
            seen.check(&*cluster);
            if !fired {
                assert!(at > 20, "the run without a fault has visited every call");
                break;
            }
        }
    }
}

#[test]
fn a_failure_at_any_call_of_one_server_in_memory() {
    a_failure_at_any_call_of_one_server(&REQUESTS, || Box::new(Memory::default()));
}

/// Specification: where the end of a commit is unknown, the charge fails, and what landed is spent for everybody.
#[test]
fn an_uncertain_commit_is_spent_and_answered_to_nobody() {
    struct Uncertain(Box<dyn Store>);
    impl Store for Uncertain {
        fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
            self.0.read(from, count)
        }
        fn append(&mut self, rows: &[Row]) -> io::Result<()> {
            self.0.append(rows)?;
            if rows[0].seq > 3 { Err(io::Error::other("connection lost")) } else { Ok(()) }
        }
        fn is_shared(&self) -> bool {
            true
        }
        fn begin(&mut self) -> io::Result<()> {
            self.0.begin()
        }
        fn end(&mut self) -> io::Result<()> {
            self.0.end()
        }
    }
    let memory = Memory::default();
    let healthy = memory.servers(1, 1).remove(0);
    let store = Uncertain(memory.store());
    let uncertain = Ledger::open_on(Box::new(store), memory.witness(), Options::default()).unwrap();
    let stopped = ChargeError::Ledger(LedgerError::Stopped);
    assert_eq!(uncertain.charge(ask("ada", "how many", Some("r1"))).unwrap_err(), stopped);
    assert_eq!(spent(&healthy), 1, "whoever wrote it");
    assert!(matches!(healthy.charge(ask("ada", "how old", None)), Err(ChargeError::Exhausted { .. })));
    let again = healthy.charge(ask("ada", "how many", Some("r1")));
    assert!(matches!(again, Err(ChargeError::InFlight { .. })), "nobody has an answer: {again:?}");
}

/// Specification: a server that is cut off between its commit and its anchor cannot put an older anchor back over what
/// the others wrote meanwhile, and tells nobody that it was paid.
#[test]
fn a_server_that_is_cut_off_in_its_turn_does_not_turn_the_anchor_back() {
    struct CutOff {
        memory: Memory,
        witness: Box<dyn Witness>,
        turns: AtomicUsize,
        other: Option<Ledger>,
    }
    impl Witness for CutOff {
        fn read(&mut self) -> io::Result<Option<Anchor>> {
            self.witness.read()
        }
        fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
            self.witness.write(anchor)
        }
        fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
            // The first turn joins; in the second, the session is lost here and another server has a whole turn.
            if self.turns.fetch_add(1, Relaxed) == 1 {
                self.memory.room.cut_off();
                answer(self.other.as_ref().unwrap(), ask("bo", "how far", None), "7");
            }
            self.witness.replace(found, anchor)
        }
    }
    let memory = Memory::default();
    let other = Some(memory.servers(1, 50).remove(0));
    let witness =
        CutOff { memory: memory.clone(), witness: memory.witness(), turns: AtomicUsize::new(0), other };
    let frozen = Ledger::open_on(memory.store(), Box::new(witness), Options::default()).unwrap();
    let stopped = ChargeError::Ledger(LedgerError::Stopped);
    assert_eq!(frozen.charge(ask("ada", "how many", None)).unwrap_err(), stopped);
    let (anchor, rows) =
        (memory.anchor.lock().unwrap().clone().unwrap(), memory.room.rows.lock().unwrap().len());
    assert_eq!(anchor.seq, rows as u64, "the anchor is the other server's");
    assert_eq!(spent(&memory.server()), 2, "both payments count");
}

/// Specification: a panic in a turn stops that server, leaves nobody waiting, and lets the others go on.
#[test]
fn a_panic_in_a_turn_lets_the_others_go_on() {
    struct Panicking(Box<dyn Witness>);
    impl Witness for Panicking {
        fn read(&mut self) -> io::Result<Option<Anchor>> {
            self.0.read()
        }
        fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
            self.0.write(anchor)
        }
        fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
            assert!(anchor.seq < 10, "a bug in the witness");
            self.0.replace(found, anchor)
        }
    }
    let memory = Memory::default();
    let healthy = memory.servers(1, 50).remove(0);
    let witness = Panicking(memory.witness());
    let ledger = Ledger::open_on(memory.store(), Box::new(witness), Options::default()).unwrap();
    std::thread::scope(|threads| {
        for thread in 0..8 {
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
    answer(&healthy, ask("ada", "how many", None), "42");
    healthy.verify().unwrap();
}
