//! Prices, errors and what is left, in the words that people read behind every door.
//!
//! What was paid or asked for is rounded up, what is left is rounded down; the exact numbers are in the JSON and in the
//! ledger.

use pointillist_catalog::{Catalog, OWNER};
use pointillist_ledger::Balance;
use pointillist_numbers::{Rational, decimal_upper};
use pointillist_plan::Ownership;
use pointillist_privacy::{Amount, Budget, Currency, Delta, EpsilonDelta, Price};
use pointillist_render::decimals::{glance_lower, glance_upper, grouped, grouped_count, readable};
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text::wrapped;

use crate::public_answer::{FREE, PublicQuote};
use crate::quote::{
    AggregateQuote, EvaluationQuote, GraphQuote, ModelQuote, Quote, QuoteKeys, QuoteSubject, RowQuote,
    TYPICAL_ROWS, TableQuote,
};
use crate::rehearsal::Rehearsal;
use crate::reply::{Paid, Reply};

/// Digits of an error or a scale.
const DIGITS: usize = 6;

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

/// One of the two sums of a balance: which part of it is spent, and what is left.
#[derive(Clone, Debug, PartialEq)]
pub struct Spending {
    /// The part that is spent, from zero to one.
    pub part: f64,
    /// What is left of what was granted, rounded down.
    pub left: String,
}

/// How much of the loss is spent; nothing where no budget was granted.
pub fn loss_spending(balance: &Balance) -> Option<Spending> {
    let granted = balance.granted?;
    let words = |amount: Amount| glance_lower(&amount.loss());
    let left = format!("{} of {} left", words(balance.remaining.unwrap_or_default()), words(granted));
    Some(Spending { part: part(balance.spent.loss_units, granted.loss_units), left })
}

/// How much of the δ is spent; nothing where none was granted.
pub fn delta_spending(balance: &Balance) -> Option<Spending> {
    let granted = balance.granted.filter(|granted| granted.delta_units > 0)?;
    let words = |amount: Amount| glance_lower(&amount.delta());
    let left = format!("{} of {} left", words(balance.remaining.unwrap_or_default()), words(granted));
    Some(Spending { part: part(balance.spent.delta_units, granted.delta_units), left })
}

/// The part of a whole that is spent, of the sum that is nearer to its end.
pub fn part_spent(balance: &Balance) -> f64 {
    let Some(granted) = balance.granted else {
        return 0.0;
    };
    part(balance.spent.loss_units, granted.loss_units)
        .max(part(balance.spent.delta_units, granted.delta_units))
}

/// Which part of what is left a price would take, of the sum that it takes most of; nothing where no budget was granted.
pub fn part_of_left(price: &Price, left: &Balance) -> Option<f64> {
    part_of_budget(price.amount(), &Balance { granted: left.remaining, ..*left })
}

/// One number of units as a part of another.
fn part(spent_units: u128, granted_units: u128) -> f64 {
    match (spent_units, granted_units) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        (spent, granted) => spent as f64 / granted as f64,
    }
}

/// A price at a glance, rounded up: the ε that people compare, then what the ledger counts.
pub fn price_words(price: &Price, epsilon_at_delta: Option<&EpsilonDelta>) -> String {
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
    let budget = Budget { currency: left.currency, amount };
    let epsilon = epsilon_at_delta.and_then(|at| Some((budget.epsilon_left(&at.delta)?, &at.delta)));
    match epsilon {
        Some((epsilon, delta)) => {
            format!("ε = {} at δ = {}  ({words})", glance_lower(epsilon.value()), owners_delta(delta))
        }
        None => words,
    }
}

/// A payment at a glance, rounded up: `ε 0.24` where the scope's ρ has one. Nothing where nothing was paid.
pub fn paid_at_a_glance(
    catalog: &Catalog,
    scope: &str,
    currency: Currency,
    amount: Amount,
) -> Option<String> {
    let at = catalog.conversion_delta(scope).and_then(|delta| currency.epsilon_at(amount, delta));
    let words = match at {
        Some(at) => format!("ε\u{a0}{}", glance_upper(at.epsilon.value())),
        None => format!("{}\u{a0}{}", currency.symbol(), glance_upper(&amount.loss())),
    };
    (amount != Amount::ZERO).then_some(words)
}

/// Which part of a budget an amount is, of the sum that it takes most of; nothing where no budget was granted.
pub fn part_of_budget(amount: Amount, balance: &Balance) -> Option<f64> {
    let granted = balance.granted?;
    Some(part(amount.loss_units, granted.loss_units).max(part(amount.delta_units, granted.delta_units)))
}

/// What was paid, rounded up, in ε where the scope's ρ has one.
pub fn paid_amount(catalog: &Catalog, scope: &str, currency: Currency, amount: Amount) -> String {
    let words = amount_upper(currency, amount);
    match catalog.conversion_delta(scope).and_then(|delta| currency.epsilon_at(amount, delta)) {
        Some(at) => format!("{}  ({words})", epsilon_upper(&at)),
        None => words,
    }
}

/// What was granted, rounded down, in ε where the scope's ρ has one.
pub fn granted_amount(catalog: &Catalog, scope: &str, currency: Currency, amount: Amount) -> String {
    let words = amount_lower(currency, amount);
    let budget = Budget { currency, amount };
    let delta = catalog.conversion_delta(scope);
    match delta.and_then(|delta| Some((budget.epsilon_granted(delta)?, owners_delta(delta)))) {
        Some((epsilon, delta)) => {
            format!("ε = {} at δ = {delta}  ({words})", glance_lower(epsilon.value()))
        }
        None => words,
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

impl Reply {
    /// What the question costs.
    pub fn price_words(&self) -> String {
        price_words(&self.price, self.epsilon_at_delta.as_ref())
    }

    /// What the asker has left.
    pub fn left_words(&self) -> String {
        left_words(&self.left, self.epsilon_at_delta.as_ref())
    }

    /// What the answer cost: nothing, where it was paid for before.
    pub fn paid_words(&self) -> String {
        let (price, analyst) = (self.price_words(), &self.receipt.analyst);
        match self.paid {
            Paid::InFull if analyst == OWNER => format!("{price}; asked for the first time"),
            Paid::InFull => format!("{price}; paid from the share of `{analyst}`"),
            Paid::Nothing => {
                format!("free: asked before, so this is the same answer; it cost {price} then")
            }
        }
    }

    /// Whose budget it was taken from.
    pub fn whose_words(&self) -> String {
        match self.receipt.analyst.as_str() {
            OWNER => format!("of `{}`", self.receipt.scope),
            analyst => format!("of `{analyst}` in `{}`", self.receipt.scope),
        }
    }

    /// The receipt at a glance: for the owner with its number in the ledger.
    pub fn receipt_words(&self) -> String {
        let number = self.receipt.seq.map_or_else(String::new, |seq| format!("{seq} · "));
        match self.receipt.hash.get(..12) {
            Some(hash) => format!("{number}{hash}…"),
            None => format!("{number}the answer is the one that was recorded then"),
        }
    }

    /// About how many more questions of this price fit.
    pub fn more_words(&self) -> String {
        match self.more {
            0 => "no more like this".to_owned(),
            1 => "one more like this".to_owned(),
            more => format!("about {} more like this", grouped_count(more)),
        }
    }
}

impl Rehearsal {
    /// What a real answer would cost.
    pub fn price_words(&self) -> String {
        price_words(&self.price, self.epsilon_at_delta.as_ref())
    }
}

/// Columns that a quote is wrapped to.
const WIDTH: usize = 92;
/// The width of the names on the left of a quote.
const MARGIN: usize = 9;

/// Each thing under its name, which is said once.
pub fn laid_out(lines: &[QuoteLine], style: TerminalStyle) -> Vec<String> {
    let mut laid_out = Vec::new();
    for (index, QuoteLine { name, text }) in lines.iter().enumerate() {
        let is_first = index == 0 || lines[index - 1].name != *name;
        let is_last = lines.get(index + 1).is_none_or(|next| next.name != *name);
        let (name, text) = match *name {
            "part" => ("", format!("{} {text}", if is_last { "└" } else { "├" })),
            "note" => ("notes", format!("· {text}")),
            name => (name, text.clone()),
        };
        for (part, line) in wrapped(&text, WIDTH - MARGIN - 2).into_iter().enumerate() {
            let name = if is_first && part == 0 { name } else { "" };
            let indent = if part == 0 { "" } else { "  " };
            laid_out.push(format!("{}{indent}{line}", style.faint(&format!("{name:MARGIN$}"))));
        }
    }
    laid_out
}

impl PublicQuote {
    /// What is read, and that there is nothing to pay.
    pub fn lines(&self) -> Vec<QuoteLine> {
        let reads = format!("{}; public", self.tables.join(", "));
        [("reads", reads), ("price", FREE.to_owned())].map(|(name, text)| QuoteLine { name, text }).into()
    }
}

/// One thing to know about a quote, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteLine {
    /// `reads`, `price`, `part`, `free`, `error`, `keys`, `budget` or `note`; for graphs also `asks` and `method`.
    pub name: &'static str,
    /// What there is to know.
    pub text: String,
}

impl Quote {
    /// What the answer costs.
    pub fn price_words(&self) -> String {
        price_words(&self.price, self.epsilon_at_delta.as_ref())
    }

    /// The whole quote, in the order in which it is read.
    pub fn lines(&self) -> Vec<QuoteLine> {
        let line = |name, text| QuoteLine { name, text };
        let (asked, errors) = match &self.subject {
            QuoteSubject::Rows(rows) => (vec![line("reads", rows.reads())], rows.expectations()),
            QuoteSubject::Statement(statement) => {
                let releases = || statement.releases.iter().map(|release| &release.rows);
                let reads = releases().map(|rows| line("reads", rows.reads()));
                (reads.collect(), releases().flat_map(RowQuote::expectations).collect())
            }
            QuoteSubject::Graph(graph) => (graph.asks(), graph.expectations()),
            QuoteSubject::Model(model) => (model.asks(), model.expectations()),
            QuoteSubject::Table(table) => (table.asks(), table.expectations()),
            QuoteSubject::Evaluation(evaluation) => (evaluation.asks(), evaluation.expectations()),
        };
        let mut lines = asked;
        lines.push(line("price", self.price_words()));
        let parts = match &self.subject {
            QuoteSubject::Rows(rows) => rows.split(),
            QuoteSubject::Statement(statement) => statement.split(),
            QuoteSubject::Graph(_)
            | QuoteSubject::Model(_)
            | QuoteSubject::Table(_)
            | QuoteSubject::Evaluation(_) => Vec::new(),
        };
        let parts = parts.iter().filter(|_| parts.len() > 1);
        lines.extend(parts.map(|part| line("part", format!("{} for {}", part.price, part.buys))));
        if self.is_free {
            let text = "nothing, for whoever has asked before: this is the same answer";
            lines.push(line("free", text.to_owned()));
        }
        lines.extend(errors);
        lines.push(line("budget", self.budget_words()));
        lines.extend(self.notes.iter().map(|note| line("note", readable(note))));
        lines
    }

    fn budget_words(&self) -> String {
        let whose = match self.analyst.as_str() {
            OWNER => format!("`{}`", self.scope),
            analyst => format!("the share of `{analyst}` in `{}`", self.scope),
        };
        match self.more {
            Some(0) => format!("{whose} does not hold this question any more"),
            Some(1) => format!("{whose} holds 1 such question at this price"),
            Some(more) => format!("{whose} holds {} such questions at this price", grouped_count(more)),
            None => format!("`{}` has no budget yet", self.scope),
        }
    }
}

impl RowQuote {
    fn reads(&self) -> String {
        let columns = match self.columns.as_slice() {
            [] => String::new(),
            columns => format!(" ({})", columns.join(", ")),
        };
        match &self.owner {
            Ownership::EachRow | Ownership::Nobody => {
                format!("{}{columns}; every row is another person", self.table)
            }
            Ownership::People(unit) => format!("{}{columns}; {unit} says whose row it is", self.table),
        }
    }

    /// Errors, and how many people a key needs.
    fn expectations(&self) -> Vec<QuoteLine> {
        let error = |aggregate: &AggregateQuote| QuoteLine {
            name: "error",
            text: format!("{}: {}", aggregate.name, aggregate.error_words()),
        };
        let keys = match self.keys {
            QuoteKeys::Earned(keys) => {
                let [threshold, people] =
                    [keys.threshold, keys.people_95].map(|count| grouped(&count.to_string()));
                let text = format!(
                    "shown from a noisy {threshold} people on; one of {people} people is shown with 95 %"
                );
                Some(QuoteLine { name: "keys", text })
            }
            QuoteKeys::One | QuoteKeys::Public => None,
        };
        self.aggregates.iter().map(error).chain(keys).collect()
    }
}

impl AggregateQuote {
    fn error_words(&self) -> String {
        let law = self.noise.law.name().replace('_', " ");
        let is_one = self.noise.measures.len() == 1;
        if let (Some(error), true) = (&self.noise.error_95, is_one) {
            let scale = grouped(&decimal_upper(&self.noise.scale_upper, DIGITS));
            return format!("± {} with 95 %; {law} noise of scale {scale}", number(error));
        }
        if let Some(rows) = &self.noise.rank_error_95 {
            return format!(
                "its rank is off by at most {} rows with 95 %; {law}",
                grouped(&rows.ceil().to_string())
            );
        }
        match &self.error_typical {
            Some(typical) => format!(
                "about ± {} where there are {} rows, more where there are fewer; an interval in every row",
                grouped(&glance_upper(typical)),
                grouped_count(TYPICAL_ROWS)
            ),
            None => format!("an interval in every row, wider where there are fewer rows; {law} noise"),
        }
    }
}

impl ModelQuote {
    /// What is trained, and how it is made private.
    fn asks(&self) -> Vec<QuoteLine> {
        let line = |name, text| QuoteLine { name, text };
        vec![
            line("trains", self.family.about().to_owned()),
            line("reads", format!("{}; {}", self.tables, of_a_person(self.rows_max))),
            line("method", self.mechanism.to_owned()),
        ]
    }

    /// What may be expected of it.
    fn expectations(&self) -> Vec<QuoteLine> {
        self.outlook.iter().map(|text| QuoteLine { name: "expect", text: text.clone() }).collect()
    }
}

impl TableQuote {
    /// What is made, and how it is made private.
    fn asks(&self) -> Vec<QuoteLine> {
        let line = |name, text| QuoteLine { name, text };
        vec![
            line("makes", format!("a table of made-up rows: {}", self.columns.join(", "))),
            line("reads", format!("{}; {}", self.tables, of_a_person(self.rows_max))),
            line("method", format!("{}: {}", self.method, self.mechanism)),
        ]
    }

    /// What may be expected of it.
    fn expectations(&self) -> Vec<QuoteLine> {
        self.outlook.iter().map(|text| QuoteLine { name: "expect", text: text.clone() }).collect()
    }
}

impl EvaluationQuote {
    /// What is measured, and how it is made private.
    fn asks(&self) -> Vec<QuoteLine> {
        let line = |name, text| QuoteLine { name, text };
        let subject = match self.family {
            Some(family) => line("model", format!("`{}`: {}", self.name, family.about())),
            None => line("table", format!("`{}`: its rows are public", self.name)),
        };
        vec![
            subject,
            line("measures", self.measures.to_owned()),
            line("reads", format!("{}; {}", self.tables, of_a_person(self.rows_max))),
            line("method", self.mechanism.to_owned()),
        ]
    }

    /// What may be expected of it.
    fn expectations(&self) -> Vec<QuoteLine> {
        self.outlook.iter().map(|text| QuoteLine { name: "expect", text: text.clone() }).collect()
    }
}

fn of_a_person(rows_max: u32) -> String {
    match rows_max {
        1 => "at most one row of a person".to_owned(),
        rows => format!("at most {rows} rows of a person"),
    }
}

impl GraphQuote {
    /// What is asked, and how it is made private.
    pub fn asks(&self) -> Vec<QuoteLine> {
        let asks = format!("{}, under {} privacy", self.statistic, self.privacy);
        let method = self.mechanism.to_owned();
        vec![QuoteLine { name: "asks", text: asks }, QuoteLine { name: "method", text: method }]
    }

    /// How wrong the answer may be.
    pub fn expectations(&self) -> Vec<QuoteLine> {
        let error = match self.error_95 {
            Some(error) => format!("within {error} with 95 %"),
            None => "depends on the graph, and comes with the answer".to_owned(),
        };
        let words = std::iter::once(error).chain(self.outlook.iter().cloned());
        words.map(|text| QuoteLine { name: "error", text }).collect()
    }
}

/// An error in groups of three, rounded up where it has many digits.
fn number(value: &Rational) -> String {
    grouped(&if value.is_integer() { value.to_string() } else { decimal_upper(value, DIGITS) })
}
