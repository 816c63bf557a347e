//! A question that is too expensive: what would fit, in the words that the asker used.
//!
//! The price that is named was tried: a question at that price is planned, and its cost is within what is left.

use pointillist_curator::{Ask, AskError, Curator, OWNER, epsilon_at_delta, ledger_price};
use pointillist_errors::{Explanation, Kind};
use pointillist_ledger::ChargeError;
use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use pointillist_plan::{Cost, PrivatePlan};
use pointillist_privacy::{Amount, Budget, Currency};
use pointillist_query::{Options, plan};

use crate::answer::money;
use crate::failure::Failure;

/// Digits of a price that is proposed.
const DIGITS: usize = 3;
/// How often a price that was too high after all is lowered.
const ATTEMPTS: usize = 40;

/// What an asker says about a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Epsilon,
    Rho,
    Error,
}

/// An error of the curator, for people.
pub fn refusal(curator: &Curator, ask: &Ask, error: AskError) -> Failure {
    let words = match &error {
        AskError::NotCharged(ChargeError::Exhausted { whose, .. }) => words(curator, ask, whose),
        _ => None,
    };
    let failure = Failure::from(error);
    words.map_or(failure, Failure::explained)
}

fn words(curator: &Curator, ask: &Ask, whose: &str) -> Option<Explanation> {
    let catalog = curator.catalog();
    let plan = plan(catalog, &ask.sql, &ask.options).ok()?;
    let ledger = curator.ledger();
    let share = ledger.share(&plan.scope, &ask.analyst).ok()?.filter(|share| share.granted.is_some());
    let balance = match share {
        Some(share) if ask.analyst != OWNER => share,
        _ => ledger.balance(&plan.scope).ok()??,
    };
    let left = balance.remaining.unwrap_or_default();
    let epsilon = epsilon_at_delta(catalog, &plan.scope, &plan.cost);
    let asked = money::price_words(&plan.cost, epsilon.as_ref());
    let remaining = money::left_words(&balance, epsilon.as_ref());
    let hint = match hint(curator, ask, &plan, left) {
        Some(fits) => format!("{fits} would fit, with more noise; or ask the owner for a raise"),
        None => "nothing smaller fits: ask the owner for a raise".to_owned(),
    };
    let message = format!("this question costs {asked}, but {whose} has {remaining} left");
    Some(Explanation::new(Kind::Budget, message).with_hint(hint))
}

/// The price that fits, as the asker would write it.
fn hint(curator: &Curator, ask: &Ask, plan_asked: &PrivatePlan, left: Amount) -> Option<String> {
    let cost = ledger_price(&plan_asked.cost).amount();
    if cost.delta_units > left.delta_units {
        let delta = decimal_lower(&left.delta(), DIGITS);
        return (left.delta_units > 0).then(|| format!("--delta {delta}"));
    }
    if left.loss_units == 0 {
        return None;
    }
    let word = word(ask);
    let ratio = left.loss_units as f64 / cost.loss_units as f64;
    let start = match word {
        Word::Error => {
            let error = ask.options.error.as_ref()?.to_f64_upper();
            let pure = matches!(plan_asked.cost, Cost::Pure { .. });
            Rational::from_f64(if pure { error / ratio } else { error / ratio.sqrt() }).ok()?
        }
        Word::Rho => left.loss(),
        Word::Epsilon => {
            let of_plan = epsilon_at_delta(curator.catalog(), &plan_asked.scope, &plan_asked.cost);
            let budget = Budget { currency: Currency::Zcdp, amount: left };
            match of_plan.and_then(|at| budget.epsilon_left(&at.delta)) {
                Some(epsilon) => epsilon.value().clone(),
                None => Rational::from_f64(ask.options.epsilon.as_ref()?.to_f64_upper() * ratio).ok()?,
            }
        }
    };
    let mut value = start;
    for _ in 0..ATTEMPTS {
        let (name, text) = match word {
            Word::Error => ("error", decimal_upper(&value, DIGITS)),
            Word::Rho => ("rho", decimal_lower(&value, DIGITS)),
            Word::Epsilon => ("epsilon", decimal_lower(&value, DIGITS)),
        };
        if fits(curator, ask, name, &text, left) {
            return Some(format!("--{name} {text}"));
        }
        let (wider, narrower) = (Rational::ratio(21, 20), Rational::ratio(20, 21));
        value = &value * if word == Word::Error { &wider } else { &narrower };
    }
    None
}

/// Whether the question at another price is within what is left.
fn fits(curator: &Curator, ask: &Ask, name: &str, text: &str, left: Amount) -> bool {
    let mut options = Options { epsilon: None, rho: None, error: None, ..ask.options.clone() };
    if name != "error" {
        options.confidence = None;
    }
    let set = options.set(name, text).is_ok();
    let plan = plan(curator.catalog(), &ask.sql, &options);
    let cost = plan.map(|plan| ledger_price(&plan.cost).amount());
    set && cost.is_ok_and(|cost| cost.is_within(left))
}

/// The word that the asker priced the question with; ε where they said nothing.
fn word(ask: &Ask) -> Word {
    match &ask.options {
        Options { error: Some(_), .. } => Word::Error,
        Options { rho: Some(_), .. } => Word::Rho,
        _ => Word::Epsilon,
    }
}
