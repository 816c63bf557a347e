//! Who may ask about which population: the one rule, for answers, quotes and every door.

use pointillist_catalog::{Catalog, OWNER, declared_scope};

use crate::error::AskError;

/// Whether this analyst may ask about this population at all: the owner may, and whoever has a share of its budget.
/// A function of the catalog alone.
pub(crate) fn admit(catalog: &Catalog, analyst: &str, scope: &str) -> Result<(), AskError> {
    if analyst == OWNER {
        return Ok(());
    }
    let declared = catalog.analysts.get(analyst);
    let declared = declared.ok_or_else(|| AskError::Unknown { analyst: analyst.to_owned() })?;
    let closed = || AskError::Closed { analyst: analyst.to_owned(), scope: scope.to_owned() };
    declared.shares.contains_key(declared_scope(scope)).then_some(()).ok_or_else(closed)
}
