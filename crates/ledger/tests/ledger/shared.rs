//! One budget, several servers: what holds for every shared store. The same functions run over PostgreSQL.

use std::collections::HashSet;
use std::io;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pointillist_ledger::{
    Account, Anchor, Approval, Charge, ChargeError, Charged, Dataset, Decision, Digest, Epoch, FenceError,
    GrantError, Ledger, LedgerError, OpenError, Options, Premises, Preparation, SqliteStore, Witness,
};

use pointillist_privacy::{Currency, Price};

use crate::cluster::*;
use crate::fixture::*;

/// Specification: three servers with sixteen threads each ask for what fits 50 times; exactly 50 receipts are handed out,
/// and every server knows it.
pub fn fifty_of_fifty(cluster: &dyn Cluster) {
    let servers = cluster.servers(3, 50);
    let (admitted, start) = (AtomicUsize::new(0), Barrier::new(48));
    std::thread::scope(|threads| {
        for thread in 0..48 {
            let (ledger, admitted, start) = (&servers[thread % 3], &admitted, &start);
            threads.spawn(move || {
                start.wait();
                for count in 0..3 {
                    let question = format!("{thread} {count}");
                    match ledger.charge(ask("ada", &question, None)) {
                        Ok(Charged::Fresh(receipt)) => {
                            admitted.fetch_add(1, Relaxed);
                            ledger.record(receipt, question.as_bytes()).unwrap();
                        }
                        Ok(Charged::Repeat(repeated)) => panic!("nobody asked this before: {repeated:?}"),
                        Err(ChargeError::Exhausted { .. }) => {}
                        Err(error) => panic!("{error}: {:?}", ledger.why_stopped()),
                    }
                }
            });
        }
    });
    assert_eq!(admitted.into_inner(), 50);
    for server in &servers {
        assert_eq!(spent(server), 50);
        server.verify().unwrap();
    }
}

/// Specification: one request id on all servers at once is paid for once and has one answer.
pub fn one_id_pays_once(cluster: &dyn Cluster) {
    let servers = cluster.servers(3, 50);
    let start = Barrier::new(12);
    let answers: HashSet<Vec<u8>> = std::thread::scope(|threads| {
        let start = &start;
        let ask_again = move |ledger: &Ledger, thread: usize| {
            start.wait();
            loop {
                match ledger.charge(ask("ada", "how many", Some("r1"))) {
                    Ok(Charged::Fresh(receipt)) => {
                        let answer = thread.to_string().into_bytes();
                        ledger.record(receipt, &answer).unwrap();
                        return answer;
                    }
                    Ok(Charged::Repeat(repeated)) => return repeated.answer,
                    Err(ChargeError::InFlight { .. }) => std::thread::yield_now(),
                    Err(error) => panic!("{error}"),
                }
            }
        };
        let spawn = |thread: usize| {
            let ledger = &servers[thread % 3];
            threads.spawn(move || ask_again(ledger, thread))
        };
        let threads: Vec<_> = (0..12).map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), 1);
    assert!(servers.iter().all(|server| spent(server) == 1));
}

/// Specification: what one server has recorded another gives out again, for the same money as one server would.
pub fn answers_are_shared(cluster: &dyn Cluster) {
    let servers = cluster.servers(2, 50);
    let [a, b] = &servers[..] else { panic!("two servers") };
    a.grant_share("bo", SCOPE, budget(5)).unwrap();
    answer(a, ask("ada", "how many", Some("r1")), "42");
    assert_eq!(repeat(b.charge(ask("ada", "how many", None))), (b"42".to_vec(), 0));
    assert_eq!(repeat(b.charge(ask("ada", "how many", Some("r1")))), (b"42".to_vec(), 0));
    assert_eq!(repeat(b.charge(ask("bo", "how many", None))), (b"42".to_vec(), 1), "from the share alone");
    let conflict = b.charge(Charge { request: Digest([9; 32]), ..ask("ada", "how many", Some("r1")) });
    assert!(matches!(conflict, Err(ChargeError::Conflict { .. })));
    assert_eq!((spent(a), spent(b)), (1, 1));
    assert_eq!(a.share(SCOPE, "bo").unwrap().unwrap().spent, units(TENTH), "what b wrote, a knows");
    assert_eq!(a.held(SCOPE, "bo", &ask("bo", "how many", None).question).unwrap().len(), 1);
    let foreign = fresh(a.charge(ask("ada", "how old", None)));
    assert_eq!(b.record(foreign, b"43"), Err(LedgerError::ForeignReceipt));
}

/// Specification: a server that was taken out hands out no receipt and records no answer; what it had reserved stays spent.
pub fn a_fenced_server_stops(cluster: &dyn Cluster) {
    let servers = cluster.servers(2, 50);
    let [a, b] = &servers[..] else { panic!("two servers") };
    let held = fresh(a.charge(ask("ada", "how many", Some("r1"))));
    assert!(matches!(b.charge(ask("ada", "how many", Some("r1"))), Err(ChargeError::InFlight { .. })));
    assert_eq!(b.fence(Epoch([7; 16])).unwrap_err(), FenceError::Nobody);
    assert_eq!(b.fence(b.epoch()).unwrap_err(), FenceError::Oneself);
    assert_eq!(b.servers().unwrap().len(), 2);
    b.fence(a.epoch()).unwrap();
    assert_eq!(b.servers().unwrap(), [b.epoch()]);
    assert_eq!(a.record(held, b"42"), Err(LedgerError::Stopped));
    let stopped = ChargeError::Ledger(LedgerError::Stopped);
    assert_eq!(a.charge(ask("ada", "how old", None)).unwrap_err(), stopped);
    assert_eq!(a.why_stopped().as_deref(), Some("this server was taken out by the owner"));
    assert!(matches!(b.charge(ask("ada", "how many", Some("r1"))), Err(ChargeError::Spent { .. })));
    assert_eq!(spent(b), 1, "what it had reserved stays spent");
    b.verify().unwrap();
}

/// Specification: a server that ends says so, and nobody waits for what it had begun.
pub fn a_server_that_ends_says_so(cluster: &dyn Cluster) {
    let mut servers = cluster.servers(2, 50);
    let a = servers.remove(0);
    let b = &servers[0];
    let _held = fresh(a.charge(ask("ada", "how many", Some("r1"))));
    drop(a);
    assert!(matches!(b.charge(ask("ada", "how many", Some("r1"))), Err(ChargeError::Spent { .. })));
    assert_eq!((b.servers().unwrap().len(), spent(b)), (1, 1));
}

/// Specification: a server that dies between its two writes leaves its records ahead of the anchor; the next turn of any
/// server, even one that writes nothing, makes up for that before it answers.
pub fn the_anchor_is_caught_up(cluster: &dyn Cluster) {
    let servers = cluster.servers(2, 1);
    let [dead, other] = &servers[..] else { panic!("two servers") };
    let unknown = || ask("nobody", "?", None);
    let too_much = |ledger: &Ledger| ledger.charge(Charge { price: ten_tenths(), ..unknown() });
    assert!(matches!(too_much(other), Err(ChargeError::Exhausted { .. })));
    let before = cluster.witness().read().unwrap().unwrap();
    answer(dead, ask("ada", "how many", None), "42");
    let after = cluster.witness().read().unwrap().unwrap();
    // As if the last writer had died before it wrote the anchor.
    cluster.witness().write(&before).unwrap();
    assert!(matches!(too_much(other), Err(ChargeError::Exhausted { .. })));
    let caught_up = cluster.witness().read().unwrap().unwrap();
    assert_eq!((caught_up.seq, caught_up.head, caught_up.spent), (after.seq, after.head, after.spent));
    // And the same by one that opens the ledger.
    cluster.witness().write(&before).unwrap();
    let opened = cluster.server();
    let Anchor { seq, .. } = cluster.witness().read().unwrap().unwrap();
    assert_eq!((seq, spent(&opened)), (after.seq + 1, 1), "one record more: it joined");
}

fn ten_tenths() -> Price {
    Price::from_units(Currency::Zcdp, units(10 * TENTH)).unwrap()
}

/// Specification: an anchor that is put back under running servers stops them.
pub fn an_anchor_that_is_put_back_stops_everybody(cluster: &dyn Cluster) {
    let servers = cluster.servers(2, 50);
    let old = cluster.witness().read().unwrap().unwrap();
    answer(&servers[0], ask("ada", "how many", None), "42");
    assert_eq!(repeat(servers[1].charge(ask("ada", "how many", None))).0, b"42");
    cluster.witness().write(&old).unwrap();
    for server in &servers {
        assert!(server.charge(ask("ada", "how old", None)).is_err());
        assert!(server.why_stopped().unwrap().starts_with("the anchor was put back"));
    }
    assert_eq!(spent(&cluster.server()), 1, "the ledger is ahead of that anchor, which is fine");
}

/// Specification: a store that was put back to an older copy answers nobody: neither those who knew better nor those who
/// come, for the anchor has seen more.
pub fn a_restored_store_is_noticed(
    cluster: &dyn Cluster,
    mut back_up: impl FnMut(),
    mut restore: impl FnMut(),
) {
    let servers = cluster.servers(2, 50);
    answer(&servers[0], ask("ada", "1", None), "42");
    back_up();
    let behind = cluster.server();
    answer(&servers[0], ask("ada", "2", None), "42");
    answer(&servers[1], ask("ada", "3", None), "42");
    // It has looked while it could, and does not look again before the store is an older one.
    assert_eq!(spent(&behind), 3);
    restore();
    for server in servers.iter().chain([&behind]) {
        let stopped = ChargeError::Ledger(LedgerError::Stopped);
        assert_eq!(server.charge(ask("ada", "4", None)).unwrap_err(), stopped);
        println!("{:?}", server.why_stopped());
    }
    assert!(matches!(cluster.open(), Err(OpenError::AnchorAhead { .. })));
}

macro_rules! in_memory {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            super::$name(&Memory::default());
        })*
    };
}

mod memory {
    use crate::cluster::Memory;

    in_memory!(
        fifty_of_fifty,
        one_id_pays_once,
        answers_are_shared,
        a_fenced_server_stops,
        a_server_that_ends_says_so,
        the_anchor_is_caught_up,
        an_anchor_that_is_put_back_stops_everybody,
    );

    #[test]
    fn a_restored_store_is_noticed() {
        let memory = Memory::default();
        let copy = std::cell::RefCell::new(Vec::new());
        let back_up = || *copy.borrow_mut() = memory.room.rows.lock().unwrap().clone();
        super::a_restored_store_is_noticed(&memory, back_up, || {
            *memory.room.rows.lock().unwrap() = copy.borrow().clone();
        });
    }
}

/// Specification: a server whose own view is older than the backup is stopped by the anchor alone: its last row is still
/// there, and nothing but the anchor knows that there was more.
#[test]
fn a_server_that_was_idle_since_before_the_backup_is_stopped_by_the_anchor() {
    let memory = Memory::default();
    let servers = memory.servers(2, 50);
    assert_eq!(spent(&servers[1]), 0);
    let backup = memory.room.rows.lock().unwrap().clone();
    answer(&servers[0], ask("ada", "1", None), "42");
    *memory.room.rows.lock().unwrap() = backup;
    assert!(servers[1].charge(ask("ada", "2", None)).is_err());
    let cause = servers[1].why_stopped().unwrap();
    assert!(cause.contains("but the anchor has seen record"), "{cause}");
}

/// Specification: while another server holds the store for too long nothing is charged, and afterwards everything goes on.
#[test]
fn a_store_that_is_held_for_too_long_is_busy() {
    let memory = Memory::default();
    let servers = memory.servers(1, 50);
    let turn = memory.room.begin().unwrap();
    let busy = ChargeError::Ledger(LedgerError::Busy);
    assert_eq!(servers[0].charge(ask("ada", "how many", Some("r1"))).unwrap_err(), busy);
    memory.room.end(turn);
    assert_eq!(spent(&servers[0]), 0);
    answer(&servers[0], ask("ada", "how many", Some("r1")), "42");
}

/// Specification: whoever asks while a turn is taken queues, and the next turn takes all of them: far fewer turns than
/// charges.
#[test]
fn charges_that_queue_are_written_together() {
    let memory = Memory::default();
    let servers = memory.servers(1, 1000);
    let before = *memory.room.appends.lock().unwrap();
    let turn = memory.room.begin().unwrap();
    std::thread::scope(|threads| {
        for thread in 0..32 {
            let ledger = &servers[0];
            threads.spawn(move || drop(fresh(ledger.charge(ask("ada", &thread.to_string(), None)))));
        }
        // All of them have asked, and one of them waits for the turn.
        std::thread::sleep(std::time::Duration::from_millis(300));
        memory.room.end(turn);
    });
    let turns = *memory.room.appends.lock().unwrap() - before;
    assert!(turns <= 4, "32 charges took {turns} turns");
    assert_eq!(spent(&servers[0]), 32);
}

/// Specification: an answer that is paid for is recorded however long another server holds the store, and nobody loses it.
#[test]
fn an_answer_that_is_paid_for_waits_for_its_turn() {
    let memory = Memory::default();
    let servers = memory.servers(1, 50);
    let [first, second, third] =
        ["r1", "r2", "r3"].map(|id| fresh(servers[0].charge(ask("ada", id, Some(id)))));
    let turn = memory.room.begin().unwrap();
    let start = std::time::Instant::now();
    std::thread::scope(|threads| {
        let one = threads.spawn(|| servers[0].record(first, b"42"));
        let several =
            threads.spawn(|| servers[0].record_all(vec![(second, b"43".to_vec()), (third, b"44".to_vec())]));
        // Longer than anybody waits for a turn; who asks meanwhile is told so.
        let busy = ChargeError::Ledger(LedgerError::Busy);
        assert_eq!(servers[0].charge(ask("ada", "how old", None)).unwrap_err(), busy);
        assert_eq!(servers[0].charge(ask("ada", "how old", None)).unwrap_err(), busy);
        memory.room.end(turn);
        assert!(one.join().unwrap().is_ok());
        assert!(several.join().unwrap().iter().all(Result::is_ok));
    });
    assert!(start.elapsed() > std::time::Duration::from_secs(3));
    assert_eq!(repeat(servers[0].charge(ask("ada", "r1", Some("r1")))).0, b"42");
    assert_eq!(spent(&servers[0]), 3);
}

/// Specification: a server that gets no turn says that the ledger is in use, so that it may be tried again, and does not wait
/// a second time to say goodbye.
#[test]
fn opening_a_store_that_is_held_says_that_it_is_in_use() {
    let memory = Memory::default();
    drop(memory.servers(1, 50));
    let turn = memory.room.begin().unwrap();
    let start = std::time::Instant::now();
    let refusal = memory.open().map(|_| ()).unwrap_err();
    assert!(matches!(refusal, OpenError::Ledger(LedgerError::Busy)), "{refusal}");
    assert_eq!(pointillist_errors::Explained::kind(&refusal), pointillist_errors::Kind::LedgerInUse);
    assert!(start.elapsed() < std::time::Duration::from_millis(3500), "{:?}", start.elapsed());
    memory.room.end(turn);
    memory.server();
}

/// Specification: a server whose catalog says of a table what it was told before sells nothing more once the owner has said
/// otherwise, through whichever server. What exists is given again; what it had sold is recorded.
#[test]
fn a_server_with_an_old_catalog_sells_nothing() {
    let memory = Memory::default();
    let servers = memory.servers(2, 50);
    let [a, b] = &servers[..] else { panic!("two servers") };
    let dataset = |name: &str, unit: &str| Dataset {
        name: name.into(),
        scope: Some(SCOPE.into()),
        source: "visits.csv".into(),
        unit: unit.into(),
    };
    let told = [dataset("table visits", "row"), dataset("table others", "row")];
    a.decide(told.iter().cloned().map(Decision::Dataset).collect()).unwrap();
    let premises = || Premises { datasets: told.clone().into(), approval: None };
    let paid = fresh(a.charge_if(ask("ada", "how many", None), premises()));
    b.decide(vec![Decision::Dataset(dataset("table visits", "column patient"))]).unwrap();
    let refused = a.charge_if(ask("ada", "how old", None), premises()).unwrap_err();
    assert_eq!(refused, ChargeError::Redeclared { name: "table visits".into() });
    a.record(paid, b"42").unwrap();
    assert_eq!(repeat(a.charge_if(ask("ada", "how many", None), premises())).0, b"42");
    let known = Premises { datasets: vec![dataset("table visits", "column patient")].into(), approval: None };
    drop(fresh(b.charge_if(ask("ada", "how old", None), known)));
    assert_eq!(spent(a), 2);
}

/// Specification: one approval pays once, on whichever servers it was looked at.
#[test]
fn one_approval_pays_once_on_two_servers() {
    let memory = Memory::default();
    let servers = memory.servers(2, 50);
    let charge = ask("owner", "the tables", None);
    let plan = charge.request;
    let who = "ana".to_owned();
    servers[0].prepare(Preparation { name: "visits".into(), plan, price: tenth(), who }).unwrap();
    let premises = || Premises { approval: Some(plan), ..Premises::default() };
    let early = servers[1].charge_if(charge.clone(), premises()).unwrap_err();
    assert_eq!(early, ChargeError::NotApproved);
    servers[1].approve(Approval { plan, who: "bo".into() }).unwrap();
    // Both look before either pays.
    assert!(servers.iter().all(|server| server.prepared(&plan).unwrap().unwrap().is_approved()));
    drop(fresh(servers[0].charge_if(charge.clone(), premises())));
    assert_eq!(servers[1].charge_if(charge, premises()).unwrap_err(), ChargeError::NotApproved);
    assert_eq!(spent(&servers[1]), 1);
}

/// Specification: what was looked at is decided upon only if nobody has decided anything since, of whatever kind.
#[test]
fn a_decision_follows_from_what_was_looked_at() {
    let memory = Memory::default();
    let servers = [memory.server(), memory.server()];
    let [seen, also_seen] = servers.each_ref().map(|server| server.decided().unwrap());
    assert_eq!((seen, also_seen), (0, 0));
    let grant = |scope: &str, tenths| {
        let account = Account { scope: scope.into(), analyst: None };
        vec![Decision::Grant { account, budget: budget(tenths) }]
    };
    servers[0].decide_after(seen, grant(SCOPE, 2)).unwrap();
    for late in [grant(SCOPE, 5), grant("others", 5)] {
        assert_eq!(servers[1].decide_after(also_seen, late).unwrap_err(), GrantError::DecidedMeanwhile);
    }
    let seen = servers[1].decided().unwrap();
    answer(&servers[0], ask("ada", "how many", None), "42");
    servers[1].decide_after(seen, grant(SCOPE, 5)).expect("an answer is no decision");
    assert_eq!(servers[0].granted(SCOPE).unwrap(), Some(budget(5)));
}

/// A server that is slow between its look at the anchor and its write: another sells an answer in between.
struct Slow {
    anchor: Box<dyn Witness>,
    other: Option<Ledger>,
}
impl Slow {
    fn wait(&mut self) {
        if let Some(other) = &self.other {
            answer(other, ask("ada", "how many", None), "42");
        }
    }
}
impl Witness for Slow {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        self.anchor.read()
    }
    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        self.wait();
        self.anchor.write(anchor)
    }
    fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
        self.wait();
        self.anchor.replace(found, anchor)
    }
}

/// Specification: two copies of a folder that have one anchor, in a place that compares and writes in one step: whoever comes
/// second stops, also one that was slow between its look at the anchor and its write.
#[test]
fn two_copies_of_a_folder_with_one_anchor_sell_one_budget() {
    let (home, memory) = (Home::new(), Memory::default());
    let sqlite = |folder: &std::path::Path| {
        std::fs::create_dir_all(folder).unwrap();
        Box::new(SqliteStore::open(&folder.join("ledger.sqlite")).unwrap())
    };
    let one = Ledger::open_on(sqlite(&home.records()), memory.witness(), Options::default()).unwrap();
    one.grant_scope(SCOPE, budget(1)).unwrap();
    let copy = home.folder.path().join("copy");
    copy_folder(&home.records(), &copy);
    let slow = Slow { anchor: memory.witness(), other: Some(one) };
    let second = Ledger::open_on(sqlite(&copy), Box::new(slow), Options::default());
    assert!(matches!(second, Err(OpenError::Unwritable { .. })), "the budget was sold");
    let anchor = memory.witness().read().unwrap().unwrap();
    assert_eq!(anchor.spent.iter().find(|line| line.account.analyst.is_none()).unwrap().amount, units(TENTH));
}

/// Specification: a failover leaves two primaries, and both take writes. The anchor is of both: the servers of one of them stop,
/// also those that had looked at it before the others wrote.
#[test]
fn of_two_primaries_one_sells() {
    let one = Memory::default();
    let servers = one.servers(2, 1);
    let other = Memory { anchor: one.anchor.clone(), ..Memory::default() };
    *other.room.rows.lock().unwrap() = one.room.rows.lock().unwrap().clone();
    let mut servers = servers.into_iter();
    let stays = servers.next();
    // A server of the other primary that is about to join when the first one sells its last answer.
    let slow = Slow { anchor: other.witness(), other: stays };
    let late = Ledger::open_on(other.store(), Box::new(slow), Options::default());
    assert!(matches!(late, Err(OpenError::Unwritable { .. })), "the budget was sold");
    let refusal = other.open().map(|_| ()).unwrap_err();
    assert!(matches!(refusal, OpenError::AnchorAhead { .. } | OpenError::Forked { .. }), "{refusal}");
    assert_eq!(spent(&servers.next().unwrap()), 1);
}
