//! What clients read about declared tables.

use pointillist_catalog::Catalog;

use super::*;
use crate::{Base, Settings, encode_text};

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
at = { type = "timestamp" }
urgent = { type = "boolean" }
[table.Wards]
public = true
source = "w.csv"
[table.Wards.columns]
ward = { type = "text" }
[graph.contacts]
scope = "patients"
source = "edges.csv"
privacy = "node"
[analyst.ana]
[analyst.bo]
"#;

fn catalog() -> Catalog {
    Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}"))
}

/// A table as text, NULL as `-`, in the columns that are named.
fn read(catalog: &Catalog, schema: &str, name: &str, columns: &[&str]) -> Vec<String> {
    let system = SystemCatalog::new(catalog, "shop");
    let mut settings = Settings::new("ana");
    let session = Session { user: "ana", database: "shop", backend_pid: 7, now: 0, settings: &mut settings };
    let relation = system.relation(&session, Some(schema), name).unwrap_or_else(|| panic!("{name}"));
    let place = |name: &&str| relation.columns.iter().position(|column| column.name == *name).unwrap();
    let places: Vec<usize> = columns.iter().map(place).collect();
    let cell = |row: &Vec<PgValue>, place: usize| {
        encode_text(&row[place], relation.columns[place].kind).unwrap_or_else(|| "-".to_owned())
    };
    let line =
        |row: &Vec<PgValue>| places.iter().map(|place| cell(row, *place)).collect::<Vec<_>>().join("|");
    relation.rows.iter().map(line).collect()
}

#[test]
fn declared_tables_are_tables_of_the_schema_public() {
    let rows = read(
        &catalog(),
        "pg_catalog",
        "pg_class",
        &["relnamespace", "relname", "relkind", "reltuples", "relpages"],
    );
    let own: Vec<&str> = rows.iter().filter_map(|row| row.strip_prefix("2200|")).collect();
    assert_eq!(own, ["Wards|r|-1|0", "patients|r|-1|0", "visits|r|-1|0"]);
    assert!(rows.contains(&"11|pg_class|r|-1|0".to_owned()));
    let tables =
        read(&catalog(), "information_schema", "tables", &["table_schema", "table_name", "table_type"]);
    assert_eq!(tables, ["public|Wards|BASE TABLE", "public|patients|BASE TABLE", "public|visits|BASE TABLE"]);
}

#[test]
fn columns_are_those_that_analysts_can_name_and_the_unit_that_can_be_counted() {
    let columns = read(
        &catalog(),
        "information_schema",
        "columns",
        &["table_name", "column_name", "ordinal_position", "data_type", "udt_name", "is_nullable"],
    );
    assert_eq!(
        columns,
        [
            "Wards|ward|1|text|text|YES",
            "patients|sex|1|text|text|YES",
            "patients|patient_id|2|text|text|NO",
            "visits|patient|1|text|text|YES",
            "visits|age|2|bigint|int8|NO",
            "visits|cost|3|double precision|float8|YES",
            "visits|day|4|date|date|YES",
            "visits|at|5|timestamp without time zone|timestamp|YES",
            "visits|urgent|6|boolean|bool|YES",
        ]
    );
}

#[test]
fn comments_say_what_is_declared() {
    let rows = read(&catalog(), "pg_catalog", "pg_description", &["objsubid", "description"]);
    for text in [
        "0|public: no row is about a person",
        "0|protects patients: privacy unit patient_id; budget scope patients",
        "0|protects patients: privacy unit patient, through patients.patient_id; budget scope patients; one person counts in at most 4 groups",
        "1|text; 2 public keys: f, m",
        "2|privacy unit: only COUNT(DISTINCT patient_id)",
        "2|integer from 0 to 120; rows without a value are left out",
        "3|decimal from -0.5 to 10",
        "0|what is declared; graphs, for functions such as graph_edges: contacts (protects a node with its ties; budget scope patients)",
    ] {
        assert!(rows.iter().any(|row| row == text), "{text}\n{}", rows.join("\n"));
    }
}

/// Specification: an oid depends on the name of its table alone, is past PostgreSQL's own, and fits an int4.
#[test]
fn oids_stay_when_other_tables_come_and_go() {
    let oids = |catalog: &Catalog| read(catalog, "pg_catalog", "pg_class", &["relname", "oid"]);
    let all = oids(&catalog());
    let mut fewer = catalog();
    fewer.tables.remove("Wards");
    let rest = oids(&fewer);
    assert!(rest.iter().all(|row| all.contains(row)));
    for row in all.iter().filter(|row| row.starts_with("visits|") || row.starts_with("patients|")) {
        let oid: i64 = row.split_once('|').unwrap().1.parse().unwrap();
        assert!((100_000..i64::from(i32::MAX)).contains(&oid), "{row}");
    }
    assert_eq!(all.iter().filter(|row| row.starts_with("visits|")).count(), 1);
}

#[test]
fn a_link_is_a_foreign_key_and_no_key_is_unique() {
    let keys = read(&catalog(), "pg_catalog", "pg_constraint", &["conname", "contype", "conkey", "confkey"]);
    assert_eq!(keys, ["visits_patient_fkey|f|{1}|{2}"]);
    assert!(read(&catalog(), "pg_catalog", "pg_index", &["indexrelid"]).is_empty());
}

/// Specification: of people, whoever asks sees themselves alone.
#[test]
fn nobody_else_is_in_the_roles() {
    assert_eq!(
        read(&catalog(), "pg_catalog", "pg_roles", &["rolname", "rolsuper", "rolcanlogin"]),
        ["ana|f|t"]
    );
    assert_eq!(read(&catalog(), "pg_catalog", "pg_user", &["usename", "usesuper"]), ["ana|f"]);
    for shape in Shape::all() {
        let names: Vec<&str> = shape.columns.iter().map(|column| column.name).collect();
        let text = read(&catalog(), shape.schema, shape.name, &names).join("\n");
        assert!(!text.split(['|', '\n', ' ']).any(|word| word == "bo"), "{}", shape.name);
    }
}

/// Specification: what PostgreSQL counts is not there.
#[test]
fn nothing_is_counted() {
    for name in
        ["pg_stat_user_tables", "pg_stat_all_tables", "pg_stats", "pg_stat_activity", "pg_stat_database"]
    {
        assert!(read(&catalog(), "pg_catalog", name, &[]).is_empty(), "{name}");
    }
}

/// Specification: each value is of the type of its column, so that it can be sent in both formats.
#[test]
fn every_value_is_of_the_type_of_its_column() {
    let system = SystemCatalog::new(&catalog(), "shop");
    let mut settings = Settings::new("ana");
    let session = Session { user: "ana", database: "shop", backend_pid: 7, now: 0, settings: &mut settings };
    for shape in Shape::all() {
        let relation = system.relation(&session, Some(shape.schema), shape.name).unwrap();
        for row in relation.rows.iter() {
            assert_eq!(row.len(), relation.columns.len(), "{}", shape.name);
            for (value, column) in row.iter().zip(relation.columns.iter()) {
                let fits = match (value, column.kind.is_array, column.kind.base) {
                    (PgValue::Null, _, _) => true,
                    (PgValue::Array { .. }, true, _) => true,
                    (PgValue::Array { .. }, false, Base::Int2Vector | Base::OidVector) => true,
                    (_, true, _) => false,
                    (PgValue::Bool(_), _, Base::Bool) => true,
                    (PgValue::Int(_), _, Base::Int2 | Base::Int4 | Base::Int8 | Base::Oid | Base::Xid) => {
                        true
                    }
                    (PgValue::Float(_), _, Base::Float4 | Base::Float8) => true,
                    (PgValue::Reg { .. }, _, Base::Regproc | Base::Regtype) => true,
                    (PgValue::Text(text), _, Base::Char) => text.len() <= 1,
                    (PgValue::Text(_), _, Base::Name | Base::Text | Base::Varchar) => true,
                    _ => false,
                };
                assert!(fits, "{}.{}: {value:?}", shape.name, column.name);
            }
        }
    }
}
