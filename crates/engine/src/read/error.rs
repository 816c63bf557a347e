//! Why a source cannot be read: words for the owner, before anything is paid.
//!
//! They name paths, formats and columns, never a value. An analyst sees none of them: the curator answers with a
//! constant.

use std::path::{Path, PathBuf};

/// A source that cannot be opened or scanned.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing is there.
    #[error(
        "there is no file or folder `{path}`\n\
         hint: a source is a file, a folder or a pattern such as `data/*.parquet`, relative to the catalog's folder"
    )]
    NotFound {
        /// What was looked for.
        path: PathBuf,
    },
    /// An address of something that is not a file.
    #[error(
        "`{source_text}` is an address\nhint: only local files are read; copy the data next to the catalog"
    )]
    Address {
        /// As the catalog writes it.
        source_text: String,
    },
    /// A pattern that is none.
    #[error("`{pattern}` is not a pattern: {reason}\nhint: `*`, `?`, `[a-z]` and `**` are understood")]
    Pattern {
        /// As the catalog writes it.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern that no file matches.
    #[error("no file matches `{pattern}`\nhint: it is relative to the catalog's folder")]
    NoMatch {
        /// As the catalog writes it.
        pattern: String,
    },
    /// A folder without data.
    #[error(
        "the folder `{path}` holds no CSV, Parquet or Arrow IPC file\n\
         hint: folders inside it are not searched; `{path}/**/*.parquet` does that"
    )]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Something else than a regular file.
    #[error("`{path}` is {what}\nhint: only regular files are read; name the file itself")]
    NotRegular {
        /// Where.
        path: PathBuf,
        /// What it is, with an article.
        what: &'static str,
    },
    /// A file whose name says nothing.
    #[error(
        "the format of `{path}` is unknown\n\
         hint: names end in .csv, .tsv (also .gz), .parquet, .arrow, .ipc or .feather"
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// Files of several formats, which are often the same rows twice.
    #[error(
        "`{first}` and `{second}` have different formats\n\
         hint: one table is read from files of one format, or the same rows may be read twice; use a pattern"
    )]
    MixedFormats {
        /// A file.
        first: PathBuf,
        /// A file of another format.
        second: PathBuf,
    },
    /// The system refused.
    #[error("`{path}` cannot be read")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file that is not what it was when it was opened.
    #[error("`{path}` was changed while it was being read\nhint: replace files by renaming, and ask again")]
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
    #[error(
        "no file of `{source_text}` has a column `{column}`\n\
         hint: names are compared letter by letter; `pointillist init` lists those of a file"
    )]
    NoColumn {
        /// As the catalog writes the source.
        source_text: String,
        /// The column.
        column: String,
    },
    /// A column that a file has twice.
    #[error("`{path}` has several columns `{column}`\nhint: rename one of them in the file")]
    Ambiguous {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A column that cannot name people.
    #[error(
        "column `{column}` of `{path}` cannot name the owner of a row: it is not a number, a text or a moment\n\
         hint: store the owner's name in a column of its own"
    )]
    OwnerType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
}

impl SourceError {
    pub(super) fn unreadable(path: &Path, source: std::io::Error) -> Self {
        if source.kind() == std::io::ErrorKind::NotFound {
            return Self::NotFound { path: path.to_path_buf() };
        }
        Self::Unreadable { path: path.to_path_buf(), source }
    }
}
