//! Prices and what is left, in words and in JSON.

use pointillist_catalog::{Budget, Catalog};
use pointillist_curator::{OWNER, Paid, Reply, ledger_price};
use pointillist_ledger::Balance;
use pointillist_numbers::Rational;
use pointillist_plan::Cost;
use pointillist_privacy::{Amount, Budget as Granted, Currency, Delta, EpsilonDelta};
use pointillist_render::decimals::{exact, glance_lower, glance_upper, grouped_count};
use serde_json::{Map, Value, json};

/// An amount that was paid or asked for, at a glance, rounded up.
pub fn amount_upper(currency: Currency, amount: Amount) -> String {
    in_words(currency, amount, glance_upper)
}

/// An amount that is left, at a glance, rounded down.
pub fn amount_lower(currency: Currency, amount: Amount) -> String {
    in_words(currency, amount, glance_lower)
}

fn in_words(currency: Currency, amount: Amount, shown: fn(&Rational) -> String) -> String {
    let loss = format!("{} = {}", currency.symbol(), shown(&amount.loss()));
    match amount.delta_units {
        0 => loss,
        _ => format!("{loss}, δ = {}", shown(&amount.delta())),
    }
}

/// The loss alone, without its letter, rounded down.
pub fn loss_lower(amount: Amount) -> String {
    glance_lower(&amount.loss())
}

/// δ alone, rounded down.
pub fn delta_lower(amount: Amount) -> String {
    glance_lower(&amount.delta())
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

/// A cost at a glance, rounded up: the ε that people compare, then what the ledger counts.
pub fn price_words(cost: &Cost, epsilon_at_delta: Option<&EpsilonDelta>) -> String {
    let price = ledger_price(cost);
    let words = amount_upper(price.currency(), price.amount());
    match epsilon_at_delta {
        Some(at) => format!("{}  ({words})", epsilon_upper(at)),
        None => words,
    }
}

/// What is left at a glance, rounded down: the largest ε that one more question can have, then what the ledger counts.
pub fn left_words(left: &Balance, epsilon_at_delta: Option<&EpsilonDelta>) -> String {
    let amount = left.remaining.unwrap_or_default();
    let words = amount_lower(left.currency, amount);
    let budget = Granted { currency: left.currency, amount };
    let epsilon = epsilon_at_delta.and_then(|at| Some((budget.epsilon_left(&at.delta)?, &at.delta)));
    match epsilon {
        Some((epsilon, delta)) => {
            format!("ε = {} at δ = {}  ({words})", glance_lower(epsilon.value()), owners_delta(delta))
        }
        None => words,
    }
}

/// What was paid, rounded up, in ε where the scope's ρ has one.
pub fn paid_amount(catalog: &Catalog, scope: &str, currency: Currency, amount: Amount) -> String {
    let words = amount_upper(currency, amount);
    match conversion_delta(catalog, scope).and_then(|delta| currency.epsilon_at(amount, delta)) {
        Some(at) => format!("{}  ({words})", epsilon_upper(&at)),
        None => words,
    }
}

/// What was granted, rounded down, in ε where the scope's ρ has one.
pub fn granted_amount(catalog: &Catalog, scope: &str, currency: Currency, amount: Amount) -> String {
    let words = amount_lower(currency, amount);
    let budget = Granted { currency, amount };
    let delta = conversion_delta(catalog, scope);
    match delta.and_then(|delta| Some((budget.epsilon_granted(delta)?, owners_delta(delta)))) {
        Some((epsilon, delta)) => {
            format!("ε = {} at δ = {delta}  ({words})", glance_lower(epsilon.value()))
        }
        None => words,
    }
}

/// The δ at which the ρ of a scope is read as ε.
fn conversion_delta<'c>(catalog: &'c Catalog, scope: &str) -> Option<&'c Delta> {
    match &catalog.scopes.get(scope)?.budget {
        Budget::Zcdp { conversion_delta, .. } => Some(conversion_delta),
        Budget::Pure { .. } => None,
    }
}

/// The δ that the owner declared, of which one half translates ρ to ε and the other pays for keys: a δ is said in one way.
pub fn owners_delta(conversion_delta: &Delta) -> String {
    glance_upper(&(conversion_delta.value() * &Rational::from(2)))
}

/// An ε at the δ that the owner declared, rounded up.
fn epsilon_upper(at: &EpsilonDelta) -> String {
    format!("ε = {} at δ = {}", glance_upper(at.epsilon.value()), owners_delta(&at.delta))
}

/// What an answer cost: nothing, where it was paid for before.
pub fn paid_words(reply: &Reply, price: &str) -> String {
    match reply.paid {
        Paid::Nothing => format!("{}; it cost {price} then", payer_words(reply)),
        _ => format!("{price}; {}", payer_words(reply)),
    }
}

/// Who paid, in words.
pub fn payer_words(reply: &Reply) -> String {
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
        more => format!("about {} more like this", grouped_count(more)),
    }
}

/// A cost as JSON, exactly.
pub fn cost_json(cost: &Cost, epsilon_at_delta: Option<&EpsilonDelta>) -> Value {
    let price = ledger_price(cost);
    let mut object = amount_json("", price.currency(), price.amount());
    if let Some(EpsilonDelta { epsilon, delta }) = epsilon_at_delta {
        let (epsilon, delta) = (epsilon.to_f64_upper(), delta.value().to_f64_nearest());
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
    object.insert(format!("{prefix}{name}"), amount.loss().to_string().into());
    if currency == Currency::Zcdp {
        object.insert(format!("{prefix}delta"), exact(&amount.delta()).into());
    }
    object
}
