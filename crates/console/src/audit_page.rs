//! The owner's own audit of a question: what is claimed, and what could be measured.

use maud::{Markup, html};
use pointillist_render::text::{shown, unbroken};

use crate::frame::{Frame, Visitor, form_token};
use crate::prose::sentence;
use crate::sections::Section;
use crate::sql_text::highlighted;

/// What came of an audit.
#[derive(Clone, Debug, PartialEq)]
pub enum AuditOutcome {
    /// Nothing was audited yet.
    None,
    /// It was refused: why, and what to do.
    Refused(String, Option<String>),
    /// It ended.
    Ended {
        /// In a sentence.
        summary: String,
        /// Whether nothing was refuted.
        is_calm: bool,
        /// Whether anything was seen at all: an audit without power supports no claim.
        has_power: bool,
        /// What was measured: subject, claimed, seen.
        lines: Vec<[String; 3]>,
    },
}

/// The page.
pub struct AuditPage<'p> {
    /// Whoever audits.
    pub visitor: &'p Visitor,
    /// The question.
    pub sql: String,
    /// The price.
    pub epsilon: String,
    /// What came of it.
    pub outcome: AuditOutcome,
}

impl AuditPage<'_> {
    /// The whole page.
    pub fn page(&self) -> Markup {
        let frame = Frame { title: "Audit", section: Some(Section::Desk), visitor: Some(self.visitor) };
        frame.page(&html! {
            div.head {
                h1 { "Check a question yourself" }
                p.lead { "We ask it many times on made-up people, with and without one more who is hard to hide, and measure what an attacker could tell. No budget, no real rows." }
            }
            form.audit method="post" action="/desk/audit" {
                (form_token(self.visitor))
                label.field { span { "Question" } textarea.mono name="sql" rows="5" spellcheck="false" required { "\n" (self.sql) } }
                label.field.short { span { "Price, as ε" } input type="text" name="epsilon" inputmode="decimal" value=(self.epsilon); small { "At a small price no audit sees anything." } }
                div.actions { button.button.main type="submit" { "Audit" } span.ui.quiet { "up to a minute" } }
            }
            (self.outcome())
        })
    }

    fn outcome(&self) -> Markup {
        match &self.outcome {
            AuditOutcome::None => html! {},
            AuditOutcome::Refused(words, hint) => html! {
                div.note.alarm role="alert" { h2.as-h3 { "Not audited" } p { (sentence(words)) } @if let Some(hint) = hint { p { (sentence(hint)) } } }
            },
            AuditOutcome::Ended { summary, is_calm, has_power, lines } => html! {
                section.answer {
                    h2 {
                        @if !*is_calm { "Not as it should be" }
                        @else if *has_power { "As it should be" }
                        @else { "Nothing was seen, which shows nothing" }
                    }
                    div.note.calm[*is_calm && *has_power].alarm[!*is_calm] { p { (unbroken(&shown(summary))) } }
                    div.code.plain { pre tabindex="0" aria-label="The question" { (highlighted(&self.sql)) } }
                    div.scroll tabindex="0" role="region" aria-label="Claimed and measured" { table {
                        thead { tr { th scope="col" { "what was tried" } th.n scope="col" { "claimed" } th.n scope="col" { "seen, at least" } } }
                        tbody { @for [what, claimed, seen] in lines { tr { td { (unbroken(&shown(what))) } td.n { (claimed) } td.n { (seen) } } } }
                    } }
                    div.actions { a.button href="/desk/audit/page" download { "Download the whole page" } }
                }
            },
        }
    }
}
