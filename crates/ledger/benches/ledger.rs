//! How many answers a second the ledger can sell: `cargo xtask bench ledger`.
//!
//! Every answer is a charge and a record, each of which returns once it is on disk and in the anchor. The folder
//! to write to may be given as an argument; disks differ by far more than threads do. Where PostgreSQL is installed, the same
//! is sold from a ledger in a server of our own, which syncs: by one server of ours, by three that share one budget, and from
//! several ledgers in one database server.

use std::env;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use pointillist_ledger::{Charge, Charged, Digest, Ledger, Options, Place, PostgresPlace, Question, Receipt};
use pointillist_privacy::{Amount, Budget, Currency, Price};
use pointillist_testkit::postgres::{PostgresOptions, PostgresServer};

const TIME: Duration = Duration::from_secs(3);
/// So many replies of one moment.
const TOGETHER: u64 = 200;

fn main() -> Result<(), Box<dyn Error>> {
    for threads in [1, 8, 64] {
        let folder = match env::args().skip(1).find(|argument| !argument.starts_with("--")) {
            Some(parent) => tempfile::tempdir_in(parent)?,
            None => tempfile::tempdir()?,
        };
        let place = Place::new(folder.path().join("records"), folder.path().join("anchor"));
        let ledgers = open(&place, 1)?;
        println!(
            "SQLite,     1 server,  {threads:3} threads: {:8.0} answers a second",
            rate(&ledgers, threads)
        );
        if threads == 64 {
            let first = 1 << 40;
            let receipts =
                (first..first + TOGETHER).map(|number| (charged(&ledgers[0], number), b"an answer".to_vec()));
            let receipts: Vec<_> = receipts.collect();
            let start = Instant::now();
            assert!(ledgers[0].record_all(receipts).iter().all(Result::is_ok));
            println!("{TOGETHER} answers recorded together: {:.2?}", start.elapsed());
        }
    }
    let options = PostgresOptions { fsync: true, ..PostgresOptions::default() };
    let Some(server) = PostgresServer::start_with(options) else { return Ok(()) };
    for (servers, threads) in [(1, 1), (1, 8), (1, 64), (3, 3), (3, 24), (3, 63)] {
        let (_folder, place) = place_in(&server)?;
        let ledgers = open(&place, servers)?;
        println!(
            "PostgreSQL, {servers} servers, {threads:3} threads: {:8.0} answers a second",
            rate(&ledgers, threads)
        );
    }
    waiting(&server)?;
    // Populations that are spread over ledgers of their own, each with one writer, in one database server.
    for (count, threads) in [(2, 64), (4, 64)] {
        let places: Result<Vec<_>, _> = (0..count).map(|_| place_in(&server)).collect();
        let places = places?;
        let mut ledgers = Vec::new();
        for (_, place) in &places {
            ledgers.extend(open(place, 1)?);
        }
        println!(
            "PostgreSQL, {count} ledgers, {threads:3} threads: {:8.0} answers a second",
            rate(&ledgers, threads)
        );
    }
    Ok(())
}

/// How long clients wait when they come by themselves, simulated from what a turn takes: so much, and so much more for each
/// of those who share it. An answer is two turns, a charge and a record.
fn waiting(server: &PostgresServer) -> Result<(), Box<dyn Error>> {
    // In a ledger of its own each, since the questions are numbered from one.
    let seconds = |threads: usize| -> Result<f64, Box<dyn Error>> {
        let (_folder, place) = place_in(server)?;
        Ok(threads as f64 / rate(&open(&place, 1)?, threads) / 2.0)
    };
    let (alone, together) = (seconds(1)?, seconds(64)?);
    let each = ((together - alone) / 63.0).max(0.0);
    println!("a turn takes {:.2} ms, and {:.3} ms for each who shares it", alone * 1e3, each * 1e3);
    for answers_a_second in [10.0, 100.0, 500.0, 1_000.0, 2_000.0, 4_000.0] {
        let mut waits = simulated_waits(answers_a_second, alone, each);
        waits.sort_by(f64::total_cmp);
        let at = |share: f64| waits[(share * (waits.len() - 1) as f64) as usize] * 1e3;
        println!(
            "simulated, {answers_a_second:5.0} answers a second wanted: half wait {:.1} ms, one in a hundred {:.1} ms or more",
            at(0.5),
            at(0.99)
        );
    }
    Ok(())
}

/// Seconds from coming to the end of the second turn, for clients who come at random for twenty seconds.
fn simulated_waits(answers_a_second: f64, alone: f64, each: f64) -> Vec<f64> {
    let mut state = 20_261_118_u64;
    let mut chance = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let (mut clock, mut coming) = (0.0, Vec::new());
    while clock < 20.0 {
        clock += -chance().ln() / answers_a_second;
        coming.push(clock);
    }
    let (mut next, mut second, mut waits, mut now) = (0, Vec::new(), Vec::new(), 0.0_f64);
    while next < coming.len() || !second.is_empty() {
        if second.is_empty() {
            now = now.max(coming[next]);
        }
        let first = next;
        while next < coming.len() && coming[next] <= now {
            next += 1;
        }
        now += alone + each * (next - first + second.len() - 1) as f64;
        waits.extend(second.drain(..).map(|came: f64| now - came));
        second.extend_from_slice(&coming[first..next]);
    }
    waits
}

/// A ledger of its own, records and anchor in two databases of the server.
fn place_in(server: &PostgresServer) -> Result<(tempfile::TempDir, Place), Box<dyn Error>> {
    let in_database = |schema: &str| PostgresPlace {
        name: "bench".into(),
        url: server.new_database(schema),
        password_file: None,
        schema: schema.into(),
    };
    let folder = tempfile::tempdir()?;
    let place = Place::new(folder.path().join("own"), folder.path().join("anchor"))
        .with_records_in(in_database("records"))
        .with_anchor_in(in_database("anchor"));
    Ok((folder, place))
}

/// So many servers over one ledger, with the largest budget there is.
fn open(place: &Place, servers: usize) -> Result<Vec<Ledger>, Box<dyn Error>> {
    let ledgers: Result<Vec<Ledger>, _> =
        (0..servers).map(|_| Ledger::open(place, Options::default())).collect();
    let ledgers = ledgers?;
    let all = Amount { loss_units: u128::MAX, delta_units: 0 };
    ledgers[0].grant_scope("people", Budget { currency: Currency::Zcdp, amount: all })?;
    Ok(ledgers)
}

/// Answers a second, sold by all threads together, each at one of the servers.
fn rate(ledgers: &[Ledger], threads: usize) -> f64 {
    let (answers, start) = (AtomicU64::new(0), Instant::now());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (ledger, answers) = (&ledgers[thread % ledgers.len()], &answers);
            scope.spawn(move || {
                while start.elapsed() < TIME {
                    sell(ledger, answers.fetch_add(1, Relaxed));
                }
            });
        }
    });
    answers.into_inner() as f64 / start.elapsed().as_secs_f64()
}

fn sell(ledger: &Ledger, number: u64) {
    ledger.record(charged(ledger, number), b"an answer").map(drop).expect("the disk works");
}

fn charged(ledger: &Ledger, number: u64) -> Receipt {
    let price = Price::from_units(Currency::Zcdp, Amount { loss_units: 1, delta_units: 0 });
    let charge = Charge {
        request_id: Some(number.to_string()),
        analyst: "ada".into(),
        scope: "people".into(),
        price: price.expect("one unit is a price"),
        question: Question::new(&number.to_be_bytes()),
        request: Digest::of("request", &[&number.to_be_bytes()]),
    };
    match ledger.charge(charge).expect("the budget is the largest there is") {
        Charged::Fresh(receipt) => receipt,
        Charged::Repeat(_) => unreachable!("every number is another question"),
    }
}
