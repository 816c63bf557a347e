//! Populations, what may be learnt about them in all, and who may ask.

use std::collections::BTreeMap;

use pointillist_privacy::{Budget, Currency, Delta, Epsilon, EpsilonDelta, Price, Rho};

use crate::Catalog;

/// A population: it owns the budget of every table about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// The name in the catalog.
    pub name: String,
    /// What may be lost in all; in each period, where its tables have periods.
    pub budget: DeclaredBudget,
}

/// What the owner declares that may be lost, exactly, in the currency that the ledger counts in.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredBudget {
    /// Approximate zCDP: Σρ and Σδ.
    Zcdp {
        /// The most ρ.
        rho: Rho,
        /// The most δ for keys that must be earned.
        delta: Delta,
        /// The δ at which ρ is translated to ε for people to read, and back for prices given as ε.
        conversion_delta: Delta,
    },
    /// Pure ε: Σε.
    Pure {
        /// The most ε.
        epsilon: Epsilon,
    },
}

impl DeclaredBudget {
    /// What is counted.
    pub fn currency(&self) -> Currency {
        match self {
            Self::Zcdp { .. } => Currency::Zcdp,
            Self::Pure { .. } => Currency::Pure,
        }
    }

    /// What the ledger is to grant: the same, rounded down to whole units.
    pub fn granted(&self) -> Budget {
        match self {
            Self::Zcdp { rho, delta, .. } => Budget::zcdp(rho, delta),
            Self::Pure { epsilon } => Budget::pure(epsilon),
        }
    }

    /// The δ at which ρ is read as ε; `None` where ε itself is counted.
    pub fn conversion_delta(&self) -> Option<&Delta> {
        match self {
            Self::Zcdp { conversion_delta, .. } => Some(conversion_delta),
            Self::Pure { .. } => None,
        }
    }
}

impl Catalog {
    /// The δ at which the ρ of a scope is read as ε; `None` for scopes that are pure or unknown.
    pub fn conversion_delta(&self, scope: &str) -> Option<&Delta> {
        self.paying_scope(scope)?.budget.conversion_delta()
    }

    /// A price in ε, at the δ that the scope's owner reads ε at.
    pub fn epsilon_at_delta(&self, scope: &str, price: &Price) -> Option<EpsilonDelta> {
        price.epsilon_at(self.conversion_delta(scope)?)
    }
}

/// Someone who may ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Analyst {
    /// The name.
    pub name: String,
    /// What they may spend of each population's budget, in its currency; populations that are not listed are closed to
    /// them.
    pub shares: BTreeMap<String, Budget>,
}
