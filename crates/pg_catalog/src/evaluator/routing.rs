//! Which door a query belongs to, by what it reads.
//!
//! **Guarantee.** Whichever way a query is sent, it is answered from one side alone: the system catalog has no data, and the
//! curator has no system tables. So a mistake here is an error message, never a leak.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use pointillist_query::{Refusal, has_no_rows};
use sqlparser::ast::{Query, TableFactor, Visit, Visitor};

use super::Route;
use super::bind::{ident, parts};
use crate::SystemCatalog;

/// Where a query belongs.
pub(super) fn route(system: &SystemCatalog, sql: &str) -> Result<Route, Refusal> {
    let query = match pointillist_query::parsed(sql) {
        Ok(query) => query,
        // What has a price is the curator's.
        Err(_) if has_options(sql) => return Ok(Route::Curator),
        Err(refusal) => return Err(refusal),
    };
    let mut reads = Reads { system, ctes: BTreeSet::new(), tables: Vec::new(), priced: false };
    let _ = query.visit(&mut reads);
    let named: Vec<bool> = reads
        .tables
        .iter()
        .filter(|table| !reads.is_cte(table))
        .map(|table| reads.is_system(table))
        .collect();
    Ok(match (named.contains(&true), named.contains(&false) || reads.priced) {
        (true, true) => Route::Mixed,
        (false, true) if has_no_rows(&query) => Route::Probe,
        (false, true) => Route::Curator,
        (_, false) => Route::System,
    })
}

/// Whether the statement says which privacy it wants to pay for.
fn has_options(sql: &str) -> bool {
    sql.to_ascii_lowercase().contains("differential_privacy")
}

struct Reads<'s> {
    system: &'s SystemCatalog,
    ctes: BTreeSet<String>,
    tables: Vec<Vec<String>>,
    /// Whether a function that the curator answers stands in a FROM: one of graphs, or the one that trains models.
    priced: bool,
}

impl Reads<'_> {
    fn is_cte(&self, table: &[String]) -> bool {
        matches!(table, [name] if self.ctes.contains(name))
    }

    fn is_system(&self, table: &[String]) -> bool {
        match table {
            [name] => self.system.has(None, name),
            [schema, _] | [_, schema, _] if schema == "pg_catalog" || schema == "information_schema" => true,
            _ => false,
        }
    }
}

impl Visitor for Reads<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let ctes = query.with.iter().flat_map(|with| &with.cte_tables);
        self.ctes.extend(ctes.map(|cte| ident(&cte.alias.name)));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, args: None, .. } => {
                self.tables.push(parts(name).unwrap_or_else(|_| vec![name.to_string()]));
            }
            TableFactor::Table { name, args: Some(_), .. } | TableFactor::Function { name, .. } => {
                let name = name.to_string().to_ascii_lowercase();
                let name = name.trim_matches('"');
                self.priced |= matches!(name, "learn" | "evaluate") || name.starts_with("graph_");
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
