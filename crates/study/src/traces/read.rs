//! A real trace to tables: a capture, or a table of packets that another program has written.
//!
//! **Guarantee.** What becomes of a packet, which host it belongs to and what its row says, follows from that packet's own bytes and from the
//! public list of networks of the inside. A packet that is not understood becomes no row and changes no other (`capture.rs`, `table_file.rs`).
//! **Owners.** A packet that a host of the inside sends is its own; so is the answer to an opening packet that a stranger sends to it. A packet between two hosts
//! of the inside is its sender's: a promise about hosts is not about what others send to them.

mod capture;
mod network;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use network::Network;

use super::error::TraceError;
use super::table_file::{self, PACKETS};
use super::trace::{Keystroke, Keystrokes, Packets, Sighting, Sightings};

/// Ports of interactive conversations.
const INTERACTIVE: [u16; 3] = [22, 23, 513];
/// The longest string of a payload that is kept, in bytes.
const PAYLOAD_BYTES: usize = 16;

/// The tables of a real trace.
#[derive(Clone, Debug, Default)]
pub struct ReadTrace {
    /// Packets.
    pub packets: Packets,
    /// The beginnings of what they carried.
    pub sightings: Sightings,
    /// Packets of interactive conversations.
    pub keystrokes: Keystrokes,
}

/// Reads a capture, or a table whose first line names the columns.
///
/// # Errors
/// When the file cannot be read or is neither. A packet or a row that is not understood is no error.
pub fn trace(path: &Path, internal: &[Network]) -> Result<ReadTrace, TraceError> {
    let unreadable = |source| TraceError::Unreadable { path: path.to_owned(), source };
    let mut first = [0; 4];
    let length = File::open(path).and_then(|mut file| file.read(&mut first)).map_err(unreadable)?;
    let mut read = ReadTrace::default();
    match length == first.len() && capture::is_capture(first) {
        true => capture::read(path, internal, &mut read)?,
        false => table(path, &mut read)?,
    }
    interactive(&mut read);
    Ok(read)
}

/// A table of packets, with the strings that they carried where there is a column `payload`.
fn table(path: &Path, read: &mut ReadTrace) -> Result<(), TraceError> {
    let packets = &mut read.packets;
    table_file::read(path, &PACKETS, |row| {
        let packet = table_file::packet(packets, row);
        packets.rows.extend(packet);
    })?;
    let sightings = &mut read.sightings;
    let columns = ["host", "peer", "payload"];
    let with_payload = table_file::read(path, &columns, |row| {
        let [host, peer, payload] = row else { return };
        let is_name = |text: &&&str| !text.is_empty() && text.len() <= table_file::NAME_BYTES_MAX;
        if [host, peer, payload].iter().all(is_name) {
            sighting(sightings, host, peer, payload);
        }
    });
    match with_payload {
        // Whether there is such a column the first line says, which is public.
        Err(TraceError::NoTrace { .. }) | Ok(()) => Ok(()),
        Err(error) => Err(error),
    }
}

fn sighting(sightings: &mut Sightings, host: &str, peer: &str, payload: &str) {
    let row = Sighting {
        host: sightings.hosts.number(host),
        peer: sightings.peers.number(peer),
        payload: sightings.payloads.number(payload),
    };
    sightings.rows.push(row);
}

/// What hosts send on ports of interactive conversations.
fn interactive(read: &mut ReadTrace) {
    let sent = read.packets.rows.iter().filter(|row| row.is_sent() && INTERACTIVE.contains(&row.port));
    for row in sent {
        let host = read.keystrokes.hosts.number(read.packets.hosts.name(row.host));
        read.keystrokes.rows.push(Keystroke { host, flow: row.flow, time_us: row.time_us });
    }
}
