//! Why a charge is refused. A refusal speaks of losses and budgets, never of data.

use pointillist_errors::{Explained, Kind};

/// A charge that a filter or odometer does not admit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The budget would not hold with this release included.
    #[error("this release costs {asked}, but only {remaining} is left")]
    Exhausted {
        /// The cost, rounded up.
        asked: String,
        /// What is left, rounded down.
        remaining: String,
    },
    /// A Rényi curve that says nothing at the filter's order.
    #[error("this release has no bound at the Rényi order {order} of the budget")]
    OrderUnknown {
        /// The order of the filter.
        order: String,
    },
}

impl Explained for Refusal {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Exhausted { .. } => {
                "accept more noise and ask for at most what is left, or have the budget raised".to_owned()
            }
            Self::OrderUnknown { order, .. } => {
                format!("evaluate the mechanism's curve at order {order} as well")
            }
        })
    }

    fn kind(&self) -> Kind {
        Kind::Budget
    }
}
