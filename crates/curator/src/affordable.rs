//! A question that is too expensive: what would fit, by the option that the asker used.
//!
//! The price that is named was tried: a question at that price is planned, and its cost is within what is left.

use pointillist_catalog::Catalog;
use pointillist_errors::{Explanation, Kind};
use pointillist_ledger::Balance;
use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use pointillist_plan::StatementPlan;
use pointillist_privacy::{Amount, Budget, Currency, EpsilonDelta, Price};
use pointillist_query::{Options, Statement, WantedError, statement_with};

use crate::admission::admit;
use crate::ask::Ask;
use crate::books::Books;
use crate::curator::Curator;
use crate::home::Home;
use crate::words::{left_words, price_words};

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

/// A question that the asker's budget does not hold.
#[derive(Clone, Debug)]
pub struct TooExpensive {
    /// What it costs.
    pub price: Price,
    /// The price in ε, where it has one.
    pub epsilon_at_delta: Option<EpsilonDelta>,
    /// What the asker has left.
    pub left: Balance,
    /// The price that fits; `None` where nothing smaller does.
    pub affordable: Option<Affordable>,
}

/// A price that fits: an option of the statement, and what to set it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affordable {
    /// `epsilon`, `rho`, `error` or `delta`: the one that the asker used.
    pub option: &'static str,
    /// Its value.
    pub value: String,
}

impl Curator {
    /// What would fit in place of a question about rows that is too expensive.
    pub fn too_expensive(&self, ask: &Ask) -> Option<TooExpensive> {
        too_expensive(&self.state.catalog, &Books::Writer(&self.state.ledger), ask)
    }
}

impl Home {
    /// The same without locking the ledger.
    pub fn too_expensive(&self, ask: &Ask) -> Option<TooExpensive> {
        too_expensive(&self.catalog, &Books::Reader(&self.reader().ok()??), ask)
    }
}

impl TooExpensive {
    /// What it costs, and what is left of whose budget.
    pub fn words(&self, whose: &str) -> String {
        let epsilon = self.epsilon_at_delta.as_ref();
        let (price, left) = (price_words(&self.price, epsilon), left_words(&self.left, epsilon));
        let without = if self.lacks_all_delta() { ", and no δ to spend" } else { "" };
        format!("this question costs {price}, but {whose} has {left} left{without}")
    }

    /// Whether it takes a δ of an asker who has none at all: no price makes up for that.
    pub fn lacks_all_delta(&self) -> bool {
        let left = self.left.remaining.unwrap_or_default();
        self.price.amount().delta_units > 0 && left.delta_units == 0
    }

    /// The same with what to do next: the price that fits, in the words of a door for one of its options.
    pub fn explanation(&self, whose: &str, set: impl FnOnce(&Affordable) -> String) -> Explanation {
        let hint = match &self.affordable {
            Some(fits) => format!("{} would fit, with more noise; or ask the owner for a raise", set(fits)),
            None if self.lacks_all_delta() => {
                "keys that must be earned take a δ: ask the owner for one, or group by columns with public keys".to_owned()
            }
            None => "nothing smaller fits: ask the owner for a raise".to_owned(),
        };
        Explanation::new(Kind::Budget, self.words(whose)).with_hint(hint)
    }
}

fn too_expensive(catalog: &Catalog, books: &Books<'_>, ask: &Ask) -> Option<TooExpensive> {
    let plan = plan(catalog, ask, &ask.options)?;
    let scope = plan.scope();
    admit(catalog, &ask.analyst, scope).ok()?;
    let left = books.left(scope, &ask.analyst).ok()??;
    let affordable = affordable(catalog, ask, &plan, left.remaining.unwrap_or_default());
    let epsilon_at_delta = catalog.epsilon_at_delta(scope, &plan.price());
    Some(TooExpensive { price: plan.price(), epsilon_at_delta, left, affordable })
}

/// The plan of a question about rows.
fn plan(catalog: &Catalog, ask: &Ask, options: &Options) -> Option<Box<StatementPlan>> {
    match statement_with(catalog, &ask.sql, &ask.parameters, options).ok()? {
        Statement::Rows(plan) => Some(plan),
        Statement::Graph(_)
        | Statement::Training(_)
        | Statement::Synthesis(_)
        | Statement::Evaluation(_)
        | Statement::Public(_) => None,
    }
}

/// The price that fits, by the option that the asker used.
fn affordable(catalog: &Catalog, ask: &Ask, plan_asked: &StatementPlan, left: Amount) -> Option<Affordable> {
    let cost = plan_asked.price().amount();
    if cost.delta_units > left.delta_units {
        let delta = decimal_lower(&left.delta(), DIGITS);
        return (left.delta_units > 0).then_some(Affordable { option: "delta", value: delta });
    }
    if left.loss_units == 0 {
        return None;
    }
    let word = word(ask);
    let ratio = left.loss_units as f64 / cost.loss_units as f64;
    let start = match word {
        Word::Error => {
            let error = match ask.options.error.as_ref()? {
                WantedError::Absolute(error) => error.to_f64_upper(),
                WantedError::Share(share) => share.to_f64_upper() * 100.0,
            };
            let pure = plan_asked.price().currency() == Currency::Pure;
            Rational::from_f64(if pure { error / ratio } else { error / ratio.sqrt() }).ok()?
        }
        Word::Rho => left.loss(),
        Word::Epsilon => {
            let budget = Budget { currency: plan_asked.price().currency(), amount: left };
            let delta = catalog.conversion_delta(plan_asked.scope());
            match delta.and_then(|delta| budget.epsilon_left(delta)) {
                Some(epsilon) => epsilon.value().clone(),
                None => Rational::from_f64(ask.options.epsilon.as_ref()?.to_f64_upper() * ratio).ok()?,
            }
        }
    };
    let mut value = start;
    for _ in 0..ATTEMPTS {
        let (name, text) = match word {
            Word::Error => {
                let unit = if matches!(ask.options.error, Some(WantedError::Share(_))) { "%" } else { "" };
                ("error", format!("{}{unit}", decimal_upper(&value, DIGITS)))
            }
            Word::Rho => ("rho", decimal_lower(&value, DIGITS)),
            Word::Epsilon => ("epsilon", decimal_lower(&value, DIGITS)),
        };
        if fits(catalog, ask, name, &text, left) {
            return Some(Affordable { option: name, value: text });
        }
        let (wider, narrower) = (Rational::ratio(21, 20), Rational::ratio(20, 21));
        value = &value * if word == Word::Error { &wider } else { &narrower };
    }
    None
}

/// Whether the question at another price is within what is left.
fn fits(catalog: &Catalog, ask: &Ask, name: &str, text: &str, left: Amount) -> bool {
    let mut options = Options { epsilon: None, rho: None, error: None, ..ask.options.clone() };
    if name != "error" {
        options.confidence = None;
    }
    let set = options.set(name, text).is_ok();
    set && plan(catalog, ask, &options).is_some_and(|plan| plan.price().amount().is_within(left))
}

/// The word that the asker priced the question with; ε where they said nothing.
fn word(ask: &Ask) -> Word {
    match &ask.options {
        Options { error: Some(_), .. } => Word::Error,
        Options { rho: Some(_), .. } => Word::Rho,
        _ => Word::Epsilon,
    }
}
