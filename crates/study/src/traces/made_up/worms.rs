//! Strings that hosts send: everybody's own, those of worms, of scanners, and banners.

use super::Size;
use super::dice::Dice;
use crate::traces::trace::{Kind, Packets, Sighting, Sightings};

/// Addresses that worms and scanners choose from.
const ADDRESSES: u32 = 10_000;
/// How many hosts a worm has infected, of 2,000.
pub const INFECTED: [u32; 8] = [4, 8, 16, 32, 64, 128, 256, 512];
const WORMS_OF_EACH: u32 = 3;
const SCANNERS: u32 = 30;
const BANNERS: u32 = 30;

/// What was planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// Sent by so many hosts, to some addresses each.
    Worm {
        /// The hosts.
        infected: u32,
    },
    /// Sent by one to three hosts to hundreds of addresses.
    Scanner,
    /// Sent by many hosts to a few addresses.
    Banner,
}

/// A planted string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedString {
    /// The string.
    pub payload: String,
    /// A worm's, a scanner's, or a banner.
    pub what: Planted,
    /// Hosts that sent it, in truth.
    pub sources: u32,
    /// Addresses that it was sent to, in truth.
    pub destinations: u32,
}

/// Strings with their senders and receivers, and what is planted among them.
#[derive(Clone, Debug, Default)]
pub struct Worms {
    /// Who sent what to whom.
    pub sightings: Sightings,
    /// What was planted.
    pub planted: Vec<PlantedString>,
}

/// A day of strings: `flows` of everybody's own among them.
pub fn worms(number: u64, size: &Size, flows: impl Iterator<Item = (u32, u32)>) -> Worms {
    let mut dice = Dice::new("worms", number);
    let mut worms = Worms::default();
    let Worms { sightings, planted } = &mut worms;
    let hosts: Vec<u32> =
        (0..size.hosts).map(|host| sightings.hosts.number(&format!("host-{host:05}"))).collect();
    for (place, (host, server)) in flows.enumerate() {
        let payload = sightings.payloads.number(&format!("own{place:013x}"));
        let peer = sightings.peers.number(&format!("server-{server:04}"));
        sightings.rows.push(Sighting { host: hosts[host as usize], peer, payload });
    }
    let plant = |what: Planted, number: u32, sources: u32, reach: (u32, u32), dice: &mut Dice| {
        let word = match what {
            Planted::Worm { .. } => "worm",
            Planted::Scanner => "scan",
            Planted::Banner => "hello",
        };
        PlantedOrder {
            payload: format!("{word}-{number:03}"),
            what,
            sources,
            reach,
            addresses: dice.below(ADDRESSES),
        }
    };
    let mut orders = Vec::new();
    for infected in INFECTED {
        // Of the same share of hosts in a smaller trace.
        let infected = (infected * size.hosts).div_ceil(2_000).max(1);
        for _ in 0..WORMS_OF_EACH {
            orders.push(plant(
                Planted::Worm { infected },
                orders.len() as u32,
                infected,
                (10, 40),
                &mut dice,
            ));
        }
    }
    for _ in 0..SCANNERS {
        let sources = dice.between(1, 3);
        orders.push(plant(Planted::Scanner, orders.len() as u32, sources, (200, 1_000), &mut dice));
    }
    for _ in 0..BANNERS {
        let sources = dice.between(50, 500).min(size.hosts);
        orders.push(plant(Planted::Banner, orders.len() as u32, sources, (1, 5), &mut dice));
    }
    for order in orders {
        planted.push(order.write(sightings, &hosts, &mut dice));
    }
    worms
}

/// Who opened a conversation with which server, by their places: every conversation carries a string of its own.
pub fn first_packets(packets: &Packets) -> impl Iterator<Item = (u32, u32)> {
    let opening = packets.rows.iter().filter(|packet| packet.kind == Kind::Syn);
    opening.map(|packet| (packet.host, packet.peer))
}

struct PlantedOrder {
    payload: String,
    what: Planted,
    sources: u32,
    reach: (u32, u32),
    addresses: u32,
}

impl PlantedOrder {
    fn write(self, sightings: &mut Sightings, hosts: &[u32], dice: &mut Dice) -> PlantedString {
        let payload = sightings.payloads.number(&self.payload);
        let senders = dice.some_of(self.sources, hosts.len() as u32);
        let mut reached = std::collections::BTreeSet::new();
        // A banner is sent to the same few addresses by everybody; a scanner reaches so many with all of its senders together.
        let shared: Option<Vec<u32>> = match self.what {
            Planted::Worm { .. } => None,
            Planted::Scanner => {
                Some(dice.between(self.reach.0, self.reach.1)).map(|reach| dice.some_of(reach, ADDRESSES))
            }
            Planted::Banner => {
                let reach = dice.between(self.reach.0, self.reach.1);
                Some((0..reach).map(|step| (self.addresses + step) % ADDRESSES).collect())
            }
        };
        for (place, sender) in senders.iter().enumerate() {
            let to: Vec<u32> = match &shared {
                None => {
                    let reach = dice.between(self.reach.0, self.reach.1);
                    dice.some_of(reach, ADDRESSES)
                }
                Some(shared) if self.what == Planted::Scanner => {
                    shared.iter().copied().skip(place).step_by(senders.len()).collect()
                }
                // One address of the few for each sender; the first senders meet them all.
                Some(shared) => vec![shared[place % shared.len()]],
            };
            for address in to {
                reached.insert(address);
                let peer = sightings.peers.number(&format!("address-{address:05}"));
                sightings.rows.push(Sighting { host: hosts[*sender as usize], peer, payload });
            }
        }
        PlantedString {
            payload: self.payload,
            what: self.what,
            sources: senders.len() as u32,
            destinations: reached.len() as u32,
        }
    }
}
