//! The desk: what waits for the owner or for whoever approves, whether the record is whole, who may come in, what happened.

use maud::{Markup, html};
use pointillist_access::{Role, Verb};
use pointillist_curator::words::part_spent;
use pointillist_curator::{Balance, WaitingRelease};
use pointillist_render::decimals::grouped_count;
use pointillist_render::fluid::Gauge;
use pointillist_render::text::{shown, unbroken};

use crate::budget_page::Past;
use crate::frame::{Frame, Visitor, form_token, left};
use crate::prose::prose;
use crate::sections::Section;

/// What was found about the chain of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Every record follows from the one before.
    Whole {
        /// How many records there are.
        records: u64,
        /// The seal of the last.
        head: Option<String>,
        /// Whether the anchor lies outside of the folder of the catalog; nothing where there is none yet.
        anchor_apart: Option<bool>,
    },
    /// The record does not match, in words.
    Broken(String),
}

/// Somebody who may come in.
#[derive(Clone, Debug, PartialEq)]
pub struct Somebody {
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// Their shares, by population.
    pub shares: Vec<(String, Balance)>,
}

/// The page.
pub struct DeskPage<'p> {
    /// Whoever looks.
    pub visitor: &'p Visitor,
    /// Releases that wait.
    pub waiting: Vec<WaitingRelease>,
    /// The chain; nothing for those who may not see the books.
    pub chain: Option<Chain>,
    /// Who may come in; nothing for those who may not see the books.
    pub people: Vec<Somebody>,
    /// What happened, the newest first.
    pub past: Vec<Past>,
    /// What came of the last form.
    pub told: Option<Result<String, String>>,
}

impl DeskPage<'_> {
    /// The whole page.
    pub fn page(&self) -> Markup {
        let is_owner = self.visitor.role.may(Verb::Reload);
        let unapproved = self.waiting.iter().filter(|release| release.approved_by.is_none()).count();
        let heading = match unapproved {
            0 => "Nothing waits for you".to_owned(),
            1 => "One release waits for a word".to_owned(),
            more => format!("{more} releases wait for a word"),
        };
        let frame = Frame { title: "Desk", section: Some(Section::Desk), visitor: Some(self.visitor) };
        frame.page(&html! {
            div.head {
                p.eyebrow { @if is_owner { "Owner’s desk" } @else { "Approver’s desk" } }
                h1 { (heading) }
                p.lead { "Analysts cannot see this page. Nothing here shows you a person’s data either." }
            }
            @if let Some(told) = &self.told { (self::told(told)) }
            (self.waiting())
            @if self.visitor.role.may(Verb::Approve) { (self.approve()) }
            @if let Some(chain) = &self.chain { div.two { (seals(chain)) } }
            @if is_owner {
                h2 { "Catalog and questions" }
                div.actions {
                    a.button href="/catalog/edit" { "Edit the catalog" }
                    a.button href="/desk/audit" { "Audit a question" }
                }
            }
            @if !self.people.is_empty() { (self.people()) }
            @if !self.past.is_empty() { (self.timeline()) }
        })
    }

    fn waiting(&self) -> Markup {
        html! {
            @if !self.waiting.is_empty() {
                section aria-label="Waiting" {
                    @for release in &self.waiting {
                        div.risk { div {
                            p { strong { (shown(&release.prepared_by)) } " prepared the release " strong { (shown(&release.name)) } " at " span.nb { (unbroken(&release.price)) } "." }
                            p.ui {
                                @match &release.approved_by {
                                    Some(who) => { (shown(who)) " approved it. " code.nb { "pointillist release" } " publishes it." }
                                    None => { "Somebody else has to approve it. Once published it cannot be taken back. Plan " code { (release.plan.chars().take(12).collect::<String>()) } }
                                }
                            }
                        } }
                    }
                }
            }
        }
    }

    fn approve(&self) -> Markup {
        html! {
            h2 { "Approve a plan" }
            p { "Paste the plan as it was prepared, word for word. A plan that changed is another plan, and needs another word." }
            form method="post" action="/desk/approve" {
                (form_token(self.visitor))
                label.field { span { "The plan" } textarea.tall name="plan" rows="12" spellcheck="false" required {} }
                div.actions { button.button.main type="submit" { "Approve" } }
            }
        }
    }

    fn people(&self) -> Markup {
        html! {
            h2 { "Who may come in" }
            div.scroll tabindex="0" role="region" aria-label="Who may come in" { table.cards {
                thead { tr { th scope="col" { "name" } th scope="col" { "role" } th.cellbar scope="col" { "share" } } }
                tbody { @for somebody in &self.people { tr {
                    th scope="row" { (shown(&somebody.name)) }
                    td.quiet { (somebody.role.word()) }
                    td.whole.cellbar {
                        @for (scope, balance) in &somebody.shares {
                            div.gauge.thin { div.gauge-top { span { (shown(scope)) } span { (left(part_spent(balance))) } } (Gauge::spent(part_spent(balance)).svg()) }
                        }
                        @if somebody.shares.is_empty() { span.quiet { "none" } }
                    }
                } } }
            } }
            p.small.quiet { "People are added with " code.nb { "pointillist analyst add NAME" } ", shares with " code.nb { "--share" } ", at the machine that keeps the data." }
        }
    }

    fn timeline(&self) -> Markup {
        html! {
            h2 { "What happened" }
            ol.timeline {
                @for past in &self.past { li { span.when.quiet { (past.moment) } span { (prose(without_request(&past.words))) } } }
            }
            p { a href="/budget" { "All of it, and what it cost" } }
        }
    }
}

/// What came of a form.
pub(crate) fn told(told: &Result<String, String>) -> Markup {
    match told {
        Ok(words) => html! { div.note.calm role="status" { p { (prose(words)) } } },
        Err(words) => html! { div.note.alarm role="alert" { p { (prose(words)) } } },
    }
}

/// What happened, without the name that the console gave a request.
fn without_request(words: &str) -> &str {
    words.split_once(" (request console-").map_or(words, |(before, _)| before)
}

fn seals(chain: &Chain) -> Markup {
    match chain {
        Chain::Whole { records, head, anchor_apart } => html! {
            div.seal { (tick()) p { strong { "The record is complete" } (grouped_count(*records)) " entries, each sealed by the one after it, checked just now."
                @if let Some(head) = head { " Last seal " code { (head.chars().take(16).collect::<String>()) } "." } } }
            @match anchor_apart {
                Some(true) => div.seal { (tick()) p { strong { "The anchor agrees" } "It is kept apart, so that a restored backup cannot give budget back." } },
                Some(false) => div.seal.hot { (cross()) p { strong { "The anchor lies beside the record" } "Whoever puts back a backup of the whole folder gives budget back, and nobody notices. Name a place on another disk: " code { "[ledger] anchor" } "." } },
                None => div.seal { (tick()) p { strong { "Nobody has asked anything yet" } "The anchor is made with the first payment." } },
            }
        },
        Chain::Broken(words) => html! {
            div.seal.hot { (cross()) p { strong { "The record does not match" } (shown(words)) } }
        },
    }
}

fn tick() -> Markup {
    html! { svg viewBox="0 0 28 28" aria-hidden="true" { circle cx="14" cy="14" r="12" fill="none" stroke="currentColor" stroke-width="2" {} path d="M8.5 14.5l4 4 7.5-8.5" fill="none" stroke="currentColor" stroke-width="2.5" {} } }
}

fn cross() -> Markup {
    html! { svg viewBox="0 0 28 28" aria-hidden="true" { circle cx="14" cy="14" r="12" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="4 3" {} path d="M14 7.5v8M14 19v2.5" fill="none" stroke="currentColor" stroke-width="2.5" {} } }
}
