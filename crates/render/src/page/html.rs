//! A page as HTML. The template escapes at compile time whatever is not a template itself.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Block, MadeBy, Page, Tone};
use crate::text::{shown, unbroken};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(page: &Page, made_by: &MadeBy) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (safe(&page.title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (safe(&page.title)) }
                    p.lead { (safe(&page.lead)) }
                }
                main {
                    @for section in &page.sections {
                        section {
                            @if !section.heading.is_empty() {
                                h2 { (safe(&section.heading)) }
                            }
                            @for block in &section.blocks { (self::block(block)) }
                        }
                    }
                }
                footer {
                    p {
                        "Made on " (safe(&made_by.date)) " by Pointillist " (version) " with "
                        code { (safe(&made_by.command)) }
                    }
                    p { "See the picture, never the dot." }
                }
            }
        }
    };
    markup.into_string()
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Text(text) => paragraphs(text),
        // Drawings are ours and escape their own labels.
        Block::Figure { wide, narrow, caption } => html! {
            figure {
                div.wide { (PreEscaped(wide)) }
                div.narrow aria-hidden="true" { (PreEscaped(narrow)) }
                figcaption { (safe(caption)) }
            }
        },
        Block::Table { head, rows } => table(head, rows),
        Block::Facts(facts) => html! {
            dl { @for (name, value) in facts { dt { (safe(name)) } dd { (safe(value)) } } }
        },
        Block::Code(text) => html! {
            pre { code { @for (number, line) in text.lines().enumerate() { @if number > 0 { "\n" } (shown(line)) } } }
        },
        Block::Folded { summary, blocks } => html! {
            details { summary { (safe(summary)) } @for block in blocks { (self::block(block)) } }
        },
        Block::Verdict { tone, text } => {
            let class = match tone {
                Tone::Alarm => "verdict alarm",
                Tone::Calm => "verdict calm",
                Tone::Plain => "verdict",
            };
            html! { p class=(class) { (safe(text)) } }
        }
        Block::SideBySide { without, with } => html! {
            div.sides {
                (panel("side without", "without differential privacy", without))
                (panel("side with", "with Pointillist", with))
            }
        },
    }
}

fn panel(class: &str, heading: &str, blocks: &[Block]) -> Markup {
    html! { div class=(class) { h3 { (heading) } @for block in blocks { (self::block(block)) } } }
}

pub(super) fn table(head: &[String], rows: &[Vec<String>]) -> Markup {
    let columns = head.len();
    let numeric: Vec<bool> = (0..columns)
        .map(|column| rows.iter().all(|row| row.get(column).is_none_or(|cell| is_number(cell))))
        .collect();
    let class = |column: usize| numeric[column].then_some("number");
    let text = |cells: &[String], column: usize| safe(cells.get(column).map_or("", String::as_str));
    html! {
        div.scroll {
            table {
                thead { tr { @for column in 0..columns { th class=[class(column)] { (text(head, column)) } } } }
                tbody {
                    @for row in rows {
                        tr { @for column in 0..columns { td class=[class(column)] { (text(row, column)) } } }
                    }
                }
            }
        }
    }
}

/// Whether a cell is a number for a reader: `1,204`, `−3.5 %`, `< 0.1 %`, `12 ± 3`, or nothing.
fn is_number(cell: &str) -> bool {
    let signs = |sign: char| sign.is_ascii_digit() || " .,%−-+±<>≤≥≈–e".contains(sign);
    cell.chars().all(signs) && !cell.starts_with('e')
}

/// Sentences: an empty line begins a paragraph, and any other line a line.
pub(super) fn paragraphs(text: &str) -> Markup {
    let text = text.replace("\r\n", "\n");
    html! {
        @for part in text.split("\n\n").filter(|part| !part.trim().is_empty()) {
            p { @for (number, line) in part.trim().lines().enumerate() { @if number > 0 { br; } (safe(line)) } }
        }
    }
}

/// A text that cannot turn the direction of writing around, with numbers tied to their units. The template escapes it.
fn safe(text: &str) -> String {
    unbroken(&shown(text))
}
