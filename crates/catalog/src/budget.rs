//! Populations, what may be learnt about them in all, and who may ask.

use std::collections::BTreeMap;

use pointillist_privacy::{Delta, Epsilon, Rho};

/// A population: it owns the budget of every table about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// The name in the catalog.
    pub name: String,
    /// What may be lost in all.
    pub budget: Budget,
}

/// What may be lost, in the currency that the ledger counts in.
#[derive(Clone, Debug, PartialEq)]
pub enum Budget {
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

/// Someone who may ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Analyst {
    /// The name.
    pub name: String,
    /// What they may spend of each population's budget; populations that are not listed are closed to them.
    pub shares: BTreeMap<String, Share>,
}

/// An analyst's part of a budget, in its scope's currency.
#[derive(Clone, Debug, PartialEq)]
pub enum Share {
    /// Of a zCDP budget.
    Zcdp {
        /// The most ρ.
        rho: Rho,
        /// The most δ for keys that must be earned.
        delta: Delta,
    },
    /// Of a pure budget.
    Pure {
        /// The most ε.
        epsilon: Epsilon,
    },
}
