//! People who may ask, and their shares: `[analyst.NAME]`.

use std::collections::BTreeMap;

use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Budget, Delta};

use super::budget::Amounts;
use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{Analyst, DeclaredBudget, OWNER, Scope, name, suggestion};

/// Reads an `[analyst.NAME]`.
pub(super) fn analyst(entry: &Entry<'_>, scopes: &BTreeMap<String, Scope>) -> Result<Analyst, Fault> {
    // The owner has no share, only the scopes' caps: an analyst of that name would have none either.
    if entry.name.eq_ignore_ascii_case(OWNER) {
        let what = format!("`{}` is the name under which the owner asks, without a share", entry.name);
        return Err(entry.fault(what, "give the analyst another name"));
    }
    let section = Section::of(entry, "an analyst", &["shares"])?;
    let mut shares = BTreeMap::new();
    if let Some(list) = section.get("shares") {
        for entry in list.named()? {
            let Some(scope) = scopes.get(&entry.name) else {
                return Err(Fault::new(
                    entry.key_span.clone(),
                    entry.path.clone(),
                    format!("there is no scope `{}`", name::shown(&entry.name)),
                    suggestion::hint(&entry.name, scopes.keys().map(String::as_str)),
                ));
            };
            shares.insert(entry.name.clone(), share(&entry, scope)?);
        }
    }
    Ok(Analyst { name: entry.name.clone(), shares })
}

/// A share in the currency of its scope, rounded down to whole units. Its delta is all for earned keys: translating ρ to ε is the scope's
/// business, at the scope's δ.
fn share(entry: &Entry<'_>, scope: &Scope) -> Result<Budget, Fault> {
    let amounts = Amounts::read(entry, "a share")?;
    match &scope.budget {
        DeclaredBudget::Pure { .. } => match amounts {
            Amounts { epsilon: Some((epsilon, _)), delta: None, rho: None } => Ok(Budget::pure(&epsilon)),
            _ => Err(entry.fault(
                format!(
                    "scope `{}` counts in pure epsilon, so a share of it is an epsilon alone",
                    scope.name
                ),
                "write `{ epsilon = 0.5 }`",
            )),
        },
        DeclaredBudget::Zcdp { conversion_delta, .. } => {
            let delta = amounts.delta.map_or_else(Delta::zero, |(delta, _)| delta);
            let rho = match (amounts.epsilon, amounts.rho) {
                (None, Some((rho, _))) => rho,
                (Some((epsilon, place)), None) => {
                    zcdp_rho_lower(&epsilon, conversion_delta).map_err(|error| place.explained(&error))?
                }
                (Some(_), Some((_, place))) => {
                    return Err(place.fault("the share has both an epsilon and a rho", "keep one of them"));
                }
                (None, None) => {
                    let hint = "write `{ rho = 0.1, delta = 2e-10 }` or `{ epsilon = 1, delta = 2e-10 }`";
                    return Err(entry.fault("the share has neither a rho nor an epsilon", hint));
                }
            };
            Ok(Budget::zcdp(&rho, &delta))
        }
    }
}
