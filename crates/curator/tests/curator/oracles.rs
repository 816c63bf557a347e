//! Error oracles: statements that make an ordinary engine stumble over one chosen row.
//!
//! In an ordinary engine each of these fails, or takes another path, if and only if the target is in the table: a
//! question without noise. Here every reply is the same with and without the target, and so is every byte of the
//! ledger. Some are refused, on both sides and before anything is read; that is a pass too.

use pointillist_errors::Explained;

use crate::clinic::{CANARY, Clinic, target_rows, visits};
use crate::twins::shape;

/// `?` stands for a value that is harmless unless the row is the target's.
pub const STATEMENTS: [&str; 52] = [
    "count(*) FROM visits WHERE 1 / (patient - 9001) >= 0",
    "count(*) FROM visits WHERE 10 % (patient - 9001) >= 0",
    "count(*) FROM visits WHERE CASE WHEN patient = 9001 THEN 1 / 0 ELSE 1 END = 1",
    "count(*) FROM visits WHERE 1 / CASE WHEN name LIKE 'Zoe%' THEN 0 ELSE 1 END = 1",
    "count(1 / (patient - 9001)) FROM visits",
    "sum(CASE WHEN age >= 0 THEN 100 / (patient - 9001) ELSE 0 END) FROM visits",
    "avg(LEAST(GREATEST(100 / (patient - 9001), 0), 10)) FROM visits",
    "sum(LEAST(GREATEST(1000 % (patient - 9001), 0), 10)) FROM visits",
    "count(*) FILTER (WHERE 1 / (patient - 9001) >= 0) FROM visits",
    "count(*) FROM visits GROUP BY 100 / (patient - 9001) > 0",
    "region, count(*) FROM visits WHERE 5 / (patient - 9001) < 9 GROUP BY region",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN name ELSE '1' END AS BIGINT) = 1",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN name ELSE '1' END AS INT) = 1",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN name ELSE '1' END AS DOUBLE PRECISION) = 1",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN name ELSE '2024-01-01' END AS DATE) IS NOT NULL",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN name ELSE '2024-01-01T00:00:00' END AS TIMESTAMP) IS NOT NULL",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN name ELSE 'true' END AS BOOLEAN)",
    "count(*) FROM visits WHERE CAST(code AS BIGINT) > 0",
    "sum(LEAST(GREATEST(CAST(code AS BIGINT), 0), 10)) FROM visits",
    "count(*) FROM visits WHERE code::int > 5",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN 1e300 ELSE 1.0 END AS BIGINT) = 1",
    "count(*) FROM visits WHERE CAST(CASE WHEN patient = 9001 THEN 1e30 ELSE 1.0 END AS INT) = 1",
    "count(*) FROM visits WHERE 9223372036854775807 + CASE WHEN patient = 9001 THEN 1 ELSE 0 END > 0",
    "count(*) FROM visits WHERE 9223372036854775807 * CASE WHEN patient = 9001 THEN 2 ELSE 1 END > 0",
    "count(*) FROM visits WHERE -9223372036854775807 - CASE WHEN patient = 9001 THEN 9 ELSE 0 END < 0",
    "count(*) FROM visits WHERE abs(-9223372036854775807 - CASE WHEN patient = 9001 THEN 1 ELSE 0 END) > 0",
    "count(*) FROM visits WHERE (-9223372036854775807 - 1) / CASE WHEN patient = 9001 THEN -1 ELSE 1 END < 0",
    "sum(LEAST(9223372036854775807 + CASE WHEN patient = 9001 THEN 1 ELSE 0 END, 5)) FROM visits",
    "count(*) FROM visits WHERE sqrt(CASE WHEN patient = 9001 THEN -1.0 ELSE 1.0 END) = 1",
    "count(*) FROM visits WHERE ln(CASE WHEN patient = 9001 THEN 0.0 ELSE 1.0 END) = 0",
    "count(*) FROM visits WHERE ln(CASE WHEN patient = 9001 THEN -1.0 ELSE 1.0 END) = 0",
    "count(*) FROM visits WHERE log10(CASE WHEN patient = 9001 THEN 0.0 ELSE 1.0 END) = 0",
    "count(*) FROM visits WHERE power(CASE WHEN patient = 9001 THEN 0.0 ELSE 1.0 END, -1) = 1",
    "count(*) FROM visits WHERE power(CASE WHEN patient = 9001 THEN -8.0 ELSE 1.0 END, 0.3) = 1",
    "count(*) FROM visits WHERE exp(CASE WHEN patient = 9001 THEN 100000.0 ELSE 0.0 END) = 1",
    "count(*) FROM visits WHERE power(10.0, CASE WHEN patient = 9001 THEN 400 ELSE 0 END) = 1",
    "count(*) FROM visits WHERE 1e308 * CASE WHEN patient = 9001 THEN 10.0 ELSE 0.5 END > 0",
    "avg(LEAST(GREATEST(ratio / (patient - 9001), -1), 1)) FROM visits",
    "stddev(LEAST(GREATEST(1.0 / (patient - 9001), -1), 1)) FROM visits",
    "count(*) FROM visits WHERE day + CASE WHEN patient = 9001 THEN 2147483647 ELSE 1 END > DATE '2024-01-01'",
    "count(*) FROM visits WHERE substr(name, 1, CASE WHEN patient = 9001 THEN -5 ELSE 1 END) = 'p'",
    "count(*) FROM visits WHERE round(1.5, CASE WHEN patient = 9001 THEN 2147483647 ELSE 1 END) > 0",
    "count(*) FROM visits WHERE width_bucket(ratio, 0, 10, CASE WHEN patient = 9001 THEN 0 ELSE 5 END) > 0",
    "count(*) FROM visits WHERE name LIKE CASE WHEN patient = 9001 THEN 'a\\' ELSE 'p%' END",
    "count(*) FROM visits WHERE length(repeat(name, CASE WHEN patient = 9001 THEN 200000000 ELSE 1 END)) > 0",
    "count(*) FROM visits WHERE chr(CASE WHEN patient = 9001 THEN 0 ELSE 65 END) = 'A'",
    "count(*) FROM visits WHERE to_date(name, 'YYYY') IS NULL",
    "count(*) FROM visits WHERE name ~ CASE WHEN patient = 9001 THEN '(' ELSE 'p' END",
    "count(*) FROM visits WHERE (SELECT name FROM visits WHERE patient >= 9001) IS NULL",
    "count(*) FROM visits WHERE EXISTS (SELECT 1 / (patient - 9001) FROM visits)",
    "count(*) FROM visits HAVING 1 / (count(*) - 1) >= 0",
    "age / (patient - 9001), count(*) FROM visits GROUP BY 1",
];

pub fn priced(statement: &str) -> String {
    format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.02) {statement}")
}

/// Specification: same reply, same charge, no canary. Where a reply has earned keys (none of these has) the shown set
/// could differ by chance.
#[test]
fn no_statement_fails_on_one_row() {
    let with = Clinic::new(&(visits(60) + &target_rows()));
    let without = Clinic::new(&visits(60));
    let mut answered = 0;
    for statement in STATEMENTS {
        let sql = priced(statement);
        let (here, there) = (with.ask(&sql), without.ask(&sql));
        assert_eq!(shape(&here), shape(&there), "{statement}");
        assert!(!format!("{here:?}").contains(CANARY), "{statement}");
        assert!(!matches!(here, Err(pointillist_curator::AskError::Failed)), "{statement}");
        if let Err(error) = &here {
            assert!(error.hint().is_some(), "{error}");
        }
        answered += usize::from(here.is_ok());
    }
    assert!(
        answered >= 35,
        "{answered} were answered: total expressions, not refusals, are what closes oracles"
    );
    let bytes = |clinic: &Clinic| clinic.curator.ledger().public_bytes().unwrap();
    assert_eq!(bytes(&with), bytes(&without));
}
/// The statements are oracles: an ordinary engine fails on many of them with the target's row, and on none of those
/// without it.
#[test]
fn an_ordinary_engine_gives_the_person_away() {
    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::prelude::{CsvReadOptions, SessionContext};
    let schema = Schema::new(
        [
            ("patient", DataType::Int64),
            ("name", DataType::Utf8),
            ("region", DataType::Utf8),
            ("ward", DataType::Utf8),
            ("age", DataType::Int64),
            ("cost", DataType::Float64),
            ("ratio", DataType::Float64),
            ("day", DataType::Date32),
            ("code", DataType::Utf8),
            ("flag", DataType::Boolean),
        ]
        .map(|(name, kind)| Field::new(name, kind, true))
        .to_vec(),
    );
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fails = |name: &str, rows: String, statement: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, rows).unwrap();
        runtime.block_on(async {
            let context = SessionContext::new();
            let options = CsvReadOptions::new().schema(&schema);
            context.register_csv("visits", path.to_str().unwrap(), options).await.unwrap();
            match context.sql(&format!("SELECT {statement}")).await {
                Ok(frame) => Some(frame.collect().await.is_err()),
                Err(_) => None,
            }
        })
    };
    let gives_away = STATEMENTS.iter().filter(|statement| {
        let with = fails("with.csv", visits(60) + &target_rows(), statement);
        let without = fails("without.csv", visits(60), statement);
        with == Some(true) && without == Some(false)
    });
    let count = gives_away.count();
    assert!(count >= 15, "only {count} statements separate the two tables in DataFusion");
}
