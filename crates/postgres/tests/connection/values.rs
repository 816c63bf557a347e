//! What goes in comes out, at the ends of every type.

use pointillist_postgres::{Cell, ConnectionError, Parameter};
use pointillist_testkit::postgres::PostgresServer;

use crate::connect;

/// 0001-01-01 and 9999-12-31, in days since 1970.
const CALENDAR: (i32, i32) = (-719_162, 2_932_896);

/// Specification: every value that a parameter can hold comes back as it was, and PostgreSQL reads it as we mean it.
#[test]
fn every_parameter_comes_back() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.url("postgres"));
    let texts = ["", "a", "é", "😀", "'; --", "\\x00", &"ü".repeat(5000)];
    let mut cases = vec![
        (Parameter::Boolean(Some(true)), Cell::Boolean(true)),
        (Parameter::Boolean(Some(false)), Cell::Boolean(false)),
        (Parameter::Bytes(Some((0..=255).collect())), Cell::Bytes((0..=255).collect())),
        (Parameter::Bytes(Some(vec![])), Cell::Bytes(vec![])),
    ];
    for value in [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX] {
        cases.push((Parameter::Integer(Some(value)), Cell::Integer(value)));
    }
    for value in [0.0, 5e-324, -5e-324, 0.1 + 0.2, f64::MAX, f64::MIN, f64::INFINITY] {
        cases.push((Parameter::Number(Some(value)), Cell::Number(value)));
    }
    for value in texts {
        cases.push((Parameter::Text(Some(value.to_owned())), Cell::Text(value.to_owned())));
    }
    for value in [CALENDAR.0, -1, 0, 10_957, CALENDAR.1, i32::MIN, i32::MAX] {
        cases.push((Parameter::Date(Some(value)), Cell::Date(value)));
    }
    for value in [-62_135_596_800_000_000, -1, 0, 253_402_300_799_999_999, i64::MIN, i64::MAX] {
        cases.push((Parameter::Timestamp(Some(value)), Cell::Timestamp(value)));
    }
    for (parameter, expected) in cases {
        let statement = format!("SELECT $1::{}", parameter.type_name());
        let rows = connection.query(&statement, std::slice::from_ref(&parameter)).unwrap();
        assert!(rows == [[expected]], "{statement}");
    }
    let rows = connection.query("SELECT $1::float8", &[Parameter::Number(Some(f64::NAN))]).unwrap();
    assert!(matches!(rows[0][0], Cell::Number(value) if value.is_nan()));
    let rows = connection.query("SELECT $1::float8", &[Parameter::Number(Some(-0.0))]).unwrap();
    assert!(matches!(rows[0][0], Cell::Number(value) if value.to_bits() == (-0.0f64).to_bits()));
}

#[test]
fn null_is_null_of_every_type() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.url("postgres"));
    for parameter in [
        Parameter::Boolean(None),
        Parameter::Integer(None),
        Parameter::Number(None),
        Parameter::Text(None),
        Parameter::Bytes(None),
        Parameter::Date(None),
        Parameter::Timestamp(None),
    ] {
        let statement = format!("SELECT $1::{}", parameter.type_name());
        assert!(connection.query(&statement, &[parameter]).unwrap() == [[Cell::Null]]);
    }
}

/// Specification: dates and moments are those that the server writes, not only those that come back.
#[test]
fn dates_are_counted_from_1970() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.url("postgres"));
    let parameters = [
        Parameter::Date(Some(0)),
        Parameter::Date(Some(CALENDAR.0)),
        Parameter::Date(Some(CALENDAR.1)),
        Parameter::Timestamp(Some(-1)),
        Parameter::Date(Some(i32::MAX)),
        Parameter::Timestamp(Some(i64::MIN)),
    ];
    let statement = "SELECT $1::date::text, $2::date::text, $3::date::text, $4::timestamp::text, $5::date::text, \
                     $6::timestamp::text";
    let rows = connection.query(statement, &parameters).unwrap();
    let texts: Vec<_> = rows[0].iter().map(|cell| cell.text().unwrap()).collect();
    let expected =
        ["1970-01-01", "0001-01-01", "9999-12-31", "1969-12-31 23:59:59.999999", "infinity", "-infinity"];
    assert_eq!(texts, expected);
    // The last years of PostgreSQL do not fit, and are not another year.
    let late = connection.query("SELECT timestamp '294276-12-31'", &[]);
    assert_eq!(late, Err(ConnectionError::Unreadable { column: 1, type_name: "timestamp".to_owned() }));
    assert!(connection.query("SELECT 1::int2", &[]).unwrap() == [[Cell::Integer(1)]]);
}

#[test]
fn lists_travel_as_arrays() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.url("postgres"));
    for (list, text) in [
        (Parameter::Booleans(vec![Some(true), None]), "{t,NULL}"),
        (
            Parameter::Integers(vec![Some(i64::MIN), None, Some(i64::MAX)]),
            "{-9223372036854775808,NULL,9223372036854775807}",
        ),
        (Parameter::Numbers(vec![Some(0.5), None]), "{0.5,NULL}"),
        (Parameter::Texts(vec![Some(String::new()), None, Some("NULL".to_owned())]), "{\"\",NULL,\"NULL\"}"),
        (Parameter::ByteStrings(vec![Some(vec![1]), None]), "{\"\\\\x01\",NULL}"),
        (Parameter::Dates(vec![Some(0), None]), "{1970-01-01,NULL}"),
        (Parameter::Timestamps(vec![Some(0), None]), "{\"1970-01-01 00:00:00\",NULL}"),
        (Parameter::Integers(vec![]), "{}"),
    ] {
        let statement = format!("SELECT ($1::{})::text", list.type_name());
        assert!(connection.query(&statement, &[list]).unwrap() == [[Cell::Text(text.to_owned())]], "{text}");
    }
}

#[test]
fn statements_count_rows_and_describe_themselves() {
    let Some(server) = PostgresServer::shared() else { return };
    let connection = connect(&server.new_database("statements"));
    connection.batch("CREATE TABLE t (n int8, name text); INSERT INTO t VALUES (1, 'a'), (2, 'b')").unwrap();
    let deleted = connection.execute("DELETE FROM t WHERE n = $1::int8", &[Parameter::Integer(Some(2))]);
    assert_eq!(deleted, Ok(1));
    let description = connection.describe("SELECT n, name, 1.5 AS x FROM t WHERE n > $1::int8").unwrap();
    assert_eq!(description.parameters, ["int8"]);
    let columns = [("n", "int8"), ("name", "text"), ("x", "numeric")];
    assert_eq!(description.columns, columns.map(|(name, kind)| (name.to_owned(), kind.to_owned())));
    // What is not read is found before the statement runs.
    let numeric = connection.query("SELECT n::numeric FROM t", &[]);
    assert_eq!(numeric, Err(ConnectionError::Unreadable { column: 1, type_name: "numeric".to_owned() }));
    for parameters in [vec![], vec![Parameter::Text(Some("1".to_owned()))], vec![Parameter::Integer(None); 2]]
    {
        assert_eq!(connection.query("SELECT $1::int8", &parameters), Err(ConnectionError::Parameters));
    }
    assert!(connection.query("SELECT n FROM t", &[]).unwrap() == [[Cell::Integer(1)]]);
}

/// Specification: it can be called where a runtime runs, and from many threads.
#[test]
fn a_connection_works_inside_a_runtime() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.url("postgres");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let task = tokio::spawn(async move {
            let connection = connect(&url);
            let rows = connection.query("SELECT 1", &[]).unwrap();
            // Last: a request to cancel arrives when it does, and ends whatever runs then.
            connection.canceller().cancel().unwrap();
            rows
        });
        assert!(task.await.unwrap() == [[Cell::Integer(1)]]);
    });
    let connection = connect(&server.url("postgres"));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let connection = &connection;
            scope.spawn(move || {
                for _ in 0..20 {
                    let rows = connection.query("SELECT $1::int8", &[Parameter::Integer(Some(number))]);
                    assert!(rows.unwrap() == [[Cell::Integer(number)]]);
                }
            });
        }
    });
}
