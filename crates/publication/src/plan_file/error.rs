//! Why a text is no plan.

use std::io;
use std::path::PathBuf;

use pointillist_catalog::Mistake;
use pointillist_errors::{Explained, Kind};

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// The file is not there, or not readable as text.
    #[error("the plan {} could not be read: {source}", path.display())]
    Unreadable {
        /// Where the file was looked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is far longer than any plan.
    #[error("a plan of {length} bytes is too long")]
    TooLong {
        /// How long the text is.
        length: u64,
        /// The longest one that is read.
        most: u64,
    },
    /// Something that its author wrote.
    #[error("{0}")]
    Mistake(Box<Mistake>),
}

impl Explained for PlanFileError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { .. } => "name the plan's file, which is TOML".to_owned(),
            Self::TooLong { most, .. } => format!("write at most {most} bytes"),
            Self::Mistake(mistake) => mistake.hint.clone(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}
