//! What came of a question: the answer with its receipt, a rehearsal on made-up rows, or a list.

use maud::{Markup, html};
use pointillist_render::text::shown;

use crate::answer::AnswerTable;
use crate::prose::sentence;

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was answered.
    Answer {
        /// The numbers.
        table: AnswerTable,
        /// What was paid.
        receipt: Receipt,
        /// The same for other programs.
        copies: Copies,
    },
    /// It was answered about nobody.
    Rehearsal {
        /// The numbers, which mean nothing.
        table: AnswerTable,
        /// What a real answer would cost.
        price: String,
    },
    /// It was answered from public tables.
    Public {
        /// The numbers, which are exact.
        table: AnswerTable,
    },
    /// It lists what is declared.
    List {
        /// The names of the columns.
        headings: Vec<String>,
        /// The lines.
        rows: Vec<Vec<String>>,
    },
}

/// What was paid for an answer, and where that is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// What it cost now.
    pub paid: String,
    /// Whose budget it was taken from.
    pub scope: String,
    /// Who paid.
    pub analyst: String,
    /// What is left, of the share.
    pub left: String,
    /// Hexadecimal digits by which the owner finds the payment; empty where nothing was paid.
    pub seal: String,
    /// When, to the minute.
    pub moment: String,
}

/// An answer for other programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// As a file, with error bars in columns of their own; nothing where it is too long for a page.
    pub csv: Option<String>,
    /// The question in Python.
    pub python: String,
    /// The question for a command line.
    pub curl: String,
}

impl Outcome {
    pub(super) fn piece(&self) -> Markup {
        match self {
            Self::Answer { table, receipt, copies } => answer(table, receipt, copies),
            Self::Rehearsal { table, price } => html! {
                p.eyebrow { "Made-up rows: the numbers mean nothing" }
                h2 { (table.title()) }
                div.made-up { (numbers(table)) }
                p.quiet { "The rows are invented from the catalog. Shape, error bars and price are the real ones: " span.nb { (price) } "." }
                (notes(&table.notes))
            },
            Self::Public { table } => html! {
                p.eyebrow { "Public, exact, free" }
                h2 { (table.title()) }
                (numbers(table))
                (notes(&table.notes))
            },
            Self::List { headings, rows } => html! {
                h2 { "What is declared" }
                div.scroll tabindex="0" role="region" aria-label="What is declared" { table {
                    thead { tr { @for heading in headings { th scope="col" { (shown(heading)) } } } }
                    tbody { @for row in rows { tr { @for cell in row { td { (shown(cell)) } } } } }
                } }
            },
        }
    }
}

fn answer(table: &AnswerTable, receipt: &Receipt, copies: &Copies) -> Markup {
    html! {
        p.eyebrow { "Answer, " (receipt.moment) }
        h2 { (table.title()) }
        (numbers(table))
        (copied(copies))
        hr;
        div.after {
            div { (notes(&table.notes)) }
            (self::receipt(receipt))
        }
    }
}

/// The table, and beside it the chart where there is one.
fn numbers(table: &AnswerTable) -> Markup {
    match table.chart() {
        Some(chart) => html! { div.answer-grid { (table.table()) figure { (chart) } } },
        None => html! { div.answer-grid.alone { (table.table()) } },
    }
}

fn notes(notes: &[String]) -> Markup {
    html! {
        h3 { "Notes" }
        ol {
            li { "The error bar is what the noise adds. It says nothing about what was never recorded." }
            @for note in notes { li { (sentence(note)) } }
        }
    }
}

fn receipt(receipt: &Receipt) -> Markup {
    html! {
        section.receipt aria-label="Receipt" {
            h3 { "Receipt" }
            dl {
                dt { "Repeats of these numbers" } dd { "free" }
                dt.total { "Paid by " (shown(&receipt.analyst)) ", " (shown(&receipt.scope)) } dd.total { (receipt.paid) }
                dt { "Left" } dd { (receipt.left) }
            }
            @if !receipt.seal.is_empty() { p.hash { (in_fours(&receipt.seal)) } }
        }
    }
}

fn copied(copies: &Copies) -> Markup {
    let kinds =
        [("CSV", copies.csv.as_deref()), ("Python", Some(&copies.python)), ("curl", Some(&copies.curl))];
    html! {
        div.copies {
            span.ui.quiet { "Copy as" }
            @for (name, text) in kinds {
                @if let Some(text) = text {
                    details.copy name="copy" {
                        summary.button.slim { (name) }
                        div.code.plain {
                            button.button.slim.needs-script type="button" data-copy { "Copy" }
                            pre tabindex="0" aria-label=(format!("The answer as {name}")) { @for line in text.lines() { (shown(line)) "\n" } }
                        }
                    }
                }
            }
        }
    }
}

/// The beginning of a seal, four digits at a time.
fn in_fours(seal: &str) -> String {
    let digits: Vec<char> = seal.chars().take(32).collect();
    let groups: Vec<String> = digits.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join(" ")
}
