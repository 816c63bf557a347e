//! A report as one HTML page that needs nothing else: no script, no network, no other file.
//!
//! The page is for people who were not there: a lecture, a board meeting, a printer. It begins with the
//! finding, shows pictures before numbers, and ends with the command that made it. Texts and cells may hold
//! anything from data or arguments: all of it is escaped, and the page itself forbids scripts and requests.

mod arguments;

pub use arguments::ReportArguments;

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use pointillist_catalog::calendar;

use crate::svg::{Drawing, NARROW, WIDE, escaped};
use crate::table::{shown, unbroken};

const STYLE: &str = include_str!("report/page.css");

/// A page: a title, the finding in a sentence, and what it rests on.
pub struct Report {
    /// What was looked at.
    pub title: String,
    /// What was found, in one sentence.
    pub lead: String,
    /// From the top.
    pub sections: Vec<Section>,
}

/// A heading with something below it.
pub struct Section {
    /// The heading; empty for none.
    pub heading: String,
    /// From the top.
    pub blocks: Vec<Block>,
}

/// One thing on a page.
pub enum Block {
    /// Sentences; an empty line begins a new paragraph.
    Text(String),
    /// A drawing, for a screen and for a telephone, and what it shows. The SVG itself is not escaped.
    Figure {
        /// Of the width of the page.
        wide: String,
        /// Of the width of a telephone.
        narrow: String,
        /// What to see in it.
        caption: String,
    },
    /// A table; columns of numbers stand to the right.
    Table {
        /// The names of the columns.
        head: Vec<String>,
        /// One cell a column.
        rows: Vec<Vec<String>>,
    },
    /// Names and values, one pair a line.
    Facts(Vec<(String, String)>),
    /// A sentence to remember.
    Verdict {
        /// How it should feel.
        tone: Tone,
        /// The sentence.
        text: String,
    },
    /// Two coloured panels: without differential privacy, and with Pointillist.
    SideBySide {
        /// What was learnt from others' answers.
        without: Vec<Block>,
        /// What was learnt from ours.
        with: Vec<Block>,
    },
}

/// How a verdict should feel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Somebody was found out.
    Alarm,
    /// The attack failed.
    Calm,
    /// Neither.
    Plain,
}

impl Report {
    /// A page without sections.
    pub fn new(title: impl Into<String>, lead: impl Into<String>) -> Self {
        Self { title: title.into(), lead: lead.into(), sections: Vec::new() }
    }

    /// The page with one more section.
    #[must_use]
    pub fn section(mut self, heading: impl Into<String>, blocks: Vec<Block>) -> Self {
        self.sections.push(Section { heading: heading.into(), blocks });
        self
    }

    /// The page, made by the command that is running, today.
    pub fn to_html(&self) -> String {
        let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
        let command = arguments.fold("pointillist".to_owned(), |line, word| line + " " + &in_a_shell(&word));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
        self.made_by(&command, &calendar::date_text(i32::try_from(now).unwrap_or(0)))
    }

    fn made_by(&self, command: &str, date: &str) -> String {
        let mut page = String::new();
        let mut line = |text: &str| writeln!(page, "{text}").expect("a string grows");
        line("<!DOCTYPE html>");
        line("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>");
        line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
        line("<meta http-equiv=\"Content-Security-Policy\"");
        line("content=\"default-src 'none'; style-src 'unsafe-inline'\"/>");
        line(&format!("<title>{}</title>", safe(&self.title)));
        line(&format!("<style>\n{STYLE}</style>\n</head>\n<body>"));
        line(&format!("<header>\n<h1>{}</h1>", safe(&self.title)));
        line(&format!("<p class=\"lead\">{}</p>\n</header>\n<main>", safe(&self.lead)));
        for section in &self.sections {
            line("<section>");
            if !section.heading.is_empty() {
                line(&format!("<h2>{}</h2>", safe(&section.heading)));
            }
            for block in &section.blocks {
                line(&block.to_html());
            }
            line("</section>");
        }
        let version = env!("CARGO_PKG_VERSION");
        line("</main>\n<footer>");
        line(&format!("<p>Made on {date} by Pointillist {version} with <code>{}</code></p>", safe(command)));
        line("<p>See the picture, never the dot.</p>\n</footer>\n</body>\n</html>");
        page
    }
}

impl Block {
    /// Sentences.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A drawing and what it shows.
    pub fn figure(drawing: &dyn Drawing, caption: impl Into<String>) -> Self {
        Self::Figure { wide: drawing.svg(WIDE), narrow: drawing.svg(NARROW), caption: caption.into() }
    }

    /// A sentence to remember.
    pub fn verdict(tone: Tone, text: impl Into<String>) -> Self {
        Self::Verdict { tone, text: text.into() }
    }

    /// Two panels of sentences.
    pub fn side_by_side(without: impl Into<String>, with: impl Into<String>) -> Self {
        Self::SideBySide { without: vec![Self::text(without)], with: vec![Self::text(with)] }
    }

    /// Names and values.
    pub fn facts<N: Into<String>, V: Into<String>>(facts: impl IntoIterator<Item = (N, V)>) -> Self {
        Self::Facts(facts.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    fn to_html(&self) -> String {
        match self {
            Self::Text(text) => paragraphs(text),
            Self::Figure { wide, narrow, caption } => format!(
                "<figure>\n<div class=\"wide\">\n{wide}</div>\n<div class=\"narrow\" aria-hidden=\"true\">\n\
                 {narrow}</div>\n<figcaption>{}</figcaption>\n</figure>",
                safe(caption)
            ),
            Self::Table { head, rows } => table(head, rows),
            Self::Facts(facts) => {
                let pair = |(name, value): &(String, String)| {
                    format!("<dt>{}</dt><dd>{}</dd>", safe(name), safe(value))
                };
                format!("<dl>\n{}\n</dl>", facts.iter().map(pair).collect::<Vec<_>>().join("\n"))
            }
            Self::Verdict { tone, text } => {
                let class = match tone {
                    Tone::Alarm => "verdict alarm",
                    Tone::Calm => "verdict calm",
                    Tone::Plain => "verdict",
                };
                format!("<p class=\"{class}\">{}</p>", safe(text))
            }
            Self::SideBySide { without, with } => format!(
                "<div class=\"sides\">\n{}\n{}\n</div>",
                panel("without", "without differential privacy", without),
                panel("with", "with Pointillist", with)
            ),
        }
    }
}

fn panel(class: &str, heading: &str, blocks: &[Block]) -> String {
    let blocks: Vec<String> = blocks.iter().map(Block::to_html).collect();
    format!("<div class=\"side {class}\">\n<h3>{heading}</h3>\n{}\n</div>", blocks.join("\n"))
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let columns = head.len();
    let numeric: Vec<bool> = (0..columns)
        .map(|column| rows.iter().all(|row| row.get(column).is_none_or(|cell| is_number(cell))))
        .collect();
    let line = |element: &str, cells: &[String]| {
        let cell = |column: usize| {
            let class = if numeric[column] { " class=\"number\"" } else { "" };
            let text = cells.get(column).map_or("", String::as_str);
            format!("<{element}{class}>{}</{element}>", safe(text))
        };
        format!("<tr>{}</tr>", (0..columns).map(cell).collect::<String>())
    };
    let rows: Vec<String> = rows.iter().map(|row| line("td", row)).collect();
    format!(
        "<div class=\"scroll\">\n<table>\n<thead>{}</thead>\n<tbody>\n{}\n</tbody>\n</table>\n</div>",
        line("th", head),
        rows.join("\n")
    )
}

/// Whether a cell is a number for a reader: `1,204`, `−3.5 %`, `< 0.1 %`, `12 ± 3`, or nothing.
fn is_number(cell: &str) -> bool {
    let signs = |sign: char| sign.is_ascii_digit() || " .,%−-+±<>≤≥≈–e".contains(sign);
    cell.chars().all(signs) && !cell.starts_with('e')
}

/// Sentences: an empty line begins a paragraph, and any other line a line.
fn paragraphs(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let paragraph = |text: &str| {
        let lines: Vec<String> = text.trim().lines().map(safe).collect();
        format!("<p>{}</p>", lines.join("<br/>\n"))
    };
    let parts: Vec<String> =
        text.split("\n\n").filter(|part| !part.trim().is_empty()).map(paragraph).collect();
    parts.join("\n")
}

/// A text that no browser takes for anything else, and that cannot turn the direction of writing around.
fn safe(text: &str) -> String {
    escaped(&unbroken(&shown(text)))
}

/// A word as a shell reads it back.
fn in_a_shell(word: &str) -> String {
    let plain = |sign: char| sign.is_alphanumeric() || "-_./:,=+@%".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests;
