//! The panel beside a question: a quote, a refusal, or what was paid. Each stands where the quote stands.

use maud::{Markup, html};
use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_render::fluid::{Gauge, Slice};
use pointillist_render::text::{shown, unbroken};

use crate::frame::left;
use crate::ladder::Ladder;
use crate::prose::{prose, sentence};
use crate::quote::QuoteFacts;

/// What stands beside a question.
#[derive(Clone, Debug)]
pub enum Panel {
    /// Nothing was asked yet.
    Empty,
    /// What it would cost.
    Quote(Box<QuoteFacts>),
    /// It is about public tables alone.
    Public {
        /// The names of those tables.
        tables: Vec<String>,
    },
    /// It lists what is declared.
    Listing,
    /// It was refused; nothing was paid unless the words say so.
    Refused(Explanation),
    /// It was answered.
    Paid(PaidFacts),
}

/// What was paid.
#[derive(Clone, Debug, PartialEq)]
pub struct PaidFacts {
    /// The price; nothing where it was paid before.
    pub price: Option<String>,
    /// Which part of the share is spent now.
    pub spent: Option<f64>,
}

impl Panel {
    /// What it looks like.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Quote(facts) if facts.is_free => "free",
            Self::Quote(facts) if !facts.fits => "spent",
            Self::Empty | Self::Quote(_) => "plain",
            Self::Public { .. } | Self::Listing => "free",
            Self::Refused(_) => "refused",
            Self::Paid(_) => "paid",
        }
    }

    pub(super) fn piece(&self, ladder: Option<&Ladder>) -> Markup {
        match self {
            Self::Empty => panel(
                "Quote",
                "free, reads no data",
                &html! { p { "Write a question, and its price stands here." } },
            ),
            Self::Quote(facts) if facts.is_free => free(),
            Self::Quote(facts) if !facts.fits => spent(facts, ladder),
            Self::Quote(facts) => quote(facts),
            Self::Public { tables } => public(tables),
            Self::Listing => panel(
                "Nothing to pay",
                "free",
                &html! {
                    p { "This lists what is declared." }
                    div.actions { button.button.main form="ask" formaction="/ask/answer" data-answer { "Show, free" } }
                },
            ),
            Self::Refused(said) => refused(said),
            Self::Paid(paid) => self::paid(paid),
        }
    }
}

fn panel(title: &str, aside: &str, body: &Markup) -> Markup {
    html! {
        div.quote-top { strong { (title) } span.aside { (aside) } }
        div.quote-body { (body) }
    }
}

fn quote(facts: &QuoteFacts) -> Markup {
    panel(
        "Quote",
        "free, reads no data",
        &html! {
            (figures(facts))
            @if let Some((spent, now)) = facts.gauge {
                div.gauge.thin {
                    div.gauge-top { strong { "Your budget" } @if let Some(more) = facts.more_words() { span data-more { (more) } } }
                    (Gauge { slices: vec![(Slice::Spent, spent), (Slice::Now, now)] }.svg())
                }
            }
            (others(facts))
            @if !facts.bounding.is_empty() {
                h3 { "What bounding changes" }
                ul { @for sentence in &facts.bounding { li { (text(sentence)) } } }
            }
            (odds(facts))
            (details(facts))
            div.actions {
                button.button.main form="ask" formaction="/ask/answer" name="offered" value=(facts.price) data-answer { "Ask for\u{a0}" span data-price { (facts.price) } }
                button.button form="ask" formaction="/ask/rehearse" data-rehearse { "Rehearse, free" }
            }
        },
    )
}

/// Price and error bar: always the pair.
fn figures(facts: &QuoteFacts) -> Markup {
    html! {
        dl.figures {
            div {
                dt { "Price" }
                dd { span data-price { (facts.price) }
                    @if let Some(part) = &facts.part_of_left { small { span data-part { (part) } " of what is left" } } }
            }
            @if let Some(error) = facts.errors.first() {
                div {
                    dt { "Error bar" }
                    dd class=[(error.text.chars().count() > 8).then_some("long")] {
                        span data-error { (text(&error.text)) } small { (text(&error.words)) } }
                }
            }
        }
    }
}

/// The error bars of the other numbers.
fn others(facts: &QuoteFacts) -> Markup {
    html! {
        @if facts.errors.len() > 1 {
            h3 { "Error bars" }
            ul {
                @for (place, error) in facts.errors.iter().enumerate() {
                    li { code { (shown(&error.name)) } " " span.nb data-error-of=(place) { (text(&error.text)) } }
                }
            }
        }
    }
}

fn odds(facts: &QuoteFacts) -> Markup {
    html! {
        @if let Some(odds) = &facts.odds {
            details {
                summary { "What is ε?" }
                p {
                    "ε (epsilon) says how much of an answer may come from any one person. At " span.nb data-price { (facts.price) }
                    ", whatever anybody reads out of the answer is at most " span.nb data-odds { (odds) }
                    " as likely with a person’s rows in the data as without them, but for a chance so small that the owner calls it none. Small is private and blurry; large is sharp and dear."
                }
            }
        }
    }
}

fn details(facts: &QuoteFacts) -> Markup {
    html! {
        @if !facts.details.is_empty() {
            details.fine {
                summary { "Details" }
                dl { @for (name, words) in &facts.details { dt { (name) } dd { (prose(words)) } } }
            }
        }
    }
}

fn spent(facts: &QuoteFacts, ladder: Option<&Ladder>) -> Markup {
    let cheaper = ladder.and_then(Ladder::dearest_that_fits);
    panel(
        "More than you have left",
        "nothing was paid",
        &html! {
            (figures(facts))
            @if let Some((spent, _)) = facts.gauge { div.gauge.thin { (Gauge::spent(spent).svg()) } }
            p { "You can still:" }
            ul {
                @if let Some((_, facts)) = cheaper {
                    li { "ask more cheaply, at " span.nb { (facts.price) } @if let Some(error) = facts.errors.first() { " with " span.nb { (text(&error.text)) } } }
                }
                li { "see again, free, any answer you paid for" }
                li { "ask the owner for a larger share" }
            }
            @if let Some((price, facts)) = cheaper {
                div.actions {
                    button.button form="ask" formaction="/ask/quote" name="cheaper" value=(price) data-cheaper=(price) { "Quote at " (facts.price) }
                }
            }
        },
    )
}

fn free() -> Markup {
    panel(
        "You have these numbers already",
        "price 0",
        &html! {
            p { "You paid for them before. Another order, another filter on the result or arithmetic on top is free too." }
            p.quiet { "The numbers are the recorded ones. A second draw would be a second answer, and cost again." }
            div.actions { button.button.main form="ask" formaction="/ask/answer" data-answer { "Show again, free" } }
        },
    )
}

fn public(tables: &[String]) -> Markup {
    panel(
        "Public, and free",
        "price 0",
        &html! {
            p { "This reads " (shown(&tables.join(", "))) " alone. No row there is about a person, so the numbers are exact and cost nothing." }
            div.actions { button.button.main form="ask" formaction="/ask/answer" data-answer { "Show, free" } }
        },
    )
}

fn refused(said: &Explanation) -> Markup {
    let paid = if said.kind() == Kind::ChargedInVain { "it was paid" } else { "nothing was paid" };
    panel(
        "Not asked",
        paid,
        &html! {
            p { (sentence(said.message())) }
            @if let Some(hint) = said.hint_text() {
                h3 { "What would work" }
                p { (sentence(hint)) }
            }
        },
    )
}

fn paid(paid: &PaidFacts) -> Markup {
    panel(
        "Answered",
        if paid.price.is_some() { "paid once" } else { "free" },
        &html! {
            @match &paid.price {
                Some(price) => p { "You paid " span.nb { (price) } ", once. Pressing again, reloading or losing the connection does not charge you twice." },
                None => p { "This was free. You may ask it as often as you like." },
            }
            @if let Some(spent) = paid.spent {
                div.gauge.thin {
                    div.gauge-top { strong { "Your budget" } span { (left(spent)) } }
                    (Gauge::spent(spent).svg())
                }
            }
            div.actions {
                a.button href="#answer" { "See the answer" }
                button.button form="ask" formaction="/ask/quote" { "Quote again" }
            }
        },
    )
}

fn text(words: &str) -> String {
    unbroken(&shown(words))
}
