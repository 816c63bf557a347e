//! Whatever ends a statement after the payment is the same failure, without a part of an answer, and the next question works.

use std::time::{Duration, Instant};

use pointillist_catalog::Value;
use pointillist_errors::{Explained, Kind};
use pointillist_lowering::Statement;
use pointillist_plan::Type;
use pointillist_postgres::Address;
use pointillist_remote::postgres::{Database, NoAnswer, Session, Times};
use pointillist_testkit::postgres::PostgresServer;

use crate::{database, name, statement};

const ROWS: i64 = 200_000;

/// A table that takes a while, with the name of somebody in it.
fn filled(server: &PostgresServer) -> (String, String) {
    let url = server.new_database("failures");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        &format!(
            "CREATE TABLE stays (person int8, ward text);
             INSERT INTO stays SELECT n, 'Gundula Stein' || n FROM generate_series(1, {ROWS}) n;
             ANALYZE stays"
        ),
    );
    (url, database_name)
}

/// Gives a group at once, and then takes its time over the second one.
fn slow() -> Statement {
    let text = "SELECT k, CASE WHEN k = 2 THEN pg_sleep(3600)::text || '1' ELSE '1' END FROM generate_series(1, 2) k";
    statement(&text.replace("SELECT k,", "SELECT k::int8,"), &[Type::Integer], 0, &[])
}

/// Every row sorted by a long text.
fn sorting() -> Statement {
    let text = "SELECT count(*)::text FROM (SELECT DISTINCT ward || repeat('x', 600) FROM public.stays) s";
    statement(text, &[], 0, &["ward"])
}

fn begin(database: &Database, times: &Times) -> Session {
    database.begin(&[name("stays")], times).unwrap()
}

/// Specification: the failure says the same whatever it was, and nothing of rows; and whoever asks next is answered.
fn is_the_one_failure(failure: NoAnswer, url: &str) {
    let said = format!("{failure} {failure:?} {:?} {}", failure.hint(), failure.explanation().text());
    assert_eq!(
        said,
        "the server that holds the rows gave no answer NoAnswer None the server that holds the rows gave no answer"
    );
    assert_eq!(failure.kind(), Kind::ChargedInVain);
    assert!(std::error::Error::source(&failure).is_none());
    assert!(!failure.words_for_log().contains("Gundula"), "not even the owner's log quotes a row");
    let count = statement("SELECT count(*)::text FROM public.stays", &[], 0, &[]);
    // A server that lost a session ends all others a moment later and recovers: until then nobody is let in, or is let in and
    // sent away again.
    let begun = Instant::now();
    loop {
        let session = database(url).begin(&[name("stays")], &Times::default());
        let prepared = session.and_then(|session| session.prepare(&count).map(|()| session));
        match prepared.map(|session| session.run(&count)) {
            Ok(Ok(rows)) => return assert!(rows == [(vec![], vec![i128::from(ROWS)])]),
            Ok(Err(failure)) => assert!(begun.elapsed() < Duration::from_secs(30), "{failure}"),
            Err(refusal) => assert!(begun.elapsed() < Duration::from_secs(30), "{refusal}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn pid_of(session: &Session) -> i64 {
    let pid = statement("SELECT pg_backend_pid()::int8, '1'::text", &[Type::Integer], 0, &[]);
    match session.run(&pid).unwrap().remove(0).0.remove(0) {
        Some(Value::Integer(pid)) => pid,
        _ => panic!("a number"),
    }
}

/// Until the backend is in the middle of the slow statement.
fn wait_for_sleep(server: &PostgresServer, pid: i64) {
    let sleeping = format!("SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = {pid}");
    let begun = Instant::now();
    while server.sql("postgres", &sleeping) != "t" {
        assert!(begun.elapsed() < Duration::from_secs(30), "the statement does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs the slow statement, and lets something happen to its backend meanwhile.
fn interrupted(server: &PostgresServer, url: &str, happen: impl FnOnce(i64)) -> NoAnswer {
    let session = begin(&database(url), &Times::default());
    let pid = pid_of(&session);
    session.prepare(&slow()).unwrap();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| session.run(&slow()));
        wait_for_sleep(server, pid);
        assert!(!running.is_finished(), "it waits for its second group");
        happen(pid);
        running.join().unwrap().expect_err("no part of an answer")
    })
}

#[test]
fn an_administrator_ends_the_session() {
    let Some(server) = PostgresServer::start() else { return };
    let (url, database_name) = filled(&server);
    let failure = interrupted(&server, &url, |pid| {
        server.sql(&database_name, &format!("SELECT pg_terminate_backend({pid})"));
    });
    is_the_one_failure(failure, &url);
}

#[test]
fn the_kernel_kills_the_backend() {
    let Some(server) = PostgresServer::start() else { return };
    let (url, _) = filled(&server);
    let failure = interrupted(&server, &url, |pid| server.kill_backend_hard(pid));
    is_the_one_failure(failure, &url);
}

#[test]
fn the_server_crashes_and_comes_back() {
    let Some(mut server) = PostgresServer::start() else { return };
    let (url, _) = filled(&server);
    let failure = interrupted(&server, &url, |_| server.crash());
    server.restart();
    is_the_one_failure(failure, &url);
}

#[test]
fn somebody_cancels() {
    let Some(server) = PostgresServer::start() else { return };
    let (url, database_name) = filled(&server);
    let failure = interrupted(&server, &url, |pid| {
        server.sql(&database_name, &format!("SELECT pg_cancel_backend({pid})"));
    });
    is_the_one_failure(failure, &url);

    let session = begin(&database(&url), &Times::default());
    let (canceller, pid) = (session.canceller(), pid_of(&session));
    let failure = std::thread::scope(|scope| {
        let running = scope.spawn(|| session.run(&slow()));
        wait_for_sleep(&server, pid);
        canceller.cancel().unwrap();
        running.join().unwrap().err().unwrap()
    });
    is_the_one_failure(failure, &url);
    // The transaction is over: a second statement of the same question has no answer either.
    is_the_one_failure(session.run(&sorting()).err().unwrap(), &url);
}

/// Specification: the server ends a statement by the time that the plan gave it.
#[test]
fn the_time_is_over() {
    let Some(server) = PostgresServer::start() else { return };
    let (url, _) = filled(&server);
    let times = Times { statement: Duration::from_millis(500), ..Times::default() };
    let session = begin(&database(&url), &times);
    session.prepare(&slow()).unwrap();
    let begun = Instant::now();
    let failure = session.run(&slow()).err().unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(400) && begun.elapsed() < Duration::from_secs(9));
    assert!(failure.words_for_log().contains("57014"), "by the server itself");
    is_the_one_failure(failure, &url);
}

/// Specification: a sort that finds no room on the disk is no answer; which rows are there decides the size, so that it
/// must not be told from any other failure.
#[test]
fn the_disk_for_sorts_is_full() {
    let Some(server) = PostgresServer::start() else { return };
    let (url, database_name) = filled(&server);
    server.sql(&database_name, &format!("ALTER DATABASE {database_name} SET temp_file_limit = '64kB'"));
    let session = begin(&database(&url), &Times::default());
    session.prepare(&sorting()).unwrap();
    let failure = session.run(&sorting()).expect_err("the sort is larger than the limit");
    assert!(failure.words_for_log().contains("53400"), "{}", failure.words_for_log());
    is_the_one_failure(failure, &url);
}

/// Specification: a row that makes a statement fail is told as any other failure. Statements of the lowering cannot; this
/// one is not of the lowering.
#[test]
fn a_row_fails() {
    let Some(server) = PostgresServer::start() else { return };
    let (url, _) = filled(&server);
    let session = begin(&database(&url), &Times::default());
    let failing = statement("SELECT sum(ward::int8)::text FROM public.stays", &[], 0, &["ward"]);
    session.prepare(&failing).unwrap();
    is_the_one_failure(session.run(&failing).err().unwrap(), &url);
    // Nor are groups that came before the row handed on.
    let session = begin(&database(&url), &Times::default());
    let text =
        "SELECT person, CASE WHEN person < 100000 THEN '1' ELSE ward::int8::text END FROM public.stays";
    let late = statement(text, &[Type::Integer], 0, &["ward", "person"]);
    session.prepare(&late).unwrap();
    is_the_one_failure(session.run(&late).err().unwrap(), &url);
}

/// Specification: a connection that is lost between payment and statement is the same failure.
#[test]
fn the_connection_is_lost_before_the_statement() {
    let Some(server) = PostgresServer::start() else { return };
    let (url, database_name) = filled(&server);
    let session = begin(&database(&url), &Times::default());
    session.prepare(&sorting()).unwrap();
    let others = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'pointillist'";
    assert_eq!(server.sql(&database_name, others), "1");
    is_the_one_failure(session.run(&sorting()).err().unwrap(), &url);
}
