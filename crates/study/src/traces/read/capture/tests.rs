use std::path::PathBuf;

use etherparse::PacketBuilder;

use super::*;
use crate::traces::read;

fn inside() -> Vec<Network> {
    vec!["10.0.0.0/8".parse().unwrap()]
}

fn tcp(from: [u8; 4], to: [u8; 4], ports: (u16, u16), flags: &str, sequence: u32, payload: &[u8]) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4(from, to, 64);
    let mut builder = builder.tcp(ports.0, ports.1, sequence, 1_000);
    if flags.contains('s') {
        builder = builder.syn();
    }
    if flags.contains('a') {
        builder = builder.ack(sequence + 1);
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

/// A capture in the old format, little end first, of (milliseconds, bytes).
fn pcap(packets: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        file.extend(word.to_le_bytes());
    }
    for (time_ms, bytes) in packets {
        for word in [time_ms / 1_000, time_ms % 1_000 * 1_000, bytes.len() as u32, bytes.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(bytes);
    }
    file
}

fn written(folder: &tempfile::TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("capture.pcap");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn conversation() -> Vec<(u32, Vec<u8>)> {
    let (host, server) = ([10, 0, 0, 1], [93, 184, 216, 34]);
    vec![
        (1_000, tcp(host, server, (5_000, 443), "s", 77, b"")),
        (1_060, tcp(server, host, (443, 5_000), "sa", 76, b"")),
        (1_061, tcp(host, server, (5_000, 443), "a", 78, b"")),
        (1_062, tcp(host, server, (5_000, 443), "a", 78, b"hello server")),
        (1_400, tcp(host, server, (5_000, 443), "a", 78, b"hello server")),
        (1_500, tcp(server, host, (443, 5_000), "a", 500, b"an answer, which is no row")),
    ]
}

#[test]
fn a_conversation_becomes_rows_of_the_host_of_the_inside() {
    let folder = tempfile::tempdir().unwrap();
    let mut packets = conversation();
    // The acknowledgement number of the answer must be the opening sequence number and one.
    packets[1].1 = {
        let builder = PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4([93, 184, 216, 34], [10, 0, 0, 1], 64);
        let mut bytes = Vec::new();
        builder.tcp(443, 5_000, 900, 1_000).syn().ack(78).write(&mut bytes, b"").unwrap();
        bytes
    };
    let trace = read::trace(&written(&folder, &pcap(&packets)), &inside()).unwrap();
    assert_eq!(trace.packets.rows.len(), 5);
    assert!(trace.packets.rows.iter().all(|row| trace.packets.hosts.name(row.host) == "10.0.0.1"));
    assert_eq!(crate::traces::round_trip::round_trips(&trace.packets.rows), [(0, 60_000)]);
    // One of four packets is a copy; the acknowledgement without a piece is none.
    assert!((crate::traces::retransmission::exact_rate(&trace.packets.rows) - 0.25).abs() < 1e-12);
    assert_eq!(trace.sightings.rows.len(), 2);
    assert_eq!(trace.sightings.payloads.name(0), "68656c6c6f20736572766572");
    assert!(trace.packets.rows.iter().all(|row| row.port == 443 && row.time_us >= 1_000_000));
}

/// Specification: whatever bytes another host's packet has (cut off anywhere, headers that lie, any byte changed), the rows of this host
/// are read as they were.
#[test]
fn a_malformed_packet_changes_no_other_hosts_rows() {
    let folder = tempfile::tempdir().unwrap();
    let rows_of = |packets: &[(u32, Vec<u8>)]| {
        let trace = read::trace(&written(&folder, &pcap(packets)), &inside()).unwrap();
        let mine: Vec<Packet> = trace
            .packets
            .rows
            .iter()
            .filter(|row| trace.packets.hosts.name(row.host) == "10.0.0.1")
            .map(|row| Packet { host: 0, peer: 0, ..*row })
            .collect();
        let strings = trace
            .sightings
            .rows
            .iter()
            .filter(|row| trace.sightings.hosts.name(row.host) == "10.0.0.1")
            .count();
        (mine, strings)
    };
    let expected = rows_of(&conversation());
    let evil = tcp([10, 9, 9, 9], [93, 184, 216, 34], (22, 22), "s", 5, b"0123456789abcdefghij");
    let mut hostile: Vec<Vec<u8>> = (0..evil.len()).map(|length| evil[..length].to_vec()).collect();
    // Every byte but those of the sender's address, which would make it another host's packet.
    for place in (0..evil.len()).filter(|place| !(26..30).contains(place)) {
        for value in [0x00, 0xff, evil[place] ^ 0x10] {
            let mut changed = evil.clone();
            changed[place] = value;
            hostile.push(changed);
        }
    }
    for evil in hostile {
        let mut packets = conversation();
        packets.insert(2, (1_060, evil.clone()));
        assert_eq!(rows_of(&packets), expected, "{evil:02x?}");
    }
}

#[test]
fn a_capture_that_was_stopped_is_read_up_to_there_and_a_broken_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = pcap(&conversation());
    let cut = read::trace(&written(&folder, &whole[..whole.len() - 5]), &inside()).unwrap();
    assert_eq!(cut.packets.rows.len(), 5);
    let mut broken = whole;
    // The length of the first packet: four thousand million bytes.
    broken[32..36].copy_from_slice(&[0xff; 4]);
    assert!(
        read::trace(&written(&folder, &broken), &inside()).is_ok_and(|read| read.packets.rows.is_empty())
            || read::trace(&written(&folder, &broken), &inside()).is_err()
    );
    assert!(
        is_capture([0x0a, 0x0d, 0x0d, 0x0a]) && is_capture([0xd4, 0xc3, 0xb2, 0xa1]) && !is_capture(*b"host")
    );
}
