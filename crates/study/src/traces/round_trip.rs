//! How long servers take to answer: opening packets joined with their answers, within one host.
//!
//! **Guarantee.** ρ-zCDP for the distribution of round trips over public buckets, measured by a strategy of `cdf.rs`.
//! **Neighbours.** One packet more or less, or all packets of one host.
//! **Proof.** A key is (host, peer, conversation, sequence number); it has one round trip at most, from its first opening packet to the first
//! answer not before that. Every packet belongs to one key. *Packet:* one packet changes the round trip of its own key and of no other: it
//! appears, vanishes, or moves to another bucket, so one row enters, leaves, or changes its cell ([`Moves::OneRowElsewhere`]). An
//! unrestricted join has no such bound: an opening packet would meet every answer of its conversation. *Host:* keys contain the host, so
//! its packets make its own round trips alone, which weigh k together at most (`histogram.rs`).
//! **Exactness.** Buckets are compared in whole microseconds; their borders are public constants.

use std::collections::BTreeMap;

use super::cdf::{CdfMechanism, Estimate, Moves, Strategy};
use super::error::TraceError;
use super::histogram::Weighing;
use super::trace::{Kind, Packet};
use pointillist_privacy::Rho;

/// Buckets, of equal width in the logarithm.
pub const BUCKETS: usize = 128;
/// Where the last bucket ends, in milliseconds; the first begins at one.
const LAST_MS: f64 = 2_000.0;

/// Where buckets end, in microseconds: `BUCKETS − 1` borders.
fn borders() -> Vec<u64> {
    (1..BUCKETS).map(|bucket| (border_ms(bucket as f64) * 1_000.0).round() as u64).collect()
}

fn border_ms(bucket: f64) -> f64 {
    LAST_MS.powf(bucket / BUCKETS as f64)
}

/// The round trips of hosts, in microseconds: one a key.
pub fn round_trips(packets: &[Packet]) -> Vec<(u32, u64)> {
    type Key = (u32, u32, u64, u32);
    let key = |packet: &Packet| (packet.host, packet.peer, packet.flow, packet.seq);
    let mut opened: BTreeMap<Key, (Option<u64>, Vec<u64>)> = BTreeMap::new();
    for packet in packets {
        match packet.kind {
            Kind::Syn => {
                let first = &mut opened.entry(key(packet)).or_default().0;
                *first = Some(first.map_or(packet.time_us, |time: u64| time.min(packet.time_us)));
            }
            Kind::SynAck => opened.entry(key(packet)).or_default().1.push(packet.time_us),
            Kind::Data => {}
        }
    }
    let trip = |((host, ..), (first, answers)): (Key, (Option<u64>, Vec<u64>))| {
        let first = first?;
        answers.into_iter().filter(|answer| *answer >= first).min().map(|answer| (host, answer - first))
    };
    opened.into_iter().filter_map(trip).collect()
}

/// The mechanism for a way to weigh.
pub fn mechanism(weighing: Weighing, rho: &Rho) -> Result<CdfMechanism, TraceError> {
    let moves = match weighing {
        Weighing::EachRow => Moves::OneRowElsewhere,
        Weighing::CappedHost { .. } | Weighing::AverageHost => Moves::By(weighing.moves_l1_upper()),
    };
    CdfMechanism::new(Strategy::SquareRoot, BUCKETS, moves, rho)
}

/// How round trips lie in buckets.
pub fn histogram(weighing: Weighing, packets: &[Packet]) -> Vec<i128> {
    let borders = borders();
    let cell = |(host, trip): (u32, u64)| (host, borders.partition_point(|border| *border <= trip));
    weighing.histogram(BUCKETS, round_trips(packets).into_iter().map(cell))
}

/// The median in milliseconds, from what was released; within a bucket, in proportion on the scale of logarithms.
pub fn median_ms(mechanism: &CdfMechanism, released: &[i128]) -> f64 {
    let cdf = mechanism.cdf(released, Estimate::Monotone);
    let bucket = cdf.partition_point(|part| *part < 0.5).min(BUCKETS - 1);
    let before = if bucket == 0 { 0.0 } else { cdf[bucket - 1] };
    let within = ((0.5 - before) / (cdf[bucket] - before).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    border_ms(bucket as f64 + within)
}

/// The true median, in milliseconds.
pub fn exact_median_ms(packets: &[Packet]) -> f64 {
    let mut trips: Vec<u64> = round_trips(packets).into_iter().map(|(_, trip)| trip).collect();
    trips.sort_unstable();
    trips.get(trips.len() / 2).map_or(0.0, |trip| *trip as f64 / 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(host: u32, kind: Kind, time_ms: u64, seq: u32) -> Packet {
        Packet { host, peer: 0, port: 443, kind, time_us: time_ms * 1_000, size: 40, flow: 7, seq }
    }

    /// Two hosts of up to four packets each, of either kind, at four times, of two keys.
    fn traces() -> impl Iterator<Item = Vec<Packet>> {
        (0..4_000_u64).map(|number| {
            // Every packet by its own digits of the number, so that neighbours differ in everything.
            let digits = |place: u64| (number.wrapping_add(1) * (place * 2 + 7919) / 13) % 64;
            (0..6)
                .map(|place| {
                    let digits = digits(place);
                    let kind = if digits & 1 == 0 { Kind::Syn } else { Kind::SynAck };
                    packet(
                        (digits >> 5) as u32,
                        kind,
                        [1, 3, 30, 300][(digits >> 1) as usize & 3],
                        (digits >> 4) as u32 & 1,
                    )
                })
                .collect()
        })
    }

    fn squared(with: &[i128], without: &[i128]) -> i128 {
        with.iter().zip(without).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    /// Specification: over thousands of small traces a packet moves at most one round trip to another bucket, and somewhere does so;
    /// a host moves what it weighs, and somewhere all of it.
    #[test]
    fn no_packet_and_no_host_moves_more_than_is_claimed_and_some_as_much() {
        let host = Weighing::CappedHost { rows_max: 2 };
        let (mut by_packet, mut by_host) = (0, 0);
        for trace in traces() {
            let (each, capped) = (histogram(Weighing::EachRow, &trace), histogram(host, &trace));
            for place in 0..trace.len() {
                let mut fewer = trace.clone();
                fewer.remove(place);
                by_packet = by_packet.max(squared(&each, &histogram(Weighing::EachRow, &fewer)));
            }
            for owner in 0..2 {
                let fewer: Vec<Packet> =
                    trace.iter().copied().filter(|packet| packet.host != owner).collect();
                by_host = by_host.max(squared(&capped, &histogram(host, &fewer)));
            }
        }
        assert_eq!(by_packet, 2, "a round trip moves from one bucket to another");
        assert_eq!(by_host, host.moves_l1_upper().pow(2), "both round trips of a host lie in one bucket");
    }

    /// Specification: the bound 1, which holds where a packet only makes a round trip appear, is caught, and so is an
    /// unrestricted join, in which one opening packet meets all answers.
    #[test]
    fn planted_wrong_bounds_are_caught() {
        let trace = [
            packet(0, Kind::Syn, 1, 0),
            packet(0, Kind::Syn, 3, 0),
            packet(0, Kind::SynAck, 30, 0),
            packet(0, Kind::SynAck, 300, 0),
            packet(0, Kind::SynAck, 301, 0),
        ];
        let (with, without) =
            (histogram(Weighing::EachRow, &trace), histogram(Weighing::EachRow, &trace[1..]));
        assert!(squared(&with, &without) > 1);
        let every_pair = |rows: &[Packet]| {
            let of = |kind| rows.iter().filter(move |packet| packet.kind == kind);
            of(Kind::Syn)
                .flat_map(|syn| of(Kind::SynAck).filter(move |ack| ack.time_us >= syn.time_us))
                .count()
        };
        assert!(every_pair(&trace) - every_pair(&trace[1..]) > 2);
    }

    #[test]
    fn the_median_of_exact_measurements_is_the_median() {
        let trips = [40, 50, 60, 70, 80, 20, 200];
        let packets: Vec<Packet> = (0..)
            .zip(trips)
            .flat_map(|(flow, trip)| {
                let first = Packet { flow, ..packet(0, Kind::Syn, 10, 0) };
                [first, Packet { kind: Kind::SynAck, time_us: first.time_us + trip * 1_000, ..first }]
            })
            .collect();
        assert!((exact_median_ms(&packets) - 60.0).abs() < 1e-9);
        let mechanism = mechanism(Weighing::EachRow, &Rho::parse("1").unwrap()).unwrap();
        let found = median_ms(&mechanism, &mechanism.measured(&histogram(Weighing::EachRow, &packets)));
        assert!((found / 60.0).ln().abs() < LAST_MS.ln() / BUCKETS as f64, "{found}");
    }
}
