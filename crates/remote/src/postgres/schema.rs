//! Columns of a table and their types, from the server's catalogs.
//!
//! **Guarantee.** A type is known by its name in `pg_catalog` and by nothing else: a type of somebody's own that is called
//! `text` is another type. A domain is its base type, for what it checks was checked when the row was written. Types that
//! are not known are named as the server names them and refused when they are read (`lowering/src/reading.rs`).

use std::collections::BTreeMap;

use pointillist_lowering::{Stored, StoredTable};
use pointillist_postgres::{Cell, Connection};

use super::{Refusal, TableName};

const COLUMNS: &str = "\
WITH RECURSIVE kinds (number, name, may_read, is_virtual, kind) AS (
    SELECT
        a.attnum, a.attname::text, pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'),
        a.attgenerated NOT IN ('', 's'), a.atttypid
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE n.nspname = $1::text AND c.relname = $2::text
  UNION ALL
    SELECT k.number, k.name, k.may_read, k.is_virtual, t.typbasetype
    FROM kinds k JOIN pg_catalog.pg_type t ON t.oid = k.kind AND t.typtype = 'd'
)
SELECT k.name, k.may_read, k.is_virtual, t.typtype::text, n.nspname::text, t.typname::text
FROM kinds k
JOIN pg_catalog.pg_type t ON t.oid = k.kind AND t.typtype <> 'd'
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
ORDER BY k.number";

/// A column as the server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub stored: Stored,
    /// Whether the role of the connection may read it.
    pub may_read: bool,
    /// Whether it is computed when it is read, by an expression that can fail on a row.
    pub is_virtual: bool,
}

/// A table as the server knows it, its columns in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDescription {
    /// The table.
    pub name: TableName,
    /// The columns.
    pub columns: Vec<StoredColumn>,
}

impl TableDescription {
    /// Looks the columns up.
    pub(super) fn read(connection: &Connection, name: &TableName) -> Result<Self, Refusal> {
        let rows = connection.query(COLUMNS, &name.parameters()).map_err(Refusal::of_call)?;
        let columns = rows.iter().filter_map(|row| column(row)).collect();
        Ok(Self { name: name.clone(), columns })
    }

    /// The same for the lowering of a question.
    pub fn stored(&self) -> StoredTable {
        let columns: BTreeMap<_, _> =
            self.columns.iter().map(|column| (column.name.clone(), column.stored.clone())).collect();
        StoredTable { path: self.name.path(), columns }
    }

    /// Refuses columns that are not there, may not be read, or are computed when they are read.
    pub(super) fn check(&self, columns: &[String]) -> Result<(), Refusal> {
        let table = || self.name.to_string();
        for wanted in columns {
            let Some(column) = self.columns.iter().find(|column| column.name == *wanted) else {
                return Err(Refusal::MissingColumn { table: table(), column: wanted.clone() });
            };
            if !column.may_read {
                return Err(Refusal::Forbidden { what: format!("{}.{wanted}", self.name) });
            }
            if column.is_virtual {
                return Err(Refusal::Virtual { table: table(), column: wanted.clone() });
            }
        }
        Ok(())
    }
}

fn column(row: &[Cell]) -> Option<StoredColumn> {
    let [name, may_read, is_virtual, sort, schema, kind] = row else { return None };
    let stored = stored(sort.text()?, schema.text()?, kind.text()?);
    let (may_read, is_virtual) = (may_read.boolean()?, is_virtual.boolean()?);
    Some(StoredColumn { name: name.text()?.to_owned(), stored, may_read, is_virtual })
}

/// By what kind of type it is, and by its name.
fn stored(sort: &str, schema: &str, kind: &str) -> Stored {
    match (sort, schema, kind) {
        ("e", _, _) => Stored::Label,
        ("b", "pg_catalog", "bool") => Stored::Boolean,
        ("b", "pg_catalog", "int2" | "int4" | "int8") => Stored::Whole,
        ("b", "pg_catalog", "float4") => Stored::Single,
        ("b", "pg_catalog", "float8") => Stored::Double,
        ("b", "pg_catalog", "numeric") => Stored::Decimal,
        ("b", "pg_catalog", "text" | "varchar" | "name") => Stored::Text,
        ("b", "pg_catalog", "bpchar") => Stored::Padded,
        ("b", "pg_catalog", "uuid") => Stored::Uuid,
        ("b", "pg_catalog", "date") => Stored::Date,
        ("b", "pg_catalog", "timestamp") => Stored::Timestamp,
        ("b", "pg_catalog", "timestamptz") => Stored::ZonedTimestamp,
        (_, "pg_catalog", kind) => Stored::Other(kind.to_owned()),
        (_, schema, kind) => Stored::Other(format!("{schema}.{kind}")),
    }
}
