//! How many answers a second the ledger can sell: `cargo run --release -p pointillist-ledger --example throughput`.
//!
//! Every answer is a charge and a record, each of which returns once it is on disk and in the anchor. The folder
//! to write to may be given as an argument; disks differ by far more than threads do.

use std::env;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use pointillist_ledger::{Charge, Charged, Digest, Ledger, Options, Place, Question, Receipt};
use pointillist_privacy::{Amount, Budget, Currency, Price};

const TIME: Duration = Duration::from_secs(3);
/// So many replies of one moment.
const TOGETHER: u64 = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for threads in [1, 8, 64] {
        let folder = match env::args().nth(1) {
            Some(parent) => tempfile::tempdir_in(parent)?,
            None => tempfile::tempdir()?,
        };
        let place = Place::new(folder.path().join("records"), folder.path().join("anchor"));
        let ledger = Ledger::open(&place, Options::default())?;
        let all = Amount { loss_units: u128::MAX, delta_units: 0 };
        ledger.grant_scope("people", Budget { currency: Currency::Zcdp, amount: all })?;
        let (answers, start) = (AtomicU64::new(0), Instant::now());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while start.elapsed() < TIME {
                        sell(&ledger, answers.fetch_add(1, Relaxed));
                    }
                });
            }
        });
        let rate = answers.into_inner() as f64 / start.elapsed().as_secs_f64();
        println!("{threads:3} threads: {rate:8.0} answers a second, charged and recorded");
        let first = 1 << 40;
        let receipts =
            (first..first + TOGETHER).map(|number| (charged(&ledger, number), b"an answer".to_vec()));
        let receipts: Vec<_> = if threads == 64 { receipts.collect() } else { Vec::new() };
        if !receipts.is_empty() {
            let start = Instant::now();
            assert!(ledger.record_all(receipts).iter().all(Result::is_ok));
            println!("{TOGETHER} answers recorded together: {:.2?}", start.elapsed());
        }
    }
    Ok(())
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
