//! One world: a table in a temporary folder, a curator who answers about it, and a ledger that can pay for
//! thousands of answers.

use std::fs;
use std::path::Path;

use pointillist_audit::AuditError;
use pointillist_audit::Observation;
use pointillist_catalog::{Budget, Catalog};
use pointillist_curator::{Ask, AskError, Curator, Reply, Settings};
use pointillist_ledger::{ChargeError, Ledger};
use pointillist_privacy::{Delta, Epsilon, Rho};

use super::memory::{Memory, Records};
use super::seen::seen;
use super::sheet::Sheet;
use crate::private_folder::{PrivateFolder, private_folder};

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
    /// The table.
    pub table: String,
    /// The question.
    pub ask: Ask,
}

/// A curator of one world.
pub struct House {
    asked: Asked,
    curator: Option<Curator>,
    draws: u64,
    folder: PrivateFolder,
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
    /// Writes the table and opens the door.
    pub fn build(asked: &Asked, sheet: &Sheet) -> Result<Self, AuditError> {
        let failed = |error: std::io::Error| {
            AuditError::new(
                format!("a temporary folder could not be written: {error}"),
                "look at the space that TMPDIR has left",
            )
        };
        let folder = private_folder().map_err(failed)?;
        fs::write(folder.path().join(SOURCE), sheet.to_csv()).map_err(failed)?;
        let curator = Some(curator(folder.path(), &asked.catalog)?);
        Ok(Self { asked: asked.clone(), curator, draws: 0, folder })
    }

    /// One fresh answer. The data gets a new version each time, so that no recorded answer is repeated.
    pub fn draw(&mut self) -> Result<Observation, AuditError> {
        Ok(seen(&self.ask()?))
    }

    fn ask(&mut self) -> Result<Result<Reply, AskError>, AuditError> {
        self.draws += 1;
        let mut catalog = self.asked.catalog.clone();
        if let Some(table) = catalog.tables.get_mut(&self.asked.table) {
            table.version = format!("draw {}", self.draws);
        }
        let curator = match self.curator.take() {
            Some(curator) => curator.with_catalog(catalog.clone()).map_err(broken)?,
            None => curator(self.folder.path(), &catalog)?,
        };
        match curator.ask(&self.asked.ask) {
            // The audit has used up its own budget: it goes on with a new ledger.
            Err(AskError::NotCharged(ChargeError::Exhausted { .. } | ChargeError::ScopeExhausted { .. }))
                if self.draws > 1 =>
            {
                drop(curator);
                self.draws = 0;
                self.ask()
            }
            outcome => {
                self.curator = Some(curator);
                Ok(outcome)
            }
        }
    }
}

fn curator(folder: &Path, catalog: &Catalog) -> Result<Curator, AuditError> {
    let ledger = Ledger::open_on(Box::<Records>::default(), Box::<Memory>::default(), Default::default());
    let mut settings = Settings::beside(folder);
    // Worlds are asked side by side; each has one thread.
    settings.engine.threads = 1;
    Curator::with_ledger(folder, catalog.clone(), ledger.map_err(broken)?, settings).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> AuditError {
    let text = error.to_string();
    let (what, hint) =
        text.split_once("\nhint: ").unwrap_or((&text, "look at the machine's memory and disk"));
    AuditError::new(what, hint)
}
