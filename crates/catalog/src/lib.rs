//! What the owner declares: sources, privacy units, bounds, public keys, budgets, analysts.
//!
//! A [`Catalog`] is public: analysts may read all of it, and nothing in it is learnt from data. Every number
//! that a guarantee rests on is typed in by the owner, as an exact decimal.

mod budget;
pub mod calendar;
mod column;
mod connection;
pub mod document;
mod draft;
pub mod edit;
mod error;
mod graph;
mod ledger_database;
mod name;
mod period;
mod read;
mod releases;
mod report;
mod service;
pub mod smartnoise;
mod suggestion;
mod table;
mod value;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use pointillist_learn::Model;

pub use budget::{Analyst, DeclaredBudget, Scope};
pub use column::{Column, ColumnType, PUBLIC_KEYS_MAX};
pub use connection::{Connection, RemoteTable, System};
pub use draft::{Draft, DraftColumn, DraftTable, DraftUnit, GuessedType};
pub use error::{CatalogError, Mistake};
pub use graph::{FirstLine, Graph, GraphPrivacy};
pub use ledger_database::LedgerDatabase;
pub use period::{Every, PERIODS_MAX, Period, PeriodPromise, Periods, declared_scope};
pub use releases::{Releases, is_same_person, person_complaint};
pub use report::{Finding, Report, Severity, Statement};
pub use service::{Doors, Service};
pub use suggestion::nearest_word;
pub use table::{Protection, Table, Unit};
pub use value::Value;
pub use write::{key as toml_key, quoted};

/// The name under which the owner asks: no analyst may have it.
pub const OWNER: &str = "owner";

/// Everything that one `pointillist.toml` declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    /// Populations and their budgets, by name.
    pub scopes: BTreeMap<String, Scope>,
    /// Tables that analysts may name, by name.
    pub tables: BTreeMap<String, Table>,
    /// Tables of releases, by name: public, and declared by nobody. No catalog's text has them; whoever opens a home may find
    /// some beside it.
    pub released: BTreeMap<String, Table>,
    /// Graphs that analysts may name, by name.
    pub graphs: BTreeMap<String, Graph>,
    /// Models that analysts may name, by name: public, as every one of their numbers is. No catalog's text has them; whoever
    /// opens a home finds those that its owner has put beside it.
    pub models: BTreeMap<String, Arc<Model>>,
    /// Servers that hold tables, by name.
    pub connections: BTreeMap<String, Connection>,
    /// People who may ask, by name.
    pub analysts: BTreeMap<String, Analyst>,
    /// Where releases lie, and who approves them.
    pub releases: Releases,
    /// Where the ledger lives, and on which clock replies leave.
    pub service: Service,
}

impl Catalog {
    /// The table of this name: one that the owner declared, or else one of a release.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name).or_else(|| self.released.get(name))
    }
}

#[cfg(test)]
mod tests;
