//! The same over PostgreSQL: real transactions, real processes, sessions that are lost at the worst moment.

use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use pointillist_ledger::{
    Anchor, ChargeError, Charged, Epoch, Ledger, LedgerError, LedgerReader, MoveError, OpenError, Options,
    PostgresPlace, PostgresStore, PostgresWitness, Store, Witness,
};
use pointillist_postgres::Address;
use pointillist_testkit::postgres::{PostgresOptions, PostgresServer};

use crate::cluster::*;
use crate::fixture::*;
use crate::{shared, shared_crash};

/// A ledger in one database, and its anchor in another.
pub struct Postgres {
    pub server: &'static PostgresServer,
    pub records: PostgresPlace,
    pub anchor: PostgresPlace,
}

/// A server that syncs: no ledger is kept in any other.
pub fn server() -> Option<&'static PostgresServer> {
    static SERVER: OnceLock<Option<PostgresServer>> = OnceLock::new();
    let options = PostgresOptions { fsync: true, ..PostgresOptions::default() };
    SERVER.get_or_init(|| PostgresServer::start_with(options)).as_ref()
}

pub fn place(url: &str, schema: &str) -> PostgresPlace {
    PostgresPlace { name: "test".into(), url: url.into(), password_file: None, schema: schema.into() }
}

pub fn database(place: &PostgresPlace) -> String {
    Address::parse(&place.url).unwrap().database().to_owned()
}

impl Postgres {
    /// A ledger with schemas of its own: faster than databases.
    pub fn new(server: &'static PostgresServer) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        static DATABASES: OnceLock<[String; 2]> = OnceLock::new();
        let number = NUMBER.fetch_add(1, Relaxed);
        let [records, anchor] =
            DATABASES.get_or_init(|| [server.new_database("records"), server.new_database("anchor")]);
        let schema = |word: &str| format!("{word} \"{number}\"");
        Self { server, records: place(records, &schema("r")), anchor: place(anchor, &schema("a")) }
    }

    pub fn sql(&self, statements: &str) -> String {
        let schema = format!("\"{}\"", self.records.schema.replace('"', "\"\""));
        self.server.sql(&database(&self.records), &statements.replace("SCHEMA", &schema))
    }

    /// Waits until some session is where this condition says, and gives its number.
    pub fn session(&self, condition: &str) -> i64 {
        let start = Instant::now();
        loop {
            let found = self.sql(&format!(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
                 AND {condition}"
            ));
            if let Some(pid) = found.lines().next().and_then(|line| line.parse().ok()) {
                return pid;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "nobody is where {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Cluster for Postgres {
    fn store(&self) -> Box<dyn Store> {
        Box::new(PostgresStore::open(&self.records).unwrap())
    }

    fn witness(&self) -> Box<dyn Witness> {
        Box::new(PostgresWitness::open(&self.anchor).unwrap())
    }
}

#[test]
fn what_holds_for_every_shared_store_holds_here() {
    let Some(server) = server() else { return };
    let new = || Postgres::new(server);
    shared::fifty_of_fifty(&new());
    shared::one_id_pays_once(&new());
    shared::answers_are_shared(&new());
    shared::a_fenced_server_stops(&new());
    shared::a_server_that_ends_says_so(&new());
    shared::the_anchor_is_caught_up(&new());
    shared::an_anchor_that_is_put_back_stops_everybody(&new());
    let postgres = new();
    let back_up = || _ = postgres.sql("CREATE TABLE SCHEMA.backup AS SELECT * FROM SCHEMA.record");
    let restore = || {
        postgres.sql("DELETE FROM SCHEMA.record WHERE seq > (SELECT max(seq) FROM SCHEMA.backup)");
    };
    shared::a_restored_store_is_noticed(&postgres, back_up, restore);
}

#[test]
fn a_failure_at_any_call_of_one_server() {
    let Some(server) = server() else { return };
    shared_crash::a_failure_at_any_call_of_one_server(&shared_crash::REQUESTS[1..5], || {
        Box::new(Postgres::new(server))
    });
}

/// Specification: a row that does not follow from the last one that the table holds is refused, and so is one whose
/// number is taken, whether or not its writer waits for a turn.
#[test]
fn a_stale_writer_cannot_append() {
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let ledger = postgres.servers(1, 50).remove(0);
    let mut stale = PostgresStore::open(&postgres.records).unwrap();
    let seen = stale.read(1, 100).unwrap();
    answer(&ledger, ask("ada", "how many", None), "42");
    let newer = stale.read(1, 100).unwrap();
    assert_eq!(newer.len(), seen.len() + 2);
    // The row that the stale writer would add after what it has seen; and one that has the right number alone.
    let mut next = newer[seen.len()].clone();
    for seq in [next.seq, newer.len() as u64 + 1] {
        next.seq = seq;
        stale.begin().unwrap();
        assert!(stale.append(&[next.clone()]).is_err(), "record {seq}");
        stale.end().unwrap();
        assert_eq!(stale.read(1, 100).unwrap(), newer);
    }
    // One with the right number and hash follows: the check is about history and nothing else.
    let other = Memory::default();
    *other.room.rows.lock().unwrap() = newer.clone();
    *other.anchor.lock().unwrap() = postgres.witness().read().unwrap();
    let twin = other.server();
    let following = other.room.rows.lock().unwrap().last().unwrap().clone();
    drop(twin);
    stale.begin().unwrap();
    stale.append(std::slice::from_ref(&following)).unwrap();
    stale.end().unwrap();
    // Without a turn, the transaction of the other is waited for and then refused: the number is taken.
    let mut thief = PostgresStore::open(&postgres.records).unwrap();
    assert!(thief.append(&[following]).is_err());
}

/// Specification: a server that does not keep what it commits is refused in words, at the start and while it runs.
#[test]
fn a_server_that_forgets_is_refused() {
    let Some(fast) = PostgresServer::start() else { return };
    let url = fast.new_database("fast");
    let refusal = |url: &str| PostgresStore::open(&place(url, "ledger")).map(|_| ()).unwrap_err().to_string();
    let power = "a payment would not survive a loss of power";
    assert_eq!(refusal(&url), format!("its setting `fsync` is off: {power}"));
    drop(fast);
    let torn = PostgresOptions {
        fsync: true,
        settings: vec![("full_page_writes", "off".to_owned())],
        ..PostgresOptions::default()
    };
    let torn = PostgresServer::start_with(torn).unwrap();
    assert_eq!(
        refusal(&torn.new_database("torn")),
        format!("its setting `full_page_writes` is off: {power}")
    );
    let error = PostgresWitness::open(&place(&torn.new_database("anchor"), "a")).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("full_page_writes"), "{error}");
}

/// Specification: a role that prefers not to wait for the disk waits all the same, and a session that is made not to wait while
/// it runs gets no further payment.
#[test]
fn durability_is_looked_at_with_every_write() {
    let options = PostgresOptions { fsync: true, ..PostgresOptions::default() };
    let Some(server) = PostgresServer::start_with(options) else { return };
    let url = server.new_database("records");
    server
        .sql("postgres", "CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET synchronous_commit = off");
    let records = place(&url.replace("postgres://postgres@", "postgres://hasty@"), "ledger");
    let home = Home::new();
    let anchor = || Box::new(pointillist_ledger::AnchorFile::new(home.anchor()));
    let open =
        || Ledger::open_on(Box::new(PostgresStore::open(&records).unwrap()), anchor(), Options::default());
    let ledger = open().unwrap();
    ledger.grant_scope(SCOPE, budget(10)).unwrap();
    answer(&ledger, ask("ada", "how many", None), "42");
    // The check of every commit would have refused it otherwise; and it refuses what is lowered behind our back.
    let trigger = "CREATE FUNCTION ledger.hasten() RETURNS trigger LANGUAGE plpgsql AS \
                   $$ BEGIN PERFORM set_config('synchronous_commit', 'off', false); RETURN NULL; END $$;
                   CREATE TRIGGER hasten BEFORE INSERT ON ledger.record FOR EACH STATEMENT \
                   EXECUTE FUNCTION ledger.hasten()";
    server.sql(&database(&records), trigger);
    let refused = ledger.charge(ask("ada", "how old", None));
    assert_eq!(refused.unwrap_err(), ChargeError::Ledger(LedgerError::Stopped));
    assert!(ledger.why_stopped().unwrap().contains("`synchronous_commit` is below `on`"));
    server.sql(&database(&records), "DROP TRIGGER hasten ON ledger.record");
    drop(ledger);
    assert_eq!(spent(&open().unwrap()), 1, "nothing of it was committed");
}

/// Specification: a session that ends while it commits has told nobody anything. If the commit is undone nothing is spent;
/// if it landed it is spent for everybody.
#[test]
fn a_session_that_is_lost_in_its_commit() {
    let Some(server) = server() else { return };
    // Undone: the commit waits for a trigger, and the session ends there.
    let postgres = Postgres::new(server);
    let servers = postgres.servers(2, 50);
    postgres.sql(
        "CREATE FUNCTION SCHEMA.wait() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_sleep(10); RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON SCHEMA.record DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION SCHEMA.wait()",
    );
    let stopped = ChargeError::Ledger(LedgerError::Stopped);
    let charge_and_end = |ledger: &Ledger, condition: &str| {
        std::thread::scope(|threads| {
            let charged = threads.spawn(|| ledger.charge(ask("ada", "how many", Some("r1"))));
            let pid = postgres.session(condition);
            postgres.sql(&format!("SELECT pg_terminate_backend({pid})"));
            charged.join().unwrap().map(|_| ()).unwrap_err()
        })
    };
    assert_eq!(charge_and_end(&servers[0], "query LIKE 'COMMIT%' AND wait_event = 'PgSleep'"), stopped);
    postgres.sql("DROP TRIGGER wait ON SCHEMA.record");
    assert_eq!(spent(&servers[1]), 0);
    drop(servers);
    // Landed: the commit is on this disk, waits for a standby that is not there, and the session ends there.
    let servers = [postgres.server(), postgres.server()];
    let wait_for = |standby: &str| {
        server.sql("postgres", &format!("ALTER SYSTEM SET synchronous_standby_names = '{standby}'"));
        server.sql("postgres", "SELECT pg_reload_conf()");
    };
    wait_for("nobody");
    // The setting arrives when it arrives.
    std::thread::sleep(Duration::from_millis(500));
    let outcome = charge_and_end(&servers[0], "wait_event = 'SyncRep' AND query LIKE 'COMMIT%'");
    wait_for("");
    assert_eq!(outcome, stopped);
    assert_eq!(spent(&servers[1]), 1, "whoever wrote it");
    let again = servers[1].charge(ask("ada", "how many", Some("r1")));
    assert!(matches!(again, Err(ChargeError::InFlight { .. })), "{again:?}");
    answer(&servers[1], ask("ada", "how old", None), "42");
    servers[1].verify().unwrap();
}

/// Specification: of two servers that found the same anchor one replaces it.
#[test]
fn an_anchor_is_replaced_once() {
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let [mut one, mut other] = [postgres.witness(), postgres.witness()];
    let anchor = |seq| Anchor {
        seq,
        head: pointillist_ledger::Digest([seq as u8; 32]),
        epoch: Epoch([1; 16]),
        spent: vec![],
        home: None,
    };
    assert_eq!(one.read().unwrap(), None);
    one.replace(None, &anchor(1)).unwrap();
    assert!(other.replace(None, &anchor(2)).is_err());
    other.replace(Some(&anchor(1)), &anchor(2)).unwrap();
    assert!(one.replace(Some(&anchor(1)), &anchor(3)).is_err());
    assert_eq!(one.read().unwrap(), Some(anchor(2)));
    one.write(&anchor(1)).unwrap();
    assert_eq!(PostgresWitness::look(&postgres.anchor).unwrap(), Some(anchor(1)));
    assert_eq!(PostgresWitness::look(&place(&server.new_database("empty"), "none")).unwrap(), None);
}

/// Specification: records in PostgreSQL hold neither questions nor answers, as those on a disk do not.
#[test]
fn rows_hold_neither_questions_nor_answers() {
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let ledger = postgres.servers(1, 50).remove(0);
    answer(&ledger, ask("ada", "who-has-the-flu", None), "forty-two-of-them");
    let text = postgres.sql("SELECT encode(body, 'escape') FROM SCHEMA.record");
    assert!(text.contains("ada") && !text.contains("flu") && !text.contains("forty"), "{text}");
}

const URLS: &str = "POINTILLIST_LEDGER_TEST_POSTGRES";

/// A process that asks for what it can get, and prints what it was given.
fn child(postgres: &Postgres, number: usize, rounds: usize) -> Child {
    let urls = format!(
        "{}\n{}\n{}\n{}",
        postgres.records.url, postgres.records.schema, postgres.anchor.url, postgres.anchor.schema
    );
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "postgres::server_process", "--nocapture", "--test-threads", "1"])
        .env(URLS, urls)
        .env("NUMBER", number.to_string())
        .env("ROUNDS", rounds.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// The process that is run, and killed, by the tests below. Without an address it has nothing to do.
#[test]
fn server_process() {
    let Ok(urls) = env::var(URLS) else { return };
    let lines: Vec<&str> = urls.lines().collect();
    let [records, anchor] = [place(lines[0], lines[1]), place(lines[2], lines[3])];
    let (number, rounds) = (env::var("NUMBER").unwrap(), env::var("ROUNDS").unwrap().parse().unwrap());
    let store = PostgresStore::open(&records).unwrap();
    let witness = PostgresWitness::open(&anchor).unwrap();
    let ledger = Ledger::open_on(Box::new(store), Box::new(witness), Options::default()).unwrap();
    let say = |line: String| std::io::stdout().write_all(line.as_bytes()).unwrap();
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let (ledger, number, say) = (&ledger, &number, &say);
            threads.spawn(move || {
                for round in 0..rounds {
                    let question = format!("{number}-{thread}-{round}");
                    match ledger.charge(ask("ada", &question, Some(&question))) {
                        Ok(Charged::Fresh(receipt)) => {
                            say(format!("receipt {} {question}.\n", receipt.seq()));
                            ledger.record(receipt, question.as_bytes()).unwrap();
                            say(format!("answer {question}.\n"));
                        }
                        Ok(Charged::Repeat(_)) => panic!("nobody asked this before"),
                        Err(ChargeError::Exhausted { .. }) => return,
                        Err(error) => panic!("{error}: {:?}", ledger.why_stopped()),
                    }
                }
            });
        }
    });
}

/// Whole lines that a child has printed, by their first word.
fn printed(child: &mut Child, word: &str) -> Vec<String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    // The first line stands behind what the test runner says.
    let prefix = format!("{word} ");
    lines.filter_map(|line| Some(line.split_once(&prefix)?.1.strip_suffix('.')?.to_owned())).collect()
}

/// Specification: three processes over one budget of 50 hand out exactly 50 receipts, no two of them for one record.
#[test]
fn three_processes_share_fifty_answers() {
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let ledger = postgres.servers(1, 50).remove(0);
    let mut children: Vec<Child> = (0..3).map(|number| child(&postgres, number, 50)).collect();
    let receipts: Vec<Vec<String>> = children.iter_mut().map(|child| printed(child, "receipt")).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    println!("receipts of each: {:?}", receipts.iter().map(Vec::len).collect::<Vec<_>>());
    let receipts = receipts.concat();
    let records: BTreeSet<&str> = receipts.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!((receipts.len(), records.len(), spent(&ledger)), (50, 50, 50));
    ledger.verify().unwrap();
}

/// Specification: one of three processes is killed in the middle. What it had sent was paid for, what it had reserved stays
/// spent, and the others go on until the budget is used up and no further.
#[test]
fn a_killed_process_takes_nobody_along() {
    let Some(server) = server() else { return };
    for wait in [60, 150, 300] {
        let postgres = Postgres::new(server);
        let ledger = postgres.servers(1, 400).remove(0);
        let mut victim = child(&postgres, 0, 10_000);
        let others: Vec<Child> = (1..3).map(|number| child(&postgres, number, 60)).collect();
        // From its first receipt on, so that it is always in the middle of something.
        let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines().map_while(Result::ok);
        let first = lines.by_ref().find(|line| line.contains("receipt ")).expect("it is asked");
        std::thread::sleep(Duration::from_millis(wait));
        victim.kill().unwrap();
        victim.wait().unwrap();
        let receipts = 1 + lines.filter(|line| line.contains("receipt ") && line.ends_with('.')).count();
        let mut all = receipts;
        for mut child in others {
            all += printed(&mut child, "receipt").len();
            assert!(child.wait().unwrap().success(), "the others go on");
        }
        let spent_now = spent(&ledger);
        println!("{first}: {receipts} receipts of the victim, {all} in all, {spent_now} spent");
        assert!(all as u128 <= spent_now && spent_now <= 400);
        // What the victim had paid for and not told, at most one batch of its four threads.
        assert!(spent_now <= all as u128 + 4, "{spent_now} spent for {all} receipts");
        ledger.verify().unwrap();
    }
}

/// Specification: a ledger whose database was put back while no server ran does not open.
#[test]
fn a_database_from_a_backup_does_not_open() {
    let Some(server) = server() else { return };
    let (records, anchor) = (server.new_database("backed_up"), server.new_database("anchor"));
    let postgres = Postgres { server, records: place(&records, "ledger"), anchor: place(&anchor, "anchor") };
    let ledger = postgres.servers(1, 50).remove(0);
    answer(&ledger, ask("ada", "1", None), "42");
    drop(ledger);
    let database = database(&postgres.records);
    server.sql("postgres", &format!("CREATE DATABASE backup TEMPLATE {database}"));
    answer(&postgres.server(), ask("ada", "2", None), "42");
    server.sql("postgres", &format!("DROP DATABASE {database} WITH (FORCE)"));
    server.sql("postgres", &format!("CREATE DATABASE {database} TEMPLATE backup"));
    let refusal = postgres.open().map(|_| ()).unwrap_err();
    assert!(matches!(refusal, OpenError::AnchorAhead { .. }), "{refusal}");
}

/// Specification: a ledger moves from a folder to PostgreSQL and back; where it was, nothing opens any more.
#[test]
fn a_ledger_moves_from_a_folder_and_back() {
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let home = Home::new();
    answer(&home.granted(10), ask("ada", "how many", Some("r1")), "42");
    let there =
        home.place().with_records_in(postgres.records.clone()).with_anchor_in(postgres.anchor.clone());
    let moved = Ledger::move_between(&home.place(), &there, Options::default()).unwrap();
    let again = Ledger::move_between(&home.place(), &there, Options::default()).unwrap();
    assert_eq!(moved, again, "a move that is done is done");
    let refusal = Ledger::open(&home.place(), Options::default()).map(|_| ()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        format!("the ledger has moved to {}, and nothing is ever written here again", there.store_words())
    );
    let servers = [0, 1].map(|_| Ledger::open(&there, Options::default()).unwrap());
    assert_eq!(repeat(servers[1].charge(ask("ada", "how many", Some("r1")))).0, b"42");
    answer(&servers[0], ask("ada", "how old", None), "43");
    assert_eq!(LedgerReader::read(&there).unwrap().servers().len(), 3, "both, and the one that moved it");
    let same = Ledger::move_between(&there, &there, Options::default()).unwrap_err();
    assert!(matches!(same, MoveError::SamePlace { .. }), "{same}");
    Ledger::move_between(&there, &home.place(), Options::default()).unwrap();
    assert!(servers[0].charge(ask("ada", "how tall", None)).is_err());
    assert!(matches!(Ledger::open(&there, Options::default()), Err(OpenError::Departed { .. })));
    let ledger = home.open();
    assert_eq!((spent(&ledger), repeat(ledger.charge(ask("ada", "how old", None))).0), (2, b"43".to_vec()));
    ledger.verify().unwrap();
}

/// Specification: where nothing was ever written, there is nothing to read, and reading makes nothing.
#[test]
fn a_reader_makes_nothing() {
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let home = Home::new();
    let place =
        home.place().with_records_in(postgres.records.clone()).with_anchor_in(postgres.anchor.clone());
    assert!(LedgerReader::read_if_any(&place).unwrap().is_none());
    let schemas = postgres.sql("SELECT count(*) FROM pg_namespace WHERE 'SCHEMA' = quote_ident(nspname)");
    assert_eq!(schemas, "0");
    let ledger = Ledger::open(&place, Options::default()).unwrap();
    ledger.grant_scope(SCOPE, budget(10)).unwrap();
    assert!(LedgerReader::read_if_any(&place).unwrap().unwrap().balance(SCOPE).is_some());
}
