//! Populations and their budgets: `[scope.NAME]`.
//!
//! **Guarantee.** A budget `{ epsilon, delta }` becomes a ρ that converts to at most ε at δ/2, and δ/2 for keys
//! that must be earned: everything released within it is (ε, δ)-differentially private together.
//! **Source.** `zcdp_rho_lower`; δ₀-approximate ρ-zCDP is (ε, δ₀ + δ)-DP (`conversion/zero_concentrated.rs`).

use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, ParameterError, Rho};

use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{DeclaredBudget, Scope, suggestion};

/// Reads a `[scope.NAME]`.
pub(super) fn scope(entry: &Entry<'_>) -> Result<Scope, Fault> {
    let section = Section::of(entry, "a scope", &["budget", "model"])?;
    let budget = section.required("budget", "write `budget = { epsilon = 1.0, delta = 1e-9 }`")?;
    let pure = match section.get("model") {
        None => false,
        Some(model) => match model.text("a model")? {
            "zcdp" => false,
            "pure" => true,
            other => {
                let what = format!("there is no model `{}`", crate::name::shown(other));
                return Err(model.fault(what, suggestion::hint(other, ["zcdp", "pure"])));
            }
        },
    };
    let budget = if pure { pure_budget(&budget)? } else { zcdp_budget(&budget)? };
    Ok(Scope { name: entry.name.clone(), budget })
}

fn pure_budget(entry: &Entry<'_>) -> Result<DeclaredBudget, Fault> {
    let amounts = Amounts::read(entry, "a budget")?;
    match amounts {
        Amounts { epsilon: Some((epsilon, _)), delta: None, rho: None } => {
            Ok(DeclaredBudget::Pure { epsilon })
        }
        Amounts { epsilon: Some(_), delta: Some((_, place)), .. } => {
            Err(place.fault("the pure model has no delta", "leave it out, or write model = \"zcdp\""))
        }
        _ => Err(entry.fault("a pure budget is an epsilon", "write `budget = { epsilon = 1.0 }`")),
    }
}

fn zcdp_budget(entry: &Entry<'_>) -> Result<DeclaredBudget, Fault> {
    let amounts = Amounts::read(entry, "a budget")?;
    let Some((delta, place)) = amounts.delta else {
        let hint =
            "write `budget = { epsilon = 1.0, delta = 1e-9 }`, or model = \"pure\" for a guarantee without δ";
        return Err(entry.fault("`delta` is missing", hint));
    };
    if delta.is_zero() {
        let hint = "write a small number such as 1e-9, or model = \"pure\" for a guarantee without δ";
        return Err(place.fault("a zCDP budget needs a delta above zero", hint));
    }
    let half = delta.divided_by(2).map_err(|error| place.explained(&error))?;
    let rho = match (amounts.epsilon, amounts.rho) {
        (Some((epsilon, place)), None) => {
            zcdp_rho_lower(&epsilon, &half).map_err(|error| place.explained(&error))?
        }
        (None, Some((rho, _))) => rho,
        (Some(_), Some((_, place))) => {
            return Err(place.fault("the budget has both an epsilon and a rho", "keep one of them"));
        }
        (None, None) => {
            let hint = "write `{ epsilon = 1.0, delta = 1e-9 }` or `{ rho = 0.02, delta = 1e-9 }`";
            return Err(entry.fault("the budget has neither an epsilon nor a rho", hint));
        }
    };
    Ok(DeclaredBudget::Zcdp { rho, delta: half.clone(), conversion_delta: half })
}

/// The amounts of a budget or of a share, each with the place it stands in.
pub(super) struct Amounts<'a> {
    pub(super) epsilon: Option<(Epsilon, Entry<'a>)>,
    pub(super) delta: Option<(Delta, Entry<'a>)>,
    pub(super) rho: Option<(Rho, Entry<'a>)>,
}

impl<'a> Amounts<'a> {
    pub(super) fn read(entry: &Entry<'a>, what: &str) -> Result<Self, Fault> {
        let section = Section::of(entry, what, &["epsilon", "delta", "rho"])?;
        Ok(Self {
            epsilon: amount(&section, "epsilon", Epsilon::parse)?,
            delta: amount(&section, "delta", Delta::parse)?,
            rho: amount(&section, "rho", Rho::parse)?,
        })
    }
}

fn amount<'a, T>(
    section: &Section<'a>,
    key: &str,
    parse: impl Fn(&str) -> Result<T, ParameterError>,
) -> Result<Option<(T, Entry<'a>)>, Fault> {
    let Some(entry) = section.get(key) else {
        return Ok(None);
    };
    let text = entry.number_text()?;
    let value = parse(&text).map_err(|error| entry.explained(&error))?;
    Ok(Some((value, entry)))
}
