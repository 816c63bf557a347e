//! Rows of a trace, in memory: each belongs to one host, and says nothing that another host's rows could change.
//!
//! **Owners.** A host is a machine of the inside. It owns what it sends, and the answers that strangers from outside send to it; a
//! packet between two hosts of the inside belongs to its sender, and is no secret of its receiver.
//! **Names.** Hosts, peers and payloads are numbers here, given in the order in which names were met. Nothing that is released may
//! depend on these numbers: choices hash names (`choice.rs`).

use std::collections::HashMap;

/// Names, and the number of each.
#[derive(Clone, Debug, Default)]
pub struct Names {
    numbers: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
}

impl Names {
    /// The number of a name, new if it was never met.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).expect("a trace in memory has fewer than 2^32 names");
        self.numbers.insert(name.into(), number);
        self.names.push(name.into());
        number
    }

    /// The name of a number.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sent by the host: opens a connection.
    Syn,
    /// Sent to the host: the answer to that.
    SynAck,
    /// Sent by the host: everything else.
    Data,
}

impl Kind {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Syn => "syn",
            Self::SynAck => "synack",
            Self::Data => "data",
        }
    }

    /// The kind of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Syn, Self::SynAck, Self::Data].into_iter().find(|kind| kind.word() == word)
    }
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Whose it is.
    pub host: u32,
    /// The other end.
    pub peer: u32,
    /// The port of the other end.
    pub port: u16,
    /// Opening, answer to that, or anything else.
    pub kind: Kind,
    /// When, in microseconds.
    pub time_us: u64,
    /// In bytes, with its headers.
    pub size: u16,
    /// Which conversation of the host it belongs to: a number made of the packet alone.
    pub flow: u64,
    /// Which piece of the conversation it carries; a copy carries the same. An answer carries the piece it answers.
    pub seq: u32,
}

/// Packets and the names of their hosts and peers.
#[derive(Clone, Debug, Default)]
pub struct Packets {
    /// Names of hosts.
    pub hosts: Names,
    /// Names of peers.
    pub peers: Names,
    /// The packets, in any order.
    pub rows: Vec<Packet>,
}

/// A string that a host sent to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Who sent it.
    pub host: u32,
    /// To whom.
    pub peer: u32,
    /// The string.
    pub payload: u32,
}

/// Strings and who sent them to whom.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// Names of hosts.
    pub hosts: Names,
    /// Names of peers.
    pub peers: Names,
    /// The strings.
    pub payloads: Names,
    /// In any order.
    pub rows: Vec<Sighting>,
}

/// A packet of an interactive conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keystroke {
    /// Whose conversation.
    pub host: u32,
    /// Which of theirs.
    pub flow: u64,
    /// When, in microseconds since the public beginning of the trace.
    pub time_us: u64,
}

/// Packets of interactive conversations.
#[derive(Clone, Debug, Default)]
pub struct Keystrokes {
    /// Names of hosts.
    pub hosts: Names,
    /// In any order.
    pub rows: Vec<Keystroke>,
}

/// A packet that crosses two links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Who sent it.
    pub host: u32,
    /// In which of the public intervals of time.
    pub bin: u16,
    /// The link at home.
    pub home: u8,
    /// The link away.
    pub away: u8,
}

/// Packets that cross links.
#[derive(Clone, Debug, Default)]
pub struct Crossings {
    /// Names of hosts.
    pub hosts: Names,
    /// In any order.
    pub rows: Vec<Crossing>,
}

/// Paths that hosts' packets took.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// Names of hosts.
    pub hosts: Names,
    /// The paths, hop by hop.
    pub paths: Names,
    /// Who used which path.
    pub rows: Vec<(u32, u32)>,
}

/// The most sizes of packets that are told apart: longer ones count as the last.
pub const SIZES: usize = 1_536;
/// All ports.
pub const PORTS: usize = 65_536;
/// Intervals of time in a day.
pub const BINS: usize = 288;
/// Links on either side.
pub const LINKS: usize = 20;

impl Packet {
    /// Whether the host sent it.
    pub fn is_sent(&self) -> bool {
        self.kind != Kind::SynAck
    }

    /// The cell of its size.
    pub fn size_cell(&self) -> usize {
        usize::from(self.size).min(SIZES - 1)
    }

    /// The cell of its port.
    pub fn port_cell(&self) -> usize {
        usize::from(self.port)
    }
}
