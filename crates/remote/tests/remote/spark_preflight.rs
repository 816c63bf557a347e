//! What Spark's tables are, and which are refused before anybody pays.

use pointillist_errors::Explained;
use pointillist_lowering::{Dialect, Statement, StatementTable, Stored};
use pointillist_plan::Type;
use pointillist_remote::spark::{Refusal, TableName, Times};
use pointillist_spark::Address;

use crate::spark_questions::{cluster, name, session};
use crate::spark_worlds::server;

pub(crate) fn statement(table: &str, text: &str, keys: &[Type], columns: &[&str]) -> Statement {
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    Statement {
        dialect: Dialect::Spark,
        text: text.to_owned(),
        parameters: Vec::new(),
        keys: keys.to_vec(),
        measures: 0,
        tables: vec![StatementTable { path: vec![table.to_owned()], columns }],
    }
}

/// Specification: every column is known by its type; those that nobody reads name themselves.
#[test]
fn spark_columns_are_known_by_their_types() {
    let Some(server) = server() else { return };
    session(server)
        .command(
            "CREATE TABLE types (yes BOOLEAN, tiny TINYINT, small SMALLINT, whole INT, big BIGINT, single FLOAT, \
             double DOUBLE, money DECIMAL(10, 2), word STRING, short VARCHAR(7), fixed CHAR(5), \
             lower STRING COLLATE UTF8_LCASE, day DATE, seen TIMESTAMP_NTZ, zoned TIMESTAMP, bytes BINARY, \
             list ARRAY<INT>, record STRUCT<a: INT>, pairs MAP<STRING, INT>, free VARIANT, span INTERVAL DAY) \
             USING parquet",
            &[],
        )
        .unwrap();
    let table = cluster(server).describe(&name("types"), &Times::default()).unwrap();
    let found: Vec<_> =
        table.columns.iter().map(|column| (column.name.as_str(), column.stored.clone())).collect();
    let other = |name: &str| Stored::Other(name.to_owned());
    assert_eq!(
        found,
        [
            ("yes", Stored::Boolean),
            ("tiny", Stored::Whole),
            ("small", Stored::Whole),
            ("whole", Stored::Whole),
            ("big", Stored::Whole),
            ("single", Stored::Single),
            ("double", Stored::Double),
            ("money", Stored::Decimal),
            ("word", Stored::Text),
            ("short", Stored::Text),
            ("fixed", other("CHAR")),
            ("lower", other("STRING with a collation")),
            ("day", Stored::Date),
            ("seen", Stored::Timestamp),
            ("zoned", Stored::ZonedTimestamp),
            ("bytes", other("BINARY")),
            ("list", other("ARRAY")),
            ("record", other("STRUCT")),
            ("pairs", other("MAP")),
            ("free", other("VARIANT")),
            ("span", other("INTERVAL")),
        ]
    );
}

/// Specification: what Spark computes when a row is read is refused by name, and files and tables of files are not.
#[test]
fn spark_tables_that_are_computed_are_refused_by_name() {
    let Some(server) = server() else { return };
    let owner = session(server);
    for command in [
        "CREATE TABLE plain (a BIGINT, p STRING) USING orc PARTITIONED BY (p)",
        "INSERT INTO plain VALUES (1, 'x')",
        "CREATE VIEW seen_through AS SELECT 10 / a AS a FROM plain",
        "CREATE GLOBAL TEMPORARY VIEW passing AS SELECT 1 AS a",
        "CREATE TABLE parsed (a BIGINT) USING csv",
        "CREATE TABLE made (a BIGINT) USING json",
    ] {
        owner.command(command, &[]).unwrap_or_else(|error| panic!("{command}: {error}"));
    }
    let path = server.folder().join("files");
    owner
        .command(
            &format!("INSERT OVERWRITE DIRECTORY '{}' USING parquet SELECT 1L AS a", path.display()),
            &[],
        )
        .unwrap();
    let cluster = cluster(server);
    let describe = |name: &TableName| cluster.describe(name, &Times::default());
    let files = TableName::from_path(&["parquet".to_owned(), path.display().to_string()]).unwrap();
    for good in [name("plain"), name("default.plain"), name("spark_catalog.default.plain"), files] {
        assert_eq!(describe(&good).unwrap().columns[0].stored, Stored::Whole, "{good}");
    }
    for (table, words) in [
        ("seen_through", "`seen_through` is a view"),
        ("global_temp.passing", "`global_temp.passing` is a view"),
        ("parsed", "stored as text"),
        ("made", "stored as text"),
        ("nowhere", "there is no table `nowhere`"),
        ("Plain", "there is no table `Plain`"),
        ("plain` WHERE false --", "there is no table"),
    ] {
        let refusal = describe(&name(table)).map(|_| ()).unwrap_err();
        assert!(refusal.to_string().contains(words), "{table}: {refusal}");
        assert!(refusal.hint().is_some());
    }
}

/// Specification: a statement that Spark would not plan, would answer in other columns, or that reads what nobody looked at, is
/// refused before it is paid for.
#[test]
fn spark_plans_the_statement_before_anybody_pays() {
    let Some(server) = server() else { return };
    session(server).command("CREATE TABLE planned (a BIGINT, w STRING) USING parquet", &[]).unwrap();
    let session = cluster(server).begin(&[name("planned")], &Times::default()).unwrap();
    let good = "SELECT a, CAST(count(*) AS STRING) FROM `planned` GROUP BY a";
    assert_eq!(session.prepare(&statement("planned", good, &[Type::Integer], &["a"])), Ok(()));
    let refused = |statement: &Statement| session.prepare(statement).unwrap_err();
    assert_eq!(refused(&statement("planned", good, &[Type::Text], &["a"])), Refusal::Shape);
    assert_eq!(refused(&statement("planned", good, &[], &["a"])), Refusal::Shape);
    // Arrow gives 32 bits back for those, which are no whole number of the language.
    let narrow = "SELECT CAST(a AS INT), CAST(count(*) AS STRING) FROM `planned` GROUP BY 1";
    assert_eq!(refused(&statement("planned", narrow, &[Type::Integer], &["a"])), Refusal::Shape);
    let numbers = good.replace("CAST(count(*) AS STRING)", "count(*)");
    assert_eq!(refused(&statement("planned", &numbers, &[Type::Integer], &["a"])), Refusal::Shape);
    let missing = refused(&statement("planned", good, &[Type::Integer], &["b"]));
    assert!(matches!(missing, Refusal::MissingColumn { .. }), "{missing}");
    let unseen = refused(&statement("types", good, &[Type::Integer], &[]));
    assert!(matches!(unseen, Refusal::Missing { .. }), "{unseen}");
    let wrong = refused(&statement("planned", "SELECT nothing FROM `planned`", &[], &[]));
    assert!(wrong.to_string().contains("UNRESOLVED_COLUMN"), "{wrong}");
}

/// Specification: a cluster that is away is said so, before anybody pays.
#[test]
fn spark_that_is_away_is_said() {
    let address = Address::parse("sc://127.0.0.1:1/").unwrap();
    let away = pointillist_remote::spark::Cluster::new(address, "tests", None, false);
    let refusal = away.begin(&[name("stays")], &Times::default()).map(|_| ()).unwrap_err();
    assert_eq!(refusal.to_string(), "the Spark Connect server sc://127.0.0.1:1/ cannot be reached");
}
