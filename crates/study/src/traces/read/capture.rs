//! Captures: pcap and pcapng, of Ethernet or bare IP.
//!
//! **Guarantee.** Where a packet begins and ends in the file its recorder wrote down before it, and no byte of a packet decides that. A
//! packet whose headers are cut off, lie about their lengths or name what is not known here becomes no row. Sizes are cut at 65,535, times are whole
//! microseconds, strings are at most 16 bytes. A file whose own frame is broken is refused as a whole, before anything is asked.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::path::Path;

use etherparse::{LaxNetSlice, LaxSlicedPacket, TransportSlice};
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};

use super::{Network, PAYLOAD_BYTES, ReadTrace, sighting};
use crate::traces::error::TraceError;
use crate::traces::trace::{Kind, Packet};

/// The most that is held of a file at once; no recorder writes a longer block.
const BUFFER_BYTES: usize = 4 << 20;
/// Numbers of conversations have so many bits: SQL counts with them.
const FLOW_BITS: u32 = 52;

/// Whether a file begins as captures do.
pub(super) fn is_capture(first: [u8; 4]) -> bool {
    const PCAPNG: u32 = 0x0a0d_0d0a;
    const PCAP: [u32; 2] = [0xa1b2_c3d4, 0xa1b2_3c4d];
    let word = u32::from_be_bytes(first);
    word == PCAPNG || PCAP.iter().any(|magic| word == *magic || word.swap_bytes() == *magic)
}

/// How times of an interface are counted.
#[derive(Clone, Copy)]
struct Interface {
    link: Linktype,
    /// Ticks in a second.
    resolution: u64,
}

/// Reads a capture.
pub(super) fn read(path: &Path, internal: &[Network], trace: &mut ReadTrace) -> Result<(), TraceError> {
    let broken = |why: &str| TraceError::NoTrace { path: path.to_owned(), why: why.to_owned() };
    let file = File::open(path).map_err(|source| TraceError::Unreadable { path: path.to_owned(), source })?;
    let mut reader =
        create_reader(BUFFER_BYTES, file).map_err(|_| broken("its beginning is that of no capture"))?;
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut refills = 0;
    loop {
        match reader.next() {
            Ok((length, block)) => {
                refills = 0;
                block_of(&block, &mut interfaces, internal, trace);
                reader.consume(length);
            }
            Err(PcapError::Eof) => return Ok(()),
            // A recorder that was stopped leaves half a packet behind.
            Err(PcapError::UnexpectedEof) => return Ok(()),
            Err(PcapError::Incomplete(_)) if refills < 2 => {
                refills += 1;
                match reader.refill() {
                    Ok(()) => {}
                    Err(PcapError::ReadError) => return Err(broken("it cannot be read to its end")),
                    Err(_) => return Err(broken("a block of it is too long")),
                }
            }
            Err(PcapError::Incomplete(_)) => return Ok(()),
            Err(_) => return Err(broken("its frame is broken")),
        }
    }
}

fn block_of(
    block: &PcapBlockOwned<'_>,
    interfaces: &mut Vec<Interface>,
    internal: &[Network],
    trace: &mut ReadTrace,
) {
    match block {
        PcapBlockOwned::LegacyHeader(header) => {
            let resolution = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
            *interfaces = vec![Interface { link: header.network, resolution }];
        }
        PcapBlockOwned::Legacy(packet) => {
            let Some(interface) = interfaces.first().copied() else { return };
            let ticks =
                u128::from(packet.ts_sec) * u128::from(interface.resolution) + u128::from(packet.ts_usec);
            packet_of(interface, ticks, packet.data, internal, trace);
        }
        PcapBlockOwned::NG(Block::SectionHeader(_)) => interfaces.clear(),
        PcapBlockOwned::NG(Block::InterfaceDescription(described)) => interfaces.push(Interface {
            link: described.linktype,
            resolution: described.ts_resolution().unwrap_or(1_000_000),
        }),
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
            let Some(interface) = interfaces.get(packet.if_id as usize).copied() else { return };
            let ticks = (u128::from(packet.ts_high) << 32) | u128::from(packet.ts_low);
            packet_of(interface, ticks, packet.packet_data(), internal, trace);
        }
        PcapBlockOwned::NG(_) => {}
    }
}

/// One packet to one row, or to none.
fn packet_of(interface: Interface, ticks: u128, data: &[u8], internal: &[Network], trace: &mut ReadTrace) {
    let time_us = ticks * 1_000_000 / u128::from(interface.resolution.max(1));
    let Ok(time_us) = u64::try_from(time_us) else { return };
    let sliced = match interface.link {
        Linktype::ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
        Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 => LaxSlicedPacket::from_ip(data).ok(),
        _ => None,
    };
    if let Some((row, payload)) =
        sliced.and_then(|sliced| Seen::of(&sliced, time_us)).and_then(|seen| seen.owned(internal))
    {
        row.write(&payload, trace);
    }
}

/// What a packet says.
struct Seen {
    from: (IpAddr, u16),
    to: (IpAddr, u16),
    protocol: u8,
    size: u16,
    time_us: u64,
    tcp: Option<Tcp>,
    payload: Vec<u8>,
}

struct Tcp {
    opens: bool,
    answers: bool,
    carries: bool,
    sequence: u32,
    acknowledged: u32,
}

impl Seen {
    fn of(sliced: &LaxSlicedPacket<'_>, time_us: u64) -> Option<Self> {
        let (from, to, size): (IpAddr, IpAddr, u32) = match sliced.net.as_ref()? {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                (header.source_addr().into(), header.destination_addr().into(), u32::from(header.total_len()))
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                (
                    header.source_addr().into(),
                    header.destination_addr().into(),
                    u32::from(header.payload_length()) + 40,
                )
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let size = u16::try_from(size).unwrap_or(u16::MAX);
        let first = |bytes: &[u8]| bytes.iter().take(PAYLOAD_BYTES).copied().collect();
        Some(match sliced.transport.as_ref()? {
            TransportSlice::Tcp(tcp) => Self {
                from: (from, tcp.source_port()),
                to: (to, tcp.destination_port()),
                protocol: 6,
                size,
                time_us,
                tcp: Some(Tcp {
                    opens: tcp.syn() && !tcp.ack(),
                    answers: tcp.syn() && tcp.ack(),
                    carries: !tcp.payload().is_empty() || tcp.syn() || tcp.fin(),
                    sequence: tcp.sequence_number(),
                    acknowledged: tcp.acknowledgment_number(),
                }),
                payload: first(tcp.payload()),
            },
            TransportSlice::Udp(udp) => Self {
                from: (from, udp.source_port()),
                to: (to, udp.destination_port()),
                protocol: 17,
                size,
                time_us,
                tcp: None,
                payload: first(udp.payload()),
            },
            _ => return None,
        })
    }

    /// The row of its owner, where it has one, and the beginning of what the owner sent.
    fn owned(self, internal: &[Network]) -> Option<(OwnedRow, Vec<u8>)> {
        let is_inside = |address: &IpAddr| internal.iter().any(|network| network.contains(address));
        let answers = self.tcp.as_ref().is_some_and(|tcp| tcp.answers);
        let (own, peer, kind) = match (is_inside(&self.from.0), is_inside(&self.to.0)) {
            (true, _) => {
                let opens = self.tcp.as_ref().is_some_and(|tcp| tcp.opens);
                (self.from, self.to, if opens { Kind::Syn } else { Kind::Data })
            }
            (false, true) if answers => (self.to, self.from, Kind::SynAck),
            _ => return None,
        };
        // What carries no piece of a conversation is no copy of one: it is counted by its time, in a conversation of its own.
        let (piece, carries) = match (&self.tcp, kind) {
            (Some(tcp), Kind::SynAck) => (tcp.acknowledged.wrapping_sub(1), true),
            (Some(tcp), _) if tcp.carries => (tcp.sequence, true),
            _ => (self.time_us as u32, false),
        };
        let mut hasher = DefaultHasher::new();
        (own.1, peer, self.protocol, carries).hash(&mut hasher);
        let flow = hasher.finish() >> (64 - FLOW_BITS);
        let payload = if kind == Kind::SynAck { Vec::new() } else { self.payload };
        let row = OwnedRow {
            host: own.0,
            peer: peer.0,
            row: Packet {
                host: 0,
                peer: 0,
                port: peer.1,
                kind,
                time_us: self.time_us,
                size: self.size,
                flow,
                seq: piece,
            },
        };
        Some((row, payload))
    }
}

/// A row whose host and peer have no numbers yet.
struct OwnedRow {
    host: IpAddr,
    peer: IpAddr,
    row: Packet,
}

impl OwnedRow {
    fn write(self, payload: &[u8], trace: &mut ReadTrace) {
        let (host, peer) = (self.host.to_string(), self.peer.to_string());
        let row = Packet {
            host: trace.packets.hosts.number(&host),
            peer: trace.packets.peers.number(&peer),
            ..self.row
        };
        trace.packets.rows.push(row);
        // Shorter strings say nothing of who sent them.
        if payload.len() >= 4 {
            let text: String = payload.iter().map(|byte| format!("{byte:02x}")).collect();
            sighting(&mut trace.sightings, &host, &peer, &text);
        }
    }
}

#[cfg(test)]
mod tests;
