//! Why a ledger does not open, and the way on.

use std::io;
use std::path::PathBuf;

use pointillist_errors::{Explained, Kind};

use super::LedgerError;

/// A ledger that is not safe to use as it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A second writer.
    #[error(
        "another process uses this ledger: {} is locked",
        path.display()
    )]
    Locked {
        /// The locked file.
        path: PathBuf,
    },
    /// A record that is not what was written.
    #[error("the ledger is damaged at record {seq}: {problem}")]
    Damaged {
        /// The first record that is wrong.
        seq: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A restored backup.
    #[error(
        "the ledger ends at record {seq}, but the anchor has seen record {anchor_seq}: an older copy was put \
         in its place, or its log was removed"
    )]
    AnchorAhead {
        /// The last record of the ledger.
        seq: u64,
        /// The last record that the anchor has seen.
        anchor_seq: u64,
    },
    /// Two histories.
    #[error(
        "record {anchor_seq} of the ledger is not the one that the anchor has seen: they are of two histories"
    )]
    Forked {
        /// The record they disagree about.
        anchor_seq: u64,
    },
    /// No protection against an older copy.
    #[error("the ledger has {seq} records but no anchor, so that an older copy of it would go unnoticed")]
    AnchorMissing {
        /// The last record of the ledger.
        seq: u64,
    },
    /// It goes on elsewhere.
    #[error("the ledger has moved to {to}, and nothing is ever written here again")]
    Departed {
        /// Where, as its owner calls it.
        to: String,
    },
    /// It goes on elsewhere, or is on its way there, and the anchor knows.
    #[error("the ledger goes on in {to}, and these records have not arrived there")]
    Elsewhere {
        /// Where, as its owner calls it.
        to: String,
    },
    /// A new ledger where another was used.
    #[error(
        "this server had the ledger in {to} open, says {}: a new one would begin with its whole budget",
        path.display()
    )]
    Belongs {
        /// Where, as its owner calls it.
        to: String,
        /// The file that remembers it.
        path: PathBuf,
    },
    /// Two ledgers of one catalog.
    #[error(
        "the ledger in {} has not moved to {name}: beside that one it would be a second budget",
        path.display()
    )]
    RecordsBeside {
        /// The shared store, as its owner calls it.
        name: String,
        /// The folder of the other ledger.
        path: PathBuf,
    },
    /// An anchor that cannot be read.
    #[error("the anchor cannot be read: {0}")]
    Anchor(#[source] io::Error),
    /// An epoch that has been used.
    #[error("this epoch was used before")]
    EpochReused,
    /// The operating system gives no randomness.
    #[error("the operating system gives no random bytes")]
    NoRandomness,
    /// Files that cannot be read or written.
    #[error("the ledger in {} cannot be read or written: {source}", path.display())]
    File {
        /// The file that failed.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A database that cannot be used.
    #[error("{name} cannot be used for the ledger: {source}")]
    Postgres {
        /// What the owner calls it.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// The store failed.
    #[error("the records cannot be read: {0}")]
    Store(#[source] io::Error),
    /// Writing failed at once.
    #[error("the ledger cannot be written: {cause}")]
    Unwritable {
        /// What failed.
        cause: String,
    },
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Explained for OpenError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Locked { .. } => "stop the other process; a ledger has one writer",
            Self::Damaged { .. } => {
                "restore the ledger from a backup, and keep the anchor as it is: it knows what was spent since"
            }
            Self::AnchorAhead { .. } => {
                "put the newer copy back; if there is none, the owner accepts this one, and what the anchor knows to be \
                 spent stays spent"
            }
            Self::Forked { .. } => {
                "find the ledger that this anchor belongs to; if it is lost, the owner accepts this one, and what was \
                 spent in either history is counted"
            }
            Self::AnchorMissing { .. } => {
                "put the anchor back; if it is lost, and nobody can have restored an older copy, the owner accepts that"
            }
            Self::Anchor(_) => {
                "put a copy of it back; if there is none, remove the file, and it is treated as lost"
            }
            Self::Departed { .. } | Self::Elsewhere { .. } => {
                "say in the catalog that the ledger is kept there; if it says so, the move was broken off: move it again"
            }
            Self::Belongs { .. } => {
                "say in the catalog where that ledger is now; if a new one is meant, remove that file"
            }
            Self::RecordsBeside { .. } => {
                "move the ledger there; if it is about other people, give the catalog another folder for the ledger"
            }
            Self::EpochReused => "let the operating system choose one",
            Self::NoRandomness => "try again once it has started up",
            Self::File { .. } => "check the path, its owner and the disk",
            Self::Postgres { .. } => "check the address, the role's rights and the server's settings",
            Self::Store(_) => "check the disk, or restore the ledger and keep the anchor",
            Self::Unwritable { .. } => "check that the disk is not full or read-only",
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Locked { .. } => Kind::LedgerInUse,
            Self::AnchorAhead { .. } | Self::Forked { .. } => Kind::LedgerRestored,
            Self::AnchorMissing { .. } => Kind::AnchorMissing,
            Self::Ledger(error) => error.kind(),
            Self::Damaged { .. }
            | Self::Departed { .. }
            | Self::Elsewhere { .. }
            | Self::Belongs { .. }
            | Self::RecordsBeside { .. }
            | Self::Anchor(_)
            | Self::EpochReused
            | Self::NoRandomness
            | Self::File { .. }
            | Self::Postgres { .. }
            | Self::Store(_)
            | Self::Unwritable { .. } => Kind::Ledger,
        }
    }
}
