//! What is wrong with a catalog: where, what, and what to do next.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

use pointillist_errors::{Explained, Kind};

/// The most characters of a line that an error repeats.
const EXCERPT_MAX: usize = 100;

/// Why there is no catalog.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The file is not there, or not readable as text.
    #[error("the catalog {} could not be read: {source}", path.display())]
    Unreadable {
        /// Where the file was looked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is far longer than any catalog.
    #[error("a catalog of {length} bytes is too long")]
    TooLong {
        /// How long the text is.
        length: u64,
        /// The longest one that is read.
        most: u64,
    },
    /// Something that the owner wrote.
    #[error("{0}")]
    Mistake(Box<Mistake>),
}

impl Explained for CatalogError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { .. } => "name a catalog that is there, or write one".to_owned(),
            Self::TooLong { most, .. } => {
                format!("write at most {most} bytes; long lists of public keys are better earned")
            }
            Self::Mistake(mistake) => mistake.hint.clone(),
        })
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Unreadable { .. } => Kind::CatalogMissing,
            Self::TooLong { .. } | Self::Mistake(_) => Kind::Catalog,
        }
    }
}

/// One mistake in the text of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file, where there is one.
    pub file: Option<PathBuf>,
    /// The line, counted from one.
    pub line: usize,
    /// The column, in characters, counted from one.
    pub column: usize,
    /// The key, such as `table.visits.columns.cost.upper`; empty where the text is no TOML.
    pub path: String,
    /// What is wrong.
    pub what: String,
    /// What to do next.
    pub hint: String,
    /// The part of the line around the mistake.
    excerpt: String,
    /// The marked characters of the excerpt.
    marked: Range<usize>,
}

impl Mistake {
    /// A fault, with the line of the text that it is on.
    pub(crate) fn new(text: &str, fault: Fault) -> Self {
        let start = text.floor_char_boundary(fault.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = text.floor_char_boundary(fault.span.end).clamp(start, line_end);
        let column = text[line_start..start].chars().count();
        // A long line is cut on the left as well, so that the marked place is always seen.
        let cut = if column < EXCERPT_MAX { 0 } else { column - EXCERPT_MAX / 2 };
        let excerpt: String = text[line_start..line_end]
            .chars()
            .skip(cut)
            .take(EXCERPT_MAX)
            .map(|sign| if sign.is_control() { ' ' } else { sign })
            .collect();
        let excerpt = if fault.is_secret { "…".to_owned() } else { excerpt };
        let (column, cut) = if fault.is_secret { (0, 0) } else { (column, cut) };
        let first = column - cut;
        let length = if fault.is_secret {
            1
        } else {
            text[start..end].chars().count().min(EXCERPT_MAX - first).max(1)
        };
        Self {
            file: None,
            line: 1 + text[..start].matches('\n').count(),
            column: column + 1,
            path: fault.path,
            what: fault.what,
            hint: fault.hint,
            excerpt: excerpt.trim_end().to_owned(),
            marked: first..first + length,
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}", self.line)?;
        if let Some(file) = &self.file {
            write!(out, " of {}", file.display())?;
        }
        if !self.path.is_empty() {
            write!(out, ", {}", self.path)?;
        }
        let margin = self.line.to_string();
        let (blank, before) = (margin.len(), self.marked.start);
        write!(out, ": {}\n  {margin} | {}\n", self.what, self.excerpt)?;
        write!(out, "  {:blank$} | {:before$}{}", "", "", "^".repeat(self.marked.len()))
    }
}

/// A mistake before it is known which line it is on.
#[derive(Debug)]
pub struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) path: String,
    pub(crate) what: String,
    pub(crate) hint: String,
    /// Whether the line must not be shown.
    pub(crate) is_secret: bool,
}

impl Fault {
    pub(crate) fn new(
        span: Range<usize>,
        path: impl Into<String>,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { span, path: path.into(), what: what.into(), hint: hint.into(), is_secret: false }
    }

    /// The same about a line that holds a secret: messages go to terminals and logs.
    pub(crate) fn without_its_line(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// From an error of another crate of ours.
    pub(crate) fn explained(span: Range<usize>, path: impl Into<String>, error: &impl Explained) -> Self {
        let hint = error.hint().unwrap_or_else(|| "write a number such as 0.5 or 1e-6".to_owned());
        Self::new(span, path, error.to_string(), hint)
    }
}
