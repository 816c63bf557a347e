//! Tables of a trace as CSV files: written faithfully, and read so that a row that is not understood is left out and changes no other.
//!
//! **Guarantee.** What is read of a row follows from its own bytes. A row with a field too many or too few, a number that is none, a name longer than
//! [`NAME_BYTES_MAX`] or bytes that are no text is left out whole; names are never cut, so that no two become one.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::str::FromStr;

use pointillist_records::{Next, Records, csv_field};

use super::error::TraceError;
use super::trace::{
    BINS, Crossing, Crossings, Keystroke, Keystrokes, Kind, LINKS, Packet, Packets, Routes, Sightings,
};

/// The longest name of a host, a peer, a payload or a path.
pub const NAME_BYTES_MAX: usize = 200;
/// The most fields of a row that are looked at.
const FIELDS_MAX: usize = 64;

/// The columns of packets.
pub const PACKETS: [&str; 8] = ["host", "peer", "port", "kind", "time_us", "size", "flow", "seq"];
/// The columns of strings.
pub const SIGHTINGS: [&str; 3] = ["host", "peer", "payload"];
/// The columns of interactive packets.
pub const KEYSTROKES: [&str; 3] = ["host", "flow", "time_us"];
/// The columns of packets on links.
pub const CROSSINGS: [&str; 4] = ["host", "bin", "home", "away"];
/// The columns of paths.
pub const ROUTES: [&str; 2] = ["host", "path"];

/// A table that is written, readable to its owner alone.
pub(super) struct TableFile<'p> {
    path: &'p Path,
    out: BufWriter<File>,
}

impl<'p> TableFile<'p> {
    pub(super) fn create(path: &'p Path, columns: &[&str]) -> Result<Self, TraceError> {
        let failed = |source| TraceError::Unwritable { path: path.to_owned(), source };
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        let mut table = Self { path, out: BufWriter::new(file.map_err(failed)?) };
        table.row(columns)?;
        Ok(table)
    }

    pub(super) fn row(&mut self, fields: &[&str]) -> Result<(), TraceError> {
        let fields: Vec<_> = fields.iter().map(|field| csv_field(field)).collect();
        writeln!(self.out, "{}", fields.join(",")).map_err(|source| self.failed(source))
    }

    pub(super) fn finish(mut self) -> Result<(), TraceError> {
        self.out.flush().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> TraceError {
        TraceError::Unwritable { path: self.path.to_owned(), source }
    }
}

/// Writes packets.
pub fn write_packets(path: &Path, packets: &Packets) -> Result<(), TraceError> {
    let mut table = TableFile::create(path, &PACKETS)?;
    for row in &packets.rows {
        let numbers = [
            row.port.to_string(),
            row.time_us.to_string(),
            row.size.to_string(),
            row.flow.to_string(),
            row.seq.to_string(),
        ];
        let [port, time, size, flow, seq] = &numbers;
        let (host, peer) = (packets.hosts.name(row.host), packets.peers.name(row.peer));
        table.row(&[host, peer, port, row.kind.word(), time, size, flow, seq])?;
    }
    table.finish()
}

/// Writes strings.
pub fn write_sightings(path: &Path, sightings: &Sightings) -> Result<(), TraceError> {
    let mut table = TableFile::create(path, &SIGHTINGS)?;
    for row in &sightings.rows {
        let (host, peer) = (sightings.hosts.name(row.host), sightings.peers.name(row.peer));
        table.row(&[host, peer, sightings.payloads.name(row.payload)])?;
    }
    table.finish()
}

/// Writes interactive packets.
pub fn write_keystrokes(path: &Path, keystrokes: &Keystrokes) -> Result<(), TraceError> {
    let mut table = TableFile::create(path, &KEYSTROKES)?;
    for row in &keystrokes.rows {
        table.row(&[keystrokes.hosts.name(row.host), &row.flow.to_string(), &row.time_us.to_string()])?;
    }
    table.finish()
}

/// Writes packets on links.
pub fn write_crossings(path: &Path, crossings: &Crossings) -> Result<(), TraceError> {
    let mut table = TableFile::create(path, &CROSSINGS)?;
    for row in &crossings.rows {
        let [bin, home, away] =
            [u64::from(row.bin), row.home.into(), row.away.into()].map(|one| one.to_string());
        table.row(&[crossings.hosts.name(row.host), &bin, &home, &away])?;
    }
    table.finish()
}

/// Writes paths.
pub fn write_routes(path: &Path, routes: &Routes) -> Result<(), TraceError> {
    let mut table = TableFile::create(path, &ROUTES)?;
    for (host, route) in &routes.rows {
        table.row(&[routes.hosts.name(*host), routes.paths.name(*route)])?;
    }
    table.finish()
}

/// Reads packets.
pub fn read_packets(path: &Path) -> Result<Packets, TraceError> {
    let mut packets = Packets::default();
    read(path, &PACKETS, |row| {
        let packet = packet(&mut packets, row);
        packets.rows.extend(packet);
    })?;
    Ok(packets)
}

/// A packet of a row, where it is one.
pub(super) fn packet(packets: &mut Packets, row: &[&str]) -> Option<Packet> {
    let [host, peer, port, kind, time_us, size, flow, seq] = row else { return None };
    let (port, kind) = (number(port)?, Kind::of_word(kind)?);
    let (time_us, size, flow, seq) = (number(time_us)?, number(size)?, number(flow)?, number(seq)?);
    let (host, peer) = (name(host)?, name(peer)?);
    let (host, peer) = (packets.hosts.number(host), packets.peers.number(peer));
    Some(Packet { host, peer, port, kind, time_us, size, flow, seq })
}

/// Reads interactive packets.
pub fn read_keystrokes(path: &Path) -> Result<Keystrokes, TraceError> {
    let mut keystrokes = Keystrokes::default();
    read(path, &KEYSTROKES, |row| {
        let [host, flow, time_us] = row else { return };
        let (Some(host), Some(flow), Some(time_us)) = (name(host), number(flow), number(time_us)) else {
            return;
        };
        let host = keystrokes.hosts.number(host);
        keystrokes.rows.push(Keystroke { host, flow, time_us });
    })?;
    Ok(keystrokes)
}

/// Reads packets on links; what is outside of the public intervals and links is left out.
pub fn read_crossings(path: &Path) -> Result<Crossings, TraceError> {
    let mut crossings = Crossings::default();
    read(path, &CROSSINGS, |row| {
        let [host, bin, home, away] = row else { return };
        let (Some(host), Some(bin), Some(home), Some(away)) =
            (name(host), number::<u16>(bin), number::<u8>(home), number::<u8>(away))
        else {
            return;
        };
        if usize::from(bin) < BINS && usize::from(home) < LINKS && usize::from(away) < LINKS {
            let host = crossings.hosts.number(host);
            crossings.rows.push(Crossing { host, bin, home, away });
        }
    })?;
    Ok(crossings)
}

fn name(text: &str) -> Option<&str> {
    (!text.is_empty() && text.len() <= NAME_BYTES_MAX).then_some(text)
}

fn number<N: FromStr>(text: &str) -> Option<N> {
    // Digits alone: other readers of the same file take no sign for a number either.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Calls `each` with these columns of every row that has as many fields as the first line.
pub(super) fn read(path: &Path, columns: &[&str], mut each: impl FnMut(&[&str])) -> Result<(), TraceError> {
    let file = File::open(path).map_err(|source| TraceError::Unreadable { path: path.to_owned(), source })?;
    let no_trace = |why: String| TraceError::NoTrace { path: path.to_owned(), why };
    let mut records = Records::new(file, b',');
    let mut places: Option<(Vec<usize>, usize)> = None;
    let mut texts: Vec<Vec<u8>> = Vec::new();
    loop {
        match records.next() {
            Next::End => break,
            Next::Malformed if places.is_some() => continue,
            Next::Malformed => return Err(no_trace("its first line is no list of names".to_owned())),
            Next::Record => {}
        }
        let fields = records.fields().to_vec();
        let Some((places, width)) = &places else {
            let mut scratch = Vec::new();
            let names: Vec<String> = fields
                .iter()
                .take(FIELDS_MAX)
                .map(|field| {
                    String::from_utf8_lossy(records.bytes(*field, &mut scratch)).trim().to_lowercase()
                })
                .collect();
            let place = |column: &&str| {
                names
                    .iter()
                    .position(|name| name == column)
                    .ok_or_else(|| no_trace(format!("its first line does not name `{column}`")))
            };
            places = Some((columns.iter().map(place).collect::<Result<_, _>>()?, fields.len()));
            continue;
        };
        if fields.len() != *width {
            continue;
        }
        texts.clear();
        for place in places {
            let mut scratch = Vec::new();
            texts.push(records.bytes(fields[*place], &mut scratch).to_vec());
        }
        let row: Option<Vec<&str>> = texts.iter().map(|text| str::from_utf8(text).ok()).collect();
        if let Some(row) = row {
            each(&row);
        }
    }
    match places {
        Some(_) => Ok(()),
        None => Err(no_trace("it is empty".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traces::made_up::{self, Size};

    const SMALL: Size = Size { hosts: 12, link_hosts: 9, interactive: 6, hours: 1 };

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let packets = made_up::flows(1, &SMALL);
        write_packets(&path, &packets).unwrap();
        assert_eq!(read_packets(&path).unwrap().rows, packets.rows);
        let keystrokes = made_up::stones(1, &SMALL).keystrokes;
        write_keystrokes(&path, &keystrokes).unwrap();
        assert_eq!(read_keystrokes(&path).unwrap().rows, keystrokes.rows);
        let crossings = made_up::volumes(1, &SMALL).crossings;
        write_crossings(&path, &crossings).unwrap();
        assert_eq!(read_crossings(&path).unwrap().rows, crossings.rows);
    }

    /// Specification: whatever one host's row holds, every other host's rows are read as they were.
    #[test]
    fn a_hostile_row_changes_no_other_hosts_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("packets.csv");
        let good = "10.0.0.1,1.1.1.1,443,data,5,40,1,2\n";
        let read_of = |evil: &str| {
            std::fs::write(&path, format!("host,peer,port,kind,time_us,size,flow,seq\n{good}{evil}{good}"))
                .unwrap();
            let packets = read_packets(&path).unwrap();
            packets.rows.iter().filter(|row| packets.hosts.name(row.host) == "10.0.0.1").count()
        };
        let long = "x".repeat(100_000);
        for evil in [
            "10.0.0.2,1.1.1.1,443,data,5,40,1,2\n",
            "10.0.0.2\n",
            "10.0.0.2,1.1.1.1,443,data,5,40,1,2,3,4\n",
            "10.0.0.2,1.1.1.1,70000,data,5,40,1,2\n",
            "10.0.0.2,1.1.1.1,443,data,-5,+40,1e3,2\n",
            "10.0.0.2,1.1.1.1,443,data,99999999999999999999999,40,1,2\n",
            "\"10.0.0.2\n10.0.0.1,1.1.1.1,443,data,5,40,1,2\n\",1.1.1.1,443,data,5,40,1,2\n",
            "10.0.\"0.2,1.1.1.1,443,data,5,40,1,2\n",
            ",1.1.1.1,443,data,5,40,1,2\n",
            &format!("{long},1.1.1.1,443,data,5,40,1,2\n"),
            "\u{0}\u{1},,,,,,,\n",
        ] {
            assert_eq!(read_of(evil), 2, "{evil:?}");
        }
    }

    #[test]
    fn a_file_without_the_columns_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("packets.csv");
        for (text, why) in [("", "it is empty"), ("host,peer\n", "does not name `port`")] {
            std::fs::write(&path, text).unwrap();
            let error = read_packets(&path).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
