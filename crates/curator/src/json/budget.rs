//! Budgets, their history and their verification, exactly.

use pointillist_catalog::{Every, Period, PeriodPromise};
use pointillist_ledger::record::Record;
use pointillist_ledger::{Account, Balance, Spent};
use pointillist_privacy::{Amount, Currency};
use serde::{Serialize, Serializer};

use super::reply::AmountJson;
use crate::balances::{Balances, ScopeBalance};
use crate::budgets::Change;
use crate::history::HistoryEntry;
use crate::period_balances::PeriodBalances;
use crate::verification::Verification;

#[derive(Serialize)]
struct BalanceJson {
    granted: Option<AmountJson>,
    spent: AmountJson,
    unreleased: AmountJson,
    remaining: Option<AmountJson>,
}

impl BalanceJson {
    fn new(balance: &Balance) -> Self {
        let amount = |amount: Amount| AmountJson::new(balance.currency, amount);
        Self {
            granted: balance.granted.map(amount),
            spent: amount(balance.spent),
            unreleased: amount(balance.unreleased),
            remaining: balance.remaining.map(amount),
        }
    }
}

#[derive(Serialize)]
struct ScopeJson<'a> {
    scope: &'a str,
    model: &'static str,
    #[serde(flatten)]
    balance: BalanceJson,
    declared: bool,
    analysts: Vec<ShareJson<'a>>,
}

#[derive(Serialize)]
struct ShareJson<'a> {
    analyst: &'a str,
    #[serde(flatten)]
    balance: BalanceJson,
}

impl<'a> ScopeJson<'a> {
    fn new(of: &'a ScopeBalance) -> Self {
        let share = |(analyst, balance): &'a (String, Balance)| ShareJson {
            analyst,
            balance: BalanceJson::new(balance),
        };
        Self {
            scope: &of.scope,
            model: match of.balance.currency {
                Currency::Zcdp => "zcdp",
                Currency::Pure => "pure",
            },
            balance: BalanceJson::new(&of.balance),
            declared: of.declared,
            analysts: of.analysts.iter().map(share).collect(),
        }
    }
}

/// The periods of a scope: how many, what each has, and what all promise to somebody who has rows in all of them.
#[derive(Serialize)]
struct PeriodsJson<'a> {
    scope: &'a str,
    every: Every,
    first: Period,
    last: Period,
    count: usize,
    untouched: usize,
    each: AmountJson,
    spent: AmountJson,
    /// ε at the δ of all periods, rounded up; nothing where it promises nothing.
    all_epsilon: Option<f64>,
    all_delta: f64,
}

impl<'a> PeriodsJson<'a> {
    fn new(of: &'a PeriodBalances) -> Self {
        let PeriodPromise { every, first, last, count, epsilon_upper, delta, .. } = &of.promise;
        Self {
            scope: &of.scope,
            every: *every,
            first: *first,
            last: *last,
            count: *count,
            untouched: of.untouched,
            each: AmountJson::new(of.each.currency, of.each.amount),
            spent: AmountJson::new(of.each.currency, of.spent),
            all_epsilon: epsilon_upper.as_ref().map(|epsilon| epsilon.to_f64_upper()),
            all_delta: delta.to_f64_upper(),
        }
    }
}

impl Serialize for Balances {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct BalancesJson<'a> {
            scopes: Vec<ScopeJson<'a>>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            periods: Vec<PeriodsJson<'a>>,
        }
        let scopes = self.scopes.iter().map(ScopeJson::new).collect();
        let periods = self.periods.iter().map(PeriodsJson::new).collect();
        BalancesJson { scopes, periods }.serialize(serializer)
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum WhoseJson<'a> {
            Account { scope: &'a str, analyst: Option<&'a str> },
            Dataset { dataset: &'a str },
        }
        #[derive(Serialize)]
        struct ChangeJson<'a> {
            #[serde(flatten)]
            whose: WhoseJson<'a>,
            before: Option<String>,
            after: String,
        }
        let whose = match self {
            Self::Budget { account: Account { scope, analyst }, .. } => {
                WhoseJson::Account { scope, analyst: analyst.as_deref() }
            }
            Self::Dataset { after, .. } => WhoseJson::Dataset { dataset: &after.name },
        };
        ChangeJson { whose, before: self.before(), after: self.after() }.serialize(serializer)
    }
}

#[derive(Serialize)]
struct SpentJson<'a> {
    scope: &'a str,
    analyst: Option<&'a str>,
    spent: AmountJson,
}

impl<'a> SpentJson<'a> {
    fn list(spent: &'a [Spent]) -> Vec<Self> {
        let line = |line: &'a Spent| Self {
            scope: &line.account.scope,
            analyst: line.account.analyst.as_deref(),
            spent: AmountJson::new(line.currency, line.amount),
        };
        spent.iter().map(line).collect()
    }
}

impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct VerificationJson<'a> {
            records: u64,
            head: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            anchor: Option<&'a str>,
            spent: Vec<SpentJson<'a>>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            published: Vec<PublishedJson<'a>>,
        }
        #[derive(Serialize)]
        struct PublishedJson<'a> {
            seq: u64,
            release: &'a str,
            publishes: u64,
            statement: String,
        }
        let published = self.published.iter().map(|one| PublishedJson {
            seq: one.seq,
            release: &one.publication.name,
            publishes: one.publication.reserve_seq,
            statement: one.publication.statement.to_string(),
        });
        let (head, anchor) = (self.head.as_deref(), self.anchor.as_deref());
        let (spent, published) = (SpentJson::list(&self.spent), published.collect());
        VerificationJson { records: self.records, head, anchor, spent, published }.serialize(serializer)
    }
}

/// What a record says, by its kind.
#[derive(Serialize)]
#[serde(untagged)]
enum RecordJson<'a> {
    Epoch {
        epoch: String,
    },
    Grant {
        scope: &'a str,
        analyst: Option<&'a str>,
        granted: AmountJson,
    },
    Dataset {
        dataset: &'a str,
        scope: Option<&'a str>,
        source: &'a str,
        privacy_unit: &'a str,
    },
    Reserve {
        scope: &'a str,
        analyst: &'a str,
        request_id: Option<&'a str>,
        question: String,
        cost: AmountJson,
    },
    Release {
        answers: u64,
        request_id: Option<&'a str>,
    },
    Repeat {
        scope: &'a str,
        analyst: &'a str,
        request_id: Option<&'a str>,
        question: String,
        repeats: u64,
        share_cost: AmountJson,
    },
    Burn {
        anchor_seq: u64,
        spent: Vec<SpentJson<'a>>,
    },
    Preparation {
        release: &'a str,
        plan: String,
        price: AmountJson,
        who: &'a str,
    },
    Approval {
        plan: String,
        who: &'a str,
    },
    Publication {
        publishes: u64,
        release: &'a str,
        plan: String,
        statement: String,
        not_before: Option<&'a str>,
    },
    Departure {
        moved_to: &'a str,
        store: String,
    },
    Arrival {
        store: String,
        epoch: String,
    },
}

impl<'a> RecordJson<'a> {
    fn new(of: &'a HistoryEntry) -> Self {
        match &of.entry.record {
            Record::Epoch | Record::Join => Self::Epoch { epoch: of.entry.epoch.to_string() },
            Record::Fence { epoch } => Self::Epoch { epoch: epoch.to_string() },
            Record::Departure(departure) => {
                Self::Departure { moved_to: &departure.name, store: departure.to.to_string() }
            }
            Record::Arrival { at } => {
                Self::Arrival { store: at.to_string(), epoch: of.entry.epoch.to_string() }
            }
            Record::Grant { account, budget } => Self::Grant {
                scope: &account.scope,
                analyst: account.analyst.as_deref(),
                granted: AmountJson::new(budget.currency, budget.amount),
            },
            Record::Dataset(dataset) => Self::Dataset {
                dataset: &dataset.name,
                scope: dataset.scope.as_deref(),
                source: &dataset.source,
                privacy_unit: &dataset.unit,
            },
            Record::Reserve(reserve) => Self::Reserve {
                scope: &reserve.asked.scope,
                analyst: &reserve.asked.analyst,
                request_id: reserve.asked.request_id.as_deref(),
                question: reserve.asked.question.to_string(),
                cost: AmountJson::new(of.currency, reserve.cost),
            },
            Record::Release(release) => {
                Self::Release { answers: release.reserve_seq, request_id: release.request_id.as_deref() }
            }
            Record::Repeat(repeat) => Self::Repeat {
                scope: &repeat.asked.scope,
                analyst: &repeat.asked.analyst,
                request_id: repeat.asked.request_id.as_deref(),
                question: repeat.asked.question.to_string(),
                repeats: repeat.release_seq,
                share_cost: AmountJson::new(of.currency, repeat.share_cost),
            },
            Record::Burn { anchor_seq, spent, .. } => {
                Self::Burn { anchor_seq: *anchor_seq, spent: SpentJson::list(spent) }
            }
            Record::Preparation(preparation) => Self::Preparation {
                release: &preparation.name,
                plan: preparation.plan.to_string(),
                price: AmountJson::new(preparation.price.currency(), preparation.price.amount()),
                who: &preparation.who,
            },
            Record::Approval(approval) => {
                Self::Approval { plan: approval.plan.to_string(), who: &approval.who }
            }
            Record::Publication(publication) => Self::Publication {
                publishes: publication.reserve_seq,
                release: &publication.name,
                plan: publication.plan.to_string(),
                statement: publication.statement.to_string(),
                not_before: publication.not_before.as_deref(),
            },
        }
    }
}

impl Serialize for HistoryEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct EntryJson<'a> {
            seq: u64,
            hash: &'a str,
            at: Option<u64>,
            kind: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            sql: Option<&'a str>,
            #[serde(flatten)]
            record: RecordJson<'a>,
        }
        let entry = &self.entry;
        EntryJson {
            seq: entry.seq,
            hash: &self.hash,
            at: entry.at,
            kind: entry.record.kind(),
            sql: self.sql.as_deref(),
            record: RecordJson::new(self),
        }
        .serialize(serializer)
    }
}
