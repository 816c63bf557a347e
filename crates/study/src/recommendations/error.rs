//! Why there is no study of ratings.

use std::io;
use std::path::PathBuf;

use pointillist_curator::StartError;
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::{ChargeError, LedgerError};
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

/// A study that does not come about.
#[derive(Debug, thiserror::Error)]
pub enum RecommendationError {
    /// Settings that cannot be.
    #[error("{what}")]
    Settings {
        /// What is wrong.
        what: String,
        /// What to write instead.
        hint: &'static str,
    },
    /// A file that cannot be opened or read.
    #[error("{} cannot be read: {kind}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What kind of problem it is, and no more.
        kind: io::ErrorKind,
    },
    /// A file that is not what it should be; said of what is public in it alone.
    #[error("{}: {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// How such a file is made right.
        hint: &'static str,
    },
    /// A folder with something else in it.
    #[error("{} is there already, and is not this study", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that cannot be written.
    #[error("the study could not be written to {}: {source}", folder.display())]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An answer in the ledger that is not one of this study.
    #[error("the ledger holds another answer to this study than it released")]
    Recorded,
    /// A parameter.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Noise that cannot be drawn.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// The ledger does not open.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The budget does not admit it.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// The ledger does not write.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No randomness.
    #[error(transparent)]
    Entropy(#[from] pointillist_noise::EntropyError),
}

impl Explained for RecommendationError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Settings { hint, .. } | Self::File { hint, .. } => Some((*hint).to_owned()),
            Self::Unreadable { .. } => Some("check that it is a file, and that you may read it".to_owned()),
            Self::Occupied { .. } => Some("name another folder, or remove it".to_owned()),
            Self::Unwritable { .. } => Some("name another folder".to_owned()),
            Self::Recorded => Some("start the study in a new folder".to_owned()),
            Self::Parameter(error) => error.hint(),
            Self::Mechanism(error) => error.hint(),
            Self::Start(error) => error.hint(),
            Self::Charge(error) => error.hint(),
            Self::Ledger(error) => error.hint(),
            Self::Entropy(_) => None,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Settings { .. } | Self::Occupied { .. } | Self::File { .. } => Kind::Request,
            Self::Unreadable { .. } => Kind::DataUnavailable,
            Self::Unwritable { .. } | Self::Entropy(_) => Kind::Environment,
            Self::Recorded => Kind::Ledger,
            Self::Parameter(error) => error.kind(),
            Self::Mechanism(error) => error.kind(),
            Self::Start(error) => error.kind(),
            Self::Charge(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
        }
    }
}
