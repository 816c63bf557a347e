//! Statements that fail, that are broken off, and servers that fall silent.

use std::time::{Duration, Instant};

use pointillist_errors::Explained;
use pointillist_postgres::{Cell, ConnectionError};
use pointillist_testkit::postgres::PostgresServer;

use crate::connect;

fn server_error(sqlstate: &str) -> ConnectionError {
    ConnectionError::Server { sqlstate: sqlstate.to_owned() }
}

/// Specification: whatever a server says about a row stays with the server.
#[test]
fn an_error_never_quotes_a_row() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.new_database("quotes"));
    connection
        .batch(
            "CREATE TABLE people (name text UNIQUE CHECK (name <> 'Marlene Haus'));
             INSERT INTO people VALUES ('Gundula Stein')",
        )
        .unwrap();
    for (statement, sqlstate) in [
        ("SELECT name::int8 FROM people", "22P02"),
        ("SELECT name::date FROM people", "22007"),
        ("INSERT INTO people VALUES ('Gundula Stein')", "23505"),
        ("INSERT INTO people VALUES ('Marlene Haus')", "23514"),
        ("DO $$ BEGIN RAISE EXCEPTION 'about %', (SELECT name FROM people); END $$", "P0001"),
        ("DO $$ BEGIN RAISE NOTICE 'about %', (SELECT name FROM people); PERFORM 1/0; END $$", "22012"),
    ] {
        let error = connection.query(statement, &[]).expect_err(statement);
        assert_eq!(error, server_error(sqlstate), "{statement}");
        let said = format!("{error} {error:?} {error:#?} {:?} {}", error.hint(), error.explanation().text());
        assert!(!said.contains("Gundula") && !said.contains("Marlene"), "{said}");
        assert!(std::error::Error::source(&error).is_none(), "nothing leads to the server's words");
        assert_eq!(connection.batch(statement), Err(server_error(sqlstate)));
    }
    // Nor does printing what came back.
    let rows = connection.query("SELECT name FROM people", &[]).unwrap();
    assert_eq!(format!("{rows:?}"), "[[Text]]");
}

#[test]
fn a_statement_is_broken_off_from_another_thread() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.url("postgres"));
    let canceller = connection.canceller();
    let begin = Instant::now();
    let rows = connection.query("SELECT pg_backend_pid()", &[]).unwrap();
    let pid = rows[0][0].integer().unwrap();
    let breaking = std::thread::spawn(move || {
        let sleeping = format!("SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = {pid}");
        while server.sql("postgres", &sleeping) != "t" {
            std::thread::sleep(Duration::from_millis(20));
        }
        canceller.cancel()
    });
    let broken_off = connection.query("SELECT pg_sleep(300)", &[]);
    assert_eq!(broken_off, Err(server_error("57014")));
    assert!(begin.elapsed() < Duration::from_secs(55), "before the deadline of every call");
    breaking.join().unwrap().unwrap();
    // Only the statement was broken off.
    assert!(connection.query("SELECT 2", &[]).unwrap() == [[Cell::Integer(2)]]);
}

/// Specification: a call ends by its deadline even if the server never answers, and the connection is then of no use.
#[test]
fn a_silent_server_is_left_by_the_deadline() {
    let Some(server) = PostgresServer::start() else { return };
    let connection = connect(&server.url("postgres"));
    let rows = connection.query("SELECT pg_backend_pid()", &[]).unwrap();
    let pid = rows[0][0].integer().unwrap();
    server.pause_backend(pid);
    let begin = Instant::now();
    let silent = connection.query_within(Duration::from_millis(300), "SELECT 1", &[]);
    assert_eq!(silent, Err(ConnectionError::Timeout));
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert!(connection.is_closed());
    assert_eq!(connection.query("SELECT 1", &[]), Err(ConnectionError::Closed));
    server.resume_backend(pid);
    // The late answer, if there is one, reaches nobody.
    assert_eq!(connection.query("SELECT 1", &[]), Err(ConnectionError::Closed));
}

/// Specification: a statement that nobody waits for any more is broken off on the server too.
#[test]
fn a_late_statement_is_cancelled_on_the_server() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.url("postgres"));
    let late = connection.query_within(Duration::from_secs(1), "SELECT pg_sleep(3600) AS marked", &[]);
    assert_eq!(late, Err(ConnectionError::Timeout));
    let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%AS marked' AND state = 'active' \
                   AND pid <> pg_backend_pid()";
    let begin = Instant::now();
    while server.sql("postgres", running) != "0" {
        assert!(begin.elapsed() < Duration::from_secs(20), "the statement still runs");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_session_that_is_ended_is_closed() {
    let Some(server) = PostgresServer::start() else { return };
    let pid = |connection: &pointillist_postgres::Connection| {
        connection.query("SELECT pg_backend_pid()", &[]).unwrap()[0][0].integer().unwrap()
    };
    let ended = connect(&server.url("postgres"));
    server.sql("postgres", &format!("SELECT pg_terminate_backend({})", pid(&ended)));
    let error = ended.query("SELECT 1", &[]).unwrap_err();
    assert!(error == server_error("57P01") || error == ConnectionError::Closed, "{error:?}");
    assert_eq!(ended.query("SELECT 1", &[]), Err(ConnectionError::Closed));
    assert!(ended.is_closed());

    let killed = connect(&server.url("postgres"));
    server.kill_backend_hard(pid(&killed));
    assert_eq!(killed.query("SELECT 1", &[]), Err(ConnectionError::Closed));
}

/// Specification: a connection that is dropped ends its session, with a word to the server, whose log would otherwise have a
/// line about it for every question.
#[test]
fn a_dropped_connection_leaves_the_server() {
    let Some(server) = PostgresServer::start() else { return };
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pointillist'";
    let connection = connect(&server.url("postgres"));
    connection.batch("BEGIN").unwrap();
    assert_eq!(server.sql("postgres", sessions), "1");
    drop(connection);
    let begin = Instant::now();
    while server.sql("postgres", sessions) != "0" {
        assert!(begin.elapsed() < Duration::from_secs(20), "the session is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!server.log().contains("unexpected EOF"), "{}", server.log());
}
