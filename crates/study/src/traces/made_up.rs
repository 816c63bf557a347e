//! Traces that never were: hosts, servers, worms, stepping stones and bursts that nobody saw, the same for everybody.
//!
//! The coins here make up *data*: they follow from the number of a trace, so that whoever asks for trace 7 meets the same hosts.
//! No noise is drawn with them, and no mechanism takes them. Because nobody is in such a trace, the truth may be shown.
//!
//! Busy hosts send larger packets, as in life, so that cutting what one host may add is biased; servers far away lose more.

mod dice;
mod flows;
mod stones;
mod volumes;
mod worms;

pub use flows::{flows, routes};
pub use stones::{Pair, Stones, stones};
pub use volumes::{Burst, Volumes, volumes};
pub use worms::{Planted, PlantedString, Worms, first_packets, worms};

/// How large a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Hosts that send packets and strings.
    pub hosts: u32,
    /// Hosts whose packets cross links.
    pub link_hosts: u32,
    /// Interactive conversations.
    pub interactive: u32,
    /// Hours that these last.
    pub hours: u32,
}

impl Size {
    /// The size of every figure in the documentation.
    pub const FULL: Self = Self { hosts: 2_000, link_hosts: 5_000, interactive: 400, hours: 8 };
    /// A tenth, for a first look.
    pub const QUICK: Self = Self { hosts: 200, link_hosts: 500, interactive: 60, hours: 2 };
}
