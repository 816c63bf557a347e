//! A ledger that is written, one that is read, or none yet: what quotes and budgets need to know of it.

use pointillist_catalog::{Catalog, OWNER};
use pointillist_ledger::{
    Account, Balance, Dataset, HeldAnswer, Ledger, LedgerError, LedgerReader, Question,
};
use pointillist_privacy::filter::{BudgetFilter, Filter};
use pointillist_privacy::{Amount, Price};

use crate::budgets::declared_budgets;
use crate::error::AskError;

/// What there is of a ledger.
pub(crate) enum Books<'l> {
    /// Nobody has asked anything yet.
    None,
    Reader(&'l LedgerReader),
    Writer(&'l Ledger),
}

impl Books<'_> {
    /// The answers of a question's topic that the asker has paid for.
    pub(crate) fn held(
        &self,
        scope: &str,
        analyst: &str,
        question: &Question,
    ) -> Result<Vec<HeldAnswer>, AskError> {
        Ok(match self {
            Self::None => Vec::new(),
            Self::Reader(reader) => reader.held(scope, analyst, question),
            Self::Writer(ledger) => ledger.held(scope, analyst, question)?,
        })
    }

    /// How many such questions fit, by the ledger; by the catalog where the ledger has not been told of the scope.
    pub(crate) fn more(
        &self,
        catalog: &Catalog,
        scope: &str,
        analyst: &str,
        price: &Price,
    ) -> Result<Option<u64>, AskError> {
        let counted = match self {
            Self::None => None,
            Self::Reader(reader) => reader.how_many_more(scope, analyst, price),
            Self::Writer(ledger) => ledger.how_many_more(scope, analyst, price)?,
        };
        if counted.is_some() {
            return Ok(counted);
        }
        // Of an analyst's own share, or of the scope for the owner: as the ledger counts.
        let whose = Some(analyst).filter(|analyst| *analyst != OWNER);
        let own = |account: &Account| account.scope == scope && account.analyst.as_deref() == whose;
        let declared = declared_budgets(catalog).into_iter().filter(|(account, _)| own(account));
        let mut fits = declared.map(|(_, budget)| BudgetFilter::new(budget).how_many_more(price));
        Ok(fits.next())
    }

    /// What the asker has left: an analyst of their share, the owner of the scope. How much of it is still being answered
    /// tells when answers are ready, and is left out.
    pub(crate) fn left(&self, scope: &str, analyst: &str) -> Result<Option<Balance>, AskError> {
        let (share, whole) = match self {
            Self::None => return Ok(None),
            Self::Reader(reader) => (reader.share(scope, analyst), reader.balance(scope)),
            Self::Writer(ledger) => (ledger.share(scope, analyst)?, ledger.balance(scope)?),
        };
        let left = if analyst == OWNER { whole } else { share.filter(|share| share.granted.is_some()) };
        Ok(left.map(|left| Balance { unreleased: Amount::ZERO, ..left }))
    }

    /// What an account has; nothing where the ledger has never heard of it.
    pub(crate) fn balance(&self, account: &Account) -> Result<Option<Balance>, LedgerError> {
        let Account { scope, analyst } = account;
        Ok(match (self, analyst) {
            (Self::None, _) => None,
            (Self::Reader(reader), None) => reader.balance(scope),
            (Self::Reader(reader), Some(analyst)) => reader.share(scope, analyst),
            (Self::Writer(ledger), None) => ledger.balance(scope)?,
            (Self::Writer(ledger), Some(analyst)) => ledger.share(scope, analyst)?,
        })
    }

    /// Every account with its balance, in the order of their names.
    pub(crate) fn balances(&self) -> Result<Vec<(Account, Balance)>, LedgerError> {
        Ok(match self {
            Self::None => Vec::new(),
            Self::Reader(reader) => reader.balances(),
            Self::Writer(ledger) => ledger.balances()?,
        })
    }

    /// What a name of the catalog stood for when the owner last said so.
    pub(crate) fn dataset(&self, name: &str) -> Result<Option<Dataset>, LedgerError> {
        Ok(match self {
            Self::None => None,
            Self::Reader(reader) => reader.dataset(name).cloned(),
            Self::Writer(ledger) => ledger.dataset(name)?,
        })
    }
}
