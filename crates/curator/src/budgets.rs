//! What the catalog declares and what the ledger was told: they must agree before anyone is answered.
//!
//! A ledger that was told nothing yet is told everything that is declared, in one batch, and so it is told of new
//! shares later, which stand inside a budget. Whatever else is new or differs is refused, budgets and datasets alike:
//! a number, a name or a path edited in a file must not quietly become permission to spend.
//! A period that the catalog has come to reach, because its owner moved a bound, is such a budget: it is new permission to
//! spend, and nobody is answered until the owner has accepted it. The owner is shown the
//! changes, and accepts them ([`Home::accept_budgets`]); what is shown and what is accepted is computed by one function.
//!
//! **Several servers.** What was looked at is decided upon only if nobody has decided anything in between: of two servers that
//! start at once over a new ledger, with two catalogs, one tells the ledger and the other is refused. And a server that goes on
//! under a catalog whose names stand for something else by now sells nothing (`ask.rs`, [`pointillist_ledger::Premises`]).

use std::collections::BTreeMap;

use pointillist_catalog::{Catalog, Table, declared_scope};
use pointillist_ledger::{Account, Balance, Dataset, Decision, GrantError, Ledger, LedgerError};
use pointillist_privacy::Budget;

use crate::Home;
use crate::books::Books;
use crate::datasets::{self, dataset_words};
use crate::error::StartError;

/// Every budget that the catalog declares, as the ledger counts: those of scopes first, then those of shares. Where a scope
/// has periods, each is a budget of its own, and so is a share in each (`catalog/src/period.rs`).
pub fn declared_budgets(catalog: &Catalog) -> Vec<(Account, Budget)> {
    let names: BTreeMap<&String, Vec<String>> =
        catalog.scopes.keys().map(|scope| (scope, catalog.budget_names(scope))).collect();
    let named = |scope: &String, analyst: Option<&String>, budget: Budget| {
        let account = |name: &String| (Account { scope: name.clone(), analyst: analyst.cloned() }, budget);
        names.get(scope).into_iter().flatten().map(account).collect::<Vec<_>>()
    };
    let scopes = catalog.scopes.iter().flat_map(|(name, scope)| named(name, None, scope.budget.granted()));
    let shares = catalog.analysts.iter().flat_map(|(name, analyst)| {
        analyst.shares.iter().flat_map(|(scope, share)| named(scope, Some(name), *share)).collect::<Vec<_>>()
    });
    scopes.chain(shares).collect()
}

/// One thing that the catalog declares and the ledger was not told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A budget, or a share in one.
    Budget {
        /// Whose.
        account: Account,
        /// What the ledger keeps for it; nothing where it has never heard of it.
        before: Option<Balance>,
        /// What the catalog says.
        after: Budget,
    },
    /// What a name of the catalog stands for.
    Dataset {
        /// What the ledger was told; nothing where it was never told of it.
        before: Option<Dataset>,
        /// What the catalog says.
        after: Dataset,
    },
}

impl Change {
    /// The scope, the share or the dataset, in words.
    pub fn whose(&self) -> String {
        match self {
            Self::Budget { account: Account { scope, analyst: None }, .. } => format!("scope `{scope}`"),
            Self::Budget { account: Account { scope, analyst: Some(analyst) }, .. } => {
                format!("analyst `{analyst}` in scope `{scope}`")
            }
            Self::Dataset { after, .. } => after.name.clone(),
        }
    }

    /// What the ledger was told, exactly; nothing where it was told nothing.
    pub fn before(&self) -> Option<String> {
        match self {
            Self::Budget { before, .. } => {
                before.and_then(|balance| balance.budget()).map(|it| it.to_string())
            }
            Self::Dataset { before, .. } => before.as_ref().map(dataset_words),
        }
    }

    /// What the catalog says, exactly.
    pub fn after(&self) -> String {
        match self {
            Self::Budget { after, .. } => after.to_string(),
            Self::Dataset { after, .. } => dataset_words(after),
        }
    }

    /// Whether as much as the catalog would grant is spent already, so that nothing more would be answered.
    pub fn leaves_nothing(&self) -> bool {
        matches!(self, Self::Budget { before: Some(balance), after, .. }
            if balance.spent.loss_units >= after.amount.loss_units)
    }

    /// Whether this is the same change as another, for another period of the same scope: they are told together.
    pub fn goes_on_in(&self, next: &Self) -> bool {
        let (
            Self::Budget { account, before, after },
            Self::Budget { account: other, before: old, after: new },
        ) = (self, next)
        else {
            return false;
        };
        let [one, two] = [account, other].map(|account| declared_scope(&account.scope));
        let periods = one != account.scope && two != other.scope;
        periods && one == two && account.analyst == other.analyst && (before, after) == (old, new)
    }

    fn decision(self) -> Decision {
        match self {
            Self::Budget { account, after: budget, .. } => Decision::Grant { account, budget },
            Self::Dataset { after, .. } => Decision::Dataset(after),
        }
    }

    /// A share that nobody has heard of stands inside a budget, so that it permits nothing new.
    fn is_new_share(&self) -> bool {
        matches!(self, Self::Budget { account, .. } if account.analyst.is_some()) && self.before().is_none()
    }

    fn into_error(self) -> StartError {
        let (whose, declared, before) = (self.whose(), self.after(), self.before());
        match self {
            Self::Dataset { .. } => StartError::DatasetChanged { whose, declared, recorded: before },
            Self::Budget { .. } => {
                StartError::BudgetChanged { whose, declared, granted: before.unwrap_or("nothing".to_owned()) }
            }
        }
    }
}

impl Home {
    /// What would change if the owner accepted what the catalog says now. Locks nothing, changes nothing.
    ///
    /// # Errors
    /// When the ledger is not safe to use as it is.
    pub fn budget_changes(&self) -> Result<Vec<Change>, StartError> {
        let reader = self.reader()?;
        changes(&self.catalog, &reader.as_ref().map_or(Books::None, Books::Reader))
    }

    /// Makes what the ledger knows what the catalog declares, and says what changed. Only the owner may call this.
    ///
    /// # Errors
    /// When the ledger is in use, not safe to use, or does not take a budget.
    pub fn accept_budgets(&self) -> Result<Vec<Change>, StartError> {
        accept(&self.catalog, &self.ledger()?)
    }
}

/// How often servers that start at once may come in between.
const ATTEMPTS: usize = 20;

/// Tells the ledger what is new, refuses what has changed.
pub(crate) fn agree(catalog: &Catalog, ledger: &Ledger) -> Result<(), StartError> {
    for _ in 0..ATTEMPTS {
        match agree_once(catalog, ledger) {
            // Somebody else has told it something: look again.
            Err(StartError::Grant(GrantError::DecidedMeanwhile)) => {}
            agreed => return agreed,
        }
    }
    Err(GrantError::DecidedMeanwhile.into())
}

fn agree_once(catalog: &Catalog, ledger: &Ledger) -> Result<(), StartError> {
    let decided = ledger.decided().map_err(stopped)?;
    let balances = ledger.balances().map_err(stopped)?;
    let is_new = !balances.iter().any(|(_, balance)| balance.granted.is_some());
    let changes = changes(catalog, &Books::Writer(ledger))?;
    let may_be_told = |change: &Change| change.is_new_share() || (is_new && change.before().is_none());
    match changes.iter().position(|change| !may_be_told(change)) {
        Some(refused) => Err(changes.into_iter().nth(refused).expect("it was found").into_error()),
        None => Ok(ledger.decide_after(decided, changes.into_iter().map(Change::decision).collect())?),
    }
}

/// Refuses a table that a ledger was told something else about, or nothing; where there is no ledger yet, none.
pub(crate) fn agree_about(catalog: &Catalog, books: &Books<'_>, table: &Table) -> Result<(), StartError> {
    let after = datasets::of_table(catalog, table);
    let before = books.dataset(&after.name).map_err(stopped)?;
    match matches!(books, Books::None) || before.as_ref() == Some(&after) {
        true => Ok(()),
        false => Err(Change::Dataset { before, after }.into_error()),
    }
}

/// Makes what the ledger knows what the catalog declares, and says what changed. Only the owner may call this.
///
/// # Errors
/// When the ledger does not take a budget.
pub fn accept(catalog: &Catalog, ledger: &Ledger) -> Result<Vec<Change>, StartError> {
    let decided = ledger.decided().map_err(stopped)?;
    let changes = changes(catalog, &Books::Writer(ledger))?;
    ledger.decide_after(decided, changes.iter().cloned().map(Change::decision).collect())?;
    Ok(changes)
}

/// How what is declared differs from what a ledger was told last: what the owner is shown is what they accept.
fn changes(catalog: &Catalog, books: &Books<'_>) -> Result<Vec<Change>, StartError> {
    let mut changes = Vec::new();
    for (account, after) in declared_budgets(catalog) {
        let before = books.balance(&account).map_err(stopped)?;
        if before.and_then(|balance| balance.budget()) != Some(after) {
            changes.push(Change::Budget { account, before, after });
        }
    }
    for after in datasets::declared(catalog) {
        let before = books.dataset(&after.name).map_err(stopped)?;
        if before.as_ref() != Some(&after) {
            changes.push(Change::Dataset { before, after });
        }
    }
    Ok(changes)
}

fn stopped(error: LedgerError) -> StartError {
    StartError::Grant(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATALOG: &str = "
[scope.people]
budget = { rho = 1, delta = 1e-9 }
[table.visits]
scope = \"people\"
source = \"visits.csv\"
privacy_unit = \"patient\"
[analyst.ana]
shares = { people = { rho = 0.5, delta = 0 } }
";

    fn home(folder: &std::path::Path, catalog: &str) -> Home {
        Home::new(folder.to_owned(), Catalog::parse(catalog).unwrap_or_else(|error| panic!("{error}")))
    }

    /// Specification: what the owner is shown before they accept is what is accepted, and then nothing is left.
    #[test]
    fn the_preview_is_what_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        home(folder.path(), CATALOG).accept_budgets().unwrap();
        assert_eq!(home(folder.path(), CATALOG).budget_changes().unwrap(), []);
        let edited = CATALOG.replace("rho = 1,", "rho = 2,").replace("visits.csv", "others.csv");
        let home = home(folder.path(), &edited.replace("rho = 0.5", "rho = 0.25"));
        let preview = home.budget_changes().unwrap();
        let whose: Vec<String> = preview.iter().map(Change::whose).collect();
        assert_eq!(whose, ["scope `people`", "analyst `ana` in scope `people`", "table visits"]);
        assert!(matches!(home.curator(crate::Clock::Immediate), Err(StartError::BudgetChanged { .. })));
        assert_eq!(home.accept_budgets().unwrap(), preview);
        assert_eq!(home.budget_changes().unwrap(), []);
        home.curator(crate::Clock::Immediate).expect("they agree");
    }

    /// Specification: a new share is told without a word; a budget that grows is not.
    #[test]
    fn only_new_shares_are_told_without_the_owner() {
        let folder = tempfile::tempdir().unwrap();
        home(folder.path(), CATALOG)
            .curator(crate::Clock::Immediate)
            .expect("a new ledger is told everything");
        let share = format!("{CATALOG}[analyst.ben]\nshares = {{ people = {{ rho = 0.1, delta = 0 }} }}\n");
        home(folder.path(), &share).curator(crate::Clock::Immediate).expect("inside of a budget");
        let scope = format!("{CATALOG}[scope.others]\nbudget = {{ rho = 1, delta = 1e-9 }}\n");
        let refused =
            home(folder.path(), &scope).curator(crate::Clock::Immediate).err().expect("a new budget");
        assert!(matches!(refused, StartError::BudgetChanged { .. }), "{refused}");
    }
}
