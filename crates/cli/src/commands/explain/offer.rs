//! A quote: everything about a plan that its asker should know before paying.

use pointillist_curator::{Ask, AskError, OWNER, epsilon_at_delta, ledger_price};
use pointillist_ledger::{Account, Budget, Price};
use pointillist_mechanisms::additive_noise::Price as Share;
use pointillist_numbers::{Rational, decimal_upper};
use pointillist_plan::{AggregateQuote, Formula, Owner, PartQuote, PrivatePlan, Relation, describe, quote};
use pointillist_privacy::{Currency, EpsilonDelta};
use serde_json::{Map, Value, json};

use crate::answer::money;
use crate::commands::budget::declared_budgets;
use crate::failure::Failure;
use crate::home::Home;
use crate::ink::Ink;
use pointillist_render::decimals::{exact, glance_upper, grouped, grouped_count, readable};
use pointillist_render::text::wrapped;

/// Columns that text is wrapped to.
const WIDTH: usize = 92;
/// The width of the names on the left.
const MARGIN: usize = 9;
/// Means are quoted for groups of this many rows.
const TYPICAL_ROWS: u64 = 10_000;

/// A plan with what surrounds it.
pub struct Offer {
    plan: PrivatePlan,
    quote: pointillist_plan::Quote,
    epsilon: Option<EpsilonDelta>,
    more: Option<u64>,
    analyst: String,
}

impl Offer {
    /// Plans the question and looks up what the budget holds.
    pub fn new(home: &Home, ask: &Ask) -> Result<Self, Failure> {
        let plan = pointillist_query::plan(&home.catalog, &ask.sql, &ask.options)?;
        admit(home, &ask.analyst, &plan.scope)?;
        let price = ledger_price(&plan.cost);
        let epsilon = epsilon_at_delta(&home.catalog, &plan.scope, &plan.cost);
        let more = more(home, ask, &plan.scope, &price)?;
        let quote = quote(&plan);
        Ok(Self { plan, quote, epsilon, more, analyst: ask.analyst.clone() })
    }

    /// The offer for people.
    pub fn lines(&self, ink: Ink) -> Vec<String> {
        let mut lines = Vec::new();
        let mut put = |name: &str, text: &str| {
            for (index, line) in wrapped(text, WIDTH - MARGIN - 2).into_iter().enumerate() {
                let (name, indent) = if index == 0 { (name, "") } else { ("", "  ") };
                lines.push(format!("{}{indent}{line}", ink.faint(&format!("{name:MARGIN$}"))));
            }
        };
        put("reads", &self.reads());
        put("price", &money::price_words(&self.plan.cost, self.epsilon.as_ref()));
        let split = self.split();
        if split.len() > 1 {
            for (index, (part, what)) in split.iter().enumerate() {
                let branch = if index + 1 < split.len() { "├" } else { "└" };
                put("", &format!("{branch} {part} for {what}"));
            }
        }
        for (index, aggregate) in self.quote.aggregates.iter().enumerate() {
            let name = if index == 0 { "error" } else { "" };
            put(name, &format!("{}: {}", aggregate.name, self.error_words(index, aggregate)));
        }
        if let Some(keys) = &self.quote.keys {
            let [threshold, people] =
                [keys.threshold, keys.people_95].map(|count| grouped(&count.to_string()));
            put(
                "keys",
                &format!(
                    "shown from a noisy {threshold} people on; one of {people} people is shown with 95 %"
                ),
            );
        }
        put("budget", &self.budget_words());
        for (index, note) in self.plan.notes.iter().enumerate() {
            put(if index == 0 { "notes" } else { "" }, &format!("· {}", readable(note)));
        }
        lines
    }

    /// The errors, what is left and the notes, each a line.
    pub fn brief(&self) -> Vec<String> {
        let errors = self.quote.aggregates.iter().enumerate().map(|(index, aggregate)| {
            format!("error  {}: {}", aggregate.name, self.error_words(index, aggregate))
        });
        let notes = self.plan.notes.iter().map(|note| format!("note   {}", readable(note)));
        errors.chain([format!("budget {}", self.budget_words())]).chain(notes).collect()
    }

    /// The plan as a tree.
    pub fn tree(&self) -> String {
        describe(&self.plan)
    }

    /// The same for scripts.
    pub fn to_json(&self) -> Value {
        let plan = &self.plan;
        let Relation::Table { name, columns } = &plan.aggregation.relation;
        let columns: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let bound = &plan.aggregation.bound;
        let keys = match (&plan.selection, plan.aggregation.keys.is_empty()) {
            (_, true) => "none",
            (Some(_), _) => "earned",
            (None, _) => "public",
        };
        let earned = self.quote.keys.as_ref().map(|keys| {
            json!({ "threshold": keys.threshold.to_string(), "people_95": keys.people_95.to_string() })
        });
        let mut object = Map::new();
        for (key, value) in [
            ("scope", json!(plan.scope)),
            ("reads", json!({ "table": name, "columns": columns, "privacy_unit": self.unit() })),
            ("max_groups", json!(bound.groups_max())),
            ("max_contributions", json!(bound.rows_max())),
            ("keys", json!(keys)),
            ("groups", json!(plan.aggregation.domain.as_ref().map(Vec::len))),
            ("earned", json!(earned)),
            ("cost", money::cost_json(&plan.cost, self.epsilon.as_ref())),
            (
                "split",
                self.split().iter().map(|(part, what)| json!({ "price": part, "for": what })).collect(),
            ),
            ("aggregates", self.quote.aggregates.iter().map(aggregate_json).collect()),
            ("budget", json!({ "more": self.more })),
            ("notes", json!(plan.notes)),
            ("plan", json!(self.tree())),
        ] {
            object.insert(key.to_owned(), value);
        }
        Value::Object(object)
    }

    fn unit(&self) -> &str {
        match &self.plan.aggregation.owner {
            Owner::EachRow => "row",
            Owner::Column(column) => column,
        }
    }

    fn reads(&self) -> String {
        let Relation::Table { name, columns } = &self.plan.aggregation.relation;
        let columns: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
        match &self.plan.aggregation.owner {
            Owner::EachRow => format!("{name}{columns}; every row is another person"),
            Owner::Column(unit) => format!("{name}{columns}; {unit} says whose row it is"),
        }
    }

    /// The parts of the price, each with what it buys.
    fn split(&self) -> Vec<(String, String)> {
        let keys = self.plan.selection.as_ref().map(|selection| {
            let cost = Price::of_loss(Currency::Zcdp, &selection.loss());
            let words = cost.map(|price| money::amount_upper(price.currency(), price.amount()));
            (words.unwrap_or_default(), "the choice of keys".to_owned())
        });
        let part = |part: &PartQuote| {
            let price = match &part.price {
                Share::Pure(epsilon) => format!("ε = {}", glance_upper(epsilon.value())),
                Share::Concentrated(rho) => format!("ρ = {}", glance_upper(rho.value())),
            };
            (price, part.name.clone())
        };
        keys.into_iter().chain(self.quote.parts.iter().map(part)).collect()
    }

    fn error_words(&self, index: usize, aggregate: &AggregateQuote) -> String {
        let law = aggregate.mechanism.replace('_', " ");
        if let (Some(error), Some(scale)) = (&aggregate.error_95, &aggregate.scale) {
            return format!("± {} with 95 %; {law} noise of scale {}", number(error), grouped(scale));
        }
        let Some(Formula::Mean { total, .. }) = self.plan.answer.aggregates.get(index).map(|of| &of.formula)
        else {
            return format!("an interval in every row, wider where there are fewer rows; {law} noise");
        };
        let part = &self.quote.parts[*total];
        let typical = part.error_95.clone() * Rational::ratio(1, u128::from(TYPICAL_ROWS));
        format!(
            "about ± {} where there are {} rows, more where there are fewer; an interval in every row",
            grouped(&glance_upper(&typical)),
            grouped_count(TYPICAL_ROWS)
        )
    }

    fn budget_words(&self) -> String {
        let whose = match self.analyst.as_str() {
            OWNER => format!("`{}`", self.plan.scope),
            analyst => format!("the share of `{analyst}` in `{}`", self.plan.scope),
        };
        match self.more {
            Some(0) => format!("{whose} does not hold this question any more"),
            Some(more) => {
                format!("{whose} holds {} at this price", count(more, "such question", "such questions"))
            }
            None => format!("`{}` has no budget yet", self.plan.scope),
        }
    }
}

/// Whether this analyst may ask at all, in the curator's own words.
fn admit(home: &Home, analyst: &str, scope: &str) -> Result<(), Failure> {
    if analyst == OWNER {
        return Ok(());
    }
    let unknown = || AskError::Unknown { analyst: analyst.to_owned() };
    let declared = home.catalog.analysts.get(analyst).ok_or_else(unknown)?;
    let closed = || AskError::Closed { analyst: analyst.to_owned(), scope: scope.to_owned() };
    declared.shares.contains_key(scope).then_some(()).ok_or_else(closed)?;
    Ok(())
}

/// How many such questions fit, by the ledger; by the catalog where there is none yet.
fn more(home: &Home, ask: &Ask, scope: &str, price: &Price) -> Result<Option<u64>, Failure> {
    if let Some(more) = home.reader()?.and_then(|audit| audit.how_many_more(scope, &ask.analyst, price)) {
        return Ok(Some(more));
    }
    // Of an analyst's own share, or of the scope for the owner: as the ledger counts.
    let whose = Some(&ask.analyst).filter(|analyst| *analyst != OWNER);
    let own = |account: &Account| account.scope == scope && account.analyst.as_ref() == whose;
    let cost = price.amount();
    let fits = |budget: Budget| {
        let loss = budget.amount.loss_units / cost.loss_units.max(1);
        let delta = budget.amount.delta_units.checked_div(cost.delta_units).unwrap_or(u128::MAX);
        u64::try_from(loss.min(delta)).unwrap_or(u64::MAX)
    };
    let budgets = declared_budgets(&home.catalog).into_iter().filter(|(account, _)| own(account));
    Ok(budgets.map(|(_, budget)| fits(budget)).min())
}

fn aggregate_json(aggregate: &AggregateQuote) -> Value {
    json!({
        "name": aggregate.name,
        "mechanism": aggregate.mechanism,
        "scale": aggregate.scale,
        "error_95": aggregate.error_95.as_ref().map(Rational::to_f64_upper),
        "grid": exact(&aggregate.grid),
    })
}

/// An error in groups of three, rounded up where it has many digits.
fn number(value: &Rational) -> String {
    grouped(&if value.is_integer() { value.to_string() } else { decimal_upper(value, 6) })
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped_count(number), if number == 1 { one } else { many })
}
