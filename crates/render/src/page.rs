//! An HTML page that needs nothing else: no script, no network, no other file.
//!
//! The page is for people who were not there: a lecture, a board meeting, a printer. It begins with the
//! finding, shows pictures before numbers, and ends with the command that made it. Texts and cells may hold
//! anything from data or arguments: the template escapes all of it, and the page itself forbids scripts and requests.

mod html;

use crate::svg::{Drawing, NARROW, WIDE};

/// A page: a title, the finding in a sentence, and what it rests on.
pub struct Page {
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
    /// Lines that somebody may type or copy, as they stand.
    Code(String),
    /// Something that is read on demand: a line, and what unfolds below it.
    Folded {
        /// The line.
        summary: String,
        /// What unfolds.
        blocks: Vec<Block>,
    },
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

impl Page {
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

    /// The page as HTML, with the line that made it and the day, at its foot.
    pub fn to_html(&self, made_by: &MadeBy) -> String {
        html::page(self, made_by)
    }
}

/// How a page came to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeBy {
    /// What somebody would type to make it again.
    pub command: String,
    /// The day, as people write it.
    pub date: String,
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
}

#[cfg(test)]
mod tests;
