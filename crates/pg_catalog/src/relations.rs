//! The tables of `pg_catalog` and `information_schema`: what is declared, and nothing that was counted.

use std::sync::Arc;

use pointillist_catalog::Catalog;

use crate::evaluator::Session;
use crate::{PgType, PgValue};

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
pub struct SystemCatalog {}

impl SystemCatalog {
    /// The catalog as PostgreSQL's clients read it. `database` is the name that they connect to.
    pub fn new(catalog: &Catalog, database: &str) -> Self {
        let _ = (catalog, database);
        Self {}
    }

    /// A system table by its name, as this session sees it; `schema` is `None` where the statement gives none.
    pub fn relation(&self, session: &Session<'_>, schema: Option<&str>, name: &str) -> Option<Relation> {
        let _ = (session, schema, name);
        None
    }

    /// Whether there is such a system table.
    pub fn has(&self, schema: Option<&str>, name: &str) -> bool {
        let _ = (schema, name);
        false
    }
}
