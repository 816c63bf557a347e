//! Why a source cannot be read: words for the owner, before anything is paid.
//!
//! They name paths, formats and columns, never a value. An analyst sees none of them: the curator answers with a
//! constant.

use std::path::{Path, PathBuf};

use pointillist_errors::{Explained, Kind};

/// A source that cannot be opened or scanned.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing is there.
    #[error("there is no file or folder `{path}`")]
    NotFound {
        /// What was looked for.
        path: PathBuf,
    },
    /// An address of something that is not a file.
    #[error("`{source_text}` is an address")]
    Address {
        /// As the catalog writes it.
        source_text: String,
    },
    /// A pattern that is none.
    #[error("`{pattern}` is not a pattern: {reason}")]
    Pattern {
        /// As the catalog writes it.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern that no file matches.
    #[error("no file matches `{pattern}`")]
    NoMatch {
        /// As the catalog writes it.
        pattern: String,
    },
    /// A folder without data.
    #[error("the folder `{path}` holds no CSV, Parquet or Arrow IPC file")]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Something else than a regular file.
    #[error("`{path}` is {what}")]
    NotRegular {
        /// Where.
        path: PathBuf,
        /// What it is, with an article.
        what: &'static str,
    },
    /// A file whose name says nothing.
    #[error("the format of `{path}` is unknown")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// Files of several formats, which are often the same rows twice.
    #[error("`{first}` and `{second}` have different formats")]
    MixedFormats {
        /// A file.
        first: PathBuf,
        /// A file of another format.
        second: PathBuf,
    },
    /// The system refused.
    #[error("`{path}` cannot be read: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file that is not what it was when it was opened.
    #[error("`{path}` was changed while it was being read")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A reader that did not come to the end.
    #[error("a reader ended before its time")]
    ReaderEnded,
    /// A file that is not what its name says.
    #[error("`{path}` is not a readable {format} file: {part} is missing or damaged")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Its format, by its name.
        format: &'static str,
        /// What was looked for.
        part: &'static str,
    },
    /// A column that no file has.
    #[error("no file of `{source_text}` has a column `{column}`")]
    NoColumn {
        /// As the catalog writes the source.
        source_text: String,
        /// The column.
        column: String,
    },
    /// A column that a file has twice.
    #[error("`{path}` has several columns `{column}`")]
    Ambiguous {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Rows in memory that cannot be read.
    #[error("the rows of `{name}` are not read: {what}")]
    Memory {
        /// As the catalog writes the source.
        name: String,
        /// What is wrong with them: names and types, never a value.
        what: String,
    },
    /// A column that cannot name people.
    #[error(
        "column `{column}` of `{path}` cannot name the owner of a row: it is not a number, a text or a moment"
    )]
    OwnerType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
}

impl Explained for SourceError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotFound { .. } => {
                "a source is a file, a folder or a pattern such as `data/*.parquet`, relative to the catalog's folder"
            }
            Self::Address { .. } => "only local files are read; copy the data next to the catalog",
            Self::Pattern { .. } => "`*`, `?`, `[a-z]` and `**` are understood",
            Self::NoMatch { .. } => "it is relative to the catalog's folder",
            Self::EmptyFolder { path } => {
                let path = path.display();
                return Some(format!("folders inside it are not searched; `{path}/**/*.parquet` does that"));
            }
            Self::NotRegular { .. } => "only regular files are read; name the file itself",
            Self::UnknownFormat { .. } => {
                "names end in .csv, .tsv (also .gz), .parquet, .arrow, .ipc or .feather"
            }
            Self::MixedFormats { .. } => {
                "one table is read from files of one format, or the same rows may be read twice; use a pattern"
            }
            Self::Unreadable { .. } | Self::ReaderEnded | Self::Damaged { .. } => "look at the file",
            Self::Changed { .. } => "replace files by renaming, and ask again",
            Self::NoColumn { .. } => {
                "names are compared letter by letter; a draft of a catalog lists those of a file"
            }
            Self::Ambiguous { .. } => "rename one of them in the file",
            Self::Memory { .. } => "give every column once, as numbers, texts, days or moments",
            Self::OwnerType { .. } => "store the owner's name in a column of its own",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::DataUnavailable
    }
}

impl SourceError {
    pub(super) fn unreadable(path: &Path, source: std::io::Error) -> Self {
        if source.kind() == std::io::ErrorKind::NotFound {
            return Self::NotFound { path: path.to_path_buf() };
        }
        Self::Unreadable { path: path.to_path_buf(), source }
    }
}
