//! Balances of many periods, short enough to read: those of which something was spent, and how many are untouched.
//!
//! **Others.** An analyst sees which periods they have spent from themselves. A period of which only others have spent is
//! untouched to them, and what a period has left in all is the owner's business, as everywhere (`balances.rs`).

use std::collections::BTreeSet;

use pointillist_catalog::{Catalog, PeriodPromise, declared_scope};
use pointillist_ledger::Balance;
use pointillist_privacy::{Amount, Budget};

use crate::balances::ScopeBalance;
use crate::words::{amount_lower, amount_upper};

/// The periods of a population, each with a budget of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodBalances {
    /// The population.
    pub scope: String,
    /// Which periods there are, and what all of them together promise.
    pub promise: PeriodPromise,
    /// What each period has: in all, or for the analyst who looks.
    pub each: Budget,
    /// Of how many periods nothing was spent: in all, or by the analyst who looks.
    pub untouched: usize,
    /// What was spent of all periods together, those included that the catalog declares no more: what somebody has lost who
    /// has rows in all of them.
    pub spent: Amount,
    /// What the periods mean for people, for the owner to read; nothing for analysts, who have a share.
    words: Option<String>,
    shares: Vec<(String, Budget)>,
}

impl PeriodBalances {
    /// The periods of every population that has some; takes those that are untouched out of the list of balances.
    pub(crate) fn taken_out_of(scopes: &mut Vec<ScopeBalance>, catalog: &Catalog) -> Vec<Self> {
        let list = |scope: &String| {
            let promise = catalog.period_promise(scope)?;
            let names: BTreeSet<String> = catalog.budget_names(scope).into_iter().collect();
            let each = catalog.scopes.get(scope)?.budget.granted();
            let untouched = |of: &ScopeBalance| {
                names.contains(&of.scope)
                    && is_untouched(&of.balance)
                    && of.balance.budget() == Some(each)
                    && of.analysts.iter().all(|(_, share)| is_untouched(share))
            };
            let spent = spent_of(scope, scopes);
            let before = scopes.len();
            scopes.retain(|of| !untouched(of));
            let shares = catalog.analysts.values();
            let shares =
                shares.filter_map(|analyst| Some((analyst.name.clone(), *analyst.shares.get(scope)?)));
            Some(Self {
                scope: scope.clone(),
                promise,
                each,
                untouched: before - scopes.len(),
                spent,
                words: catalog.period_words(scope),
                shares: shares.collect(),
            })
        };
        catalog.scopes.keys().filter_map(list).collect()
    }

    /// What an analyst sees of them, whose own balances are these; takes out of those what they have not touched.
    pub(crate) fn seen_by(&self, asker: &str, own: &mut Vec<ScopeBalance>) -> Option<Self> {
        let (_, share) = self.shares.iter().find(|(analyst, _)| analyst == asker)?;
        let is_period = |of: &ScopeBalance| {
            of.declared && of.scope != self.scope && declared_scope(&of.scope) == self.scope
        };
        let spent = spent_of(&self.scope, own);
        own.retain(|of| !(is_period(of) && is_untouched(&of.balance)));
        let touched = own.iter().filter(|of| is_period(of)).count();
        let untouched = self.promise.count.saturating_sub(touched);
        Some(Self { each: *share, untouched, spent, words: None, shares: Vec::new(), ..self.clone() })
    }

    /// A few lines for people.
    pub fn lines(&self) -> Vec<String> {
        let word = self.promise.every.word();
        let untouched = match self.untouched {
            1 => format!("1 {word} is untouched"),
            count => format!("{count} {word}s are untouched"),
        };
        let spent = amount_upper(self.each.currency, self.spent);
        let each = match &self.words {
            Some(words) => words.clone(),
            None => format!(
                "each {word} has its own share: {}",
                amount_lower(self.each.currency, self.each.amount)
            ),
        };
        vec![each, format!("{untouched} of {}; spent of all together: {spent}", self.promise.count)]
    }
}

fn is_untouched(balance: &Balance) -> bool {
    balance.spent == Amount::ZERO && balance.unreleased == Amount::ZERO
}

fn spent_of(scope: &str, list: &[ScopeBalance]) -> Amount {
    let own = list.iter().filter(|of| declared_scope(&of.scope) == scope);
    own.fold(Amount::ZERO, |sum, of| sum.plus(of.balance.spent))
}
