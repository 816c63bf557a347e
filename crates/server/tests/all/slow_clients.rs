//! Sockets that say a byte now and then, at every door; security test 29.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use pointillist_server::Limits;
use serde_json::json;

use crate::fixture::Site;
use crate::wire_client::SSL_REQUEST;

/// As many as the list of tests wants.
const SOCKETS: usize = 2_000;
/// On an idle machine a question takes a quantum, a tenth of a second; here others may build meanwhile.
const PATIENCE: Duration = Duration::from_secs(10);

/// The beginning of a startup message, of a handshake behind a request for one, of a handshake, of a head.
const STARTUP: &[u8] = b"\0\0\0\x29\0\x03\0\0user\0ana\0database\0hospital\0\0";
const HELLO: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const HEAD: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: aaaaaaaaaaaaaaaa";

/// Specification: two thousand sockets (fewer where the process may have fewer files: 300 under a limit of 1,024) that drip at
/// both doors, encrypted and not, do not keep a question from its answer.
#[test]
fn a_question_is_answered_among_two_thousand_slow_sockets() {
    let (open, encrypted) = (Site::with(200, Limits::default()), Site::encrypted());
    // Both ends of each are ours.
    let count = SOCKETS.min(files_max().saturating_sub(400) / 2);
    let mut slow: Vec<(TcpStream, &[u8])> = Vec::new();
    for number in 0..count {
        let (address, bytes) = match number % 4 {
            0 => (open.postgres(), STARTUP),
            1 => (open.http(), HEAD),
            2 => (encrypted.http(), HELLO),
            _ => (encrypted.postgres(), HELLO),
        };
        let mut stream = TcpStream::connect(address).expect("a connection");
        if number % 4 == 3 {
            stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
            stream.write_all(&SSL_REQUEST).expect("sent");
            stream.read_exact(&mut [0]).expect("S");
        }
        slow.push((stream, bytes));
    }
    let mut longest = Duration::ZERO;
    for round in 0..8 {
        for (stream, bytes) in &mut slow {
            // A server that has enough of it may close.
            let _ = stream.write_all(&bytes[round..=round]);
        }
        for site in [&open, &encrypted] {
            longest = longest.max(answered_in(site, round));
        }
    }
    println!("{count} slow sockets, and a question takes {longest:?} at most");
    assert!(count >= 300, "{count} sockets show nothing");
    assert!(longest < PATIENCE, "{longest:?}");
}

/// How long somebody takes who comes in on the wire and asks, and with HTTP where that is open.
fn answered_in(site: &Site, number: usize) -> Duration {
    let begin = Instant::now();
    let replies = site.enter("ana").ask(&format!("SELECT count(*) FROM visits WHERE cost < {number}"));
    assert_eq!(replies[2], "C SELECT 1", "{replies:?}");
    if site.certificate.is_none() {
        let sql = format!("SELECT sum(cost) FROM visits WHERE cost < {number}");
        assert_eq!(site.post("ben", "/v1/query", &json!({ "sql": sql, "rho": "0.001" })).status, 200);
    }
    begin.elapsed()
}

/// How many files this process may have open.
fn files_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(1_024)
}
