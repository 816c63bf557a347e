//! What is granted, spent and left: population by population, and analyst by analyst within.

use pointillist_catalog::{Catalog, OWNER};
use pointillist_ledger::{Account, Balance, LedgerError};
use pointillist_privacy::Amount;
use pointillist_render::decimals::{glance_lower, glance_upper};

use crate::books::Books;
use crate::budgets::declared_budgets;
use crate::words::owners_delta;
use crate::{Curator, Home, StartError};

/// Every balance of a ledger, and what the catalog declares beyond them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balances {
    /// Population by population, in the order of their names.
    pub scopes: Vec<ScopeBalance>,
    /// Whether anybody has asked anything yet; else these are the catalog's numbers.
    pub has_ledger: bool,
}

/// What a population has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeBalance {
    /// Its name.
    pub scope: String,
    /// Granted, spent and left.
    pub balance: Balance,
    /// Whether the catalog still declares it.
    pub declared: bool,
    /// What all answers so far cost together as ε, of what was granted, in words; where ρ has one.
    pub in_epsilon: Option<String>,
    /// Analysts who have a share of it or have spent from it, in the order of their names.
    pub analysts: Vec<(String, Balance)>,
}

impl Home {
    /// The ledger's balances, without locking it.
    ///
    /// # Errors
    /// When the ledger is not safe to use as it is.
    pub fn balances(&self) -> Result<Balances, StartError> {
        let reader = self.reader()?;
        let books = reader.as_ref().map_or(Books::None, Books::Reader);
        balances(&self.catalog, &books).map_err(|error| StartError::Grant(error.into()))
    }
}

impl Curator {
    /// The same from the ledger that is open.
    ///
    /// # Errors
    /// When the ledger has stopped.
    pub fn balances(&self) -> Result<Balances, LedgerError> {
        balances(self.catalog(), &Books::Writer(self.ledger()))
    }
}

impl Balances {
    /// What one asker may see of it: the owner everything, an analyst their own shares as if they were all there is. How much
    /// of them is still being answered tells when answers are ready, and is the owner's business.
    #[must_use]
    pub fn seen_by(&self, asker: &str) -> Self {
        if asker == OWNER {
            return self.clone();
        }
        let own = |scope: &ScopeBalance| {
            let (_, share) = scope.analysts.iter().find(|(analyst, _)| analyst == asker)?;
            share.granted?;
            Some(ScopeBalance {
                scope: scope.scope.clone(),
                balance: Balance { unreleased: Amount::ZERO, ..*share },
                declared: scope.declared,
                in_epsilon: None,
                analysts: Vec::new(),
            })
        };
        Self { scopes: self.scopes.iter().filter_map(own).collect(), has_ledger: self.has_ledger }
    }
}

fn balances(catalog: &Catalog, books: &Books<'_>) -> Result<Balances, LedgerError> {
    let mut list = books.balances()?;
    for (account, budget) in declared_budgets(catalog) {
        if !list.iter().any(|(known, _)| *known == account) {
            let (currency, granted) = (budget.currency, Some(budget.amount));
            let (spent, unreleased) = (Amount::ZERO, Amount::ZERO);
            list.push((account, Balance { currency, granted, spent, unreleased, remaining: granted }));
        }
    }
    list.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut scopes: Vec<ScopeBalance> = Vec::new();
    for (Account { scope, analyst }, balance) in list {
        match (analyst, scopes.last_mut()) {
            (Some(analyst), Some(last)) if last.scope == scope => last.analysts.push((analyst, balance)),
            (Some(_), _) => {}
            (None, _) => scopes.push(ScopeBalance {
                declared: catalog.scopes.contains_key(&scope),
                in_epsilon: in_epsilon(catalog, &scope, &balance),
                scope,
                balance,
                analysts: Vec::new(),
            }),
        }
    }
    Ok(Balances { scopes, has_ledger: !matches!(books, Books::None) })
}

/// What all answers so far cost together, as ε.
fn in_epsilon(catalog: &Catalog, scope: &str, balance: &Balance) -> Option<String> {
    let conversion_delta = catalog.conversion_delta(scope)?;
    let granted = glance_lower(balance.budget()?.epsilon_granted(conversion_delta)?.value());
    let spent = balance.currency.epsilon_at(balance.spent, conversion_delta);
    let spent = spent.map_or_else(|| "0".to_owned(), |at| glance_upper(at.epsilon.value()));
    let delta = owners_delta(conversion_delta);
    Some(format!("all answers so far together: ε = {spent} of {granted}, at δ = {delta}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: an analyst is shown their own share, and nothing of the population or of others.
    #[test]
    fn an_analyst_sees_their_own_share_alone() {
        let text = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n[scope.others]\nbudget = { rho = 2, delta = 1e-9 }\n\
                    [analyst.ana]\nshares = { people = { rho = 0.25 } }\n[analyst.ben]\nshares = { people = { rho = 0.5 } }\n";
        let catalog = Catalog::parse(text).expect("the catalog is well formed");
        let all = balances(&catalog, &Books::None).expect("nothing is read");
        assert_eq!(all.seen_by(OWNER), all);
        let seen = all.seen_by("ana");
        let [own] = seen.scopes.as_slice() else { panic!("{seen:?}") };
        assert_eq!(
            (own.scope.as_str(), own.balance.granted),
            ("people", all.scopes[1].analysts[0].1.granted)
        );
        assert!(own.analysts.is_empty() && own.in_epsilon.is_none());
        assert!(all.seen_by("mallory").scopes.is_empty());
    }
}
