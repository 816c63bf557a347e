//! The catalog's budgets and the ledger's: they must agree before anyone is answered.
//!
//! A ledger that has granted nothing yet grants what is declared, and so it does with new shares, which stand inside a
//! budget. Budgets that are new or differ later are refused: a number or a name edited in a file must not quietly
//! become permission to spend. The owner accepts them with [`accept`].

use std::fmt;

use pointillist_catalog::{Budget, Catalog, Share};
use pointillist_ledger::{Budget as Granted, Ledger};

use crate::error::StartError;

/// Grants what is new, refuses what has changed.
pub(crate) fn agree(catalog: &Catalog, ledger: &Ledger) -> Result<(), StartError> {
    let stopped = |error: pointillist_ledger::LedgerError| StartError::Grant(error.into());
    let is_new = !ledger.balances().map_err(stopped)?.iter().any(|(_, balance)| balance.granted.is_some());
    each(catalog, ledger, |whose, declared, granted| match granted {
        None if is_new || whose.is_share() => Ok(true),
        None => Err(StartError::BudgetChanged {
            whose: whose.to_string(),
            declared: declared.to_string(),
            granted: "nothing".to_owned(),
        }),
        Some(granted) if granted == *declared => Ok(false),
        Some(granted) => Err(StartError::BudgetChanged {
            whose: whose.to_string(),
            declared: declared.to_string(),
            granted: granted.to_string(),
        }),
    })
}

/// Makes the ledger's budgets those of the catalog; says which changed. Only the owner may call this.
pub fn accept(catalog: &Catalog, ledger: &Ledger) -> Result<Vec<String>, StartError> {
    let mut changes = Vec::new();
    each(catalog, ledger, |whose, declared, granted| {
        if granted.as_ref() == Some(declared) {
            return Ok(false);
        }
        let before = granted.map_or("nothing".to_owned(), |granted| granted.to_string());
        changes.push(format!("{whose}: {before} → {declared}"));
        Ok(true)
    })?;
    Ok(changes)
}

/// Visits every budget of the catalog, scopes first; grants where the visitor says so.
fn each(
    catalog: &Catalog,
    ledger: &Ledger,
    mut visit: impl FnMut(&Whose, &Granted, Option<Granted>) -> Result<bool, StartError>,
) -> Result<(), StartError> {
    let stopped = |error: pointillist_ledger::LedgerError| StartError::Grant(error.into());
    for (name, scope) in &catalog.scopes {
        let declared = match &scope.budget {
            Budget::Zcdp { rho, delta, .. } => Granted::zcdp(rho, delta),
            Budget::Pure { epsilon } => Granted::pure(epsilon),
        };
        if visit(&Whose { scope: name, analyst: None }, &declared, ledger.granted(name).map_err(stopped)?)? {
            ledger.grant_scope(name, declared)?;
        }
    }
    for (name, analyst) in &catalog.analysts {
        for (scope, share) in &analyst.shares {
            let declared = match share {
                Share::Zcdp { rho, delta } => Granted::zcdp(rho, delta),
                Share::Pure { epsilon } => Granted::pure(epsilon),
            };
            let whose = Whose { scope, analyst: Some(name) };
            if visit(&whose, &declared, ledger.granted_share(scope, name).map_err(stopped)?)? {
                ledger.grant_share(name, scope, declared)?;
            }
        }
    }
    Ok(())
}

/// A budget's place in the catalog.
struct Whose<'a> {
    scope: &'a str,
    analyst: Option<&'a str>,
}

impl Whose<'_> {
    fn is_share(&self) -> bool {
        self.analyst.is_some()
    }
}

impl fmt::Display for Whose<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.analyst {
            None => write!(out, "scope `{}`", self.scope),
            Some(analyst) => write!(out, "analyst `{analyst}` in scope `{}`", self.scope),
        }
    }
}
