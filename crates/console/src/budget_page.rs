//! What is granted, spent and left, drawn in what adds up; and who asked what, the newest first.

use maud::{Markup, html};
use pointillist_curator::words::{amount_lower, delta_spending, part_spent};
use pointillist_curator::{Balance, Balances};
use pointillist_render::decimals::grouped_count;
use pointillist_render::fluid::Gauge;
use pointillist_render::text::{shown, unbroken};

use crate::frame::{Frame, Visitor, form_token, left};
use crate::money::part_text;
use crate::prose::prose;
use crate::sections::Section;

/// A population, or a share of one, as its owner sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenScope {
    /// Whose it is: a scope, or an analyst within one.
    pub name: String,
    /// Granted, spent and left.
    pub balance: Balance,
    /// What all answers so far cost together, in words.
    pub together: Option<String>,
    /// Shares within.
    pub shares: Vec<(String, Balance)>,
}

/// A question that was asked, or something else that was written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// The words of a question, or what happened.
    pub words: String,
    /// The question in SQL, where whoever looks may ask it again.
    pub again: Option<String>,
    /// The price; nothing where there was none.
    pub price: Option<String>,
    /// Which part of the share it took.
    pub part: Option<f64>,
    /// Whose budget paid, where a part of a share is said.
    pub scope: Option<String>,
    /// When, to the minute.
    pub moment: String,
    /// The seal of the record.
    pub seal: String,
}

/// The page.
pub struct BudgetPage<'p> {
    /// Whoever looks.
    pub visitor: &'p Visitor,
    /// What they may see.
    pub scopes: Vec<SeenScope>,
    /// Lines about periods.
    pub periods: Vec<String>,
    /// What happened, the newest first.
    pub past: Vec<Past>,
    /// How many records there are in all, where somebody checked the chain.
    pub verified: Option<Markup>,
}

impl SeenScope {
    /// What somebody may see, population by population.
    pub fn all(seen: &Balances) -> Vec<Self> {
        let scope = |of: &pointillist_curator::ScopeBalance| Self {
            name: of.scope.clone(),
            balance: of.balance,
            together: of.in_epsilon.clone(),
            shares: of.analysts.clone(),
        };
        seen.scopes.iter().map(scope).collect()
    }
}

impl BudgetPage<'_> {
    /// The whole page.
    pub fn page(&self) -> Markup {
        let frame = Frame { title: "Budget", section: Some(Section::Budget), visitor: Some(self.visitor) };
        let is_own = self.visitor.role.may(pointillist_access::Verb::OwnBooks);
        frame.page(&html! {
            div.head {
                h1 { "Budget" }
                p.lead { "What may still be learnt about people. It only ever goes down." }
            }
            @if self.scopes.is_empty() && self.periods.is_empty() {
                p { @if is_own { "You have no share of any budget yet. The owner gives shares." } @else { "No budget is declared yet." } }
            }
            div.ask.even { div {
                @for scope in &self.scopes { (self.scope(scope, is_own)) }
                @for line in &self.periods { p.small.quiet { (unbroken(&shown(line))) } }
            }
            aside { @if let Some(verified) = &self.verified { section.panel { (verified) } } @else { (why()) } } }
            h2 { @if is_own { "What you asked" } @else { "What happened" } }
            (self.history(is_own))
            @if self.verified.is_some() { (why()) }
        })
    }

    fn scope(&self, scope: &SeenScope, is_own: bool) -> Markup {
        let of = format!("All of {}", shown(&scope.name));
        let name = if is_own { format!("Your share of {}", shown(&scope.name)) } else { of };
        html! {
            (gauge(&name, &scope.balance, &self.words(scope, is_own)))
            @if let Some(keys) = delta_spending(&scope.balance) {
                (gauge_of("Keys that were earned", keys.part, "A second purse, small and separate: it pays for showing values, such as wards, that the catalog does not list.", true))
            }
            @for (analyst, share) in &scope.shares { (gauge(&format!("{}, a share of {}", shown(analyst), shown(&scope.name)), share, &amount_words(share))) }
        }
    }

    /// What a gauge means: for an analyst in questions like their last one, for others in what the ledger counts.
    fn words(&self, scope: &SeenScope, is_own: bool) -> String {
        if !is_own {
            return scope.together.clone().unwrap_or_else(|| amount_words(&scope.balance));
        }
        let left = (1.0 - part_spent(&scope.balance)).max(0.0);
        let of_scope = self.past.iter().filter(|past| past.scope.as_deref() == Some(scope.name.as_str()));
        let last = of_scope.filter_map(|past| past.part).find(|part| *part > 0.0);
        match last.map(|part| (left / part).floor()) {
            None if part_spent(&scope.balance) > 0.0 => amount_words(&scope.balance),
            None => "Nothing of it is spent yet.".to_owned(),
            Some(0.0) => "Not enough for another question like your last one.".to_owned(),
            Some(1.0) => "Enough for one more question like your last one.".to_owned(),
            Some(more) => {
                format!("Enough for about {} more questions like your last one.", grouped_count(more as u64))
            }
        }
    }

    fn history(&self, is_own: bool) -> Markup {
        if self.past.is_empty() {
            return html! { p { "Nothing yet." @if is_own { " " a href="/ask" { "Ask a question" } "." } } };
        }
        html! {
            div.scroll tabindex="0" role="region" aria-label="History" { table.cards {
                thead { tr { th scope="col" { @if is_own { "question" } @else { "what" } } th.n scope="col" { "price" } th scope="col" { "when" }
                    @if is_own { th.n scope="col" { "of your share" } } } }
                tbody { @for past in &self.past { tr {
                    td {
                        @match &past.again {
                            Some(sql) => form.again method="post" action="/ask/quote" {
                                (form_token(self.visitor))
                                input type="hidden" name="sql" value=(sql);
                                button.link.sql type="submit" { (shown(&one_line(sql))) }
                            },
                            None => span { (prose(&past.words)) },
                        }
                    }
                    td.n { (past.price.as_deref().unwrap_or("free")) }
                    td.quiet.whole { span.nb { (past.moment) } @if !past.seal.is_empty() { " · " code { (past.seal.chars().take(8).collect::<String>()) } } }
                    @if is_own { td.n.quiet { @match past.part.filter(|part| *part > 0.0) { Some(part) => (part_text(part)), None => "–" } } }
                } } }
            } }
        }
    }
}

/// A gauge with its words.
fn gauge(name: &str, balance: &Balance, words: &str) -> Markup {
    gauge_of(name, part_spent(balance), words, false)
}

/// What is left, as the ledger counts it.
fn amount_words(balance: &Balance) -> String {
    match balance.remaining {
        Some(remaining) => format!("{} left", amount_lower(balance.currency, remaining)),
        None => "no limit of its own".to_owned(),
    }
}

fn gauge_of(name: &str, part: f64, words: &str, thin: bool) -> Markup {
    html! {
        div.gauge.thin[thin] {
            div.gauge-top { strong { (name) } span { (left(part)) } }
            (Gauge::spent(part).svg())
            p { (unbroken(words)) }
        }
    }
}

fn why() -> Markup {
    html! {
        div.note {
            h3 { "Why prices do not simply add up" }
            p { "A hundred answers cost less together than a hundred times the price of one, because their noises are unrelated. The bars are drawn in the unit that does add up, so equal lengths are equal prices." }
        }
    }
}

fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}
