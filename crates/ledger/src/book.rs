//! What the records add up to. The book is a fold over the chain, the same when serving and when starting.
//!
//! **Guarantee.** Σ of all reservations of a scope, over all analysts, is within the scope's budget at the time of
//! each; so is each analyst's sum within their share, where they have one. An answer is recorded at most once per
//! reservation. A chain of records for which this does not hold is refused, whoever wrote it.
//! **Collusion.** A share is an extra limit within the scope's; it never widens it.
//! **Others.** Whoever has a share is told about that share alone. What others have asked or spent shows in one way
//! only: a scope that is spent admits nobody. The refusal names no amount; but refusals are free, so whoever has more of a
//! share left than the scope has can find the rest of the scope by asking for less and less. Shares that fit into the
//! scope together leave nothing to find.

mod publications;
mod writers;

use std::collections::{BTreeMap, HashMap, HashSet};

use pointillist_privacy::filter::{BudgetFilter, Filter};
use pointillist_privacy::{Amount, Budget, Currency, Price};

use crate::anchor::Anchor;
use crate::record::{Account, Asked, Dataset, Entry, Epoch, Record, Release, Repeat, Reserve, Spent};
use crate::{ChargeError, Digest, Question};

use publications::Publications;
pub(crate) use publications::is_same_person;
pub use publications::{PreparedPlan, PublishedStatement};
use writers::Writers;

#[derive(Default)]
pub(crate) struct Book {
    /// Everybody who ever wrote, and who may write now.
    writers: Writers,
    scopes: BTreeMap<String, Scope>,
    /// By name; as the owner last said.
    datasets: BTreeMap<String, Dataset>,
    /// By analyst and request id.
    requests: HashMap<(String, String), Request>,
    /// By the number of the reservation.
    unreleased: HashMap<u64, Unreleased>,
    /// Reservations whose answers are recorded.
    released: HashSet<u64>,
    /// By scope and question.
    answers: BTreeMap<(String, Digest), Answer>,
    /// The anchors that a burn has made up for.
    burned: HashSet<(u64, Digest)>,
    publications: Publications,
    /// The number of the last record by which the owner decided anything.
    decided_seq: u64,
}

struct Unreleased {
    reserve: Reserve,
    by: Epoch,
}

struct Scope {
    currency: Currency,
    whole: Sum,
    shares: BTreeMap<String, Sum>,
}

#[derive(Clone, Default)]
struct Sum {
    /// Nothing granted: a scope then admits nothing, a share has no limit of its own.
    granted: Option<Amount>,
    spent: Amount,
    unreleased: Amount,
}

struct Request {
    asked: Asked,
    outcome: Outcome,
}

#[derive(Clone, Copy)]
pub(crate) enum Outcome {
    /// Paid for by this reservation.
    Reserved(u64),
    /// Answered by this release.
    Released(u64),
}

struct Answer {
    release_seq: u64,
    cost: Amount,
    /// Who has paid for this question, and which answer they got.
    held_by: HashMap<String, Holding>,
}

/// An answer in somebody's hands.
#[derive(Clone, Copy)]
struct Holding {
    release_seq: u64,
    /// The record by which it came to them: their own, so that when others asked does not show in any order.
    since: u64,
}

/// How a charge goes on.
pub(crate) enum Verdict {
    /// Compute it, at this price.
    Pay,
    /// It was answered before; the analyst's share pays this much.
    Repeat { release_seq: u64, share_cost: Amount },
    /// The request itself was made before.
    Known(Outcome),
}

/// What a scope or a share holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// What is counted.
    pub currency: Currency,
    /// What may be spent in all. Nobody granted it: nothing may be spent from a scope, and a share is limited by its
    /// scope alone.
    pub granted: Option<Amount>,
    /// What was spent, whether or not the answers came.
    pub spent: Amount,
    /// The part of it whose answers have not been recorded.
    pub unreleased: Amount,
    /// What is left of what was granted.
    pub remaining: Option<Amount>,
}

impl Book {
    /// What a charge would lead to; changes nothing.
    pub fn judge(&self, asked: &Asked, price: &Price) -> Result<Verdict, ChargeError> {
        if let Some(request_id) = &asked.request_id
            && let Some(request) = self.requests.get(&(asked.analyst.clone(), request_id.clone()))
        {
            return match request.asked == *asked {
                true => Ok(Verdict::Known(request.outcome)),
                false => Err(ChargeError::Conflict { request_id: request_id.clone() }),
            };
        }
        let no_budget = || ChargeError::NoBudget { scope: asked.scope.clone() };
        let scope = self.scopes.get(&asked.scope).ok_or_else(no_budget)?;
        if scope.currency != price.currency() {
            let [asked_in, counted] = [price.currency(), scope.currency].map(Currency::symbol);
            return Err(ChargeError::WrongCurrency { asked: asked_in, counted, scope: asked.scope.clone() });
        }
        let share = scope.shares.get(&asked.analyst);
        let whose_share = || format!("the share of `{}` in `{}`", asked.analyst, asked.scope);
        if let Some(answer) = self.answers.get(&(asked.scope.clone(), asked.question)) {
            if let Some(Holding { release_seq, .. }) = answer.held_by.get(&asked.analyst) {
                return Ok(Verdict::Repeat { release_seq: *release_seq, share_cost: Amount::ZERO });
            }
            // What the answer cost is what another analyst pays, whatever price they name now.
            let price = Price::from_units(scope.currency, answer.cost).unwrap_or(*price);
            share.map_or(Ok(()), |share| share.check(scope.currency, &price, whose_share))?;
            return Ok(Verdict::Repeat { release_seq: answer.release_seq, share_cost: price.amount() });
        }
        scope.whole.granted.ok_or_else(no_budget)?;
        // The share first, as for an answer that exists: who else has asked must not show.
        share.map_or(Ok(()), |share| share.check(scope.currency, price, whose_share))?;
        let has_share = share.is_some_and(|share| share.granted.is_some());
        let whole = scope.whole.check(scope.currency, price, || format!("the budget of `{}`", asked.scope));
        whole.map_err(|error| match error {
            ChargeError::Exhausted { asked: price, .. } if has_share => {
                ChargeError::ScopeExhausted { asked: price, scope: asked.scope.clone() }
            }
            error => error,
        })?;
        Ok(Verdict::Pay)
    }

    /// The answers of a question's topic that the analyst has paid for: what was asked, and where it is recorded, in the
    /// order in which the analyst paid, whoever paid before them.
    pub fn held(&self, scope: &str, analyst: &str, question: &Question) -> Vec<(Digest, u64)> {
        // Ids of one topic begin alike: how many answers there are to other questions does not matter.
        let [first, last] = question.topic_ids().map(|id| (scope.to_owned(), id));
        let of_topic = self.answers.range(first..=last);
        let mut held: Vec<(Digest, Holding)> = of_topic
            .filter_map(|((_, id), answer)| answer.held_by.get(analyst).map(|holding| (*id, *holding)))
            .collect();
        held.sort_unstable_by_key(|(_, holding)| holding.since);
        held.into_iter().map(|(id, holding)| (id, holding.release_seq)).collect()
    }

    /// Enters the next record, or says why it cannot follow.
    pub fn enter(&mut self, entry: &Entry) -> Result<(), &'static str> {
        self.writers.enter(entry)?;
        if matches!(entry.record, Record::Grant { .. } | Record::Dataset(_)) {
            self.decided_seq = entry.seq;
        }
        match &entry.record {
            Record::Epoch
            | Record::Join
            | Record::Fence { .. }
            | Record::Departure(_)
            | Record::Arrival { .. } => Ok(()),
            Record::Grant { account, budget } => self.enter_grant(account, *budget),
            Record::Dataset(dataset) => self.enter_dataset(dataset),
            Record::Reserve(reserve) => self.enter_reserve(entry, reserve),
            Record::Release(release) => self.enter_release(entry.seq, release),
            Record::Repeat(repeat) => self.enter_repeat(entry.seq, repeat),
            Record::Burn { anchor_seq, anchor_head, spent } => {
                self.burned.insert((*anchor_seq, *anchor_head));
                spent.iter().try_for_each(|line| self.enter_burn(line))
            }
            Record::Preparation(preparation) => {
                self.publications.enter_preparation(entry.seq, preparation);
                Ok(())
            }
            Record::Approval(approval) => self.publications.enter_approval(approval),
            Record::Publication(publication) => {
                if !self.is_released(publication.reserve_seq) {
                    return Err("it publishes an answer that is not recorded");
                }
                self.publications.enter_publication(entry.seq, publication)
            }
        }
    }

    fn enter_grant(&mut self, account: &Account, budget: Budget) -> Result<(), &'static str> {
        if account.analyst.is_some() && self.granted(&account.scope).is_none() {
            return Err("it grants a share of a scope without a budget");
        }
        self.sum_mut(account, budget.currency)?.granted = Some(budget.amount);
        Ok(())
    }

    /// Whether a scope has a budget, or its periods have: those are named after it, with a sign that no scope has in its name.
    pub fn pays(&self, scope: &str) -> bool {
        self.granted(scope).is_some()
            || periods_of(&self.scopes, scope).any(|period| self.granted(period).is_some())
    }

    fn enter_dataset(&mut self, dataset: &Dataset) -> Result<(), &'static str> {
        if dataset.scope.as_ref().is_some_and(|scope| !self.pays(scope)) {
            return Err("it lets a scope without a budget pay");
        }
        self.datasets.insert(dataset.name.clone(), dataset.clone());
        Ok(())
    }

    fn enter_reserve(&mut self, entry: &Entry, reserve: &Reserve) -> Result<(), &'static str> {
        let (Reserve { asked, cost }, seq) = (reserve, entry.seq);
        let scope = self.scopes.get(&asked.scope).ok_or("it spends from a scope without a budget")?;
        let price = Price::from_units(scope.currency, *cost).ok_or("it costs nothing")?;
        match self.judge(asked, &price) {
            Ok(Verdict::Pay) => {}
            Ok(_) => return Err("it pays for an answer that exists"),
            Err(_) => return Err("it spends more than was granted, or uses a request id twice"),
        }
        let scope = self.scopes.get_mut(&asked.scope).ok_or("it spends from a scope without a budget")?;
        let share = scope.shares.entry(asked.analyst.clone()).or_default();
        for sum in [&mut scope.whole, share] {
            sum.spent = sum.spent.plus(*cost);
            sum.unreleased = sum.unreleased.plus(*cost);
        }
        self.unreleased.insert(seq, Unreleased { reserve: reserve.clone(), by: entry.epoch });
        self.publications.use_approval(seq, &asked.request);
        self.note_request(asked, Outcome::Reserved(seq));
        Ok(())
    }

    fn enter_release(&mut self, seq: u64, release: &Release) -> Result<(), &'static str> {
        let Unreleased { reserve: Reserve { asked, cost }, .. } =
            self.unreleased.remove(&release.reserve_seq).ok_or("it answers no open reservation")?;
        if asked.request_id != release.request_id {
            return Err("it answers another request than the one reserved");
        }
        let scope = self.scopes.get_mut(&asked.scope).ok_or("it answers for a scope without a budget")?;
        let share = scope.shares.entry(asked.analyst.clone()).or_default();
        for sum in [&mut scope.whole, share] {
            sum.unreleased = sum.unreleased.minus(cost);
        }
        self.released.insert(release.reserve_seq);
        self.note_request(&asked, Outcome::Released(seq));
        let Asked { scope, question, analyst, .. } = asked;
        // Two people may have paid for the same question at the same time: each keeps what they got, and everybody
        // else gets the first.
        let first = || Answer { release_seq: seq, cost, held_by: HashMap::new() };
        let holding = Holding { release_seq: seq, since: seq };
        self.answers.entry((scope, question)).or_insert_with(first).held_by.entry(analyst).or_insert(holding);
        Ok(())
    }

    fn enter_repeat(&mut self, seq: u64, repeat: &Repeat) -> Result<(), &'static str> {
        let Repeat { asked, release_seq, share_cost } = repeat;
        let currency = self.scopes.get(&asked.scope).ok_or("it repeats for an unknown scope")?.currency;
        let least = Amount { loss_units: 1, delta_units: 0 };
        let price = Price::from_units(currency, share_cost.raised_to(least)).ok_or("it has no price")?;
        match self.judge(asked, &price) {
            Ok(Verdict::Repeat { release_seq: known, share_cost: due })
                if known == *release_seq && due == *share_cost => {}
            Ok(_) => return Err("it repeats another answer, or at another price, than the one recorded"),
            Err(_) => return Err("it spends more than was granted, or uses a request id twice"),
        }
        let account = Account { scope: asked.scope.clone(), analyst: Some(asked.analyst.clone()) };
        let share = self.sum_mut(&account, currency)?;
        share.spent = share.spent.plus(*share_cost);
        let answer = self.answers.get_mut(&(asked.scope.clone(), asked.question));
        let held_by = &mut answer.ok_or("it repeats no answer")?.held_by;
        let holding = Holding { release_seq: *release_seq, since: seq };
        held_by.entry(asked.analyst.clone()).or_insert(holding);
        self.note_request(asked, Outcome::Released(*release_seq));
        Ok(())
    }

    fn enter_burn(&mut self, line: &Spent) -> Result<(), &'static str> {
        let sum = self.sum_mut(&line.account, line.currency)?;
        sum.spent = sum.spent.raised_to(line.amount);
        Ok(())
    }

    fn note_request(&mut self, asked: &Asked, outcome: Outcome) {
        if let Some(request_id) = &asked.request_id {
            let key = (asked.analyst.clone(), request_id.clone());
            self.requests.insert(key, Request { asked: asked.clone(), outcome });
        }
    }

    /// The sum of an account, a new one if need be; refused in another currency than the scope's.
    fn sum_mut(&mut self, account: &Account, currency: Currency) -> Result<&mut Sum, &'static str> {
        let new = || Scope { currency, whole: Sum::default(), shares: BTreeMap::new() };
        let scope = self.scopes.entry(account.scope.clone()).or_insert_with(new);
        if scope.currency != currency {
            return Err("it counts in another currency than its scope");
        }
        Ok(match &account.analyst {
            None => &mut scope.whole,
            Some(analyst) => scope.shares.entry(analyst.clone()).or_default(),
        })
    }

    /// Whether the owner has decided nothing yet, so that nothing is spent.
    pub fn is_blank(&self) -> bool {
        self.scopes.is_empty() && self.datasets.is_empty()
    }

    /// Whether the owner has accepted that the ledger went on without what this anchor has seen.
    pub fn has_burned(&self, anchor: &Anchor) -> bool {
        self.burned.contains(&(anchor.seq, anchor.head))
    }

    pub fn writers(&self) -> &Writers {
        &self.writers
    }

    /// Who has paid for this reservation, where its answer is not recorded.
    pub fn payer(&self, reserve_seq: u64) -> Option<Epoch> {
        self.unreleased.get(&reserve_seq).map(|unreleased| unreleased.by)
    }

    /// What every account has spent, in the order of their names; scopes before their shares.
    pub fn spent(&self) -> Vec<Spent> {
        let line = |(account, balance): (Account, Balance)| {
            let Balance { currency, spent: amount, .. } = balance;
            Spent { account, currency, amount }
        };
        self.balances().into_iter().map(line).filter(|line| line.amount != Amount::ZERO).collect()
    }

    pub fn balances(&self) -> Vec<(Account, Balance)> {
        let mut balances = Vec::new();
        for (name, scope) in &self.scopes {
            let account = |analyst| Account { scope: name.clone(), analyst };
            balances.push((account(None), scope.whole.balance(scope.currency)));
            for (analyst, share) in &scope.shares {
                balances.push((account(Some(analyst.clone())), share.balance(scope.currency)));
            }
        }
        balances
    }

    pub fn balance(&self, scope: &str) -> Option<Balance> {
        self.scopes.get(scope).map(|scope| scope.whole.balance(scope.currency))
    }

    pub fn share(&self, scope: &str, analyst: &str) -> Option<Balance> {
        let scope = self.scopes.get(scope)?;
        scope.shares.get(analyst).map(|share| share.balance(scope.currency))
    }

    pub fn dataset(&self, name: &str) -> Option<&Dataset> {
        self.datasets.get(name)
    }

    /// The number of the last record by which the owner decided anything; 0 before the first.
    pub fn decided_seq(&self) -> u64 {
        self.decided_seq
    }

    /// Whether the answer to this reservation is recorded.
    pub fn is_released(&self, reserve_seq: u64) -> bool {
        self.released.contains(&reserve_seq)
    }

    pub fn publications(&self) -> &Publications {
        &self.publications
    }

    pub fn granted(&self, scope: &str) -> Option<Budget> {
        self.balance(scope)?.budget()
    }

    /// How many more answers at this price the share admits; for somebody without a share, the scope.
    pub fn how_many_more(&self, scope: &str, analyst: &str, price: &Price) -> Option<u64> {
        let scope = self.scopes.get(scope).filter(|scope| scope.currency == price.currency())?;
        let fits = |sum: &Sum| sum.filter(scope.currency).map(|filter| filter.how_many_more(price));
        scope.whole.granted?;
        scope.shares.get(analyst).and_then(fits).or_else(|| fits(&scope.whole))
    }
}

impl Sum {
    fn filter(&self, currency: Currency) -> Option<BudgetFilter> {
        self.granted.map(|amount| BudgetFilter::resumed(Budget { currency, amount }, self.spent))
    }

    /// Whether what was granted, if anything was, holds with this price included.
    fn check(
        &self,
        currency: Currency,
        price: &Price,
        whose: impl FnOnce() -> String,
    ) -> Result<(), ChargeError> {
        match self.filter(currency) {
            Some(filter) if !filter.admits(price) => {
                let left = currency.text(filter.remaining());
                Err(ChargeError::Exhausted { asked: price.to_string(), whose: whose(), left })
            }
            _ => Ok(()),
        }
    }

    fn balance(&self, currency: Currency) -> Balance {
        let Self { granted, spent, unreleased } = *self;
        Balance {
            currency,
            granted,
            spent,
            unreleased,
            remaining: granted.map(|granted| granted.minus(spent)),
        }
    }
}

impl Balance {
    /// What was granted.
    pub fn budget(&self) -> Option<Budget> {
        self.granted.map(|amount| Budget { currency: self.currency, amount })
    }
}

/// The names of a scope's periods among these.
pub fn periods_of<'m, T>(
    names: &'m BTreeMap<String, T>,
    scope: &str,
) -> impl Iterator<Item = &'m str> + use<'m, T> {
    let head = format!("{scope}@");
    names.range(head.clone()..).map(|(name, _)| name.as_str()).take_while(move |name| name.starts_with(&head))
}

#[cfg(test)]
mod tests;
