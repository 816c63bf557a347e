//! The page on which questions are asked: the question, what it would look like, what it costs, and the answer.
//!
//! Everything works by forms and whole pages; the script asks for the same pieces one by one ([`AskPage::pieces`]).

mod editor;
mod outcome;
mod panel;

use std::collections::BTreeMap;

use maud::{Markup, html};
use pointillist_curator::TableList;

use crate::frame::{Frame, Visitor, purse};
use crate::ladder::Ladder;
use crate::sections::Section;
use crate::sentence::Sentence;

pub use outcome::{Copies, Outcome, Receipt};
pub use panel::{PaidFacts, Panel};

use crate::answer::AnswerTable;

/// A question that is being written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The statement.
    pub sql: String,
    /// The price, in digits.
    pub epsilon: String,
    /// In how many groups a person counts, where the asker says so.
    pub max_groups: String,
    /// With how many rows in each, where the asker says so.
    pub max_contributions: String,
    /// A name of this form, so that pressing twice asks once.
    pub nonce: String,
    /// The same in words, where it was written in words.
    pub sentence: Option<Sentence>,
}

/// A question that was asked before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The statement.
    pub sql: String,
    /// When, to the minute.
    pub moment: String,
}

/// The page.
pub struct AskPage<'p> {
    /// Whoever asks.
    pub visitor: &'p Visitor,
    /// What is declared.
    pub list: &'p TableList,
    /// The question.
    pub draft: Draft,
    /// What stands beside it.
    pub panel: Panel,
    /// The prices of the slider.
    pub ladder: Option<Ladder>,
    /// The same on made-up rows: the bars of the preview.
    pub preview: Option<AnswerTable>,
    /// What came of it.
    pub outcome: Option<Outcome>,
    /// What the asker asked before, the newest first.
    pub earlier: Vec<Earlier>,
}

impl AskPage<'_> {
    /// The whole page.
    pub fn page(&self) -> Markup {
        let frame = Frame { title: "Ask", section: Some(Section::Ask), visitor: Some(self.visitor) };
        frame.page(&html! {
            div.head {
                h1 { "Ask a question" }
                p.lead { "A quote is free and reads no data. You pay when you press the button, once." }
            }
            div.ask {
                div {
                    (self.editor())
                    section.preview id="preview" aria-label="Preview" { (self.preview_piece()) }
                }
                aside.panel.quote.(self.panel.class()) id="quote" aria-label="Quote" aria-live="polite" {
                    (self.panel_piece())
                }
            }
            section.answer id="answer" aria-label="Answer" hidden[self.outcome.is_none()] { (self.outcome_piece()) }
        })
    }

    /// The pieces that change, by the id of what they replace: what the script asks for.
    pub fn pieces(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            ("quote", self.panel_piece().into_string()),
            ("preview", self.preview_piece().into_string()),
            ("answer", self.outcome_piece().into_string()),
            ("chips", editor::chips(self.list, &self.draft.sql).into_string()),
            ("purse", purse(self.visitor.spent).into_string()),
            ("quote-class", self.panel.class().to_owned()),
            ("nonce", self.draft.nonce.clone()),
            ("sql", self.draft.sql.clone()),
        ])
    }

    fn panel_piece(&self) -> Markup {
        self.panel.piece(self.ladder.as_ref())
    }

    /// Bars that nobody is in, with the error bars that an answer would have, and the slider that moves them.
    fn preview_piece(&self) -> Markup {
        let (Some(table), Panel::Quote(facts)) = (&self.preview, &self.panel) else { return html! {} };
        if table.numbers.is_empty() || facts.is_free {
            return html! {};
        }
        html! {
            div.preview-top {
                h2 { "Before you pay" }
                span.small.quiet { "invented bars, true error bars" }
            }
            figure {
                div.rows.made-up data-preview role="img" data-reaches=(list(&table.reaches()))
                    aria-label="Invented bars. Each error bar is as wide as the quote says." {
                    (table.invented_rows(34.0))
                }
                @if let Some(ladder) = &self.ladder {
                    div.slider.needs-script data-ladder=(ladder.json()) {
                        div.slider-top {
                            label for="slider" { "Move the price, watch the error bars" }
                            output for="slider" { span data-price { (facts.price) } @if let Some(error) = facts.errors.first() { ", " span data-error { (error.text) } } }
                        }
                        input type="range" id="slider" min="0" max=(ladder.len() - 1) value=(ladder.at()) step="1"
                            aria-valuetext=(facts.price);
                        div.ends { span { "cheaper, blurrier" } span { "dearer, sharper" } }
                    }
                }
            }
        }
    }

    fn outcome_piece(&self) -> Markup {
        self.outcome.as_ref().map_or_else(|| html! {}, Outcome::piece)
    }
}

/// Numbers for the script.
fn list(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:.3}")).collect();
    format!("[{}]", numbers.join(","))
}
