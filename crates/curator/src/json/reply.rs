//! What an answer cost, where it is recorded and what is left; and what a rehearsed one would cost.

use pointillist_learn::Model;
use pointillist_privacy::{Amount, Currency, EpsilonDelta, Price};
use pointillist_render::decimals::exact;
use serde::{Serialize, Serializer};

use super::answer::AnswerJson;
use crate::rehearsal::Rehearsal;
use crate::reply::{Paid, ReceiptFacts, Reply};

/// An amount, exactly, under the name of what is counted.
#[derive(Clone, Debug, Serialize)]
pub struct AmountJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<String>,
}

impl AmountJson {
    /// So much of a currency.
    pub fn new(currency: Currency, amount: Amount) -> Self {
        let loss = Some(amount.loss().to_string());
        match currency {
            Currency::Zcdp => Self { rho: loss, epsilon: None, delta: Some(exact(&amount.delta())) },
            Currency::Pure => Self { rho: None, epsilon: loss, delta: None },
        }
    }
}

/// A price, exactly, and in ε for people.
#[derive(Clone, Debug, Serialize)]
pub struct CostJson {
    #[serde(flatten)]
    amount: AmountJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon_at_delta: Option<EpsilonAtDeltaJson>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct EpsilonAtDeltaJson {
    epsilon: f64,
    delta: f64,
}

impl CostJson {
    /// A price, and its ε where it has one.
    pub fn new(price: &Price, epsilon_at_delta: Option<&EpsilonDelta>) -> Self {
        Self {
            amount: AmountJson::new(price.currency(), price.amount()),
            epsilon_at_delta: epsilon_at_delta.map(|at| EpsilonAtDeltaJson {
                epsilon: at.epsilon.to_f64_upper(),
                delta: at.delta.value().to_f64_upper(),
            }),
        }
    }
}

impl Paid {
    /// The word for scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::InFull => "in_full",
            Self::Nothing => "nothing",
        }
    }
}

/// What a reply cost, where it is recorded and what is left.
#[derive(Serialize)]
pub(super) struct AccountJson<'a> {
    cost: CostJson,
    paid: &'static str,
    receipt: ReceiptJson<'a>,
    budget: BudgetJson,
}

#[derive(Serialize)]
struct ReceiptJson<'a> {
    seq: Option<u64>,
    hash: Option<&'a str>,
    scope: &'a str,
    analyst: &'a str,
}

#[derive(Serialize)]
struct BudgetJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_rho: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_epsilon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_delta: Option<String>,
    more: u64,
}

impl<'a> AccountJson<'a> {
    pub(super) fn new(reply: &'a Reply) -> Self {
        let ReceiptFacts { seq, hash, scope, analyst } = &reply.receipt;
        let AmountJson { rho, epsilon, delta } =
            AmountJson::new(reply.left.currency, reply.left.remaining.unwrap_or_default());
        Self {
            cost: CostJson::new(&reply.price, reply.epsilon_at_delta.as_ref()),
            paid: reply.paid.word(),
            receipt: ReceiptJson {
                seq: *seq,
                hash: Some(hash.as_str()).filter(|hash| !hash.is_empty()),
                scope,
                analyst,
            },
            budget: BudgetJson {
                remaining_rho: rho,
                remaining_epsilon: epsilon,
                remaining_delta: delta,
                more: reply.more,
            },
        }
    }
}

#[derive(Serialize)]
struct ReplyJson<'a> {
    #[serde(flatten)]
    answer: AnswerJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a Model>,
    #[serde(flatten)]
    account: AccountJson<'a>,
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let account = AccountJson::new(self);
        ReplyJson { answer: AnswerJson::new(&self.answer), model: self.model.as_deref(), account }
            .serialize(serializer)
    }
}

#[derive(Serialize)]
struct RehearsalJson<'a> {
    #[serde(flatten)]
    answer: AnswerJson<'a>,
    dummy: bool,
    would_cost: CostJson,
}

impl Serialize for Rehearsal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let would_cost = CostJson::new(&self.price, self.epsilon_at_delta.as_ref());
        RehearsalJson { answer: AnswerJson::new(&self.answer), dummy: true, would_cost }.serialize(serializer)
    }
}
