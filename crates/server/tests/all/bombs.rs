//! Statements and sizes that are made to be expensive, through both doors; security test 28.

use std::time::{Duration, Instant};

use pointillist_server::Limits;
use serde_json::json;

use crate::fixture::Site;
use crate::wire_client::{bind, execute, message, parse};

/// Generous: a debug build on a machine that does something else as well.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much more memory the process may hold afterwards, in kibibytes.
const GROWTH_MAX: u64 = 400 << 10;

fn bombs() -> Vec<(&'static str, String)> {
    let list = "1,".repeat(99_999);
    let tables: Vec<String> = (0..10_000).map(|number| format!("c{number} AS (SELECT 1)")).collect();
    let doubled: Vec<String> = (1..40)
        .map(|number| format!("c{number} AS (SELECT * FROM c{0} AS x, c{0} AS y)", number - 1))
        .collect();
    let joins = |depth: usize| {
        format!("SELECT count(*) FROM {}visits{}", "(".repeat(depth), " JOIN visits ON true)".repeat(depth))
    };
    vec![
        ("open brackets", format!("SELECT {}", "(".repeat(5_000))),
        ("brackets", format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000))),
        ("a sum", format!("SELECT count(*) FROM visits WHERE cost < {}1", "1+".repeat(20_000))),
        ("a list", format!("SELECT count(*) FROM visits WHERE cost IN ({list}1)")),
        ("a list about nothing", format!("SELECT 1 WHERE 1 IN ({list}1)")),
        ("WITH", format!("WITH {} SELECT count(*) FROM visits", tables.join(", "))),
        ("WITH, doubled", format!("WITH c0 AS (SELECT 1), {} SELECT * FROM c39", doubled.join(", "))),
        ("joins in brackets", joins(47)),
        ("more joins in brackets", joins(5_000)),
        ("NOT", format!("SELECT count(*) FROM visits WHERE {} true", "NOT ".repeat(20_000))),
        ("minus", format!("SELECT {}1", "- ".repeat(20_000))),
        ("CASE", format!("SELECT {}1{}", "CASE WHEN true THEN ".repeat(4_000), " END".repeat(4_000))),
        ("UNION", format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(20_000))),
        (
            "subqueries",
            format!("SELECT * FROM {}visits{}", "(SELECT * FROM ".repeat(3_000), ") x".repeat(3_000)),
        ),
        ("a product of the catalog", format!("SELECT count(*) FROM pg_class{}", ", pg_attribute".repeat(60))),
        ("a long series", "SELECT * FROM generate_series(1, 1000000000)".to_owned()),
        ("a long text", "SELECT repeat('a', 1000000000)".to_owned()),
        ("semicolons", ";".repeat(500_000)),
        ("statements", "SELECT 1;".repeat(50_000)),
    ]
}

/// Specification: each is answered or refused in time, the session behind it goes on, somebody else is answered, and memory stays
/// what it was but for a bounded rest.
#[test]
fn expensive_statements_are_cheap() {
    let site = Site::with(200, Limits::default());
    let mut ana = site.wire("ana");
    let mut number = 0;
    let mut normal = |site: &Site| {
        number += 1;
        let begin = Instant::now();
        let sql = format!("SELECT count(*) FROM visits WHERE cost < {number}");
        let reply = site.post("ben", "/v1/query", &json!({ "sql": sql, "rho": "0.001" }));
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    };
    normal(&site);
    let before = resident_kib();
    for (name, sql) in bombs() {
        let begin = Instant::now();
        for path in ["/v1/query", "/v1/explain", "/v1/rehearse"] {
            let reply = site.post("ana", path, &json!({ "sql": sql, "rho": "0.001" }));
            assert!((400..500).contains(&reply.status) || reply.status == 200, "{name}: {}", reply.text());
        }
        let over_http = begin.elapsed();
        let replies = ana.ask(&sql);
        assert_eq!(replies.last().map(String::as_str), Some("Z I"), "{name}: {:?}", replies.last());
        let replies = ana.pipeline(&[parse("", &sql), bind("", ""), execute("", 0)]);
        assert_eq!(replies.last().map(String::as_str), Some("Z I"), "{name}: {:?}", replies.last());
        let took = begin.elapsed();
        println!("{name}: {over_http:?} and {took:?}, {} KiB", resident_kib());
        assert!(took < PATIENCE, "{name}: {took:?}");
        let grown = resident_kib().saturating_sub(before);
        assert!(grown < GROWTH_MAX, "{name}: {grown} KiB");
    }
    normal(&site);
}

/// Specification: a size that is announced is refused before anything is kept for it; a value that is longer than its message is
/// a broken message.
#[test]
fn announced_sizes_are_not_believed() {
    let site = Site::with(200, Limits::default());
    let before = resident_kib();
    let mut waiting = Vec::new();
    for _ in 0..50 {
        let mut ana = site.wire("ana");
        ana.send_bytes(&[b"B".as_slice(), &(100_u32 << 20).to_be_bytes(), b"\0\0\0\0\0\x01"].concat());
        let replies = ana.replies();
        assert!(replies.first().is_some_and(|reply| reply.starts_with("E 54000 ")), "{replies:?}");
        assert!(!replies.iter().any(|reply| reply.starts_with("Z ")), "the connection ends: {replies:?}");
        waiting.push(ana);
    }
    let mut ana = site.wire("ana");
    let inside = [b"\0\0\0\0\0\x01".as_slice(), &(100_u32 << 20).to_be_bytes(), b"1"].concat();
    let replies =
        ana.pipeline(&[parse("", "SELECT count(*) FROM visits WHERE cost < $1"), message(b'B', &inside)]);
    assert!(replies[1].starts_with("E 08P01 "), "{replies:?}");
    let bearer = format!("Bearer {}", site.tokens["ana"]);
    for _ in 0..50 {
        let head = format!(
            "POST /v1/query HTTP/1.1\r\nhost: a\r\nauthorization: {bearer}\r\ncontent-type: application/json\r\n\
             content-length: 67108864\r\n\r\n{{\"sql\": \""
        );
        let reply = site.raw(head.as_bytes());
        assert!(reply.starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&reply));
    }
    let grown = resident_kib().saturating_sub(before);
    assert!(grown < 100 << 10, "{grown} KiB for sizes that were announced");
    assert_eq!(ana.ask("SELECT count(*) FROM visits")[2], "C SELECT 1");
}

/// What this process, the server in it, holds of memory.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
