//! The catalog as a text, with what `check` says beside it.

use maud::{Markup, html};
use pointillist_catalog::Severity;
use pointillist_curator::Check;
use pointillist_render::text::shown;

use crate::desk_page::told;
use crate::frame::{Frame, Visitor, form_token};
use crate::prose::{prose, sentence};
use crate::sections::Section;

/// What is known about a text.
#[derive(Clone, Debug)]
pub enum Checked {
    /// It was not looked at yet.
    Not,
    /// It is a catalog; what it means, and what looks risky.
    Catalog(Box<Check>),
    /// It is none: why, and what to do.
    Mistake(String, Option<String>),
}

/// The page.
pub struct CatalogEditor<'p> {
    /// Whoever edits.
    pub visitor: &'p Visitor,
    /// The text.
    pub text: String,
    /// A digest of the text that is on disk, by which somebody else's change is noticed.
    pub version: String,
    /// What is known about it.
    pub checked: Checked,
    /// What came of saving.
    pub told: Option<Result<String, String>>,
}

impl CatalogEditor<'_> {
    /// The whole page.
    pub fn page(&self) -> Markup {
        let frame =
            Frame { title: "Edit the catalog", section: Some(Section::Catalog), visitor: Some(self.visitor) };
        frame.page(&html! {
            div.head {
                h1 { "The catalog, and what looks risky" }
                p.lead { "What you write here decides who is protected. Checking reads the files, on this machine; nothing of it is shown to analysts." }
            }
            @if let Some(told) = &self.told { (self::told(told)) }
            form method="post" action="/catalog/check" {
                (form_token(self.visitor))
                input type="hidden" name="version" value=(self.version);
                div.two.wide-right {
                    div {
                        label.field { span { code { "pointillist.toml" } }
                            textarea.tall.mono name="text" rows=(self.text.lines().count().clamp(16, 60)) spellcheck="false" autocapitalize="off" wrap="off" { "\n" (self.text) } }
                        div.actions {
                            button.button type="submit" { "Check" }
                            button.button.main type="submit" formaction="/catalog/save" { "Save and use" }
                        }
                        p.small.quiet { "Questions that are being answered finish under the catalog that they began with. A text that is no catalog, or that the ledger does not agree with, is not used, and the old one stays." }
                    }
                    div { (self.findings()) }
                }
            }
        })
    }

    fn findings(&self) -> Markup {
        match &self.checked {
            Checked::Not => {
                html! { div.note { p { "Press “Check” to see who is protected and what looks risky." } } }
            }
            Checked::Mistake(words, hint) => html! {
                div.note.alarm role="alert" { h3 { "This is no catalog" } p { (sentence(words)) } @if let Some(hint) = hint { p { (sentence(hint)) } } }
            },
            Checked::Catalog(check) => html! {
                h2.as-h3 { (summary(check)) }
                @for (place, finding) in check.findings.iter().enumerate() {
                    div.risk { div {
                        p { b.mk.hot[finding.severity != Severity::Note] { (place + 1) } " " strong { (shown(&finding.place)) } " " (prose(&finding.words)) }
                        p.ui { (sentence(&finding.advice)) }
                    } }
                }
                p.small.quiet { "This follows from the text alone. Whether the files are as it says, " code { "pointillist check" } " finds out, at the machine that keeps them." }
                h2.as-h3.spaced { "Who is protected" }
                dl.plain { @for statement in &check.protected { dt { code { (shown(&statement.place)) } } dd { (sentence(&statement.words)) } } }
            },
        }
    }
}

fn summary(check: &Check) -> String {
    let notes = check.count(Severity::Note);
    match (check.errors, check.risks) {
        (0, 0) if notes == 0 => "Nothing looks risky".to_owned(),
        (0, 0) => format!("Nothing looks risky; {notes} to know"),
        (0, risks) => format!("{risks} may cost people protection"),
        (errors, _) => format!("{errors} keep everybody from asking"),
    }
}
