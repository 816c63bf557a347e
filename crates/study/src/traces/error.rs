//! Why a study of traces stopped, and what to do.

use std::path::PathBuf;

use pointillist_curator::{AskError, StartError};
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::{ChargeError, LedgerError};
use pointillist_mechanisms::MechanismError;
use pointillist_noise::EntropyError;
use pointillist_privacy::ParameterError;

/// Why a study of traces stopped.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A file cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Unreadable {
        /// The file that was to be read.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is none that is read here.
    #[error("`{}` is no trace: {why}", path.display())]
    NoTrace {
        /// The file that was taken for a trace.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Nothing can be written to the folder.
    #[error("`{}` cannot be written: {source}", path.display())]
    Unwritable {
        /// The file or folder that was to be written.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something else is in the folder.
    #[error("`{}` holds something that is no study of traces", folder.display())]
    Occupied {
        /// The folder that is left alone.
        folder: PathBuf,
    },
    /// The folder holds a study at another price or of another trace.
    #[error("`{}` holds a study of another trace, or at another price", folder.display())]
    OtherStudy {
        /// The folder whose ledger counts something else.
        folder: PathBuf,
    },
    /// A network that cannot be read.
    #[error("`{given}` is no network")]
    NoNetwork {
        /// What was given.
        given: String,
    },
    /// A price that cannot be.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Noise that cannot be.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// The curator or its ledger cannot be opened.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A question was not answered.
    #[error("`{question}`: {source}")]
    Ask {
        /// Which question.
        question: String,
        /// Why.
        source: Box<AskError>,
    },
    /// A named mechanism was not paid for.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// The ledger stopped.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The system gives no randomness.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// A recorded answer that this version did not write.
    #[error("the answer that the ledger holds for {what} is of another version")]
    OtherVersion {
        /// What was bought.
        what: String,
    },
}

impl Explained for TraceError {
    fn kind(&self) -> Kind {
        match self {
            Self::Unreadable { .. } | Self::Unwritable { .. } | Self::Entropy(_) => Kind::Environment,
            Self::NoTrace { .. }
            | Self::Occupied { .. }
            | Self::OtherStudy { .. }
            | Self::NoNetwork { .. } => Kind::Request,
            Self::OtherVersion { .. } => Kind::Ledger,
            Self::Parameter(error) => error.kind(),
            Self::Mechanism(error) => error.kind(),
            Self::Start(error) => error.kind(),
            Self::Ask { source, .. } => source.kind(),
            Self::Charge(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { .. } => Some("check the path and who may read it".to_owned()),
            Self::NoTrace { .. } => Some(
                "give a capture (pcap or pcapng, Ethernet), or a CSV file whose first line names host, peer, port, kind, \
                 time_us, size, flow and seq"
                    .to_owned(),
            ),
            Self::Unwritable { .. } => Some("choose a folder that you may write to".to_owned()),
            Self::OtherStudy { .. } => {
                Some("choose another folder: what was paid there is counted by the catalog that is there".to_owned())
            }
            Self::Occupied { .. } => Some("choose a folder that does not exist yet, or the same study again".to_owned()),
            Self::NoNetwork { .. } => Some("write a network as 10.0.0.0/8 or 2001:db8::/32".to_owned()),
            Self::OtherVersion { .. } => Some("choose another folder".to_owned()),
            Self::Entropy(_) => None,
            Self::Parameter(error) => error.hint(),
            Self::Mechanism(error) => error.hint(),
            Self::Start(error) => error.hint(),
            Self::Ask { source, .. } => source.hint(),
            Self::Charge(error) => error.hint(),
            Self::Ledger(error) => error.hint(),
        }
    }
}
