//! The catalog's budgets and the ledger's: they must agree before anyone is answered.
//!
//! A budget that the ledger has never heard of is granted as declared. One that differs is refused: a number
//! edited in a file must not quietly become permission to spend. The owner accepts it with [`accept`].

use pointillist_catalog::{Budget, Catalog, Share};
use pointillist_ledger::{Budget as Granted, Ledger};

use crate::error::StartError;

/// Grants what is new, refuses what has changed.
pub(crate) fn agree(catalog: &Catalog, ledger: &Ledger) -> Result<(), StartError> {
    each(catalog, ledger, |whose, declared, granted| match granted {
        None => Ok(true),
        Some(granted) if granted == *declared => Ok(false),
        Some(granted) => Err(StartError::BudgetChanged {
            whose: whose.to_owned(),
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
    mut visit: impl FnMut(&str, &Granted, Option<Granted>) -> Result<bool, StartError>,
) -> Result<(), StartError> {
    let stopped = |error: pointillist_ledger::LedgerError| StartError::Grant(error.into());
    for (name, scope) in &catalog.scopes {
        let declared = match &scope.budget {
            Budget::Zcdp { rho, delta, .. } => Granted::zcdp(rho, delta),
            Budget::Pure { epsilon } => Granted::pure(epsilon),
        };
        if visit(&format!("scope `{name}`"), &declared, ledger.granted(name).map_err(stopped)?)? {
            ledger.grant_scope(name, declared)?;
        }
    }
    for (name, analyst) in &catalog.analysts {
        for (scope, share) in &analyst.shares {
            let declared = match share {
                Share::Zcdp { rho, delta } => Granted::zcdp(rho, delta),
                Share::Pure { epsilon } => Granted::pure(epsilon),
            };
            let whose = format!("analyst `{name}` in scope `{scope}`");
            if visit(&whose, &declared, ledger.granted_share(scope, name).map_err(stopped)?)? {
                ledger.grant_share(name, scope, declared)?;
            }
        }
    }
    Ok(())
}
