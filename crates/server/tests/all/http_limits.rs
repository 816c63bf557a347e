//! Hostile clients: slow, large, deep, ambiguous, many.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use pointillist_server::Limits;
use serde_json::json;

use crate::fixture::{Site, parsed};

fn impatient() -> Limits {
    Limits { request: Duration::from_millis(700), ..Limits::default() }
}

/// Specification: a head must come whole in time; bytes that drip do not buy more of it.
#[test]
fn slow_heads_end() {
    let site = Site::with(100, impatient());
    let mut stream = TcpStream::connect(site.http()).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
    let begin = Instant::now();
    stream.write_all(b"GET /healthz HTTP/1.1\r\n").expect("sent");
    let mut byte = [0; 256];
    loop {
        // A header that never ends, a byte at a time.
        let is_gone = stream.write_all(b"x").is_err();
        match stream.read(&mut byte) {
            Ok(0) => break,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            _ if is_gone => break,
            _ => {}
        }
        assert!(begin.elapsed() < Duration::from_secs(5), "a dripping head is waited for");
    }
    assert!(begin.elapsed() >= Duration::from_millis(500), "{:?}", begin.elapsed());
}

/// Specification: a connection on which nothing is asked does not stay open.
#[test]
fn silent_connections_end() {
    let site = Site::with(100, impatient());
    let mut stream = TcpStream::connect(site.http()).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("closed in time");
    // The same after a request.
    let mut stream = TcpStream::connect(site.http()).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").expect("sent");
    stream.read_to_end(&mut rest).expect("closed in time");
    assert!(parsed(&rest).status == 200);
}

#[test]
fn slow_bodies_end() {
    let site = Site::with(100, impatient());
    let head = format!(
        "POST /v1/explain HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        site.tokens["ana"]
    );
    assert_eq!(parsed(&site.raw(head.as_bytes())).status, 408);
}

#[test]
fn large_bodies_and_heads_are_refused_before_they_are_read() {
    let site = Site::start();
    let head = |length: &str| {
        format!(
            "POST /v1/explain HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n{length}\r\n\r\n",
            site.tokens["ana"]
        )
    };
    assert_eq!(parsed(&site.raw(head("content-length: 1048577").as_bytes())).status, 413);
    let mut pieces = head("transfer-encoding: chunked").into_bytes();
    for _ in 0..17 {
        pieces.extend_from_slice(b"10000\r\n");
        pieces.extend(std::iter::repeat_n(b' ', 0x1_0000));
        pieces.extend_from_slice(b"\r\n");
    }
    let reply = site.raw(&pieces);
    assert!(reply.is_empty() || parsed(&reply).status == 413, "{}", String::from_utf8_lossy(&reply));
    let long = format!("GET /healthz HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "y".repeat(20_000));
    assert_eq!(parsed(&site.raw(long.as_bytes())).status, 431);
    let many = format!("GET /healthz HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(100));
    assert_eq!(parsed(&site.raw(many.as_bytes())).status, 431);
    // Nobody who is not known sends a body at all.
    let stranger = "POST /v1/query HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n";
    assert_eq!(parsed(&site.raw(stranger.as_bytes())).status, 401);
}

/// Specification: where a request ends is not a matter of opinion.
#[test]
fn a_connection_ends_where_a_length_and_pieces_come_together() {
    let site = Site::start();
    let body = "{\"sql\": \"SELECT count(*) FROM visits\", \"rho\": \"0.01\"}";
    let pieces = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for lengths in
        ["content-length: 5\r\ntransfer-encoding: chunked", "transfer-encoding: chunked\r\ncontent-length: 5"]
    {
        let smuggled = format!(
            "POST /v1/explain HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n{lengths}\r\n\r\n{pieces}GET /v1/budget HTTP/1.1\r\nhost: a\r\n\r\n",
            site.tokens["ana"]
        );
        let reply = String::from_utf8_lossy(&site.raw(smuggled.as_bytes())).into_owned();
        assert_eq!(reply.matches("HTTP/1.1 ").count(), 1, "{reply}");
        assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("connection: close"), "{reply}");
    }
    let two = "GET /healthz HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\n";
    assert_eq!(parsed(&site.raw(two.as_bytes())).status, 400);
}

#[test]
fn bodies_that_are_not_plain_objects_are_refused() {
    let site = Site::start();
    let bearer = format!("Bearer {}", site.tokens["ana"]);
    let own = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let deep = format!("{{\"sql\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    for body in [
        "{\"sql\": \"SELECT 1\", \"sql\": \"SELECT 2\"}",
        "{\"sql\": \"SELECT 1\", \"analyst\": \"chief\"}",
        "{\"sql\": \"SELECT 1\"} {}",
        "{\"sql\": \"\\ud800\"}",
        "[1]",
        deep.as_str(),
    ] {
        let reply = site.call("POST", "/v1/query", &own, body);
        assert_eq!(reply.status, 400, "{}: {}", &body[..body.len().min(60)], reply.text());
    }
    let bare = [("authorization", bearer.as_str())];
    assert_eq!(site.call("POST", "/v1/query", &bare, "{}").status, 415);
    assert_eq!(site.call("GET", "/v1/query", &own, "").status, 405);
    assert_eq!(site.call("GET", "/v2/query", &own, "").status, 404);
}

/// Specification: who is being answered keeps their place.
#[test]
fn connections_beyond_the_limit_are_turned_away() {
    let site = Site::with(100, Limits { connections: 3, ..Limits::default() });
    let begun = format!(
        "POST /v1/explain HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        site.tokens["ana"]
    );
    let held: Vec<TcpStream> = (0..3).map(|_| sent(&site, begun.as_bytes())).collect();
    std::thread::sleep(Duration::from_millis(200));
    assert!(site.raw(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").is_empty());
    drop(held);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(site.call("GET", "/healthz", &[], "").status, 200);
}

fn sent(site: &Site, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(site.http()).expect("a connection");
    stream.write_all(bytes).expect("sent");
    stream
}

/// Specification: sockets that say nothing, half a head, or nothing more, hold no place that somebody else needs, at neither door;
/// an answer that is on its way is not cut off by them.
#[test]
fn silent_connections_make_room() {
    let site = Site::with(100, Limits { connections: 8, ..Limits::default() });
    let body = json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.01" });
    for said in ["", "GET /healthz HTT", "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n"] {
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| site.post("ana", "/v1/query", &body));
            std::thread::sleep(Duration::from_millis(30));
            let held: Vec<TcpStream> = (0..40)
                .map(|_| {
                    let stream = sent(&site, said.as_bytes());
                    std::thread::sleep(Duration::from_millis(5));
                    stream
                })
                .collect();
            assert_eq!(site.call("GET", "/healthz", &[], "").status, 200, "after {said:?}");
            let mut postgres = TcpStream::connect(site.running().addresses().postgres.expect("it is open"))
                .expect("a connection");
            // Whether there is TLS: there is not.
            postgres.write_all(&[0, 0, 0, 8, 4, 210, 22, 47]).expect("sent");
            let mut reply = [0];
            postgres.read_exact(&mut reply).expect("a reply");
            assert_eq!(&reply, b"N", "after {said:?}");
            assert_eq!(asked.join().expect("no panic").status, 200, "after {said:?}");
            drop(held);
        });
    }
}

/// Specification: many questions of one person at once are all answered, a few at a time.
#[test]
fn questions_wait_for_their_turn() {
    let limits = Limits { questions_per_person: 2, questions: 3, ..Limits::default() };
    let site = Site::with(100, limits);
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..8)
            .map(|number| {
                let site = &site;
                scope.spawn(move || {
                    let sql = format!("SELECT count(*) FROM visits WHERE cost < {number}");
                    site.post("ana", "/v1/query", &json!({ "sql": sql, "rho": "0.01" })).status
                })
            })
            .collect();
        for asked in asked {
            assert_eq!(asked.join().expect("a reply"), 200);
        }
    });
}
