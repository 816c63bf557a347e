//! Packets that cross links over a day, with bursts in which many hosts send a little more.

use super::Size;
use super::dice::{Dice, Ranks};
use crate::traces::trace::{BINS, Crossing, Crossings, LINKS};

const BURSTS: usize = 10;
const BURSTING: u32 = 100;

/// A planted burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// When.
    pub bin: u16,
    /// On which link away.
    pub away: u8,
}

/// Packets on links, and the bursts among them.
#[derive(Clone, Debug, Default)]
pub struct Volumes {
    /// The packets.
    pub crossings: Crossings,
    /// What was planted.
    pub bursts: Vec<Burst>,
}

/// A day of packets.
pub fn volumes(number: u64, size: &Size) -> Volumes {
    let mut dice = Dice::new("volumes", number);
    let away = Ranks::new(LINKS as u32, 0.8);
    let mut volumes = Volumes::default();
    let mut links = Vec::new();
    for host in 0..size.link_hosts {
        let owner = volumes.crossings.hosts.number(&format!("host-{host:05}"));
        let link = (dice.below(LINKS as u32) as u8, away.pick(&mut dice) as u8);
        links.push((owner, link));
        let mean = (5.0 + dice.normal()).exp() / BINS as f64;
        let phase = match dice.unit() {
            at if at < 0.6 => 0.0,
            at if at < 0.9 => 0.25,
            _ => 0.5,
        };
        for bin in 0..BINS {
            let angle = std::f64::consts::TAU * (bin as f64 / BINS as f64 + phase);
            let packets = dice.poisson(mean * (1.0 + 0.8 * angle.sin()));
            let row = Crossing { host: owner, bin: bin as u16, home: link.0, away: link.1 };
            volumes.crossings.rows.extend((0..packets).map(|_| row));
        }
    }
    let bins = dice.some_of(BURSTS as u32, BINS as u32);
    for bin in bins {
        let burst = Burst { bin: bin as u16, away: dice.below(LINKS as u32) as u8 };
        volumes.bursts.push(burst);
        for host in dice.some_of(BURSTING.min(size.link_hosts), size.link_hosts) {
            let (owner, (home, _)) = links[host as usize];
            let packets = 1 + dice.poisson(4.0);
            let row = Crossing { host: owner, bin: burst.bin, home, away: burst.away };
            volumes.crossings.rows.extend((0..packets).map(|_| row));
        }
    }
    volumes
}
