//! Hosts that talk to servers: conversations, packets, copies of lost ones, and the paths they took.

use super::Size;
use super::dice::{Dice, Ranks};
use crate::traces::trace::{Kind, Packet, Packets, Routes};

const SERVERS: u32 = 5_000;
const PACKETS_PER_FLOW_MAX: u32 = 200;
/// A day, in microseconds.
const DAY_US: f64 = 86_400e6;
/// Time between two packets of a conversation, in microseconds, on average.
const BETWEEN_US: f64 = 20_000.0;

/// How many packets of a hundred go to each of the common ports; the others are uniform from 1024 on.
const COMMON_PORTS: [(u16, f64); 6] =
    [(443, 0.55), (80, 0.25), (53, 0.08), (22, 0.02), (25, 0.02), (8080, 0.02)];

struct Server {
    round_trip_ms: f64,
    loss: f64,
}

/// The packets of a day.
pub fn flows(number: u64, size: &Size) -> Packets {
    let mut dice = Dice::new("flows", number);
    let servers: Vec<Server> = (0..SERVERS)
        .map(|_| Server {
            round_trip_ms: (60f64.ln() + 0.6 * dice.normal()).exp(),
            // Beta(1, 49).
            loss: 1.0 - (1.0 - dice.unit()).powf(1.0 / 49.0),
        })
        .collect();
    let flows_of: Vec<u32> =
        (0..size.hosts).map(|_| ((2.5 + dice.normal()).exp() as u32).clamp(1, 500)).collect();
    let mut ranked: Vec<u32> = (0..size.hosts).collect();
    ranked.sort_by_key(|host| flows_of[*host as usize]);
    let mut busy = vec![0.0; size.hosts as usize];
    for (rank, host) in ranked.iter().enumerate() {
        busy[*host as usize] = rank as f64 / f64::from(size.hosts.max(2) - 1);
    }
    let popular = Ranks::new(SERVERS, 1.1);
    let mut packets = Packets::default();
    let mut flow = 0;
    for (host, flows) in (0..size.hosts).zip(&flows_of) {
        let owner = packets.hosts.number(&format!("host-{host:05}"));
        let full_packets = 0.15 + 0.40 * busy[host as usize];
        for _ in 0..*flows {
            let server = popular.pick(&mut dice);
            let peer = packets.peers.number(&format!("server-{server:04}"));
            let first = Packet {
                host: owner,
                peer,
                port: port(&mut dice),
                kind: Kind::Syn,
                time_us: (dice.unit() * DAY_US) as u64,
                size: 40,
                flow,
                seq: 0,
            };
            flow += 1;
            conversation(&mut packets.rows, first, &servers[server as usize], full_packets, &mut dice);
        }
    }
    packets
}

fn port(dice: &mut Dice) -> u16 {
    let mut left = dice.unit();
    for (port, share) in COMMON_PORTS {
        left -= share;
        if left < 0.0 {
            return port;
        }
    }
    dice.between(1024, 65_535) as u16
}

fn conversation(rows: &mut Vec<Packet>, first: Packet, server: &Server, full: f64, dice: &mut Dice) {
    let count = (1 + dice.geometric(0.1)).min(PACKETS_PER_FLOW_MAX);
    let copies = dice.binomial(count, server.loss);
    let round_trip_us = server.round_trip_ms * 1_000.0 * (0.25 * dice.normal()).exp();
    rows.push(Packet {
        kind: Kind::SynAck,
        size: 40,
        time_us: first.time_us + (round_trip_us as u64).max(1),
        ..first
    });
    let mut time = first.time_us;
    for seq in 0..count {
        let kind = if seq == 0 { Kind::Syn } else { Kind::Data };
        rows.push(Packet { kind, seq, size: size_of(full, dice), time_us: time, ..first });
        time += (BETWEEN_US * dice.exponential()) as u64 + 1;
    }
    for _ in 0..copies {
        // A copy of an opening packet would open the conversation twice; copies are of what follows, where anything does.
        let seq = if count > 1 { dice.between(1, count - 1) } else { 0 };
        time += (BETWEEN_US * dice.exponential()) as u64 + 1;
        rows.push(Packet { kind: Kind::Data, seq, size: size_of(full, dice), time_us: time, ..first });
    }
}

fn size_of(full: f64, dice: &mut Dice) -> u16 {
    match dice.unit() {
        at if at < 0.40 => 40,
        at if at < 0.40 + full => 1_500,
        at if at < 0.45 + full => 576,
        _ => dice.between(41, 1_499) as u16,
    }
}

/// Which paths hosts' packets took: four hops each, popular ones and rare ones.
pub fn routes(number: u64, size: &Size) -> Routes {
    let mut dice = Dice::new("routes", number);
    let popular = Ranks::new(400, 1.1);
    let mut routes = Routes::default();
    for host in 0..size.hosts {
        let owner = routes.hosts.number(&format!("host-{host:05}"));
        for _ in 0..dice.between(1, 12) {
            let path = popular.pick(&mut dice);
            let (a, b, c) = (path % 5, path % 29, path);
            let path = routes.paths.number(&format!("edge-{a} core-{b} exchange-{} net-{c:03}", c % 7));
            routes.rows.push((owner, path));
        }
    }
    routes
}
