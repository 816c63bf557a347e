//! What is declared in the words of the SQL standard.
//!
//! The views are about the schema `public` alone: whoever reads them without a condition wants to know what there is to ask.

use crate::{Base, PgType, PgValue};

use super::Filled;
use super::declared::{Declared, DeclaredColumn, DeclaredTable};
use super::instance::{OWNER, SCHEMAS};
use super::row::standard_row;

/// What PostgreSQL says of the bytes of a text.
const OCTETS_MAX: i64 = 1 << 30;

pub(super) fn filled(declared: &Declared, database: &str) -> Vec<Filled> {
    let of_columns = |build: &dyn Fn(&DeclaredTable, usize, &DeclaredColumn) -> Vec<PgValue>| {
        let columns = |table: &DeclaredTable| -> Vec<Vec<PgValue>> {
            table.columns.iter().enumerate().map(|(index, column)| build(table, index, column)).collect()
        };
        declared.tables.iter().flat_map(columns).collect::<Vec<_>>()
    };
    vec![
        ("information_schema_catalog_name", vec![vec![database.into()]]),
        ("schemata", SCHEMAS.iter().map(|(_, name)| schema(database, name)).collect()),
        ("tables", declared.tables.iter().map(|table| table_row(database, table)).collect()),
        ("columns", of_columns(&|table, index, column| column_row(database, table, index, column))),
        ("character_sets", vec![character_set(database)]),
        ("table_constraints", foreign_keys(declared, |table| constraint(database, table))),
        ("key_column_usage", foreign_keys(declared, |table| key_column(database, table))),
        ("referential_constraints", foreign_keys(declared, |table| reference(database, table))),
        ("table_privileges", declared.tables.iter().map(|table| table_privilege(database, table)).collect()),
        ("role_table_grants", declared.tables.iter().map(|table| table_privilege(database, table)).collect()),
        ("column_privileges", of_columns(&|table, _, column| column_privilege(database, table, column))),
        ("role_column_grants", of_columns(&|table, _, column| column_privilege(database, table, column))),
    ]
}

fn schema(database: &str, name: &str) -> Vec<PgValue> {
    standard_row(
        "schemata",
        vec![("catalog_name", database.into()), ("schema_name", name.into()), ("schema_owner", OWNER.into())],
    )
}

fn table_row(database: &str, table: &DeclaredTable) -> Vec<PgValue> {
    standard_row(
        "tables",
        vec![
            ("table_catalog", database.into()),
            ("table_schema", "public".into()),
            ("table_name", table.name.as_str().into()),
            ("table_type", "BASE TABLE".into()),
            ("is_insertable_into", "NO".into()),
            ("is_typed", "NO".into()),
        ],
    )
}

fn column_row(database: &str, table: &DeclaredTable, index: usize, column: &DeclaredColumn) -> Vec<PgValue> {
    let number = PgValue::Int(index as i64 + 1);
    let numeric = numeric_facts(column.kind);
    standard_row(
        "columns",
        vec![
            ("table_catalog", database.into()),
            ("table_schema", "public".into()),
            ("table_name", table.name.as_str().into()),
            ("column_name", column.name.as_str().into()),
            ("ordinal_position", number.clone()),
            ("is_nullable", if column.is_nullable { "YES" } else { "NO" }.into()),
            ("data_type", column.kind.sql_name().into()),
            ("character_octet_length", (column.kind.base == Base::Text).then_some(OCTETS_MAX).into()),
            ("numeric_precision", numeric.map(|(precision, _)| precision).into()),
            ("numeric_precision_radix", numeric.map(|_| 2).into()),
            ("numeric_scale", numeric.and_then(|(_, scale)| scale).into()),
            ("datetime_precision", datetime_precision(column.kind).into()),
            ("udt_catalog", database.into()),
            ("udt_schema", "pg_catalog".into()),
            ("udt_name", column.kind.name().into()),
            ("dtd_identifier", (index + 1).to_string().into()),
            ("is_self_referencing", "NO".into()),
            ("is_identity", "NO".into()),
            ("identity_cycle", "NO".into()),
            ("is_generated", "NEVER".into()),
            ("is_updatable", "NO".into()),
        ],
    )
}

/// Binary digits, and digits behind the point.
fn numeric_facts(kind: PgType) -> Option<(i32, Option<i32>)> {
    match kind.base {
        Base::Int8 => Some((64, Some(0))),
        Base::Float8 => Some((53, None)),
        _ => None,
    }
}

fn datetime_precision(kind: PgType) -> Option<i32> {
    match kind.base {
        Base::Date => Some(0),
        Base::Timestamp => Some(6),
        _ => None,
    }
}

fn character_set(database: &str) -> Vec<PgValue> {
    standard_row(
        "character_sets",
        vec![
            ("character_set_name", "UTF8".into()),
            ("character_repertoire", "UCS".into()),
            ("form_of_use", "UTF8".into()),
            ("default_collate_catalog", database.into()),
        ],
    )
}

fn foreign_keys(
    declared: &Declared,
    build: impl Fn(&DeclaredTable) -> Option<Vec<PgValue>>,
) -> Vec<Vec<PgValue>> {
    declared.tables.iter().filter_map(build).collect()
}

fn constraint(database: &str, table: &DeclaredTable) -> Option<Vec<PgValue>> {
    let key = table.foreign_key.as_ref()?;
    Some(standard_row(
        "table_constraints",
        vec![
            ("constraint_catalog", database.into()),
            ("constraint_schema", "public".into()),
            ("constraint_name", key.name.as_str().into()),
            ("table_catalog", database.into()),
            ("table_schema", "public".into()),
            ("table_name", table.name.as_str().into()),
            ("constraint_type", "FOREIGN KEY".into()),
            ("is_deferrable", "NO".into()),
            ("initially_deferred", "NO".into()),
            ("enforced", "NO".into()),
        ],
    ))
}

fn key_column(database: &str, table: &DeclaredTable) -> Option<Vec<PgValue>> {
    let key = table.foreign_key.as_ref()?;
    let column = table.columns.get(usize::try_from(key.column - 1).ok()?)?;
    Some(standard_row(
        "key_column_usage",
        vec![
            ("constraint_catalog", database.into()),
            ("constraint_schema", "public".into()),
            ("constraint_name", key.name.as_str().into()),
            ("table_catalog", database.into()),
            ("table_schema", "public".into()),
            ("table_name", table.name.as_str().into()),
            ("column_name", column.name.as_str().into()),
            ("ordinal_position", 1.into()),
            ("position_in_unique_constraint", PgValue::Null),
        ],
    ))
}

fn reference(database: &str, table: &DeclaredTable) -> Option<Vec<PgValue>> {
    let key = table.foreign_key.as_ref()?;
    Some(standard_row(
        "referential_constraints",
        vec![
            ("constraint_catalog", database.into()),
            ("constraint_schema", "public".into()),
            ("constraint_name", key.name.as_str().into()),
            ("match_option", "NONE".into()),
            ("update_rule", "NO ACTION".into()),
            ("delete_rule", "NO ACTION".into()),
        ],
    ))
}

/// Everybody may ask about every table.
fn table_privilege(database: &str, table: &DeclaredTable) -> Vec<PgValue> {
    standard_row(
        "table_privileges",
        vec![
            ("grantor", OWNER.into()),
            ("grantee", "PUBLIC".into()),
            ("table_catalog", database.into()),
            ("table_schema", "public".into()),
            ("table_name", table.name.as_str().into()),
            ("privilege_type", "SELECT".into()),
            ("is_grantable", "NO".into()),
            ("with_hierarchy", "NO".into()),
        ],
    )
}

fn column_privilege(database: &str, table: &DeclaredTable, column: &DeclaredColumn) -> Vec<PgValue> {
    standard_row(
        "column_privileges",
        vec![
            ("grantor", OWNER.into()),
            ("grantee", "PUBLIC".into()),
            ("table_catalog", database.into()),
            ("table_schema", "public".into()),
            ("table_name", table.name.as_str().into()),
            ("column_name", column.name.as_str().into()),
            ("privilege_type", "SELECT".into()),
            ("is_grantable", "NO".into()),
        ],
    )
}
