//! What the catalog declares and what the ledger was told: they must agree before anyone is answered.
//!
//! A ledger that was told nothing yet is told everything that is declared, in one batch, and so it is told of new
//! shares later, which stand inside a budget. Whatever else is new or differs is refused, budgets and datasets alike:
//! a number, a name or a path edited in a file must not quietly become permission to spend. The owner accepts it with
//! [`accept`].

use pointillist_catalog::Catalog;
use pointillist_ledger::{Account, Decision, Ledger, LedgerError};
use pointillist_privacy::Budget;

use crate::datasets::{self, dataset_words};
use crate::error::StartError;

/// Every budget that the catalog declares, as the ledger counts: those of scopes first, then those of shares.
pub fn declared_budgets(catalog: &Catalog) -> Vec<(Account, Budget)> {
    let scopes = catalog
        .scopes
        .iter()
        .map(|(name, scope)| (Account { scope: name.clone(), analyst: None }, scope.budget.granted()));
    let shares = catalog.analysts.iter().flat_map(|(name, analyst)| {
        let account = |scope: &String| Account { scope: scope.clone(), analyst: Some(name.clone()) };
        analyst.shares.iter().map(move |(scope, share)| (account(scope), *share))
    });
    scopes.chain(shares).collect()
}

/// Everything that the catalog would have the ledger know: budgets, shares, and what its names stand for.
pub fn declared(catalog: &Catalog) -> Vec<Decision> {
    let grant = |(account, budget)| Decision::Grant { account, budget };
    let budgets = declared_budgets(catalog).into_iter().map(grant);
    budgets.chain(datasets::declared(catalog).into_iter().map(Decision::Dataset)).collect()
}

/// Tells the ledger what is new, refuses what has changed.
pub(crate) fn agree(catalog: &Catalog, ledger: &Ledger) -> Result<(), StartError> {
    let balances = ledger.balances().map_err(stopped)?;
    let is_new = !balances.iter().any(|(_, balance)| balance.granted.is_some());
    let mut news = Vec::new();
    for decision in declared(catalog) {
        let Some(change) = change(ledger, &decision)? else { continue };
        match change.before {
            None if is_new || change.is_share => news.push(decision),
            _ => return Err(change.into_error()),
        }
    }
    Ok(ledger.decide(news)?)
}

/// Makes what the ledger knows what the catalog declares; says what changed. Only the owner may call this.
pub fn accept(catalog: &Catalog, ledger: &Ledger) -> Result<Vec<String>, StartError> {
    let (mut words, mut news) = (Vec::new(), Vec::new());
    for decision in declared(catalog) {
        if let Some(Change { whose, before, declared, .. }) = change(ledger, &decision)? {
            words.push(format!("{whose}: {} → {declared}", before.as_deref().unwrap_or("nothing")));
            news.push(decision);
        }
    }
    ledger.decide(news)?;
    Ok(words)
}

/// A declaration that the ledger does not know, in words.
struct Change {
    whose: String,
    declared: String,
    /// Nothing where the ledger has never heard of it.
    before: Option<String>,
    is_share: bool,
    is_dataset: bool,
}

impl Change {
    fn into_error(self) -> StartError {
        let Self { whose, declared, before, is_dataset, .. } = self;
        match (is_dataset, before) {
            (true, recorded) => StartError::DatasetChanged { whose, declared, recorded },
            (false, before) => {
                StartError::BudgetChanged { whose, declared, granted: before.unwrap_or("nothing".to_owned()) }
            }
        }
    }
}

/// How a declaration differs from what the ledger was told last.
fn change(ledger: &Ledger, decision: &Decision) -> Result<Option<Change>, StartError> {
    Ok(match decision {
        Decision::Grant { account: Account { scope, analyst }, budget } => {
            let (granted, whose) = match analyst {
                None => (ledger.granted(scope), format!("scope `{scope}`")),
                Some(analyst) => {
                    (ledger.granted_share(scope, analyst), format!("analyst `{analyst}` in scope `{scope}`"))
                }
            };
            let granted = granted.map_err(stopped)?;
            (granted.as_ref() != Some(budget)).then(|| Change {
                whose,
                declared: budget.to_string(),
                before: granted.map(|granted| granted.to_string()),
                is_share: analyst.is_some(),
                is_dataset: false,
            })
        }
        Decision::Dataset(dataset) => {
            let known = ledger.dataset(&dataset.name).map_err(stopped)?;
            (known.as_ref() != Some(dataset)).then(|| Change {
                whose: dataset.name.clone(),
                declared: dataset_words(dataset),
                before: known.as_ref().map(dataset_words),
                is_share: false,
                is_dataset: true,
            })
        }
    })
}

fn stopped(error: LedgerError) -> StartError {
    StartError::Grant(error.into())
}
