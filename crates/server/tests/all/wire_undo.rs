//! Scripts over real sockets that try to get an answer back unpaid: one charge for an execution, and nothing undoes it.

use std::net::Shutdown;
use std::time::{Duration, Instant};

use crate::fixture::{CATALOG, PASSWORD, Site};
use crate::wire_client::{WireClient, bind, cancel, execute, parse, query, socket, sync};

const REGIONS: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region";
const OTHER: &str = "SELECT sum(cost) AS total FROM visits";

/// Specification: each script asks one question, and is charged for it once.
#[test]
fn nothing_that_is_said_undoes_a_charge() {
    let scripts: [&[&str]; 5] = [
        &["BEGIN", "$", "ROLLBACK", "$"],
        &["BEGIN", "SAVEPOINT s", "$", "ROLLBACK TO SAVEPOINT s", "$", "ABORT"],
        &["BEGIN; $; SELECT * FROM visits", "ROLLBACK", "$"],
        &[
            "BEGIN",
            "DECLARE c CURSOR FOR $",
            "FETCH 1 FROM c",
            "ROLLBACK",
            "BEGIN",
            "DECLARE c CURSOR FOR $",
            "FETCH ALL FROM c",
            "COMMIT",
        ],
        &[
            "COPY ($) TO STDOUT",
            "PREPARE p AS $",
            "EXECUTE p",
            "DEALLOCATE ALL",
            "DISCARD ALL",
            "SET pointillist.rho = 0.01",
            "$",
        ],
    ];
    for script in scripts {
        let site = Site::with(200, Default::default());
        let mut ana = site.wire("ana");
        for statement in script {
            ana.ask(&statement.replace('$', REGIONS));
        }
        assert_eq!(site.spent("ana"), "0.01", "{script:?}");
        let (before, after) = (ana.ask(REGIONS), site.wire("ana").ask(REGIONS));
        assert_eq!(before, after, "the same digits in another session");
    }
}

/// Specification: a client that goes away behind the first row, before any, or in the middle of a portal has paid once, and is
/// given the same rows when it comes back.
#[test]
fn a_socket_that_is_half_read_is_paid_for_once() {
    for leave in [behind_the_first_row, before_any_reply, behind_a_portals_first_row] {
        let site = Site::with(200, Default::default());
        let seen = leave(&site);
        let again = site.wire("ana").ask(REGIONS);
        assert_eq!(again[3], "C SELECT 2", "{again:?}");
        assert!(seen.is_none_or(|seen| again.contains(&seen)), "{again:?}");
        assert_eq!(site.spent("ana"), "0.01");
    }
}

fn behind_the_first_row(site: &Site) -> Option<String> {
    let mut ana = site.wire("ana");
    ana.send(&[query(REGIONS)]);
    first_row(&mut ana)
}

fn before_any_reply(site: &Site) -> Option<String> {
    let stream = socket(site.postgres());
    let ours = stream.try_clone().expect("another handle");
    let parameters = [("user", "ana"), ("database", "hospital"), ("options", "-c pointillist.rho=0.01")];
    let mut ana = WireClient::log_in(stream, PASSWORD, &parameters).expect("ana comes in");
    ana.send(&[query(REGIONS)]);
    // What was sent is read; then there is nobody.
    ours.shutdown(Shutdown::Both).expect("it is open");
    let begin = Instant::now();
    while site.spent("ana") == "0" {
        assert!(begin.elapsed() < Duration::from_secs(30), "what was asked was never done");
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

fn behind_a_portals_first_row(site: &Site) -> Option<String> {
    let mut ana = site.wire("ana");
    ana.ask("BEGIN");
    let replies = ana.pipeline(&[parse("", REGIONS), bind("p", ""), execute("p", 1)]);
    assert_eq!((replies.len(), replies[3].as_str()), (5, "s"), "{replies:?}");
    Some(replies[2].clone())
}

fn first_row(client: &mut WireClient) -> Option<String> {
    loop {
        let reply = client.next_reply().expect("a row comes");
        if reply.starts_with("D ") {
            return Some(reply);
        }
    }
}

/// Specification: of a pipeline, what stands before a mistake is charged and given; what stands behind it neither, up to the next
/// Sync; and none of it again.
#[test]
fn a_pipeline_is_charged_up_to_its_mistake() {
    let site = Site::with(200, Default::default());
    let mut ana = site.wire("ana");
    let asked = |sql: &str| [parse("", sql), bind("", ""), execute("", 0)];
    let messages = [
        asked(REGIONS).as_slice(),
        &[parse("", "SELECT nothing FROM nowhere")],
        &asked(OTHER),
        &[sync()],
        &asked(REGIONS),
    ]
    .concat();
    let replies = ana.pipeline(&messages);
    assert_eq!(replies.iter().filter(|reply| reply.starts_with("D ")).count(), 2, "{replies:?}");
    assert!(replies[replies.len() - 2].starts_with("E 42P01 "), "{replies:?}");
    let again = ana.replies();
    assert_eq!(replies[2..4], again[2..4], "asked again behind the Sync: {again:?}");
    assert_eq!(site.spent("ana"), "0.01");
}

/// A clock on which somebody can be seen to wait.
fn slow() -> Site {
    let catalog = CATALOG.replace("quantum_ms = 100", "quantum_ms = 3000");
    Site::of(&catalog, 200, Default::default())
}

/// Specification: the right key over a second socket ends the wait with 57014; what was asked stays paid, and is free again.
#[test]
fn a_question_that_is_cancelled_stays_paid() {
    let site = slow();
    let mut ana = site.wire("ana");
    let (address, key) = (site.postgres(), ana.key.clone());
    ana.send(&[query(REGIONS)]);
    let replies = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ana.replies());
        // A key that comes before the question is of no use: until there is a reply, it comes again.
        while !waiting.is_finished() {
            std::thread::sleep(Duration::from_millis(100));
            cancel(address, &key);
        }
        waiting.join().expect("a reply")
    });
    assert_eq!(replies, ["E 57014 canceling statement due to user request", "Z I"]);
    let begin = Instant::now();
    while site.spent("ana") != "0.01" {
        assert!(begin.elapsed() < Duration::from_secs(30), "{}", site.spent("ana"));
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(ana.ask(REGIONS)[3], "C SELECT 2");
    assert_eq!(site.spent("ana"), "0.01");
}

/// Security test 27. Specification: a thousand keys that are wrong, under the numbers of sessions that wait, stop none of them.
#[test]
fn a_storm_of_wrong_keys_stops_nobody_who_waits() {
    let site = slow();
    let (mut ana, mut ben) = (site.wire("ana"), site.wire("ben"));
    ana.send(&[query(REGIONS)]);
    ben.send(&[query(OTHER)]);
    for guess in 0..1_000_u32 {
        let mut key = if guess % 2 == 0 { ana.key.clone() } else { ben.key.clone() };
        let last = key.len() - 4;
        let wrong = u32::from_be_bytes(*key[last..].first_chunk().expect("four bytes")) ^ (guess + 1);
        key[last..].copy_from_slice(&wrong.to_be_bytes());
        cancel(site.postgres(), &key);
    }
    assert_eq!(ana.replies()[3], "C SELECT 2");
    assert_eq!(ben.replies()[2], "C SELECT 1");
    assert_eq!((site.spent("ana"), site.spent("ben")), ("0.01".to_owned(), "0.01".to_owned()));
}
