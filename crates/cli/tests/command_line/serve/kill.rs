//! The server is killed again and again while it is asked.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Folder, block_on};

const ROUNDS: u64 = 12;
const CLIENTS: usize = 6;
/// The budget holds so many questions.
const QUESTIONS: u64 = 120;

/// Security test 4 at the door: what clients received is at most what is spent, which is at most the budget; over many kills at
/// moments that have nothing to do with each other. Nothing here is random: the moments are a sequence.
#[test]
fn answers_that_anybody_received_are_paid_for_after_every_kill() {
    let folder = Folder::new("1.2", 200);
    let (received, number) = ([const { AtomicU64::new(0) }; 2], AtomicU64::new(0));
    for round in 0..ROUNDS {
        let mut server = folder.serve();
        // Passwords take a while: the moments are counted from when everybody is in.
        let everybody = Barrier::new(CLIENTS + 1);
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (server, received, number, everybody) = (&server, &received, &number, &everybody);
                scope.spawn(move || {
                    if client % 2 == 0 {
                        everybody.wait();
                        over_http(server, &received[0], number);
                    } else {
                        block_on(over_the_wire(server, &received[1], number, everybody));
                    }
                });
            }
            everybody.wait();
            std::thread::sleep(Duration::from_millis(120 + round * 37 % 200));
            let pid = server.process.id().to_string();
            std::process::Command::new("kill").args(["-9", &pid]).status().expect("kill exists");
        });
        let _ = server.process.wait();
        let spent = spent(&folder);
        let seen: u64 = received.iter().map(|door| door.load(Ordering::SeqCst)).sum();
        assert!(seen as f64 * 0.01 <= spent + 1e-9, "{seen} answers were received and {spent} is spent");
        assert!(spent <= 1.2 + 1e-9, "{spent} of 1.2 is spent");
    }
    let by_door = received.map(AtomicU64::into_inner);
    assert!(by_door.iter().all(|seen| *seen > 0), "a door gave nothing, so nothing was shown: {by_door:?}");
    let seen: u64 = by_door.iter().sum();
    assert!(seen <= QUESTIONS, "{seen} answers from a budget for {QUESTIONS}");
}

/// Until the server is gone or the budget is.
fn over_http(server: &super::Server, received: &AtomicU64, number: &AtomicU64) {
    while server.ask(&statement(number), "0.01").is_some() {
        received.fetch_add(1, Ordering::SeqCst);
    }
}

async fn over_the_wire(
    server: &super::Server,
    received: &AtomicU64,
    number: &AtomicU64,
    everybody: &Barrier,
) {
    let client = server.connect().await;
    everybody.wait();
    let client = client.expect("ana comes in");
    if client.batch_execute("SET pointillist.rho = 0.01").await.is_err() {
        return;
    }
    while client.simple_query(&statement(number)).await.is_ok() {
        received.fetch_add(1, Ordering::SeqCst);
    }
}

/// Another question every time.
fn statement(number: &AtomicU64) -> String {
    let number = number.fetch_add(1, Ordering::SeqCst);
    format!("SELECT count(*) FROM visits WHERE cost > {} AND region <> '{number}'", number % 100)
}

fn spent(folder: &Folder) -> f64 {
    let budget = folder.budget();
    let spent = budget.pointer("/scopes/0/spent/rho");
    spent.and_then(|spent| spent.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{budget}"))
}
