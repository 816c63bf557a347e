//! What is granted, spent and left: population by population, and analyst by analyst within.

use std::collections::BTreeSet;

use pointillist_catalog::{Catalog, OWNER};
use pointillist_ledger::{Account, Balance, LedgerError};
use pointillist_privacy::Amount;
use pointillist_render::decimals::{glance_lower, glance_upper};

use crate::books::Books;
use crate::budgets::declared_budgets;
use crate::period_balances::PeriodBalances;
use crate::words::owners_delta;
use crate::{Curator, Home, StartError};

/// Every balance of a ledger, and what the catalog declares beyond them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balances {
    /// Population by population, in the order of their names.
    pub scopes: Vec<ScopeBalance>,
    /// Populations with periods: those of which something was spent are among the balances, and the others are counted here.
    pub periods: Vec<PeriodBalances>,
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
        let mut scopes = self.scopes.iter().filter_map(own).collect();
        let periods = self.periods.iter().filter_map(|periods| periods.seen_by(asker, &mut scopes)).collect();
        Self { scopes, periods, has_ledger: self.has_ledger }
    }
}

fn balances(catalog: &Catalog, books: &Books<'_>) -> Result<Balances, LedgerError> {
    let mut list = books.balances()?;
    let known: BTreeSet<Account> = list.iter().map(|(account, _)| account.clone()).collect();
    let declared = declared_budgets(catalog);
    let names: BTreeSet<String> = declared.iter().map(|(account, _)| account.scope.clone()).collect();
    for (account, budget) in declared {
        if !known.contains(&account) {
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
                declared: names.contains(&scope),
                in_epsilon: in_epsilon(catalog, &scope, &balance),
                scope,
                balance,
                analysts: Vec::new(),
            }),
        }
    }
    let periods = PeriodBalances::taken_out_of(&mut scopes, catalog);
    Ok(Balances { scopes, periods, has_ledger: !matches!(books, Books::None) })
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
    use pointillist_privacy::{Delta, Price, Rho};

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

    const MONTHS: &str = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n[table.visits]\nscope = \"people\"\n\
                          source = \"v.csv\"\nprivacy_unit = \"id\"\nperiods = { column = \"day\", every = \"month\" }\n\
                          [table.visits.columns]\nday = { type = \"date\", lower = \"2026-01-01\", upper = \"2026-12-31\" }\n\
                          [analyst.ana]\nshares = { people = { rho = 0.25 } }\n[analyst.ben]\nshares = { people = { rho = 0.5 } }\n";

    /// Specification: of many periods those are listed of which something was spent, the others are counted; and an analyst
    /// is not told of which periods others have spent.
    #[test]
    fn untouched_periods_are_counted_and_others_are_not_told() {
        let catalog = Catalog::parse(MONTHS).expect("the catalog is well formed");
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::new(folder.path().to_owned(), catalog);
        let before = home.balances().expect("nothing is read");
        assert!(before.scopes.is_empty() && before.periods[0].untouched == 12, "{before:?}");
        home.accept_budgets().expect("a new ledger");
        let ledger = home.ledger().expect("nobody uses it");
        let charge = pointillist_ledger::Charge {
            request_id: None,
            analyst: "ben".to_owned(),
            scope: "people@2026-03".to_owned(),
            price: Price::zcdp(&Rho::parse("0.125").expect("a loss"), &Delta::zero()),
            question: pointillist_ledger::Question::new(b"a question"),
            request: pointillist_ledger::Digest::of("a test", &[b"a question"]),
        };
        drop(ledger.charge(charge).expect("within the share"));
        drop(ledger);
        let all = home.balances().expect("a ledger");
        let names = |seen: &Balances| seen.scopes.iter().map(|of| of.scope.clone()).collect::<Vec<_>>();
        assert_eq!((names(&all), all.periods[0].untouched), (vec!["people@2026-03".to_owned()], 11));
        assert!(all.scopes[0].declared && all.scopes[0].in_epsilon.is_some());
        let lines = all.periods[0].lines();
        assert!(
            lines[0].contains("all 12 months") && lines[1].starts_with("11 months are untouched of 12"),
            "{lines:?}"
        );
        let (ana, ben) = (all.seen_by("ana"), all.seen_by("ben"));
        assert_eq!((names(&ana), ana.periods[0].untouched, ana.periods[0].spent), (vec![], 12, Amount::ZERO));
        assert_eq!((names(&ben), ben.periods[0].untouched), (vec!["people@2026-03".to_owned()], 11));
        assert_eq!(ana.periods[0].each.amount.loss().to_string(), "0.25");
        let json = serde_json::to_value(&ana).expect("JSON");
        assert_eq!(
            (&json["periods"][0]["untouched"], &json["periods"][0]["every"]),
            (&12.into(), &"month".into())
        );
        assert!(all.seen_by("mallory").periods.is_empty());
    }
}
