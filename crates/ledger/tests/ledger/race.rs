//! Many at once, and not one too many.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pointillist_ledger::{ChargeError, Charged};

use crate::fixture::*;

/// Specification: 64 threads of four analysts ask for what fits 50 times; exactly 50 are admitted, and no share is
/// overdrawn. The shares add up to more than the budget, and one analyst's is smaller than what they ask for.
#[test]
fn a_budget_for_fifty_answers_fifty() {
    for round in 0..20 {
        let home = Home::new();
        let ledger = home.granted(50);
        let shares = [("ada", 16), ("bo", 16), ("cy", 16), ("di", 9)];
        for (analyst, share) in shares {
            ledger.grant_share(analyst, SCOPE, budget(share)).unwrap();
        }
        let (admitted, start) = (AtomicUsize::new(0), Barrier::new(64));
        std::thread::scope(|threads| {
            for thread in 0..64 {
                let (ledger, admitted, start) = (&ledger, &admitted, &start);
                threads.spawn(move || {
                    let analyst = shares[thread % 4].0;
                    let question = format!("round {round} thread {thread}");
                    start.wait();
                    match ledger.charge(ask(analyst, &question, None)) {
                        Ok(Charged::Fresh(receipt)) => {
                            admitted.fetch_add(1, Relaxed);
                            ledger.record(receipt, question.as_bytes()).unwrap();
                        }
                        Ok(Charged::Repeat(repeated)) => panic!("nobody asked this before: {repeated:?}"),
                        Err(ChargeError::Exhausted { .. } | ChargeError::ScopeExhausted { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                });
            }
        });
        assert_eq!((admitted.into_inner(), spent(&ledger)), (50, 50));
        for (analyst, share) in shares {
            let balance = ledger.share(SCOPE, analyst).unwrap().unwrap();
            assert!(balance.spent.loss_units <= share * TENTH);
        }
        ledger.verify().unwrap();
    }
}

/// Specification: 64 threads with the same request id get one answer between them, paid for once.
#[test]
fn one_request_id_is_answered_once() {
    let home = Home::new();
    let ledger = home.granted(50);
    let start = Barrier::new(64);
    let answers: HashSet<Vec<u8>> = std::thread::scope(|threads| {
        let (ledger, start) = (&ledger, &start);
        let ask_again = move |thread: usize| {
            start.wait();
            loop {
                match ledger.charge(ask("ada", "how many", Some("r1"))) {
                    Ok(Charged::Fresh(receipt)) => {
                        let answer = thread.to_string().into_bytes();
                        ledger.record(receipt, &answer).unwrap();
                        return answer;
                    }
                    Ok(Charged::Repeat(repeated)) => return repeated.answer,
                    Err(ChargeError::InFlight { .. }) => std::thread::yield_now(),
                    Err(error) => panic!("{error}"),
                }
            }
        };
        let threads: Vec<_> = (0..64).map(|thread| threads.spawn(move || ask_again(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), 1);
    assert_eq!(spent(&ledger), 1);
}
