//! What all tables of a plan may cost together.

use pointillist_catalog::document::{Entry, Fault, Section};
use pointillist_privacy::{Delta, Epsilon, ParameterError, Rho};

/// What all tables of a plan may cost together, as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanBudget {
    /// A loss at some δ, or without one for a pure budget.
    Epsilon {
        /// The loss.
        epsilon: Epsilon,
        /// The probability at which it may fail.
        delta: Option<Delta>,
    },
    /// A loss of zero-concentrated differential privacy.
    Rho {
        /// The loss.
        rho: Rho,
        /// The δ at which it is also said as an ε, where the author chose one.
        delta: Option<Delta>,
    },
}

/// Reads `budget = { … }`.
pub(super) fn budget(entry: &Entry<'_>) -> Result<PlanBudget, Fault> {
    let section = Section::of(entry, "a budget", &["epsilon", "delta", "rho"])?;
    let delta = amount(&section, "delta", Delta::parse)?;
    if let (Some(delta), Some(place)) = (&delta, section.get("delta"))
        && delta.is_zero()
    {
        return Err(
            place.fault("a delta of zero says nothing", "leave it out, or write a small number such as 1e-9")
        );
    }
    match (amount(&section, "epsilon", Epsilon::parse)?, amount(&section, "rho", Rho::parse)?) {
        (Some(epsilon), None) => Ok(PlanBudget::Epsilon { epsilon, delta }),
        (None, Some(rho)) => Ok(PlanBudget::Rho { rho, delta }),
        (Some(_), Some(_)) => {
            Err(entry.fault("the budget has both an epsilon and a rho", "keep one of them"))
        }
        (None, None) => {
            let hint = "write `{ epsilon = 1, delta = 1e-9 }` or `{ rho = 0.02 }`";
            Err(entry.fault("the budget has neither an epsilon nor a rho", hint))
        }
    }
}

fn amount<T>(
    section: &Section<'_>,
    key: &str,
    parse: impl Fn(&str) -> Result<T, ParameterError>,
) -> Result<Option<T>, Fault> {
    let Some(entry) = section.get(key) else {
        return Ok(None);
    };
    parse(&entry.number_text()?).map(Some).map_err(|error| entry.explained(&error))
}
