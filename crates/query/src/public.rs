//! Statements over public tables alone.
//!
//! **Guarantee.** A statement takes this road only if every table that it was resolved to is declared public, each of them
//! by the catalog: the first one that is not, wherever it stands, ends the attempt, and the statement is planned as one
//! about people, as if this file were not there. What comes out is checked once more, leaf by leaf
//! ([`PublicStatement::new`]).

use std::cell::Cell;

use pointillist_catalog::{Catalog, Protection, Table};
use pointillist_plan::PublicStatement;
use sqlparser::ast::Query;

use crate::from::Tables;
use crate::options::Options;
use crate::plain::Named;
use crate::refusal::Refusal;
use crate::released::{Releases, outer, written_out};
use crate::size::Nodes;

/// Which kinds of tables a statement has named.
#[derive(Debug, Default)]
pub(crate) struct OnlyPublic {
    public: Cell<bool>,
    private: Cell<bool>,
}

impl OnlyPublic {
    /// Refuses a table of people, and remembers that it was named: whoever catches the refusal cannot hide it.
    pub(crate) fn admit(&self, table: &Table) -> Result<(), Refusal> {
        match &table.protection {
            Protection::Public => {
                self.public.set(true);
                Ok(())
            }
            Protection::Private { .. } => {
                self.private.set(true);
                Err(Refusal::not_provable("this table is not public", "ask about it"))
            }
        }
    }

    /// Whether tables were named, and all are public.
    fn holds(&self) -> bool {
        self.public.get() && !self.private.get()
    }
}

/// The statement, if it is about public tables alone; `None` where it is about anything else, and is planned as that.
///
/// # Errors
/// When it is about public tables alone, and wrong.
pub(crate) fn statement(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
) -> Result<Option<PublicStatement>, Refusal> {
    if !catalog
        .tables
        .values()
        .chain(catalog.released.values())
        .any(|table| table.protection == Protection::Public)
    {
        return Ok(None);
    }
    // What cannot be written out is refused where people's rows are planned.
    let Ok(written) = written_out(query) else { return Ok(None) };
    let query = written.as_ref().unwrap_or(query);
    let (nodes, only) = (Nodes::new(), OnlyPublic::default());
    let releases = Releases::new(options, 1);
    let tables = Tables {
        catalog,
        nodes: &nodes,
        max_contributions: None,
        period: None,
        releases: Some(&releases),
        public: Some(&only),
    };
    let rows = tables.rows(query, &Named::new(), 0);
    if !only.holds() {
        return Ok(None);
    }
    let source = rows?;
    let outer = outer(catalog, &source)?.filter(|_| source.people().is_none());
    outer.and_then(PublicStatement::new).map(Some).ok_or_else(|| {
        Refusal::not_provable(
            "this statement over public tables is not answered",
            "name columns of the tables",
        )
    })
}
