//! Why the files of a release are not there.

use std::io;
use std::path::PathBuf;

use pointillist_errors::{Explained, Kind};

/// Why the files of a release are not there.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// Something is in the folder already.
    #[error("{} is not empty", folder.display())]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// The name is that of a file.
    #[error("{} is no folder", folder.display())]
    NoFolder {
        /// What was named.
        folder: PathBuf,
    },
    /// The system refuses.
    #[error("{} could not be written: {source}", path.display())]
    Unwritable {
        /// What was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The writer of Parquet refuses, which is a mistake of ours.
    #[error("the table `{table}` could not be written as Parquet: {cause}")]
    Parquet {
        /// The table.
        table: String,
        /// What the writer said; it speaks of types, never of rows.
        cause: String,
    },
}

impl Explained for FilesError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NotEmpty { .. } | Self::NoFolder { .. } => Some(
                "name a folder that does not exist yet: releases are never mixed with other files".to_owned(),
            ),
            Self::Unwritable { .. } => {
                Some("name a folder inside one that is there and can be written".to_owned())
            }
            Self::Parquet { .. } => None,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::NotEmpty { .. } | Self::NoFolder { .. } => Kind::Request,
            Self::Unwritable { .. } | Self::Parquet { .. } => Kind::Environment,
        }
    }
}
