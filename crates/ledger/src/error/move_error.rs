//! Why a ledger does not move from one store to another, and the way on.

use std::io;

use pointillist_errors::{Explained, Kind};

use super::{LedgerError, OpenError};

/// A ledger that does not move. It is where it was, or between two stores, and moving again goes on.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The owner named the store that the ledger is in.
    #[error("the ledger is kept in {name} already")]
    SamePlace {
        /// What the owner calls it.
        name: String,
    },
    /// Something else is there.
    #[error("{name} holds other records than these, or a ledger of its own")]
    Occupied {
        /// What the owner calls it.
        name: String,
    },
    /// The anchor of something else is there.
    #[error("the anchor of {name} has seen records that are not these")]
    ForeignAnchor {
        /// What the owner calls the store.
        name: String,
    },
    /// It has moved to another store, maybe one of the same name.
    #[error("the ledger has moved to {to} before, and that is another store than this one")]
    Elsewhere {
        /// What the owner called it.
        to: String,
    },
    /// A move that was begun with another anchor: this store may be a copy of the one that it was begun with.
    #[error("the move to {name} was begun with another anchor than this one")]
    OtherAnchor {
        /// What the owner calls the store.
        name: String,
    },
    /// A store failed.
    #[error("the records cannot be read or written: {0}")]
    Store(#[source] io::Error),
    /// An anchor failed.
    #[error("an anchor cannot be read or written: {0}")]
    Anchor(#[source] io::Error),
    /// A place does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Explained for MoveError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::SamePlace { .. } => "name another place to move to",
            Self::Occupied { .. } => "move to an empty place: another schema, or another folder",
            Self::ForeignAnchor { .. } => "name an anchor that nothing else uses",
            Self::Elsewhere { .. } => {
                "find that store: the ledger goes on there, and a second copy would double the budget"
            }
            Self::OtherAnchor { .. } => {
                "name the anchor that it was begun with: a copy of a store makes no second ledger"
            }
            Self::Store(_) | Self::Anchor(_) => {
                "check the disk or the server, and move again: it goes on where it was broken off"
            }
            Self::Open(error) => return error.hint(),
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::SamePlace { .. } => Kind::Request,
            Self::Open(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
            Self::Occupied { .. }
            | Self::ForeignAnchor { .. }
            | Self::OtherAnchor { .. }
            | Self::Elsewhere { .. }
            | Self::Anchor(_)
            | Self::Store(_) => Kind::Ledger,
        }
    }
}
