//! One world: a table, and a curator in a sandbox who answers one question about it as often as it is asked.

use pointillist_catalog::{Catalog, DeclaredBudget};
use pointillist_curator::Ask;
use pointillist_curator::sandbox::Sandbox;
use pointillist_privacy::{Delta, Epsilon, Rho};

use super::observe::observe;
use super::text_table::TextTable;
use crate::{AuditError, Observation};

/// The file of the table.
const SOURCE: &str = "audited.csv";
/// The largest losses there are, in ε and in ρ, and nearly the largest δ.
const LOSS_MAX: &str = "1000000";
const DELTA_MAX: &str = "0.999999";

/// A question, and the catalog under which it is audited.
#[derive(Clone)]
pub struct AuditedQuestion {
    /// The catalog: one table, its population with a budget for an audit, nobody else.
    pub catalog: Catalog,
    /// The question.
    pub ask: Ask,
}

/// Two worlds that differ in one person.
pub struct WorldPair {
    /// In whom, in a few words.
    pub name: String,
    /// With them and without, or the other way round.
    pub worlds: [TextTable; 2],
}

/// A curator of one world.
pub struct World {
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
            DeclaredBudget::Pure { .. } => DeclaredBudget::Pure { epsilon: Epsilon::parse(LOSS_MAX)? },
            DeclaredBudget::Zcdp { conversion_delta, .. } => DeclaredBudget::Zcdp {
                rho: Rho::parse(LOSS_MAX)?,
                delta: Delta::parse(DELTA_MAX)?,
                conversion_delta: conversion_delta.clone(),
            },
        };
    }
    Ok(catalog)
}

impl World {
    /// A sandbox of this table.
    pub fn open(question: &AuditedQuestion, table: &TextTable) -> Result<Self, AuditError> {
        // Worlds are asked side by side; each has one thread.
        let sandbox = Sandbox::of(question.catalog.clone()).file(SOURCE, table.to_csv()).threads(1).open()?;
        Ok(Self { sandbox, ask: question.ask.clone() })
    }

    /// One fresh answer: a sandbox that has forgotten the one before repeats nothing.
    pub fn draw(&mut self) -> Result<Observation, AuditError> {
        self.sandbox.forget()?;
        Ok(observe(&self.sandbox.ask(&self.ask)))
    }
}
