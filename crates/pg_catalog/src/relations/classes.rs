//! `pg_class` and what hangs on it: columns, links, comments.

use crate::{PgType, PgValue};

use super::Filled;
use super::declared::{Declared, DeclaredTable, ForeignKey};
use super::instance::{INFORMATION_SCHEMA, OWNER, OWNER_OID, PG_CATALOG, PUBLIC};
use super::lookup::{PG_CLASS, PG_NAMESPACE};
use super::row::{Named, nothing, row};
use super::shapes::Shape;
use super::types::facts;

pub(super) fn filled(declared: &Declared) -> Vec<Filled> {
    vec![
        ("pg_class", classes(declared)),
        ("pg_attribute", attributes(declared)),
        ("pg_constraint", constraints(declared)),
        ("pg_description", descriptions(declared)),
        ("pg_tables", tables(declared)),
        ("pg_views", Vec::new()),
    ]
}

/// The schema of a system table, as a number.
pub(super) fn namespace(shape: &Shape) -> u32 {
    if shape.schema == "pg_catalog" { PG_CATALOG } else { INFORMATION_SCHEMA }
}

fn classes(declared: &Declared) -> Vec<Vec<PgValue>> {
    let system = Shape::all()
        .iter()
        .map(|shape| class(shape.oid, shape.name, namespace(shape), shape.kind, shape.columns.len(), "n"));
    let own = declared
        .tables
        .iter()
        .map(|table| class(table.oid, &table.name, PUBLIC, "r", table.columns.len(), "d"));
    system.chain(own).collect()
}

/// How many rows there are is never known: -1, as in PostgreSQL before anybody has counted.
fn class(oid: u32, name: &str, namespace: u32, kind: &str, columns: usize, identity: &str) -> Vec<PgValue> {
    row(
        "pg_class",
        vec![
            ("oid", oid.into()),
            ("relname", name.into()),
            ("relnamespace", namespace.into()),
            ("relowner", OWNER_OID.into()),
            ("relam", if kind == "r" { 2 } else { 0 }.into()),
            ("reltuples", PgValue::Float(-1.0)),
            ("relpersistence", "p".into()),
            ("relkind", kind.into()),
            ("relnatts", PgValue::Int(columns as i64)),
            ("relispopulated", true.into()),
            ("relreplident", identity.into()),
        ],
    )
}

fn attributes(declared: &Declared) -> Vec<Vec<PgValue>> {
    let system = Shape::all().iter().flat_map(|shape| {
        let columns = shape.columns.iter().enumerate();
        columns.map(|(index, column)| {
            let is_not_null = shape.kind == "r" && !nothing(column.kind).is_null();
            attribute(shape.oid, index, column.name, column.kind, is_not_null)
        })
    });
    let own = declared.tables.iter().flat_map(|table| {
        let columns = table.columns.iter().enumerate();
        columns.map(|(index, column)| {
            attribute(table.oid, index, &column.name, column.kind, !column.is_nullable)
        })
    });
    system.chain(own).collect()
}

fn attribute(table: u32, index: usize, name: &str, kind: PgType, is_not_null: bool) -> Vec<PgValue> {
    let mut values: Vec<Named> = vec![
        ("attrelid", table.into()),
        ("attname", name.into()),
        ("atttypid", kind.oid().into()),
        ("attstattarget", (-1).into()),
        ("attlen", kind.len().into()),
        ("attnum", PgValue::Int(index as i64 + 1)),
        ("attndims", i32::from(kind.is_array).into()),
        ("attcacheoff", (-1).into()),
        ("atttypmod", (-1).into()),
        ("attnotnull", is_not_null.into()),
        ("attislocal", true.into()),
    ];
    if let Some(facts) = facts(kind.oid()) {
        values.extend([
            ("attbyval", facts.is_by_value.into()),
            ("attalign", facts.align.into()),
            ("attstorage", facts.storage.into()),
            ("attcollation", facts.collation.into()),
        ]);
    }
    row("pg_attribute", values)
}

fn constraints(declared: &Declared) -> Vec<Vec<PgValue>> {
    let keys = declared.tables.iter().filter_map(|table| Some((table, table.foreign_key.as_ref()?)));
    keys.map(|(table, key)| constraint(table, key)).collect()
}

/// A link. It is said, not checked: nothing is known of the rows.
fn constraint(table: &DeclaredTable, key: &ForeignKey) -> Vec<PgValue> {
    row(
        "pg_constraint",
        vec![
            ("oid", key.oid.into()),
            ("conname", key.name.as_str().into()),
            ("connamespace", PUBLIC.into()),
            ("contype", "f".into()),
            ("conrelid", table.oid.into()),
            ("confrelid", key.target.into()),
            ("confupdtype", "a".into()),
            ("confdeltype", "a".into()),
            ("confmatchtype", "s".into()),
            ("conislocal", true.into()),
            ("connoinherit", true.into()),
            ("conkey", PgValue::array(vec![key.column.into()])),
            ("confkey", PgValue::array(vec![key.target_column.into()])),
        ],
    )
}

fn descriptions(declared: &Declared) -> Vec<Vec<PgValue>> {
    let mut rows = vec![
        description(PG_CATALOG, PG_NAMESPACE, 0, "system catalog schema"),
        description(PUBLIC, PG_NAMESPACE, 0, &declared.description),
    ];
    for table in &declared.tables {
        rows.push(description(table.oid, PG_CLASS, 0, &table.description));
        for (index, column) in table.columns.iter().enumerate() {
            rows.push(description(table.oid, PG_CLASS, index as i64 + 1, &column.description));
        }
    }
    rows
}

fn description(object: u32, class: u32, part: i64, text: &str) -> Vec<PgValue> {
    row(
        "pg_description",
        vec![
            ("objoid", object.into()),
            ("classoid", class.into()),
            ("objsubid", PgValue::Int(part)),
            ("description", text.into()),
        ],
    )
}

fn tables(declared: &Declared) -> Vec<Vec<PgValue>> {
    let table = |schema: &str, name: &str| {
        row(
            "pg_tables",
            vec![
                ("schemaname", schema.into()),
                ("tablename", name.into()),
                ("tableowner", OWNER.into()),
                ("tablespace", PgValue::Null),
            ],
        )
    };
    let system = Shape::all().iter().filter(|shape| shape.kind == "r");
    let own = declared.tables.iter().map(|own| table("public", &own.name));
    own.chain(system.map(|shape| table(shape.schema, shape.name))).collect()
}
