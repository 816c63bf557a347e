//! What is asked of a trace in SQL, for either unit; what SQL cannot say is in `study.rs`.
//!
//! At host level everything inside the inner `GROUP BY host, …` or joined on the host is computed within one host, and costs nothing: taking a
//! host out takes its own inner rows out and no others (`plan/src/relation.rs`). At packet level a row is the unit, and no question may put
//! two rows together before they are counted: joins and inner groups are then named mechanisms.

use super::Unit;

/// A question in SQL.
#[derive(Clone, Copy, Debug)]
pub struct SqlQuestion {
    /// What it is called.
    pub name: &'static str,
    /// What is asked, in words.
    pub title: &'static str,
    /// What is asked.
    pub sql: &'static str,
    /// The file of `data` that it needs.
    pub table: Table,
    /// How much of a host counts: groups, and rows in a group. Rows are ones of one group each.
    pub bounds: Option<(u32, u32)>,
    /// Whether keys are earned.
    pub earns_keys: bool,
}

/// A table of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Packets.
    Packets,
    /// Strings that were sent.
    Payloads,
    /// Packets of interactive conversations.
    Keystrokes,
    /// Packets on links.
    Crossings,
    /// Paths.
    Paths,
}

impl Table {
    /// Every table, in the order of the catalog.
    pub const ALL: [Self; 5] =
        [Self::Packets, Self::Payloads, Self::Keystrokes, Self::Crossings, Self::Paths];

    /// Its name in SQL, and of its file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Packets => "packets",
            Self::Payloads => "payloads",
            Self::Keystrokes => "keystrokes",
            Self::Crossings => "crossings",
            Self::Paths => "paths",
        }
    }
}

/// Worm fingerprints at host level.
pub const FAN_OUT: &str = "worms, by fan-out";
/// The same with how many hosts send them.
pub const FAN_OUT_COUNTS: &str = "worms, by fan-out, counted";
/// Worm fingerprints at packet level.
pub const TWO_COUNTS: &str = "worms, by two counts";
/// The median round trip.
pub const ROUND_TRIP: &str = "median round trip";
/// Packets and copies.
pub const LOSS: &str = "loss rate";
/// Hosts that look like stepping stones.
pub const STONE_HOSTS: &str = "hosts that look like stepping stones";
/// Common paths.
pub const PATHS: &str = "common paths";
/// Sizes of packets.
pub const SIZES: &str = "packet sizes";
/// Ports of packets.
pub const PORTS: &str = "ports";
/// Volumes of links at home.
pub const HOME_LINKS: &str = "volumes of links at home";
/// Volumes of links away.
pub const AWAY_LINKS: &str = "volumes of links away";

const OF_HOSTS: [SqlQuestion; 7] = [
    // Which strings there are is the whole answer, and takes the whole price: half of it where they are counted as well.
    SqlQuestion {
        name: FAN_OUT,
        title: "Which strings do many hosts send to five addresses or more each?",
        sql: "SELECT payload\nFROM (SELECT host, payload FROM payloads GROUP BY host, payload HAVING COUNT(DISTINCT peer) >= 5) AS \
              wide\nGROUP BY payload",
        table: Table::Payloads,
        bounds: Some((2, 1)),
        earns_keys: true,
    },
    SqlQuestion {
        name: FAN_OUT_COUNTS,
        title: "And how many hosts are those?",
        sql: "SELECT payload, COUNT(DISTINCT host) AS hosts\nFROM (SELECT host, payload FROM payloads GROUP BY host, payload HAVING \
              COUNT(DISTINCT peer) >= 5) AS wide\nGROUP BY payload",
        table: Table::Payloads,
        bounds: Some((2, 1)),
        earns_keys: true,
    },
    SqlQuestion {
        name: ROUND_TRIP,
        title: "How long does a server take to answer, in milliseconds?",
        sql: "SELECT MEDIAN(ms) AS median_ms\nFROM (SELECT s.host, s.peer, s.flow, s.seq,\n        \
              LEAST(GREATEST((MIN(a.time_us) - MIN(s.time_us)) / 1000.0, 0), 2000) AS ms\n      FROM packets AS s JOIN packets AS a\n        \
              ON a.host = s.host AND a.peer = s.peer AND a.flow = s.flow AND a.seq = s.seq AND a.time_us >= s.time_us\n      WHERE s.kind = 'syn' AND \
              a.kind = 'synack'\n      GROUP BY s.host, s.peer, s.flow, s.seq) AS trips",
        table: Table::Packets,
        bounds: Some((1, 5)),
        earns_keys: false,
    },
    SqlQuestion {
        name: LOSS,
        title: "Which share of packets are copies of lost ones?",
        sql: "SELECT SUM(GREATEST(LEAST(a * w, 50), 0)) AS packets, SUM(GREATEST(LEAST(r * w, 5), 0)) AS copies\nFROM (SELECT host, a, r, LEAST(1, 50.0 / a, \
              CASE WHEN r > 0 THEN 5.0 / r ELSE 1 END) AS w\n      FROM (SELECT host, SUM(n) AS a, SUM(n - 1) AS r\n            FROM (SELECT host, \
              flow, seq, COUNT(*) AS n FROM packets WHERE kind <> 'synack' GROUP BY host, flow, seq) AS pieces\n            GROUP BY host) AS \
              hosts) AS weighed",
        table: Table::Packets,
        bounds: Some((1, 100_000)),
        earns_keys: false,
    },
    SqlQuestion {
        name: STONE_HOSTS,
        title: "How many hosts have two conversations that wake up together again and again?",
        sql: "SELECT COUNT(*) AS hosts\nFROM (SELECT host FROM (\n        SELECT a.host, a.flow, b.flow AS other\n        FROM (SELECT host, flow, \
              floor(time_us / 200000) AS bucket FROM keystrokes GROUP BY host, flow, floor(time_us / 200000)) AS a\n        JOIN (SELECT host, \
              flow, floor(time_us / 200000) AS bucket FROM keystrokes GROUP BY host, flow, floor(time_us / 200000)) AS b\n          ON a.host = \
              b.host AND a.bucket = b.bucket AND a.flow < b.flow\n        GROUP BY a.host, a.flow, b.flow HAVING COUNT(*) >= 50) AS pairs\n      \
              GROUP BY host) AS stones",
        table: Table::Keystrokes,
        bounds: Some((1, 1)),
        earns_keys: false,
    },
    SqlQuestion {
        name: PATHS,
        title: "Which paths do many hosts use?",
        sql: "SELECT path, COUNT(DISTINCT host) AS hosts FROM paths GROUP BY path ORDER BY hosts DESC",
        table: Table::Paths,
        bounds: Some((4, 1)),
        earns_keys: true,
    },
    SqlQuestion {
        name: SIZES,
        title: "How long are packets, in steps of 64 bytes?",
        sql: "SELECT floor(size / 64) AS step, COUNT(*) AS packets FROM packets WHERE kind <> 'synack' GROUP BY 1 ORDER BY 1",
        table: Table::Packets,
        bounds: Some((8, 60)),
        earns_keys: false,
    },
];

const OF_PACKETS: [SqlQuestion; 5] = [
    SqlQuestion {
        name: TWO_COUNTS,
        title: "Which strings do many hosts send to many addresses?",
        sql: "SELECT payload, COUNT(DISTINCT host) AS hosts, COUNT(DISTINCT peer) AS addresses FROM payloads GROUP BY payload",
        table: Table::Payloads,
        bounds: None,
        earns_keys: true,
    },
    SqlQuestion {
        name: SIZES,
        title: "How many packets have each length?",
        sql: "SELECT size, COUNT(*) AS packets FROM packets WHERE kind <> 'synack' GROUP BY size ORDER BY size",
        table: Table::Packets,
        bounds: None,
        earns_keys: false,
    },
    SqlQuestion {
        name: PORTS,
        title: "How many packets go to each sixteen ports?",
        sql: "SELECT floor(port / 16) AS sixteen, COUNT(*) AS packets FROM packets WHERE kind <> 'synack' GROUP BY 1 ORDER BY 1",
        table: Table::Packets,
        bounds: None,
        earns_keys: false,
    },
    SqlQuestion {
        name: HOME_LINKS,
        title: "How many packets cross each link at home, every five minutes?",
        sql: "SELECT bin, home AS link, COUNT(*) AS packets FROM crossings GROUP BY bin, home",
        table: Table::Crossings,
        bounds: None,
        earns_keys: false,
    },
    SqlQuestion {
        name: AWAY_LINKS,
        title: "How many packets cross each link away, every five minutes?",
        sql: "SELECT bin, away AS link, COUNT(*) AS packets FROM crossings GROUP BY bin, away",
        table: Table::Crossings,
        bounds: None,
        earns_keys: false,
    },
];

/// The questions that SQL can ask where this is the unit.
pub fn questions(unit: Unit) -> &'static [SqlQuestion] {
    match unit {
        Unit::Host => &OF_HOSTS,
        Unit::Packet => &OF_PACKETS,
    }
}
