//! The contract of engines, held against each other: Spark, in both of its modes, and the engine in this process, over the same
//! hostile rows.
//!
//! **Specification.** What Spark does not refuse before the payment it answers, with the very integers that the embedded engine
//! has under the same key. Nothing that rows hold makes a statement fail, with ANSI on or off.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::ipc::writer::StreamWriter;
use pointillist_catalog::Catalog;
use pointillist_engine::{
    Choice, ChoiceKey, Embedded, Engine, EngineOptions, Groups, MemoryRows, Prepared, Source,
};
use pointillist_lowering::{Dialect, lower};
use pointillist_query::{Options, plan};
use pointillist_remote::spark::{Cluster, TableName, Times};
use pointillist_spark::{Address, Session, SessionOptions};
use pointillist_testkit::spark::SparkServer;

use crate::chance::Chance;
use crate::differential::numbers;
use crate::spark_worlds::server;

const ROWS: usize = 600;

const CATALOG: &str = r#"
[scope.people]
budget = { rho = 0.5, delta = 1e-9 }
[table.visits]
source = 'visits.csv'
scope = 'people'
privacy_unit = 'person'
max_groups = 2
max_contributions = 3
[table.visits.columns]
ward = { type = "text", public_keys = ["a", "", "b", "é", "it's"] }
word = { type = "text" }
big = { type = "integer" }
mid = { type = "integer", lower = -5, upper = 100 }
real = { type = "decimal", lower = -2, upper = 2, step = 0.25 }
loose = { type = "decimal" }
flag = { type = "boolean" }
day = { type = "date", lower = "1969-12-31", upper = "2020-03-01" }
seen = { type = "timestamp" }
"#;

const QUESTIONS: [&str; 20] = [
    "SELECT COUNT(*) FROM visits",
    "SELECT COUNT(DISTINCT person) FROM visits",
    "SELECT ward, COUNT(*), SUM(mid), AVG(real) FROM visits GROUP BY ward",
    "SELECT word, COUNT(*) FROM visits GROUP BY word",
    "SELECT flag, SUM(real) FROM visits WHERE mid > 0 GROUP BY flag",
    "SELECT big, COUNT(*), SUM(mid) FROM visits GROUP BY big",
    "SELECT day, COUNT(real) FROM visits GROUP BY day",
    "SELECT seen, COUNT(*) FROM visits GROUP BY seen",
    "SELECT date_trunc('month', day), COUNT(*) FROM visits GROUP BY 1",
    "SELECT word, flag, COUNT(*), VARIANCE(mid) FROM visits GROUP BY word, flag",
    "SELECT ward, COUNT(*) FROM visits WHERE big / mid > 0 OR big % mid = 1 GROUP BY ward",
    "SELECT ward, SUM(mid) FROM visits WHERE big + big > 0 AND big * mid <> 3 GROUP BY ward",
    "SELECT ward, COUNT(*) FROM visits WHERE loose * loose > 1 OR loose / real < 2 GROUP BY ward",
    "SELECT ward, COUNT(*) FROM visits WHERE sqrt(loose) > 0 OR round(loose, 2) = 1 GROUP BY ward",
    "SELECT upper(word), COUNT(*) FROM visits GROUP BY 1",
    "SELECT substring(word, 1, 2), COUNT(*) FROM visits GROUP BY 1",
    "SELECT ward, COUNT(*) FROM visits WHERE word LIKE '%\\%' OR word ILIKE 'A_' GROUP BY ward",
    "SELECT extract(year FROM seen), COUNT(*) FROM visits GROUP BY 1",
    "SELECT CASE WHEN mid > 1 THEN 'many' WHEN mid = 1 THEN 'one' END, COUNT(*) FROM visits GROUP BY 1",
    "SELECT ward, COUNT(*) FROM (SELECT person, MAX(ward) AS ward, SUM(mid) AS mid FROM visits GROUP BY person) x WHERE mid > 3 GROUP BY ward",
];

/// Hostile values, and few enough of each that rows meet.
fn rows(chance: &mut Chance) -> RecordBatch {
    let texts = ["a", "", "b", "é", "it's", "A", "a ", "e\u{301}", "\u{1F600}\\%", "NULL", "a|b", "\0"];
    let bigs = [0, 1, -1, 7, i64::MAX, i64::MIN, 1 << 62, -(1 << 31)];
    let reals = [0.0, -0.0, 0.125, -2.0, 2.0, 5e-324, 1e308, -1e308, f64::NAN, f64::INFINITY, 1e-160, 1.005];
    let days = [0, -1, 18_321, -719_162, 2_932_896, 18_322];
    let moments = [0, -1, 1_582_934_400_000_000, 253_402_300_799_999_999, -62_135_596_800_000_000];
    macro_rules! column {
        ($array:ty, $values:expr) => {{
            let values = $values;
            let cells = (0..ROWS).map(|_| (!chance.one_in(7)).then(|| values[chance.below(values.len())]));
            Arc::new(cells.collect::<$array>()) as ArrayRef
        }};
    }
    let people: Vec<String> = (0..40).map(|n| format!("{}{n}", ["p", "P", "p "][n % 3])).collect();
    let people: Vec<&str> = people.iter().map(String::as_str).collect();
    RecordBatch::try_from_iter([
        ("person", column!(StringArray, &people)),
        ("ward", column!(StringArray, &texts)),
        ("word", column!(StringArray, &texts)),
        ("big", column!(Int64Array, &bigs)),
        ("mid", column!(Int64Array, &[-7i64, -1, 0, 1, 2, 3, 99, 1000])),
        ("real", column!(Float64Array, &reals)),
        ("loose", column!(Float64Array, &reals)),
        ("flag", column!(BooleanArray, &[true, false])),
        ("day", column!(Date32Array, &days)),
        ("seen", column!(TimestampMicrosecondArray, &moments)),
    ])
    .unwrap()
}

/// Puts rows into a table of Parquet files.
pub(crate) fn put(server: &SparkServer, table: &str, rows: &RecordBatch, columns: &str) {
    let mut stream = Vec::new();
    let mut writer = StreamWriter::try_new(&mut stream, &rows.schema()).unwrap();
    writer.write(rows).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let session = session(server);
    session.register("given", stream, columns).unwrap();
    session.command(&format!("CREATE TABLE {table} USING parquet AS SELECT * FROM given"), &[]).unwrap();
}

/// A session of whoever keeps the tables.
pub(crate) fn session(server: &SparkServer) -> Session {
    let address = Address::parse(&server.url()).unwrap();
    let session = Session::open(&address, None, SessionOptions::default()).unwrap();
    session.configure(&[("spark.sql.session.timeZone", "UTC"), ("spark.sql.caseSensitive", "true")]).unwrap();
    session
}

pub(crate) fn cluster(server: &SparkServer) -> Cluster {
    Cluster::new(Address::parse(&server.url()).unwrap(), "tests", None::<&Path>, false)
}

pub(crate) fn name(table: &str) -> TableName {
    TableName::from_path(&table.split('.').map(str::to_owned).collect::<Vec<_>>()).unwrap()
}

#[test]
fn spark_answers_as_the_embedded_engine_does() {
    let Some(server) = server() else { return };
    let catalog = Catalog::parse(CATALOG).unwrap();
    let mut chance = Chance(20_261_118);
    let rows = rows(&mut chance);
    let columns = "person STRING, ward STRING, word STRING, big BIGINT, mid BIGINT, real DOUBLE, loose DOUBLE, \
                   flag BOOLEAN, day DATE, seen TIMESTAMP_NTZ";
    put(server, "questions", &rows, columns);
    let source = Source::Memory(MemoryRows::new("visits", rows.schema(), vec![rows]).unwrap());
    let sources = BTreeMap::from([("visits".to_owned(), source)]);
    let engine = Arc::new(Engine::new(EngineOptions::default()).unwrap());
    let (mut compared, mut refused) = (0, Vec::new());
    for ansi in [true, false] {
        let cluster = cluster(server);
        let cluster = if ansi { cluster } else { cluster.without_ansi() };
        let session = cluster.begin(&[name("questions")], &Times::default()).unwrap();
        let stored = BTreeMap::from([("visits".to_owned(), session.tables()[0].stored())]);
        for sql in QUESTIONS {
            let plan =
                plan(&catalog, sql, &Options::default()).unwrap_or_else(|error| panic!("{sql}: {error}"));
            let aggregation = &plan.aggregation;
            let key = ChoiceKey::from_words(|| chance.word());
            let statement = match lower(Dialect::Spark, &stored, aggregation, &key) {
                Ok(statement) => statement,
                Err(refusal) => {
                    refused.push(format!("{sql}: {refusal}"));
                    continue;
                }
            };
            session.prepare(&statement).unwrap_or_else(|error| panic!("{sql}: {error}\n{}", statement.text));
            let there = session.run(&statement);
            let there = there.unwrap_or_else(|error| {
                panic!("ANSI {ansi}, {sql}: {}\n{}", error.words_for_log(), statement.text)
            });
            let there = Groups::from_rows(aggregation.domain.as_deref(), aggregation.measures.len(), there);
            let scan = engine.scan(&sources, aggregation).unwrap();
            let here = Embedded::new(Arc::clone(&engine), scan).aggregate(aggregation, &Choice::With(key));
            assert_eq!(numbers(&here.unwrap()), numbers(&there.unwrap()), "ANSI {ansi}, {sql}");
            compared += 1;
        }
    }
    println!("compared {compared}, refused {refused:#?}");
    assert!(compared >= QUESTIONS.len(), "{refused:#?}");
}

/// Specification: a table that has the name of a subquery of the statement is refused or read as itself, on either side of a join.
#[test]
fn spark_reads_no_subquery_in_the_place_of_a_table() {
    let Some(server) = server() else { return };
    let owner = session(server);
    let text = "[scope.people]\nbudget = { rho = 0.5, delta = 1e-9 }\n".to_owned();
    let table = |name: &str| {
        format!(
            "[table.{name}]\nsource = '{name}.csv'\nscope = 'people'\nprivacy_unit = 'person'\nmax_groups = 1\n\
             max_contributions = 1000\n[table.{name}.columns]\na = {{ type = \"integer\" }}\n"
        )
    };
    let catalog = Catalog::parse(&(text + &table("visits") + &table("drugs"))).unwrap();
    let sql = "SELECT COUNT(*) FROM (SELECT v.a AS a FROM visits v JOIN drugs d ON v.person = d.person AND v.a = d.a) x";
    let aggregation = plan(&catalog, sql, &Options::default()).unwrap().aggregation;
    for (number, own) in ["l", "r", "l0", "r0", "h", "R", "s", "t", "p", "w"].into_iter().enumerate() {
        // Three rows of one person there, and one of them in the other table.
        owner
            .command(
                &format!("CREATE TABLE {own} USING parquet AS SELECT 1L AS person, id AS a FROM range(3)"),
                &[],
            )
            .unwrap();
        let other = format!("other{number}");
        owner
            .command(&format!("CREATE TABLE {other} USING parquet AS SELECT 1L AS person, 2L AS a"), &[])
            .unwrap();
        for (visits, drugs) in [(own, other.as_str()), (other.as_str(), own)] {
            for schema in ["", "default."] {
                let names = [name(&format!("{schema}{visits}")), name(&format!("{schema}{drugs}"))];
                let session = cluster(server).begin(&names, &Times::default()).unwrap();
                let stored = ["visits", "drugs"].map(str::to_owned).into_iter();
                let stored = stored.zip(session.tables().iter().map(|table| table.stored())).collect();
                let statement = lower(Dialect::Spark, &stored, &aggregation, &ChoiceKey::from_words(|| 3));
                let Ok(statement) = statement else {
                    assert!(schema.is_empty(), "{schema}{own} is refused");
                    continue;
                };
                session.prepare(&statement).unwrap();
                assert!(session.run(&statement).unwrap() == [(vec![], vec![1, 1])], "{schema}{own}");
            }
        }
        owner.command(&format!("DROP TABLE {own}"), &[]).unwrap();
    }
}
