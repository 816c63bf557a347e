//! How much is lost on the way: packets, and copies of packets.
//!
//! **Guarantee.** ρ-zCDP for the number of packets and the number of copies, with discrete Gaussian noise on both.
//! **Neighbours.** One packet more or less, or all packets of one host.
//! **Proof.** Packets that carry the same piece of a conversation of one host are a group of n; it has n packets and n − 1 copies. *Packet:* one
//! packet moves the number of packets by one and the number of copies by one at most (by none where it was alone): L2 ≤ √2. *Host:* with A
//! packets and R copies, a host has the weight w = min(1, a/A, r/R) for both, and adds ⌊G·w·A/a⌋ ≤ G and ⌊G·w·R/r⌋ ≤ G: L2 ≤ √2·G. One weight for
//! both keeps a host's own rate; a limit of its own for each keeps the noise on copies, which are few, small. Groups contain the host, so
//! that no packet of another host joins one.
//! **Bias.** Hosts that are cut count less: a rate of busy hosts that differs from the others' is pulled towards theirs.

use std::collections::BTreeMap;

use pointillist_mechanisms::DiscreteGaussianMechanism;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Loss, Rho, SensitivityL2};

use super::error::TraceError;
use super::histogram::GRID;
use super::trace::Packet;

/// Whose rows are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// One packet.
    Packet,
    /// All of a host's, of which so many count at most.
    Host {
        /// Packets.
        packets_max: u32,
        /// Copies.
        copies_max: u32,
    },
}

/// Packets and copies, with exact noise.
pub struct Retransmission {
    limits: Limits,
    noise: DiscreteGaussianMechanism,
}

impl Retransmission {
    /// A measurement under these limits.
    pub fn new(limits: Limits, rho: &Rho) -> Result<Self, TraceError> {
        let sensitivity_l2 = SensitivityL2::from_squared(moves_squared_upper(limits))?;
        Ok(Self { limits, noise: DiscreteGaussianMechanism::for_rho(rho, &sensitivity_l2)? })
    }

    /// What a release costs.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// Packets and copies, in steps of the grid, with noise.
    pub fn release<B: SecureBits + ?Sized>(&self, packets: &[Packet], bits: &mut B) -> Vec<i128> {
        self.noise.release_all(&counts(self.limits, packets), bits)
    }

    /// The share of packets that are copies, from what was released.
    pub fn rate(&self, released: &[i128]) -> f64 {
        let (packets, copies) = (released[0].max(1) as f64, released[1].max(0) as f64);
        match self.limits {
            Limits::Packet => copies / packets,
            Limits::Host { packets_max, copies_max } => {
                copies * f64::from(copies_max) / (packets * f64::from(packets_max))
            }
        }
    }
}

fn moves_squared_upper(limits: Limits) -> Rational {
    match limits {
        Limits::Packet => Rational::from(2),
        Limits::Host { .. } => Rational::from(2 * GRID * GRID),
    }
}

/// Packets and copies as they are released, without noise.
fn counts(limits: Limits, packets: &[Packet]) -> [i128; 2] {
    let mut sums = [0, 0];
    for (sent, copies) in by_host(packets).into_values() {
        let [a, r] = match limits {
            Limits::Packet => [sent, copies],
            Limits::Host { packets_max, copies_max } => {
                let (packets_max, copies_max) = (i128::from(packets_max), i128::from(copies_max));
                // The least of 1, a/A and r/R, as a fraction.
                let mut weight = (1, 1);
                for (most, count) in [(packets_max, sent), (copies_max, copies)] {
                    if most * weight.1 < weight.0 * count {
                        weight = (most, count);
                    }
                }
                [(sent, packets_max), (copies, copies_max)]
                    .map(|(count, most)| GRID * count * weight.0 / (weight.1 * most))
            }
        };
        sums[0] += a;
        sums[1] += r;
    }
    sums
}

/// Packets sent and copies among them, host by host.
fn by_host(packets: &[Packet]) -> BTreeMap<u32, (i128, i128)> {
    let mut pieces: Vec<(u32, u64, u32)> = packets
        .iter()
        .filter(|packet| packet.is_sent())
        .map(|packet| (packet.host, packet.flow, packet.seq))
        .collect();
    pieces.sort_unstable();
    let mut hosts: BTreeMap<u32, (i128, i128)> = BTreeMap::new();
    for piece in pieces.chunk_by(|a, b| a == b) {
        let (sent, copies) = hosts.entry(piece[0].0).or_default();
        *sent += piece.len() as i128;
        *copies += piece.len() as i128 - 1;
    }
    hosts
}

/// The true share of copies.
pub fn exact_rate(packets: &[Packet]) -> f64 {
    let [sent, copies] = counts(Limits::Packet, packets);
    copies as f64 / sent.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traces::trace::Kind;

    fn packet(host: u32, seq: u32) -> Packet {
        Packet { host, peer: 0, port: 443, kind: Kind::Data, time_us: 0, size: 40, flow: 0, seq }
    }

    /// All traces of two hosts with up to five packets, of three pieces.
    fn traces() -> impl Iterator<Item = Vec<Packet>> {
        (0..7_u32.pow(5)).map(|code| {
            let digit = move |place: u32| (code / 7_u32.pow(place)) % 7;
            (0..5).map(digit).filter(|digit| *digit < 6).map(|digit| packet(digit / 3, digit % 3)).collect()
        })
    }

    fn squared(with: [i128; 2], without: [i128; 2]) -> i128 {
        (0..2).map(|place| (with[place] - without[place]).pow(2)).sum()
    }

    /// Specification: over all small traces counts move by at most what is claimed, and somewhere by exactly that.
    #[test]
    fn no_packet_and_no_host_moves_more_than_is_claimed_and_some_as_much() {
        let host = Limits::Host { packets_max: 4, copies_max: 2 };
        let (mut by_packet, mut by_host) = (0, 0);
        for trace in traces() {
            for place in 0..trace.len() {
                let mut fewer = trace.clone();
                fewer.remove(place);
                by_packet =
                    by_packet.max(squared(counts(Limits::Packet, &trace), counts(Limits::Packet, &fewer)));
            }
            let fewer: Vec<Packet> = trace.iter().copied().filter(|packet| packet.host != 0).collect();
            by_host = by_host.max(squared(counts(host, &trace), counts(host, &fewer)));
        }
        assert_eq!(Rational::from(by_packet), moves_squared_upper(Limits::Packet));
        assert_eq!(Rational::from(by_host), moves_squared_upper(host));
    }

    /// Specification: without its second limit a host of copies moves more than is claimed, and a host moves a packet's counts by more
    /// than a packet does.
    #[test]
    fn planted_wrong_bounds_are_caught() {
        let copies: Vec<Packet> = (0..5).map(|_| packet(0, 0)).collect();
        let unlimited = Limits::Host { packets_max: 4, copies_max: u32::MAX };
        let [sent, _] = counts(unlimited, &copies);
        // The same weight without the limit of copies: four packets of five, so four fifths of four copies where two may count.
        let copies_without_limit = sent * 4 / 5 * 4 / 2;
        assert!(copies_without_limit > GRID);
        let alone = counts(Limits::Packet, &copies);
        assert!(Rational::from(squared(alone, [0, 0])) > moves_squared_upper(Limits::Packet));
    }

    #[test]
    fn a_rate_without_noise_is_the_rate_of_hosts_that_are_not_cut() {
        let trace: Vec<Packet> = [0, 1, 1, 2].into_iter().map(|seq| packet(0, seq)).collect();
        let host =
            Retransmission::new(Limits::Host { packets_max: 50, copies_max: 5 }, &Rho::parse("1").unwrap());
        let rate = host.unwrap().rate(&counts(Limits::Host { packets_max: 50, copies_max: 5 }, &trace));
        assert!((rate - exact_rate(&trace)).abs() < 1e-5 && (exact_rate(&trace) - 0.25).abs() < 1e-12);
    }
}
