//! What a network carries, learnt from its packets so that nobody's packets show.

pub mod accuracy;
pub mod cdf;
mod choice;
mod error;
pub mod fingerprint;
pub mod folder;
pub mod histogram;
pub mod link_volume;
pub mod made_up;
pub mod page;
pub mod payment;
pub mod questions;
pub mod read;
pub mod retransmission;
pub mod round_trip;
mod rows;
pub mod stepping_stone;
pub mod study;
pub mod summary;
pub mod table_file;
pub mod trace;

pub use choice::Choice;
pub use error::TraceError;

/// Whose rows are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A host, with everything that is its own.
    Host,
    /// One packet: a host of a thousand packets is promised a thousand times the price.
    Packet,
}

impl Unit {
    /// The word for it, and the name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Packet => "packet",
        }
    }

    /// Who pays.
    pub fn scope(self) -> &'static str {
        match self {
            Self::Host => "hosts",
            Self::Packet => "packets",
        }
    }
}
