//! What the ledger alone does on the same disk: a charge and a record for every answer, without a question, a reader or a door.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pointillist_ledger::{Charge, Charged, Digest, Ledger, Options, Place, Question};
use pointillist_privacy::{Budget, Delta, Price, Rho};

const SECONDS: Duration = Duration::from_secs(5);

pub fn print(folder: &Path) {
    for threads in [1_usize, 64] {
        let place = Place::new(
            folder.join(format!("alone-{threads}")),
            folder.join(format!("alone-{threads}.anchor")),
        );
        let ledger = Ledger::open(&place, Options::default()).expect("a new ledger");
        let budget = Budget::zcdp(&Rho::parse("1000000").expect("a loss"), &Delta::zero());
        ledger.grant_scope("people", budget).expect("a new scope");
        let (count, begin) = (AtomicU64::new(0), Instant::now());
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (ledger, count) = (&ledger, &count);
                scope.spawn(move || {
                    while begin.elapsed() < SECONDS {
                        answer(ledger, thread, count.fetch_add(1, Ordering::Relaxed));
                    }
                });
            }
        });
        let rate = count.into_inner() as f64 / begin.elapsed().as_secs_f64();
        println!(
            "the ledger alone, a charge and a record each, {threads:>2} threads: {rate:.0} answers a second"
        );
    }
}

fn price() -> Price {
    Price::zcdp(&Rho::parse("0.000001").expect("a loss"), &Delta::zero())
}

fn answer(ledger: &Ledger, thread: usize, number: u64) {
    let name = format!("{thread} {number}");
    let charge = Charge {
        request_id: None,
        analyst: "owner".to_owned(),
        scope: "people".to_owned(),
        price: price(),
        question: Question::new(name.as_bytes()),
        request: Digest::of("a benchmark", &[name.as_bytes()]),
    };
    match ledger.charge(charge).expect("the budget holds it") {
        Charged::Fresh(receipt) => ledger.record(receipt, &[0; 200]).map(|_| ()).expect("a record"),
        Charged::Repeat(_) => panic!("every question is another one"),
    }
}
