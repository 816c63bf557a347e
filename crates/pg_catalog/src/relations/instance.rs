//! One database and its schemas, and the few things that every PostgreSQL has.

use crate::PgValue;

use super::Filled;
use super::row::row;

/// The schema of system tables.
pub(crate) const PG_CATALOG: u32 = 11;
/// The schema of what is declared.
pub(crate) const PUBLIC: u32 = 2200;
/// The schema of the standard's views.
pub(crate) const INFORMATION_SCHEMA: u32 = 13_207;
/// The role that everything belongs to. Nobody can be it.
pub(crate) const OWNER: &str = "pointillist";
/// Its oid, PostgreSQL's for the first role.
pub(crate) const OWNER_OID: u32 = 10;

/// The schemas by number.
pub(crate) const SCHEMAS: [(u32, &str); 3] =
    [(PG_CATALOG, "pg_catalog"), (PUBLIC, "public"), (INFORMATION_SCHEMA, "information_schema")];

pub(super) fn filled(database: &str) -> Vec<Filled> {
    vec![
        ("pg_namespace", SCHEMAS.iter().map(|(oid, name)| namespace(*oid, name)).collect()),
        ("pg_database", vec![database_row(database)]),
        ("pg_am", vec![access_method(2, "heap", "t"), access_method(403, "btree", "i")]),
        ("pg_collation", vec![collation(100, "default", "d", None), collation(950, "C", "c", Some("C"))]),
        (
            "pg_language",
            [(12, "internal"), (13, "c"), (14, "sql")].map(|(oid, name)| language(oid, name)).to_vec(),
        ),
        (
            "pg_tablespace",
            [(1663, "pg_default"), (1664, "pg_global")].map(|(oid, name)| tablespace(oid, name)).to_vec(),
        ),
    ]
}

fn namespace(oid: u32, name: &str) -> Vec<PgValue> {
    row("pg_namespace", vec![("oid", oid.into()), ("nspname", name.into()), ("nspowner", OWNER_OID.into())])
}

fn database_row(name: &str) -> Vec<PgValue> {
    row(
        "pg_database",
        vec![
            ("oid", 5.into()),
            ("datname", name.into()),
            ("datdba", OWNER_OID.into()),
            ("encoding", 6.into()),
            ("datlocprovider", "c".into()),
            ("datallowconn", true.into()),
            ("datconnlimit", (-1).into()),
            ("dattablespace", 1663.into()),
            ("datcollate", "C".into()),
            ("datctype", "C".into()),
        ],
    )
}

fn access_method(oid: u32, name: &str, kind: &str) -> Vec<PgValue> {
    row("pg_am", vec![("oid", oid.into()), ("amname", name.into()), ("amtype", kind.into())])
}

fn collation(oid: u32, name: &str, provider: &str, locale: Option<&str>) -> Vec<PgValue> {
    row(
        "pg_collation",
        vec![
            ("oid", oid.into()),
            ("collname", name.into()),
            ("collnamespace", PG_CATALOG.into()),
            ("collowner", OWNER_OID.into()),
            ("collprovider", provider.into()),
            ("collisdeterministic", true.into()),
            ("collencoding", (-1).into()),
            ("collcollate", locale.into()),
            ("collctype", locale.into()),
        ],
    )
}

fn language(oid: u32, name: &str) -> Vec<PgValue> {
    row("pg_language", vec![("oid", oid.into()), ("lanname", name.into()), ("lanowner", OWNER_OID.into())])
}

fn tablespace(oid: u32, name: &str) -> Vec<PgValue> {
    row("pg_tablespace", vec![("oid", oid.into()), ("spcname", name.into()), ("spcowner", OWNER_OID.into())])
}
