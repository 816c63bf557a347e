//! Prices and what is left, in words and in JSON.

use pointillist_curator::{OWNER, Paid, Reply, ledger_price};
use pointillist_ledger::{Amount, Balance, Currency};
use pointillist_numbers::Rational;
use pointillist_query::plan::Cost;
use serde_json::{Map, Value, json};

use crate::decimals::{glance_lower, glance_upper};

/// An exact decimal of the ledger as a number.
fn number(decimal: &str) -> Rational {
    Rational::parse(decimal).unwrap_or_else(|_| Rational::zero())
}

/// An amount that was paid or asked for, at a glance, rounded up.
pub fn amount_upper(currency: Currency, amount: Amount) -> String {
    in_words(currency, amount, glance_upper)
}

/// An amount that is left, at a glance, rounded down.
pub fn amount_lower(currency: Currency, amount: Amount) -> String {
    in_words(currency, amount, glance_lower)
}

fn in_words(currency: Currency, amount: Amount, shown: fn(&Rational) -> String) -> String {
    let loss = format!("{} = {}", currency.symbol(), shown(&number(&amount.loss())));
    match amount.delta_units {
        0 => loss,
        _ => format!("{loss}, δ = {}", shown(&number(&amount.delta()))),
    }
}

/// The loss alone, without its letter, rounded down.
pub fn loss_lower(amount: Amount) -> String {
    glance_lower(&number(&amount.loss()))
}

/// δ alone, rounded down.
pub fn delta_lower(amount: Amount) -> String {
    glance_lower(&number(&amount.delta()))
}

/// The part of a whole that is spent, of the sum that is nearer to its end.
pub fn part_spent(balance: &Balance) -> f64 {
    let Some(granted) = balance.granted else {
        return 0.0;
    };
    part(balance.spent.loss_units, granted.loss_units)
        .max(part(balance.spent.delta_units, granted.delta_units))
}

/// One number of units as a part of another.
pub fn part(spent_units: u128, granted_units: u128) -> f64 {
    match (spent_units, granted_units) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        (spent, granted) => spent as f64 / granted as f64,
    }
}

/// ε with two digits behind the point, or three digits where it is small, rounded up.
pub fn epsilon_text(epsilon: f64) -> String {
    Rational::from_f64(epsilon).map_or_else(|_| epsilon.to_string(), |epsilon| glance_upper(&epsilon))
}

/// A cost with its ε, at a glance.
pub fn price_words(cost: &Cost, epsilon_at_delta: Option<&(f64, String)>) -> String {
    let price = ledger_price(cost);
    let words = amount_upper(price.currency(), price.amount());
    match epsilon_at_delta {
        Some((epsilon, delta)) => {
            format!("{words}  (ε = {} at δ = {})", epsilon_text(*epsilon), short(delta))
        }
        None => words,
    }
}

/// A small decimal such as `0.0000000005` as `5e-10`.
pub fn short(decimal: &str) -> String {
    glance_upper(&number(decimal))
}

/// Who paid, in words.
pub fn payer_words<T>(reply: &Reply<T>) -> String {
    let analyst = &reply.receipt.analyst;
    match reply.paid {
        Paid::InFull if analyst == OWNER => "asked for the first time".to_owned(),
        Paid::InFull => format!("paid from the share of `{analyst}`"),
        Paid::Nothing => "free: asked before, so this is the same answer".to_owned(),
    }
}

/// The words for scripts.
pub fn paid_word(paid: Paid) -> &'static str {
    match paid {
        Paid::InFull => "in_full",
        Paid::Nothing => "nothing",
    }
}

/// About how many more questions of this price fit.
pub fn more_words(more: u64) -> String {
    match more {
        0 => "no more like this".to_owned(),
        1 => "one more like this".to_owned(),
        more => format!("about {} more like this", crate::decimals::grouped_count(more)),
    }
}

/// A cost as JSON, exactly.
pub fn cost_json(cost: &Cost, epsilon_at_delta: Option<&(f64, String)>) -> Value {
    let price = ledger_price(cost);
    let mut object = amount_json("", price.currency(), price.amount());
    if let Some((epsilon, delta)) = epsilon_at_delta {
        let delta: f64 = delta.parse().unwrap_or(0.0);
        object.insert("epsilon_at_delta".to_owned(), json!({ "epsilon": epsilon, "delta": delta }));
    }
    Value::Object(object)
}

/// An amount as JSON, exactly, with a prefix to its names.
pub fn amount_json(prefix: &str, currency: Currency, amount: Amount) -> Map<String, Value> {
    let name = match currency {
        Currency::Zcdp => "rho",
        Currency::Pure => "epsilon",
    };
    let mut object = Map::new();
    object.insert(format!("{prefix}{name}"), amount.loss().into());
    if currency == Currency::Zcdp {
        object.insert(format!("{prefix}delta"), short_exact(&amount.delta()).into());
    }
    object
}

/// The same number with a power of ten in place of many zeros.
fn short_exact(decimal: &str) -> String {
    crate::decimals::exact(&number(decimal))
}
