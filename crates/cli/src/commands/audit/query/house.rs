//! One world: a table in a temporary folder, a curator who answers about it, and a ledger that can pay for
//! thousands of answers.

use pointillist_audit::AuditError;
use pointillist_audit::Observation;
use pointillist_catalog::{Budget, Catalog};
use pointillist_curator::Ask;
use pointillist_curator::sandbox::Sandbox;
use pointillist_privacy::{Delta, Epsilon, Rho};

use super::seen::seen;
use super::sheet::Sheet;

/// The file of the table.
const SOURCE: &str = "audited.csv";
/// The largest losses there are, in ε and in ρ, and nearly the largest δ.
const LOSS_MAX: &str = "1000000";
const DELTA_MAX: &str = "0.999999";

/// A question, and the catalog under which it is audited.
#[derive(Clone)]
pub struct Asked {
    /// The catalog: one table, its population with a budget for an audit, nobody else.
    pub catalog: Catalog,
    /// The question.
    pub ask: Ask,
}

/// A curator of one world.
pub struct House {
    sandbox: Sandbox,
    ask: Ask,
}

/// The catalog of an audit: the table asked about and its population. Prices mean what they mean in the
/// owner's catalog.
pub fn audit_catalog(catalog: &Catalog, table: &str, scope: &str) -> Result<Catalog, AuditError> {
    let mut catalog = catalog.clone();
    catalog.tables.retain(|name, _| name == table);
    catalog.scopes.retain(|name, _| name == scope);
    catalog.graphs.clear();
    catalog.analysts.clear();
    if let Some(table) = catalog.tables.get_mut(table) {
        SOURCE.clone_into(&mut table.source);
    }
    if let Some(scope) = catalog.scopes.get_mut(scope) {
        scope.budget = match &scope.budget {
            Budget::Pure { .. } => Budget::Pure { epsilon: Epsilon::parse(LOSS_MAX)? },
            Budget::Zcdp { conversion_delta, .. } => Budget::Zcdp {
                rho: Rho::parse(LOSS_MAX)?,
                delta: Delta::parse(DELTA_MAX)?,
                conversion_delta: conversion_delta.clone(),
            },
        };
    }
    Ok(catalog)
}

impl House {
    /// A sandbox of this table.
    pub fn build(asked: &Asked, sheet: &Sheet) -> Result<Self, AuditError> {
        // Worlds are asked side by side; each has one thread.
        let sandbox = Sandbox::of(asked.catalog.clone()).file(SOURCE, sheet.to_csv()).threads(1).open()?;
        Ok(Self { sandbox, ask: asked.ask.clone() })
    }

    /// One fresh answer: a sandbox that has forgotten the one before repeats nothing.
    pub fn draw(&mut self) -> Result<Observation, AuditError> {
        self.sandbox.forget()?;
        Ok(seen(&self.sandbox.ask(&self.ask)))
    }
}
