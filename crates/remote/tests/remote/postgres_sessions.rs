//! One question, one transaction: its settings, its snapshot, its locks.

use std::time::Duration;

use pointillist_catalog::Value;
use pointillist_lowering::Parameter;
use pointillist_plan::Type;
use pointillist_postgres::{Address, Connection, Limits};
use pointillist_remote::postgres::{Refusal, Session, Times};
use pointillist_testkit::postgres::PostgresServer;

use crate::{database, name, statement, trusting};

fn begin(url: &str) -> Session {
    database(url).begin(&[name("stays")], &Times::default()).unwrap()
}

/// A database with a table of stays, and its name.
fn stays(server: &PostgresServer, word: &str) -> (String, String) {
    let url = server.new_database(word);
    let database_name = Address::parse(&url).unwrap().database().to_owned();
    server.sql(
        &database_name,
        "CREATE TABLE stays (person int8, ward text); INSERT INTO stays VALUES (1, 'a'), (2, 'b')",
    );
    (url, database_name)
}

/// What a setting is within a session.
fn setting(session: &Session, name: &str) -> String {
    let text = format!("SELECT current_setting('{name}'), '0'::text");
    let read = statement(&text, &[Type::Text], 0, &[]);
    session.prepare(&read).unwrap();
    match session.run(&read).unwrap().remove(0).0.remove(0) {
        Some(Value::Text(value)) => value,
        _ => panic!("a setting is a text"),
    }
}

/// Specification: a database that has everything set otherwise is asked under our settings all the same.
#[test]
fn hostile_defaults_do_not_reach_a_statement() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, database_name) = stays(server, "settings");
    for (name, value) in [
        ("search_path", "public"),
        ("TimeZone", "'America/New_York'"),
        ("DateStyle", "'German'"),
        ("extra_float_digits", "-15"),
        ("standard_conforming_strings", "off"),
        ("transform_null_equals", "on"),
        ("statement_timeout", "'1ms'"),
        ("idle_in_transaction_session_timeout", "'1ms'"),
        ("lock_timeout", "'1ms'"),
        ("jit", "on"),
        ("plan_cache_mode", "force_generic_plan"),
        ("log_statement", "'all'"),
        ("log_min_duration_statement", "0"),
        ("default_transaction_isolation", "'read committed'"),
        ("default_transaction_read_only", "off"),
    ] {
        server.sql(&database_name, &format!("ALTER DATABASE {database_name} SET {name} = {value}"));
    }
    // A function that would be taken for PostgreSQL's own where the schema is in the path.
    server.sql(
        &database_name,
        "SET statement_timeout = 0;
         CREATE FUNCTION public.abs(int8) RETURNS int8 LANGUAGE sql AS 'SELECT 99::int8'",
    );
    let session = begin(&url);
    for (name, value) in [
        ("search_path", "pg_catalog, pg_temp"),
        ("TimeZone", "UTC"),
        ("DateStyle", "ISO, YMD"),
        ("extra_float_digits", "1"),
        ("standard_conforming_strings", "on"),
        ("transform_null_equals", "off"),
        ("statement_timeout", "10min"),
        ("idle_in_transaction_session_timeout", "10min"),
        ("lock_timeout", "5s"),
        ("row_security", "off"),
        ("jit", "off"),
        ("plan_cache_mode", "force_custom_plan"),
        ("transaction_isolation", "repeatable read"),
        ("transaction_read_only", "on"),
        // The role of this test is a superuser, who may.
        ("log_statement", "none"),
        ("log_min_duration_statement", "-1"),
        ("log_min_error_statement", "panic"),
        ("log_parameter_max_length_on_error", "0"),
        ("track_activities", "off"),
    ] {
        assert_eq!(setting(&session, name), value, "{name}");
    }
    let version: i64 = server.sql("postgres", "SHOW server_version_num").parse().unwrap();
    if version >= 140_000 {
        assert_eq!(setting(&session, "client_connection_check_interval"), "5s");
    }
    let own = statement("SELECT abs(-1::int8), '1'::text", &[Type::Integer], 0, &[]);
    assert!(session.run(&own).unwrap() == [(vec![Some(Value::Integer(1))], vec![1])]);
    let session = trusting(&url).begin(&[name("stays")], &Times::default()).unwrap();
    assert_eq!(setting(&session, "row_security"), "on");
}

/// Specification: a role that may not touch the server's log is served all the same.
#[test]
fn an_ordinary_role_needs_no_rights_to_logs() {
    let Some(server) = PostgresServer::shared() else { return };
    let (_, database_name) = stays(server, "ordinary");
    server.sql(&database_name, "CREATE ROLE asker LOGIN; GRANT SELECT ON stays TO asker");
    let log_before = server.log().len();
    let session = begin(&server.url_for("asker", &database_name));
    assert_eq!(setting(&session, "search_path"), "pg_catalog, pg_temp");
    assert!(!server.log()[log_before..].contains("permission denied"), "not even a line about it");
}

/// Specification: what others do to the rows while a question is being paid for is not in its answer, and what they would do
/// to the table waits.
#[test]
fn a_question_has_one_snapshot_and_its_table_stays() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, database_name) = stays(server, "snapshots");
    let count = statement("SELECT count(*)::text FROM public.stays", &[], 0, &[]);
    let session = begin(&url);
    session.prepare(&count).unwrap();
    server.sql(&database_name, "INSERT INTO stays VALUES (3, 'c')");
    assert!(session.run(&count).unwrap() == [(vec![], vec![2])]);
    for change in [
        "DROP TABLE stays",
        "ALTER TABLE stays ALTER person TYPE text",
        "ALTER TABLE stays ENABLE ROW LEVEL SECURITY",
        "TRUNCATE stays",
        "CREATE RULE r AS ON DELETE TO stays DO INSTEAD NOTHING",
    ] {
        let address = Address::parse(&url).unwrap();
        let other = Connection::open(&address, None, &Limits::default()).unwrap();
        let error = other.batch(&format!("SET lock_timeout = '100ms'; {change}")).unwrap_err();
        assert_eq!(error.sqlstate(), Some("55P03"), "{change}");
    }
    assert!(session.run(&count).unwrap() == [(vec![], vec![2])]);
    // Nothing is written.
    let writing = statement(
        "WITH w AS (DELETE FROM public.stays RETURNING 1) SELECT count(*)::text FROM w",
        &[],
        0,
        &[],
    );
    assert!(session.run(&writing).is_err());
    drop(session);
    assert!(begin(&url).run(&count).unwrap() == [(vec![], vec![3])]);
}

/// Specification: a materialized view, and a table of which the role has columns alone, are locked too.
#[test]
fn what_lock_table_does_not_know_is_locked_too() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, database_name) = stays(server, "materialized");
    server.sql(&database_name, "CREATE MATERIALIZED VIEW copy AS SELECT * FROM stays");
    let session = database(&url).begin(&[name("copy")], &Times::default()).unwrap();
    let address = Address::parse(&url).unwrap();
    let other = Connection::open(&address, None, &Limits::default()).unwrap();
    let error = other.batch("SET lock_timeout = '100ms'; DROP MATERIALIZED VIEW copy").unwrap_err();
    assert_eq!(error.sqlstate(), Some("55P03"));
    drop(session);
}

/// Specification: every type of key and of parameter arrives as it left.
#[test]
fn parameters_and_keys_travel_whole() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, _) = stays(server, "travel");
    let session = begin(&url);
    let types = [Type::Boolean, Type::Integer, Type::Number, Type::Text, Type::Date, Type::Timestamp];
    let values = [
        Value::Boolean(true),
        Value::Integer(i64::MIN),
        Value::Number(5e-324),
        Value::Text("é'\\😀".to_owned()),
        Value::Date(-719_162),
        Value::Timestamp(253_402_300_799_999_999),
    ];
    let mut echo = statement(
        "SELECT $1::bool, $2::int8, $3::float8, $4::text, $5::date, $6::timestamp, $7::text::numeric::text",
        &types,
        0,
        &[],
    );
    echo.parameters = vec![
        Parameter::Boolean(Some(true)),
        Parameter::Integer(Some(i64::MIN)),
        Parameter::Number(Some(5e-324)),
        Parameter::Text(Some("é'\\😀".to_owned())),
        Parameter::Date(Some(-719_162)),
        Parameter::Timestamp(Some(253_402_300_799_999_999)),
        Parameter::Whole(i128::MAX),
    ];
    session.prepare(&echo).unwrap();
    let rows = session.run(&echo).unwrap();
    assert!(rows == [(values.iter().cloned().map(Some).collect(), vec![i128::MAX])]);
    for (kind, value) in types.into_iter().zip(values) {
        let word = ["bool", "int8", "float8", "text", "date", "timestamp"]
            [types.iter().position(|t| *t == kind).unwrap()];
        let text =
            format!("SELECT k, '1'::text FROM unnest($1::{word}[]) WITH ORDINALITY u (k, n) ORDER BY n");
        let mut list = statement(&text, &[kind], 0, &[]);
        list.parameters = vec![Parameter::List(kind, vec![Some(value.clone()), None])];
        session.prepare(&list).unwrap();
        assert!(
            session.run(&list).unwrap() == [(vec![Some(value)], vec![1]), (vec![None], vec![1])],
            "{word}"
        );
    }
}

/// Specification: a statement of another server's dialect does not run here.
#[test]
fn another_dialect_is_refused() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, _) = stays(server, "dialects");
    let mut spark = statement("SELECT '1'::text", &[], 0, &[]);
    spark.dialect = pointillist_lowering::Dialect::Spark;
    assert_eq!(begin(&url).prepare(&spark), Err(Refusal::Shape));
}

/// Specification: times that no clock has are cut, not refused.
#[test]
fn long_times_are_as_long_as_the_server_can_wait() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, _) = stays(server, "times");
    let times = Times { statement: Duration::from_secs(86_400 * 365), ..Times::default() };
    assert!(database(&url).begin(&[name("stays")], &times).is_ok());
}
