//! What is wrong with a model file, or with rows that it should say something of.

use std::path::PathBuf;

use pointillist_errors::{Explained, Kind};
use pointillist_render::text::shown;

use crate::KeyError;

/// A model that cannot be read, written, trusted or used.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// A file that cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A place where nothing can be written.
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that is no model.
    #[error("{} exists and is no model", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Some other text.
    #[error("this is no model file: {problem}")]
    NoModel {
        /// What is wrong with it.
        problem: String,
    },
    /// A file of a later program.
    #[error("this is a model file of version {}, and version 1 is understood", shown(found))]
    OtherVersion {
        /// Its version.
        found: String,
    },
    /// A signature of something else.
    #[error("the model file was changed after it was signed")]
    NotSigned,
    /// No signature where one is wanted.
    #[error("nobody has signed this model file")]
    Unsigned,
    /// Somebody else's model.
    #[error("the model was signed by the key {found}, and not by the trusted key {trusted}")]
    OtherKey {
        /// The fingerprint of the trusted key.
        trusted: String,
        /// The fingerprint of the key in the file.
        found: String,
    },
    /// A key that cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A name that SQL could not say.
    #[error("`{}` is no name for a model: {rule}", shown(name))]
    Name {
        /// What was given.
        name: String,
        /// What a name is.
        rule: String,
    },
    /// Another model has the name.
    #[error("there is another public model `{}`", shown(name))]
    Taken {
        /// The name.
        name: String,
    },
    /// Rows without a column that the model needs.
    #[error("the rows have no column `{}`, which the model needs", shown(name))]
    MissingColumn {
        /// Its name.
        name: String,
        /// The columns that there are.
        known: Vec<String>,
    },
    /// A column whose name stands there twice.
    #[error("the rows have two columns `{}`", shown(name))]
    TwoColumns {
        /// Its name.
        name: String,
    },
    /// Rows without a first line.
    #[error("the rows have no line with the names of their columns")]
    NoNames,
    /// Rows that cannot be read, or predictions that cannot be written.
    #[error("the rows could not be read, or the predictions not be written: {0}")]
    Rows(#[source] std::io::Error),
    /// A model that says nothing of rows.
    #[error("`{family}` describes rows, and says nothing of a single one")]
    Silent {
        /// The kind of model.
        family: &'static str,
    },
    /// A model that is no expression.
    #[error("`{family}` {problem}, so that it is not written as an expression of SQL")]
    NoSql {
        /// The kind of model.
        family: &'static str,
        /// Why.
        problem: String,
    },
}

impl Explained for ModelFileError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unreadable { .. } => "name the file that was written when the model was trained",
            Self::Unwritable { .. } => "give a file in a folder that exists",
            Self::Foreign { .. } => "name another file, or remove this one first",
            Self::NoModel { .. } => {
                "name the file that was written when the model was trained, as it was written"
            }
            Self::OtherVersion { .. } => "read it with the version that wrote it, or a newer one",
            Self::NotSigned => "do not use it: get the file again, or train the model again, which is free",
            Self::Unsigned => "get the file from its publisher, or train the model again, which is free",
            Self::OtherKey { .. } => {
                "do not use it unless the publisher tells you, over another channel, that this key is theirs"
            }
            Self::Key(error) => return error.hint(),
            Self::MissingColumn { known, .. } => {
                let known: Vec<String> =
                    known.iter().take(20).map(|name| format!("`{}`", shown(name))).collect();
                return Some(format!("the first line names {}; rename one of them", known.join(", ")));
            }
            Self::Name { .. } => "give another one, such as income_2026",
            Self::Taken { .. } => "give another name, or say that the other one is to be replaced",
            Self::TwoColumns { .. } => "rename one of them",
            Self::NoNames => "the first line of CSV names the columns",
            Self::Rows(_) => "check the file and the disk",
            Self::Silent { .. } => "train a model with a target, or clusters",
            Self::NoSql { .. } => {
                "predict from a file of rows; linear, logistic and svm models of numbers, categories and truths have an expression"
            }
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::NotSigned | Self::Unsigned | Self::OtherKey { .. } => Kind::Unverified,
            Self::Rows(_) => Kind::Environment,
            Self::Key(error) => error.kind(),
            _ => Kind::Request,
        }
    }
}
