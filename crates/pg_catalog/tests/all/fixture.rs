//! One declared catalog, and somebody who asks about it. None of its files exist.

use pointillist_catalog::Catalog;
use pointillist_pg_catalog::{
    Outcome, PgError, PgValue, Question, Session, Settings, SystemCatalog, decode_text, encode_text,
};

pub const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 1, delta = 1e-9 }
[table.patients]
scope = "patients"
source = "no/such/patients.csv"
privacy_unit = "patient_id"
[table.patients.columns]
sex = { type = "text", public_keys = ["f", "m"] }
[table.visits]
scope = "patients"
source = "no/such/visits.csv"
max_groups = 4
privacy_unit = { column = "patient", references = "patients.patient_id" }
[table.visits.columns]
patient = { type = "text" }
age = { type = "integer", lower = 0, upper = 120, nullable = false }
cost = { type = "decimal", lower = -0.5, upper = 10 }
day = { type = "date" }
at = { type = "timestamp" }
urgent = { type = "boolean" }
[table.Wards]
public = true
source = "no/such/wards.csv"
[table.Wards.columns]
ward = { type = "text" }
[graph.contacts]
scope = "patients"
source = "no/such/edges.csv"
privacy = "node"
[analyst.ana]
[analyst.bo]
"#;

/// The catalog of a text.
pub fn catalog(text: &str) -> Catalog {
    Catalog::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Asks as `ana`; parameters are text, as most clients send them.
pub fn ask(system: &SystemCatalog, sql: &str, parameters: &[Option<String>]) -> Result<Outcome, PgError> {
    let mut settings = Settings::new("ana");
    let mut session =
        Session { user: "ana", database: "shop", backend_pid: 7, now: 0, settings: &mut settings };
    let question = Question::parse(sql, &vec![None; parameters.len()])?;
    let described = question.describe(system, &session)?;
    assert_eq!(described.parameters.len(), parameters.len(), "parameters of {sql}");
    let decode = |(value, kind): (&Option<String>, &_)| match value {
        None => Ok(PgValue::Null),
        Some(text) => decode_text(text.as_bytes(), *kind),
    };
    let values: Vec<PgValue> =
        parameters.iter().zip(&described.parameters).map(decode).collect::<Result<_, _>>()?;
    let outcome = question.execute(system, &mut session, &values)?;
    assert_eq!(outcome.columns, described.columns, "what was described is what came: {sql}");
    Ok(outcome)
}

/// A cell as a client reads it; NULL is `␀`.
pub fn cell(value: &PgValue, kind: pointillist_pg_catalog::PgType) -> String {
    let text = encode_text(value, kind).unwrap_or_else(|| "␀".to_owned());
    text.replace('\n', "\\n").replace('\r', "\\r")
}

/// Rows of an answer, cells between bars.
pub fn lines(outcome: &Outcome) -> Vec<String> {
    let line = |row: &Vec<PgValue>| {
        let cells = row.iter().zip(&outcome.columns).map(|(value, (_, kind))| cell(value, *kind));
        cells.collect::<Vec<_>>().join("|")
    };
    outcome.rows.iter().map(line).collect()
}
