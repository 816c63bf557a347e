//! What only the owner decides: budgets, shares, and what the names of a catalog stand for.
//!
//! **Guarantee.** Decisions are written down together or not at all. Whoever decides in the light of what was decided before
//! ([`Ledger::decide_after`]) is refused where that has changed: of two servers that start at once over a new ledger, with two
//! catalogs, one tells the ledger and the other finds out that it disagrees.

use std::collections::BTreeMap;

use pointillist_privacy::{Budget, Currency};

use super::{Ledger, PATH_BYTES_MAX, State, check_name, check_text};
use crate::book::periods_of;
use crate::record::{Account, Dataset, Record};
use crate::{GrantError, LedgerError, NameError};

/// Something that only the owner decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// What an account may spend in all.
    Grant {
        /// The scope, or a share in it.
        account: Account,
        /// What may be spent, replacing what was granted before.
        budget: Budget,
    },
    /// What a name of the catalog stands for.
    Dataset(Dataset),
}

impl Ledger {
    /// Sets what may be spent from a scope in all. Below what was spent already, nothing more is admitted.
    ///
    /// # Errors
    /// When the scope is counted in another currency, or the ledger has stopped.
    pub fn grant_scope(&self, scope: &str, budget: Budget) -> Result<(), GrantError> {
        let account = Account { scope: scope.into(), analyst: None };
        self.decide(vec![Decision::Grant { account, budget }])
    }

    /// Sets what an analyst may spend of a scope's budget. What they have spent without a share counts.
    ///
    /// # Errors
    /// When the scope has no budget or is counted in another currency, or the ledger has stopped.
    pub fn grant_share(&self, analyst: &str, scope: &str, budget: Budget) -> Result<(), GrantError> {
        let account = Account { scope: scope.into(), analyst: Some(analyst.into()) };
        self.decide(vec![Decision::Grant { account, budget }])
    }

    /// Writes down what the owner decides, all of it or nothing: a crash leaves no ledger that knows one half.
    ///
    /// # Errors
    /// When a scope has no budget or is counted in another currency, a name cannot be written down, or the ledger has
    /// stopped. Nothing is decided then.
    pub fn decide(&self, decisions: Vec<Decision>) -> Result<(), GrantError> {
        self.transact(move |ledger, state| ledger.judge_decisions(state, decisions))
    }

    /// The same, provided that nobody has decided anything since [`Ledger::decided`] said this number.
    ///
    /// # Errors
    /// As [`Ledger::decide`], and when somebody has.
    pub fn decide_after(&self, decided: u64, decisions: Vec<Decision>) -> Result<(), GrantError> {
        self.transact(move |ledger, state| match state.book.decided_seq() == decided {
            true => ledger.judge_decisions(state, decisions),
            false => Err(GrantError::DecidedMeanwhile),
        })
    }

    /// The number of the last record by which the owner decided anything; 0 before the first. Ask before looking at what was
    /// decided, and decide after that number alone: what is looked at outside of a turn may be old.
    ///
    /// # Errors
    /// When the ledger has stopped.
    pub fn decided(&self) -> Result<u64, LedgerError> {
        Ok(self.fresh()?.book.decided_seq())
    }

    fn judge_decisions(&self, state: &mut State, decisions: Vec<Decision>) -> Result<(), GrantError> {
        // What the scopes will be counted in, one decision after the other.
        let mut counted: BTreeMap<String, Currency> = BTreeMap::new();
        for decision in &decisions {
            decision.check_names()?;
            let (scope, granted, opens) = match decision {
                Decision::Grant { account, budget } => {
                    (&account.scope, Some(budget.currency), account.analyst.is_none())
                }
                Decision::Dataset(Dataset { scope: Some(scope), .. }) => (scope, None, false),
                Decision::Dataset(_) => continue,
            };
            let known = state.book.balance(scope);
            let currency = counted.get(scope).copied().or(known.map(|known| known.currency));
            match (currency, granted) {
                (Some(counted), Some(granted)) if counted != granted => {
                    let [counted, granted] = [counted, granted].map(Currency::symbol);
                    return Err(GrantError::WrongCurrency { scope: scope.clone(), counted, granted });
                }
                _ => {}
            }
            let has_budget =
                counted.contains_key(scope) || known.is_some_and(|known| known.granted.is_some());
            // A dataset may be paid for by the periods of a scope.
            let has_budget = has_budget
                || (granted.is_none()
                    && (state.book.pays(scope) || periods_of(&counted, scope).next().is_some()));
            match (opens, granted) {
                (true, Some(granted)) => _ = counted.insert(scope.clone(), granted),
                _ if !has_budget => return Err(GrantError::NoScope { scope: scope.clone() }),
                _ => {}
            }
        }
        // Queued under one lock, and so written in one batch.
        for decision in decisions {
            self.enqueue(state, decision.into_record())?;
        }
        Ok(())
    }
}

impl Decision {
    fn check_names(&self) -> Result<(), NameError> {
        match self {
            Self::Grant { account: Account { scope, analyst }, .. } => {
                check_name("name of the scope", scope)?;
                analyst.as_deref().map_or(Ok(()), |analyst| check_name("name of the analyst", analyst))
            }
            Self::Dataset(Dataset { name, scope, source, unit }) => {
                check_name("name of the data", name)?;
                scope.as_deref().map_or(Ok(()), |scope| check_name("name of the scope", scope))?;
                check_text("path of the data", source, PATH_BYTES_MAX)?;
                check_text("privacy unit", unit, PATH_BYTES_MAX)
            }
        }
    }

    fn into_record(self) -> Record {
        match self {
            Self::Grant { account, budget } => Record::Grant { account, budget },
            Self::Dataset(dataset) => Record::Dataset(dataset),
        }
    }
}
