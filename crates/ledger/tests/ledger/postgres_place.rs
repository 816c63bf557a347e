//! What a database, a folder beside it and a move to it must not be: a second budget.

use std::fs;
use std::io;

use pointillist_errors::Explained as _;
use pointillist_ledger::{
    Ledger, LedgerReader, MoveError, OpenError, Options, Place, PostgresPlace, PostgresStore,
    PostgresWitness, SqliteStore, Store,
};

use crate::cluster::*;
use crate::fixture::*;
use crate::postgres::{Postgres, database, place, server};

fn shared(home: &Home, postgres: &Postgres) -> Place {
    home.place().with_records_in(postgres.records.clone()).with_anchor_in(postgres.anchor.clone())
}

fn refusal(place: &Place) -> OpenError {
    Ledger::open(place, Options::default()).map(|_| ()).unwrap_err()
}

/// Specification: a line of the catalog is no move. Where the folder has a ledger of its own, no shared one opens beside it; a
/// reader says the same.
#[test]
fn no_shared_ledger_opens_beside_one_that_has_not_moved() {
    let Some(server) = server() else { return };
    let (home, postgres) = (Home::new(), Postgres::new(server));
    // Whoever has opened it and decided nothing has no ledger yet.
    drop(home.open());
    drop(Ledger::open(&shared(&home, &postgres), Options::default()).expect("there is nothing to move"));
    let (home, postgres) = (Home::new(), Postgres::new(server));
    answer(&home.granted(1), ask("ada", "how many", None), "42");
    let there = shared(&home, &postgres);
    for refusal in [refusal(&there), LedgerReader::read_if_any(&there).map(|_| ()).unwrap_err()] {
        assert!(matches!(refusal, OpenError::RecordsBeside { .. }), "{refusal}");
    }
    // Also where somebody else has begun a ledger there.
    drop(postgres.servers(1, 5));
    assert!(matches!(refusal(&there), OpenError::RecordsBeside { .. }));
    assert_eq!(spent(&home.open()), 1, "where it is, it goes on");
    let postgres = Postgres::new(server);
    let there = shared(&home, &postgres);
    Ledger::move_between(&home.place(), &there, Options::default()).unwrap();
    assert_eq!(spent(&Ledger::open(&there, Options::default()).unwrap()), 1);
    // Nor does another store begin anew where the ledger has left.
    let blank = shared(&home, &Postgres::new(server));
    assert!(matches!(refusal(&blank), OpenError::Departed { .. }));
}

/// Specification: a folder remembers the shared ledger that its server had open: neither the folder nor another store starts
/// a new one there, until the owner removes what remembers it.
#[test]
fn a_folder_remembers_its_shared_ledger() {
    let Some(server) = server() else { return };
    let (first, second, postgres) = (Home::new(), Home::new(), Postgres::new(server));
    answer(&first.granted(2), ask("ada", "how many", None), "42");
    let there = shared(&first, &postgres);
    Ledger::move_between(&first.place(), &there, Options::default()).unwrap();
    drop(Ledger::open(&shared(&second, &postgres), Options::default()).unwrap());
    Ledger::move_between(&there, &first.place(), Options::default()).unwrap();
    assert_eq!(spent(&first.open()), 1);
    // The other server has the catalog of the folder too, and a folder of its own.
    let refused = refusal(&second.place());
    assert!(matches!(&refused, OpenError::Belongs { to, .. } if *to == there.store_words()), "{refused}");
    let explained = refused.explanation().text();
    assert!(explained.contains("shared-ledger") && explained.contains("remove that file"), "{explained}");
    assert!(matches!(LedgerReader::read_if_any(&second.place()), Err(OpenError::Belongs { .. })));
    let blank = shared(&second, &Postgres::new(server));
    assert!(matches!(refusal(&blank), OpenError::Belongs { .. }));
    // The same store, made anew together with its anchor, is another one.
    let wiped = Postgres::new(server);
    let third = Home::new();
    drop(Ledger::open(&shared(&third, &wiped), Options::default()).unwrap());
    drop(Ledger::open(&shared(&third, &wiped), Options::default()).expect("nothing was decided yet"));
    wiped.sql("DROP schema SCHEMA CASCADE");
    let schema = wiped.anchor.schema.replace('"', "\"\"");
    server.sql(&database(&wiped.anchor), &format!("DROP SCHEMA \"{schema}\" CASCADE"));
    assert!(matches!(refusal(&shared(&third, &wiped)), OpenError::Belongs { .. }));
    fs::remove_file(second.records().join("shared-ledger")).unwrap();
    assert_eq!(spent(&second.open()), 0);
}

/// Specification: a role that may not write is found before the old place is closed; and whatever was begun there does not
/// open as a new ledger.
#[test]
fn a_role_without_rights_does_not_close_the_old_place() {
    let Some(server) = server() else { return };
    let (home, postgres) = (Home::new(), Postgres::new(server));
    answer(&home.granted(2), ask("ada", "how many", None), "42");
    drop(PostgresStore::open(&postgres.records).unwrap());
    let role = "reads_alone";
    postgres.sql(&format!(
        "DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN; GRANT USAGE ON schema SCHEMA TO {role}; \
         GRANT SELECT ON ALL TABLES IN schema SCHEMA TO {role}"
    ));
    let url = postgres.records.url.replace("postgres://postgres@", &format!("postgres://{role}@"));
    let records = PostgresPlace { url, ..postgres.records.clone() };
    let there = home.place().with_records_in(records).with_anchor_in(postgres.anchor.clone());
    let refused = Ledger::move_between(&home.place(), &there, Options::default()).unwrap_err();
    assert!(matches!(&refused, MoveError::Store(error) if error.to_string().contains("42501")), "{refused}");
    assert_eq!(spent(&home.open()), 1, "nothing has moved");
    postgres.sql(&format!("GRANT INSERT ON SCHEMA.record TO {role}"));
    Ledger::move_between(&home.place(), &there, Options::default()).unwrap();
    assert_eq!(spent(&Ledger::open(&there, Options::default()).unwrap()), 1);
    postgres.sql(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

/// Specification: a copy of the database that a ledger moves to, made while the move was broken off, is no second ledger.
#[test]
fn a_copy_of_the_database_makes_no_second_ledger() {
    let Some(server) = server() else { return };
    let home = Home::new();
    answer(&home.granted(2), ask("ada", "how many", None), "42");
    let [records, anchor, other] =
        ["move_main", "move_witness", "move_other"].map(|name| server.new_database(name));
    let main = place(&records, "ledger");
    let to = |records: &PostgresPlace, anchor: &str| {
        home.place().with_records_in(records.clone()).with_anchor_in(place(anchor, "anchor"))
    };
    // The witness is down: the store is there by then, and so is its name.
    let nowhere = anchor.replace(&database(&place(&anchor, "a")), "not_there");
    assert!(Ledger::move_between(&home.place(), &to(&main, &nowhere), Options::default()).is_err());
    server.sql("postgres", &format!("CREATE DATABASE move_clone TEMPLATE \"{}\"", database(&main)));
    let clone = place(&records.replace(&database(&main), "move_clone"), "ledger");
    Ledger::move_between(&home.place(), &to(&main, &anchor), Options::default()).unwrap();
    let refused = Ledger::move_between(&home.place(), &to(&clone, &other), Options::default()).unwrap_err();
    assert!(matches!(refused, MoveError::Elsewhere { .. }), "{refused}");
    assert!(Ledger::open(&to(&clone, &other), Options::default()).is_err());
    assert_eq!(spent(&Ledger::open(&to(&main, &anchor), Options::default()).unwrap()), 1);
}

/// Specification: a turn begins with one message: whoever falls silent behind it does so in a transaction, which is bounded.
#[test]
fn the_lock_and_the_transaction_are_one_message() {
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let [mut one, mut other] = [0, 1].map(|_| PostgresStore::open(&postgres.records).unwrap());
    one.begin().unwrap();
    std::thread::scope(|threads| {
        let waiting = threads.spawn(|| other.begin());
        postgres.session("wait_event = 'advisory' AND query LIKE '%pg_advisory_lock%BEGIN ISOLATION LEVEL%'");
        one.end().unwrap();
        waiting.join().unwrap().unwrap();
    });
    postgres.session("state = 'idle in transaction' AND query LIKE '%pg_advisory_lock%'");
    other.end().unwrap();
}

/// Specification: what does not keep every letter, or not over a crash, is refused before anything is written there.
#[test]
fn a_database_that_keeps_less_is_refused() {
    let Some(server) = server() else { return };
    let url = server.new_database("letters");
    let utf8 = database(&place(&url, "a"));
    server.sql(
        "postgres",
        "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    let latin = place(&url.replace(&utf8, "latin"), "a");
    let words = "its database is not in UTF8, and holds not every letter of a name";
    for refused in [
        PostgresWitness::open(&latin).map(|_| ()).unwrap_err(),
        PostgresStore::open(&latin).map(|_| ()).unwrap_err(),
    ] {
        assert_eq!(refused.to_string(), words);
    }
    let place = place(&url, "a");
    drop(PostgresWitness::open(&place).unwrap());
    drop(PostgresStore::open(&place).unwrap());
    server.sql(&utf8, "ALTER TABLE a.anchor SET UNLOGGED; ALTER TABLE a.record SET UNLOGGED");
    let [witness, store]: [io::Error; 2] = [
        PostgresWitness::open(&place).map(|_| ()).unwrap_err(),
        PostgresStore::open(&place).map(|_| ()).unwrap_err(),
    ];
    assert!(witness.to_string().contains("survives a crash"), "{witness}");
    assert!(store.to_string().contains("survives a crash"), "{store}");
}

/// Specification: long answers come a page of bytes at a time, and none of them is left out: neither by who opens the ledger
/// nor by who catches up with it.
#[test]
fn long_answers_are_read_in_pages() {
    const LONG: usize = 17 << 20;
    const PAGE: usize = 32 << 20;
    fn check(ledger: &Ledger, store: &mut dyn Store) {
        for (question, bytes) in [("1", LONG), ("2", LONG), ("3", 1)] {
            let receipt = fresh(ledger.charge(ask("ada", question, None)));
            ledger.record(receipt, &vec![7; bytes]).unwrap();
        }
        let (mut from, mut pages) = (1, Vec::new());
        loop {
            let rows = store.read(from, 256).unwrap();
            let Some(last) = rows.last() else { break };
            from = last.seq + 1;
            pages.push(rows.iter().map(|row| row.body.len()).sum::<usize>());
        }
        assert!(pages.len() == 2 && pages.iter().all(|bytes| *bytes < PAGE + LONG + 1000), "{pages:?}");
    }
    let home = Home::new();
    let ledger = home.granted(50);
    check(&ledger, &mut SqliteStore::open_read_only(&home.records().join("ledger.sqlite")).unwrap());
    let Some(server) = server() else { return };
    let postgres = Postgres::new(server);
    let servers = postgres.servers(2, 50);
    check(&servers[0], &mut PostgresStore::open(&postgres.records).unwrap());
    assert_eq!(spent(&servers[1]), 3, "it catches up");
    assert_eq!(spent(&postgres.server()), 3);
}
