//! The tables of `pg_catalog` and `information_schema`: what is declared, and nothing that was counted.
//!
//! **Guarantee.** Rows are a function of the declared catalog, of the database's name and of the session's own user and
//! settings. `reltuples` is -1, `relpages` and all sizes are 0, and statistics are empty: what PostgreSQL counts there are rows
//! of people. Nobody but the one who asks is in `pg_roles`.
//!
//! A declared table is a table (`relkind` r) of the schema `public`, be it private, public or of a release. Its columns are
//! those that analysts can name and, last, the privacy unit where that is none of them, as `DESCRIBE` lists it: it can be
//! counted. Links to other tables are foreign keys where both columns can be seen; no key is called unique, because nothing
//! declared says so. Graphs are asked through functions and are no tables: the comment of the schema names them.
//!
//! | file | its idea |
//! | --- | --- |
//! | `shapes.rs`, `shapes.txt` | the columns of every system table |
//! | `row.rs` | a row from the few columns that say something |
//! | `declared.rs` | the declared catalog with oids and PostgreSQL's types |
//! | `description.rs` | what a table or a column is, in words |
//! | `classes.rs` | `pg_class`, `pg_attribute`, `pg_constraint`, `pg_description`, `pg_tables` |
//! | `types.rs`, `types.txt`, `procedures.txt` | `pg_type` and `pg_proc` |
//! | `instance.rs` | one database and its schemas |
//! | `information_schema.rs` | the same in standard words |
//! | `session.rs` | what differs from session to session |
//! | `lookup.rs` | names by oids and oids by names |

mod classes;
mod declared;
mod description;
mod information_schema;
mod instance;
pub(crate) mod lookup;
mod row;
mod session;
mod shapes;
#[cfg(test)]
mod tests;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

use pointillist_catalog::Catalog;

use crate::evaluator::Session;
use crate::{PgType, PgValue};

use declared::Declared;
use shapes::Shape;

pub(crate) use declared::quoted_name;
pub(crate) use session::USER_OID;

/// A column of a system table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: PgType,
}

/// A system table.
#[derive(Clone, Debug)]
pub struct Relation {
    /// `pg_catalog` or `information_schema`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its columns; `*` shows all of them.
    pub columns: Arc<[Column]>,
    /// Its rows.
    pub rows: Arc<[Vec<PgValue>]>,
}

/// The system catalog of one declared catalog; shared by all sessions.
#[derive(Clone, Debug)]
pub struct SystemCatalog {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: String,
    declared: Declared,
    /// The rows that are the same for everybody, by schema and name.
    rows: BTreeMap<(&'static str, &'static str), Arc<[Vec<PgValue>]>>,
}

/// Rows of one system table.
type Filled = (&'static str, Vec<Vec<PgValue>>);

impl SystemCatalog {
    /// The catalog as PostgreSQL's clients read it. `database` is the name that they connect to.
    pub fn new(catalog: &Catalog, database: &str) -> Self {
        let declared = Declared::of(catalog);
        let filled = [classes::filled(&declared), types::filled(), instance::filled(database)];
        let standard = information_schema::filled(&declared, database);
        let system = filled.into_iter().flatten().map(|(name, rows)| (("pg_catalog", name), rows.into()));
        let standard = standard.into_iter().map(|(name, rows)| (("information_schema", name), rows.into()));
        let rows = system.chain(standard).collect();
        Self { inner: Arc::new(Inner { database: database.to_owned(), declared, rows }) }
    }

    /// A system table by its name, as this session sees it; `schema` is `None` where the statement gives none.
    pub fn relation(&self, session: &Session<'_>, schema: Option<&str>, name: &str) -> Option<Relation> {
        let shape = Shape::find(schema, name)?;
        let rows = match session::rows(shape, session) {
            Some(rows) => rows.into(),
            None => {
                let shared = self.inner.rows.get(&(shape.schema, shape.name));
                shared.cloned().unwrap_or_else(|| Vec::new().into())
            }
        };
        Some(Relation { schema: shape.schema, name: shape.name, columns: shape.columns.clone(), rows })
    }

    /// Whether there is such a system table.
    pub fn has(&self, schema: Option<&str>, name: &str) -> bool {
        Shape::find(schema, name).is_some()
    }

    /// The name of the database.
    pub fn database(&self) -> &str {
        &self.inner.database
    }
}
