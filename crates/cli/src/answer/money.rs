//! Prices and what is left, in words and in JSON.

use pointillist_catalog::{Budget, Catalog};
use pointillist_curator::{OWNER, Paid, Reply, ledger_price};
use pointillist_ledger::{Amount, Balance, Currency};
use pointillist_numbers::Rational;
use pointillist_plan::Cost;
use pointillist_privacy::conversion::{zcdp_epsilon_upper, zcdp_rho_lower};
use pointillist_privacy::{Delta, Epsilon, Rho};
use serde_json::{Map, Value, json};

use pointillist_render::decimals::{glance_lower, glance_upper};

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

/// A cost at a glance, rounded up: the ε that people compare, then what the ledger counts.
pub fn price_words(cost: &Cost, epsilon_at_delta: Option<&(f64, String)>) -> String {
    let price = ledger_price(cost);
    let words = amount_upper(price.currency(), price.amount());
    match epsilon_at_delta {
        Some((epsilon, delta)) => {
            format!("ε = {} at δ = {}  ({words})", epsilon_text(*epsilon), owners_delta(delta))
        }
        None => words,
    }
}

/// What is left at a glance, rounded down: the largest ε that one more question can have, then what the ledger counts.
pub fn left_words(left: &Balance, epsilon_at_delta: Option<&(f64, String)>) -> String {
    let amount = left.remaining.unwrap_or_default();
    let words = amount_lower(left.currency, amount);
    let Some((_, delta)) = epsilon_at_delta else {
        return words;
    };
    match Delta::parse(delta).ok().and_then(|delta| epsilon_left(amount, &delta)) {
        Some(epsilon) => format!("ε = {epsilon} at δ = {}  ({words})", owners_delta(delta)),
        None => words,
    }
}

/// What was paid, rounded up, in ε where the scope's ρ has one.
pub fn paid_amount(catalog: &Catalog, scope: &str, currency: Currency, amount: Amount) -> String {
    let words = amount_upper(currency, amount);
    let epsilon = || {
        let delta = conversion_delta(catalog, scope).filter(|_| currency == Currency::Zcdp)?;
        let at = zcdp_epsilon_upper(&Rho::parse(&amount.loss()).ok()?, delta).ok()?;
        Some((glance_upper(at.epsilon.value()), owners_delta(&delta.to_string())))
    };
    match epsilon() {
        Some((epsilon, delta)) => format!("ε = {epsilon} at δ = {delta}  ({words})"),
        None => words,
    }
}

/// What was granted, rounded down, in ε where the scope's ρ has one.
pub fn granted_amount(catalog: &Catalog, scope: &str, currency: Currency, amount: Amount) -> String {
    let words = amount_lower(currency, amount);
    let delta = conversion_delta(catalog, scope).filter(|_| currency == Currency::Zcdp);
    match delta.and_then(|delta| Some((epsilon_granted(amount, delta)?, owners_delta(&delta.to_string())))) {
        Some((epsilon, delta)) => format!("ε = {epsilon} at δ = {delta}  ({words})"),
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

/// The largest ε of three digits that one more question can have.
pub fn epsilon_left(amount: Amount, conversion_delta: &Delta) -> Option<String> {
    epsilon_within(amount, 0, conversion_delta)
}

/// The ε of three digits that was granted: the ledger rounds the ρ of a declared ε down to whole units.
pub fn epsilon_granted(amount: Amount, conversion_delta: &Delta) -> Option<String> {
    epsilon_within(amount, 1, conversion_delta)
}

/// The largest ε of three digits whose ρ is within an amount and so many of the ledger's units more.
fn epsilon_within(amount: Amount, units: u128, conversion_delta: &Delta) -> Option<String> {
    let loss_units = amount.loss_units.saturating_add(units);
    let rho = Rho::parse(&Amount { loss_units, ..amount }.loss()).ok()?;
    let mut epsilon = zcdp_epsilon_upper(&rho, conversion_delta).ok()?.epsilon.value().clone();
    // A budget that was declared as ε came down from it by less than this.
    epsilon = &epsilon * &(Rational::one() + Rational::ratio(1, 1_000_000_000));
    for _ in 0..40 {
        let text = glance_lower(&epsilon);
        let asked = Epsilon::parse(&text).ok()?;
        if zcdp_rho_lower(&asked, conversion_delta).is_ok_and(|price| price.value() <= rho.value()) {
            return Some(text);
        }
        epsilon = &epsilon * &Rational::ratio(9_995, 10_000);
    }
    None
}

/// The δ that the owner declared, of which one half translates ρ to ε and the other pays for keys: a δ is said in one way.
pub fn owners_delta(conversion_delta: &str) -> String {
    glance_upper(&(number(conversion_delta) * Rational::from(2u32)))
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
        more => format!("about {} more like this", pointillist_render::decimals::grouped_count(more)),
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
    pointillist_render::decimals::exact(&number(decimal))
}
