//! Why there is no demonstration.

use std::io;
use std::path::PathBuf;

use pointillist_curator::{AskError, StartError};
use pointillist_errors::{Explained, Kind};

/// A demonstration that does not come about.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A folder with something else in it.
    #[error("{} is there already, and is not this demo", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that cannot be written.
    #[error("the demo could not be written to {}: {source}", folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The curator does not open.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A question got no answer.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A question that must get no answer got one.
    #[error("a question that must be refused was answered")]
    NotRefused,
}

impl Explained for DemoError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Occupied { .. } => Some("name another folder, or remove it".to_owned()),
            Self::Unwritable { .. } => Some("name another folder".to_owned()),
            Self::Start(error) => error.hint(),
            Self::Ask(error) => error.hint(),
            Self::NotRefused => None,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Occupied { .. } => Kind::Request,
            Self::Unwritable { .. } | Self::NotRefused => Kind::Environment,
            Self::Start(error) => error.kind(),
            Self::Ask(error) => error.kind(),
        }
    }
}
