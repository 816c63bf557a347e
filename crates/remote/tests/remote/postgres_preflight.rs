//! What is refused before anybody pays, each by its name.

use std::time::Duration;

use pointillist_errors::Explained;
use pointillist_lowering::Stored;
use pointillist_plan::Type;
use pointillist_postgres::{Address, ConnectionError};
use pointillist_remote::postgres::{Database, Refusal, TableName, Times};
use pointillist_testkit::postgres::PostgresServer;

use crate::{database, name, statement, trusting};

fn kind(table: &str, what: &str) -> Refusal {
    Refusal::Kind { table: table.to_owned(), what: what.to_owned() }
}

fn refusal(database: &Database, table: &str) -> Refusal {
    database.begin(&[name(table)], &Times::default()).err().expect("a refusal")
}

/// Specification: whatever runs an expression of somebody's when it is read, or fails or forgets by itself, is refused by name;
/// ordinary tables with their partitions, and materialized views that are filled, are not.
#[test]
fn only_ordinary_storage_is_read() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.new_database("storage");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        "CREATE TABLE plain (person int8, amount int8);
         CREATE MATERIALIZED VIEW copied AS SELECT * FROM plain;
         CREATE TABLE parted (person int8, amount int8) PARTITION BY RANGE (person);
         CREATE TABLE parted_one PARTITION OF parted FOR VALUES FROM (0) TO (10);
         CREATE MATERIALIZED VIEW empty AS SELECT * FROM plain WITH NO DATA;
         CREATE TABLE heirs (person int8);
         CREATE TABLE heir (extra int8) INHERITS (heirs);
         CREATE VIEW shown AS SELECT * FROM plain;
         CREATE UNLOGGED TABLE forgetful (person int8);
         CREATE TABLE ruled (person int8);
         CREATE RULE nothing AS ON DELETE TO ruled DO INSTEAD NOTHING;
         CREATE TABLE secured (person int8);
         ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
         CREATE SEQUENCE counter;
         CREATE FOREIGN DATA WRAPPER elsewhere;
         CREATE SERVER far FOREIGN DATA WRAPPER elsewhere;
         CREATE FOREIGN TABLE distant (person int8) SERVER far;
         CREATE TABLE mixed (person int8) PARTITION BY RANGE (person);
         CREATE TABLE mixed_near PARTITION OF mixed FOR VALUES FROM (0) TO (10);
         CREATE FOREIGN TABLE mixed_far PARTITION OF mixed FOR VALUES FROM (10) TO (20) SERVER far;
         CREATE VIEW shown_distant AS SELECT * FROM shown JOIN distant USING (person);
         CREATE ACCESS METHOD other TYPE TABLE HANDLER heap_tableam_handler;
         CREATE TABLE stored_otherwise (person int8) USING other",
    );
    let database = database(&url);
    for table in ["plain", "copied", "parted", "heirs"] {
        assert!(database.begin(&[name(table)], &Times::default()).is_ok(), "{table}");
    }
    let part = "a part of another table, whose questions read its rows as well";
    let foreign = "a foreign table, whose server can fail or round on its own";
    let behind = format!("made of a part that is {foreign}");
    for (table, expected) in [
        ("shown", Refusal::View { table: "public.shown".to_owned() }),
        ("secured", Refusal::RowSecurity { table: "public.secured".to_owned() }),
        ("forgetful", kind("public.forgetful", "an unlogged table, which is empty after a crash")),
        ("ruled", kind("public.ruled", "a table with rules")),
        ("distant", kind("public.distant", foreign)),
        ("mixed", kind("public.mixed", &behind)),
        ("counter", kind("public.counter", "no table")),
        ("empty", kind("public.empty", "a materialized view that was never filled, or emptied")),
        ("parted_one", kind("public.parted_one", part)),
        ("heir", kind("public.heir", part)),
        ("stored_otherwise", kind("public.stored_otherwise", "stored by the access method `other`")),
        ("nowhere", Refusal::Missing { table: "public.nowhere".to_owned() }),
        ("Plain", Refusal::Missing { table: "public.Plain".to_owned() }),
        ("nobody.plain", Refusal::Missing { table: "nobody.plain".to_owned() }),
    ] {
        assert_eq!(refusal(&database, table), expected);
    }
    // The owner's word is about expressions of views and policies, and about nothing else.
    let trusting = trusting(&url);
    for table in ["shown", "secured", "plain"] {
        assert!(trusting.begin(&[name(table)], &Times::default()).is_ok(), "{table}");
    }
    assert_eq!(refusal(&trusting, "shown_distant"), kind("public.shown_distant", &behind));
    assert_eq!(refusal(&trusting, "distant"), kind("public.distant", foreign));
    let hint = refusal(&database, "shown").hint().unwrap();
    assert!(hint.contains("trust_views = true") && hint.contains("one person"), "{hint}");
}

/// Specification: a temporary table is nobody's to declare, even if it is called as a schema's table would be.
#[test]
fn names_are_not_shadowed() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.new_database("shadows");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        "CREATE SCHEMA \"Ein Haus\";
         CREATE TABLE \"Ein Haus\".\"x\"\"; DROP TABLE stays; --\" (n int8);
         CREATE TABLE stays (n int8)",
    );
    let odd = ["Ein Haus".to_owned(), "x\"; DROP TABLE stays; --".to_owned()];
    let odd = TableName::from_path(&odd).unwrap();
    assert!(database(&url).begin(&[odd, name("stays")], &Times::default()).is_ok());
    assert_eq!(server.sql(&database_name, "SELECT count(*) FROM stays"), "0");
    for path in [vec![], vec!["stays"], vec!["a", "b", "c"], vec!["public", ""], vec!["public", "st\0ays"]] {
        let path: Vec<String> = path.into_iter().map(str::to_owned).collect();
        assert!(TableName::from_path(&path).is_err(), "{path:?}");
    }
}

#[test]
fn types_are_known_by_their_names() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.new_database("types");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        "CREATE SCHEMA mine;
         CREATE TYPE mine.text AS (a int8);
         CREATE TYPE mood AS ENUM ('sad', 'ok');
         CREATE DOMAIN years AS int2 CHECK (VALUE >= 0);
         CREATE DOMAIN age AS years;
         CREATE TABLE stays (
             a bool, b int2, c int4, d int8, e float4, f float8, g numeric(10, 2), h text, i varchar(5), j name, k char(4),
             l mood, m uuid, n date, o timestamp, p timestamptz, q age, gone int8,
             r json, s int8[], t interval, u bytea, v mine.text, w \"char\", x money, y time, z tsrange);
         ALTER TABLE stays DROP COLUMN gone",
    );
    let description = database(&url).describe(&name("stays"), &Times::default()).unwrap();
    let other = |name: &str| Stored::Other(name.to_owned());
    let expected = [
        ("a", Stored::Boolean),
        ("b", Stored::Whole),
        ("c", Stored::Whole),
        ("d", Stored::Whole),
        ("e", Stored::Single),
        ("f", Stored::Double),
        ("g", Stored::Decimal),
        ("h", Stored::Text),
        ("i", Stored::Text),
        ("j", Stored::Text),
        ("k", Stored::Padded),
        ("l", Stored::Label),
        ("m", Stored::Uuid),
        ("n", Stored::Date),
        ("o", Stored::Timestamp),
        ("p", Stored::ZonedTimestamp),
        ("q", Stored::Whole),
        ("r", other("json")),
        ("s", other("_int8")),
        ("t", other("interval")),
        ("u", other("bytea")),
        ("v", other("mine.text")),
        ("w", other("char")),
        ("x", other("money")),
        ("y", other("time")),
        ("z", other("tsrange")),
    ];
    let found: Vec<_> = description.columns.iter().map(|c| (c.name.as_str(), c.stored.clone())).collect();
    assert_eq!(found, expected);
    assert_eq!(description.stored().path, ["public", "stays"]);
    assert_eq!(database(&url).tables("public", &Times::default()).unwrap(), ["stays"]);
}

/// Specification: a role with rights to the declared columns alone is enough, and what it may not read is said by name.
#[test]
fn a_role_reads_what_it_was_granted() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.new_database("rights");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        "CREATE ROLE reader LOGIN;
         CREATE TABLE stays (person int8, ward text, secret text);
         CREATE TABLE hidden (n int8);
         CREATE SCHEMA closed;
         CREATE TABLE closed.stays (n int8);
         GRANT SELECT (person, ward) ON stays TO reader",
    );
    let reader = database(&server.url_for("reader", &database_name));
    let forbidden = |what: &str| Refusal::Forbidden { what: what.to_owned() };
    assert_eq!(refusal(&reader, "hidden"), forbidden("public.hidden"));
    assert_eq!(refusal(&reader, "closed.stays"), forbidden("closed.stays"));
    let session = reader.begin(&[name("stays")], &Times::default()).unwrap();
    let text = "SELECT ward COLLATE \"C\", count(*)::text FROM public.stays GROUP BY 1";
    assert_eq!(session.prepare(&statement(text, &[Type::Text], 0, &["ward", "person"])), Ok(()));
    let secret = statement(text, &[Type::Text], 0, &["ward", "secret"]);
    assert_eq!(session.prepare(&secret), Err(forbidden("public.stays.secret")));
    let missing = Refusal::MissingColumn { table: "public.stays".to_owned(), column: "bed".to_owned() };
    assert_eq!(session.prepare(&statement(text, &[Type::Text], 0, &["bed"])), Err(missing));
    // A table that was not looked at is not read.
    let mut other = statement(text, &[Type::Text], 0, &[]);
    other.tables[0].path[1] = "hidden".to_owned();
    assert_eq!(session.prepare(&other), Err(Refusal::Missing { table: "public.hidden".to_owned() }));
    assert_eq!(reader.tables("public", &Times::default()).unwrap(), ["stays"]);
}

/// Specification: under row security a statement that policies would filter is refused, and with the owner's word they filter.
#[test]
fn policies_filter_where_the_owner_vouches() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.new_database("policies");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        "CREATE ROLE ward_reader LOGIN;
         CREATE TABLE stays (person int8, ward text);
         INSERT INTO stays VALUES (1, 'a'), (2, 'a'), (3, 'b');
         GRANT SELECT ON stays TO ward_reader;
         ALTER TABLE stays ENABLE ROW LEVEL SECURITY;
         CREATE POLICY one_ward ON stays FOR SELECT TO ward_reader USING (ward = 'a')",
    );
    let url = server.url_for("ward_reader", &database_name);
    assert_eq!(refusal(&database(&url), "stays"), Refusal::RowSecurity { table: "public.stays".to_owned() });
    let session = trusting(&url).begin(&[name("stays")], &Times::default()).unwrap();
    let count = statement("SELECT count(*)::text FROM public.stays", &[], 0, &[]);
    session.prepare(&count).unwrap();
    assert!(session.run(&count).unwrap() == [(vec![], vec![2])]);
}

#[test]
fn a_database_in_another_encoding_is_refused() {
    let Some(server) = PostgresServer::shared() else { return };
    server.sql(
        "postgres",
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
    );
    let refused = database(&server.url("latin")).begin(&[], &Times::default()).err();
    assert_eq!(refused, Some(Refusal::Encoding { encoding: "LATIN1".to_owned() }));
}

/// Specification: what a planner does not take is refused with five characters, and so are columns of other types.
#[test]
fn a_statement_is_planned_before_it_is_paid_for() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.new_database("plans");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        "CREATE TABLE stays (person int8, ward text); INSERT INTO stays VALUES (0, 'Gundula')",
    );
    let session = |text: &str, keys: &[Type]| {
        let session = database(&url).begin(&[name("stays")], &Times::default()).unwrap();
        session.prepare(&statement(text, keys, 0, &["person"]))
    };
    let plan = |sqlstate: &str| Err(Refusal::Plan { sqlstate: sqlstate.to_owned() });
    assert_eq!(session("SELECT count(*)::text FROM public.stays", &[]), Ok(()));
    assert_eq!(session("SELECT count(nothing)::text FROM public.stays", &[]), plan("42703"));
    // Folded although no row takes the branch.
    let folded = "SELECT count(CASE WHEN person > 7 THEN 1/0 END)::text FROM public.stays";
    assert_eq!(session(folded, &[]), plan("22012"));
    // What would fail on a row does not fail yet: nothing is read before the payment.
    assert_eq!(session("SELECT sum(ward::int8)::text FROM public.stays", &[]), Ok(()));
    for text in ["SELECT count(*) FROM public.stays", "SELECT '1'::text, '1'::text FROM public.stays"] {
        assert_eq!(session(text, &[]), Err(Refusal::Shape));
    }
    assert_eq!(
        session("SELECT person::int4, '1'::text FROM public.stays", &[Type::Integer]),
        Err(Refusal::Shape)
    );
}

#[test]
fn a_server_that_is_away_is_said_to_be() {
    let away = database("postgres://curator@/hospital?host=/nonexistent").begin(&[], &Times::default()).err();
    assert!(matches!(away, Some(Refusal::Unavailable(ConnectionError::Unreachable { .. }))), "{away:?}");
}

#[test]
fn a_table_that_is_being_changed_is_not_waited_for() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.new_database("locks");
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(&database_name, "CREATE TABLE stays (person int8)");
    let address = Address::parse(&url).unwrap();
    let changing = pointillist_postgres::Connection::open(&address, None, &Default::default()).unwrap();
    changing.batch("BEGIN; LOCK TABLE stays IN ACCESS EXCLUSIVE MODE").unwrap();
    let times = Times { lock: Duration::from_millis(200), ..Times::default() };
    let refused = database(&url).begin(&[name("stays")], &times).err();
    assert_eq!(refused, Some(Refusal::Locked { table: "public.stays".to_owned() }));
}
