//! Statements, parameters, settings and schemas, in both modes of Spark.

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use arrow::ipc::writer::StreamWriter;
use pointillist_spark::{Column, ColumnType, Element, Operation, Parameter, SparkError};
use pointillist_testkit::spark::SparkServer;

use crate::{open, query, texts};

/// Specification: every parameter arrives with its type and its value, small ones, NULL and hostile texts too.
#[test]
fn parameters_arrive_as_they_are() {
    let Some(server) = SparkServer::shared() else { return };
    let session = open(server);
    let hostile = "'; DROP TABLE x; -- ? \\' \u{1F600} \0 `\"";
    let list = |element, values| Parameter::Array(element, values);
    for ansi in ["true", "false"] {
        session
            .configure(&[("spark.sql.ansi.enabled", ansi), ("spark.sql.session.timeZone", "UTC")])
            .unwrap();
        assert_eq!(session.setting("spark.sql.ansi.enabled").unwrap().as_deref(), Some(ansi));
        for (parameter, kind, text) in [
            (Parameter::Boolean(Some(false)), "boolean", Some("false")),
            (Parameter::Boolean(None), "boolean", None),
            (Parameter::Long(Some(0)), "bigint", Some("0")),
            (Parameter::Long(Some(i64::MIN)), "bigint", Some("-9223372036854775808")),
            (Parameter::Long(None), "bigint", None),
            (Parameter::Double(Some(5e-324)), "double", Some("4.9E-324")),
            (Parameter::Double(Some(0.1 + 0.2)), "double", Some("0.30000000000000004")),
            (Parameter::Double(None), "double", None),
            (Parameter::Text(Some(hostile.to_owned())), "string", Some(hostile)),
            (Parameter::Text(Some(String::new())), "string", Some("")),
            (Parameter::Text(None), "string", None),
            (Parameter::Date(Some(-719_162)), "date", Some("0001-01-01")),
            (Parameter::Date(None), "date", None),
            (
                Parameter::Timestamp(Some(253_402_300_799_999_999)),
                "timestamp_ntz",
                Some("9999-12-31 23:59:59.999999"),
            ),
            (Parameter::Timestamp(None), "timestamp_ntz", None),
            (
                list(Element::Long, vec![Parameter::Long(Some(7)), Parameter::Long(None)]),
                "array<bigint>",
                Some("[7, null]"),
            ),
            (
                list(Element::Text, vec![Parameter::Text(Some(hostile.to_owned()))]),
                "array<string>",
                Some(&format!("[{hostile}]")),
            ),
            (list(Element::Date, vec![]), "array<date>", Some("[]")),
        ] {
            let sql = "SELECT typeof(a), CAST(a AS STRING) FROM (SELECT ? AS a)";
            let got = texts(&session, sql, std::slice::from_ref(&parameter));
            assert_eq!(got, [Some(kind.to_owned()), text.map(str::to_owned)], "{parameter:?}, ANSI {ansi}");
        }
    }
}

/// Specification: a large answer comes whole and in its order.
#[test]
fn an_answer_of_many_batches_is_whole() {
    let Some(server) = SparkServer::shared() else { return };
    let session = open(server);
    let batches = query(&session, "SELECT id FROM range(0, 3000000, 1, 3) ORDER BY id", &[]).unwrap();
    assert!(batches.len() > 1);
    let mut next = 0;
    for batch in &batches {
        for id in batch.column(0).as_primitive::<Int64Type>().values() {
            assert_eq!(*id, next);
            next += 1;
        }
    }
    assert_eq!(next, 3_000_000);
}

/// Specification: what a statement returns, how it runs and that it is refused is known before it runs; a refusal has the
/// name of Spark's condition and no word of its message.
#[test]
fn a_statement_is_known_before_it_runs() {
    let Some(server) = SparkServer::shared() else { return };
    let session = open(server);
    assert!(session.version().unwrap().starts_with('4'));
    let columns = session
        .schema(
            "SELECT ? AS a, CAST('x' AS STRING) COLLATE UTF8_LCASE AS b, array(1) AS c",
            &[Parameter::Long(Some(1))],
        )
        .unwrap();
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    let collated = ColumnType::Other("STRING with a collation");
    assert_eq!(
        columns,
        [
            column("a", ColumnType::Whole { bits: 64 }),
            column("b", collated),
            column("c", ColumnType::Other("ARRAY"))
        ]
    );
    let plan = session.explain("SELECT count(*) FROM range(?)", &[Parameter::Long(Some(10))]).unwrap();
    assert!(plan.contains("Physical Plan"), "{plan}");
    assert!(!session.is_streaming("SELECT 1", &[]).unwrap());
    for sql in ["SELECT * FROM ana_smith", "SELECT ana_smith FROM range(1)", "SELEC 'ana_smith'"] {
        for refused in [
            session.explain(sql, &[]).unwrap_err(),
            session.schema(sql, &[]).unwrap_err(),
            query(&session, sql, &[]).unwrap_err(),
        ] {
            assert!(matches!(&refused, SparkError::Refused { condition: Some(_) }), "{sql}: {refused:?}");
            assert!(!format!("{refused} {refused:?}").contains("ana_smith"), "{refused}");
        }
    }
}

/// Specification: a row on which a statement fails leaves the name of a condition and nothing of the row.
#[test]
fn a_failure_on_a_row_does_not_quote_it() {
    let Some(server) = SparkServer::shared() else { return };
    let session = open(server);
    session.configure(&[("spark.sql.ansi.enabled", "true")]).unwrap();
    let name = Parameter::Text(Some("Ana Smith".to_owned()));
    let sql =
        "SELECT sum(CAST(if(id = 7, concat(x, id), id) AS BIGINT)) FROM (SELECT id, ? AS x FROM range(10))";
    let error = query(&session, sql, &[name]).unwrap_err();
    let condition = error.condition().expect("Spark has a name for it");
    assert_eq!((condition.name(), condition.sqlstate()), ("CAST_INVALID_INPUT", Some("22018")));
    assert!(matches!(error, SparkError::Failed { .. }));
    assert!(!format!("{error} {error:?}").contains("Ana"), "{error}");
    // The session is as good as before.
    assert_eq!(query(&session, "SELECT 1", &[]).unwrap()[0].num_rows(), 1);
}

/// Specification: commands run once, and public rows are there under their name, in this session alone.
#[test]
fn commands_run_and_public_rows_are_registered() {
    let Some(server) = SparkServer::shared() else { return };
    let session = open(server);
    session.command("CREATE TABLE commands_run (a BIGINT) USING parquet", &[]).unwrap();
    session.command("INSERT INTO commands_run VALUES (?), (2)", &[Parameter::Long(Some(1))]).unwrap();
    let count = texts(&session, "SELECT CAST(count(*) AS STRING) FROM commands_run", &[]);
    assert_eq!(count, [Some("2".to_owned())]);
    let described = session.command("DESCRIBE TABLE commands_run", &[]).unwrap();
    assert_eq!(
        described.into_iter().flat_map(crate::batches).map(|batch| batch.num_rows()).sum::<usize>(),
        1
    );

    let schema =
        Schema::new(vec![Field::new("k", DataType::Utf8, true), Field::new("n", DataType::Int64, true)]);
    let names = StringArray::from(vec![Some("a"), None]);
    let rows =
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(names), Arc::new(Int64Array::from(vec![1, 2]))]);
    let rows = rows.unwrap();
    let mut stream = Cursor::new(Vec::new());
    let mut writer = StreamWriter::try_new(&mut stream, &rows.schema()).unwrap();
    writer.write(&rows).unwrap();
    writer.finish().unwrap();
    drop(writer);
    session.register("public_rows", stream.into_inner(), "k STRING, n BIGINT").unwrap();
    let sum = texts(&session, "SELECT CAST(sum(n) AS STRING) FROM public_rows WHERE k IS NULL", &[]);
    assert_eq!(sum, [Some("2".to_owned())]);
    assert!(matches!(
        query(&open(server), "SELECT * FROM public_rows", &[]),
        Err(SparkError::Refused { .. })
    ));
}

/// Specification: somebody who waits hears how far it is, and the tasks that are done are among those that there are.
#[test]
fn progress_is_heard() {
    let Some(server) = SparkServer::shared() else { return };
    let session = open(server);
    let mut heard = Vec::new();
    let sql = "SELECT sum(hash(id, id + 1)) FROM range(0, 4000000000, 1, 20)";
    session.query(&Operation::new().unwrap(), sql, &[], &mut |now| heard.push(now)).unwrap();
    assert!(heard.iter().any(|now| now.tasks > 0), "{heard:?}");
    assert!(heard.iter().all(|now| now.tasks_done <= now.tasks), "{heard:?}");
}
