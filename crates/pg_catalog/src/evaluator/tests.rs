//! SQL as PostgreSQL answers it, over the system tables of a small catalog.

mod hostile;
mod language;

use pointillist_catalog::Catalog;

use super::*;
use crate::{Base, encode_text};

const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 1, delta = 1e-9 }
[table.patients]
scope = "patients"
source = "p.csv"
privacy_unit = "patient_id"
[table.patients.columns]
sex = { type = "text", public_keys = ["f", "m"] }
[table.visits]
scope = "patients"
source = "v.csv"
max_groups = 4
privacy_unit = { column = "patient", references = "patients.patient_id" }
[table.visits.columns]
patient = { type = "text" }
age = { type = "integer", lower = 0, upper = 120, nullable = false }
cost = { type = "decimal", lower = -0.5, upper = 10 }
day = { type = "date" }
[graph.contacts]
scope = "patients"
source = "edges.csv"
privacy = "node"
[analyst.ana]
"#;

/// 2026-11-16 12:34:56.5.
const NOW: i64 = 848_147_696_500_000;

fn system() -> &'static SystemCatalog {
    static SYSTEM: std::sync::OnceLock<SystemCatalog> = std::sync::OnceLock::new();
    SYSTEM.get_or_init(|| {
        SystemCatalog::new(&Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}")), "shop")
    })
}

fn outcome(sql: &str, parameters: &[PgValue]) -> Result<Outcome, PgError> {
    let mut settings = Settings::new("ana");
    let mut session =
        Session { user: "ana", database: "shop", backend_pid: 7, now: NOW, settings: &mut settings };
    Question::parse(sql, &[])?.execute(system(), &mut session, parameters)
}

/// The rows as text: columns between `|`, NULL as `-`, rows between `/`.
fn ask(sql: &str) -> String {
    ask_with(sql, &[])
}

fn ask_with(sql: &str, parameters: &[PgValue]) -> String {
    let outcome = outcome(sql, parameters).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let cell = |(value, column): (&PgValue, &(String, PgType))| {
        encode_text(value, column.1).unwrap_or_else(|| "-".to_owned())
    };
    let line = |row: &Vec<PgValue>| row.iter().zip(&outcome.columns).map(cell).collect::<Vec<_>>().join("|");
    outcome.rows.iter().map(line).collect::<Vec<_>>().join("/")
}

fn state(sql: &str) -> &'static str {
    match outcome(sql, &[]) {
        Ok(outcome) => panic!("{sql}: {:?}", outcome.rows),
        Err(error) => error.sqlstate,
    }
}

fn described(sql: &str) -> Described {
    let mut settings = Settings::new("ana");
    let session =
        Session { user: "ana", database: "shop", backend_pid: 7, now: NOW, settings: &mut settings };
    let question = Question::parse(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    question.describe(system(), &session).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

/// Names and types of the columns, as text.
fn columns(sql: &str) -> String {
    let columns =
        described(sql).columns.into_iter().map(|(name, kind)| format!("{name} {}", kind.sql_name()));
    columns.collect::<Vec<_>>().join(", ")
}
