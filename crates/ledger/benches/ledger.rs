//! How many answers a second the ledger can sell: `cargo xtask bench ledger`.
//!
//! Every answer is a charge and a record, each of which returns once it is on disk and in the anchor. The folder
//! to write to may be given as an argument; disks differ by far more than threads do. Where PostgreSQL is installed, the same
//! is sold from a ledger in a server of our own, which syncs: by one server of ours, and by three that share one budget.

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
        let folder = match env::args().nth(1) {
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
        let in_database = |schema: &str| PostgresPlace {
            name: "example".into(),
            url: server.new_database(schema),
            password_file: None,
            schema: schema.into(),
        };
        let folder = tempfile::tempdir()?;
        let place = Place::new(folder.path().join("own"), folder.path().join("anchor"))
            .with_records_in(in_database("records"))
            .with_anchor_in(in_database("anchor"));
        let ledgers = open(&place, servers)?;
        println!(
            "PostgreSQL, {servers} servers, {threads:3} threads: {:8.0} answers a second",
            rate(&ledgers, threads)
        );
    }
    Ok(())
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
