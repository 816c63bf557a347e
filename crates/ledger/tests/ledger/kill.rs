//! A real process, killed at real moments.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pointillist_ledger::{ChargeError, Charged, Ledger, LedgerReader, Options, Place};

use crate::fixture::*;

const FOLDER: &str = "POINTILLIST_LEDGER_TEST_FOLDER";
const BUDGET: u128 = 400;
const ROUNDS: usize = 60;
const TIME_MAX: Duration = Duration::from_secs(20);

fn place(folder: &Path) -> Place {
    Place::new(folder.join("records"), folder.join("anchor"))
}

/// Specification: whenever the process dies, what it had sent was paid for, what was paid is within the budget, and
/// one request id has had one answer over all its lives.
#[test]
fn a_killed_process_has_sent_nothing_that_was_not_paid_for() {
    let home = Home::new();
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {seed}");
    let (mut state, mut sent) = (seed, BTreeMap::<String, String>::new());
    let (start, mut rounds) = (Instant::now(), 0);
    while rounds < ROUNDS && start.elapsed() < TIME_MAX {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        for (id, answer) in
            life(home.folder.path(), state >> 8, Duration::from_millis(10 + (state >> 33) % 190))
        {
            let known = sent.entry(id.clone()).or_insert_with(|| answer.clone());
            assert_eq!(*known, answer, "request {id} has two answers");
        }
        rounds += 1;
        if home.anchor().exists() {
            let audit = LedgerReader::read(&home.place()).unwrap();
            let spent = audit.balance(SCOPE).map_or(0, |balance| balance.spent.loss_units / TENTH);
            assert!(sent.len() as u128 <= spent && spent <= BUDGET, "{} sent, {spent} spent", sent.len());
        }
    }
    assert!(sent.len() > 20, "the child lives long enough to answer: {} in {rounds} rounds", sent.len());
    println!("{rounds} lives, {} answers", sent.len());
}

/// Runs a child for a while, kills it, and returns what it had sent.
fn life(folder: &Path, seed: u64, time: Duration) -> Vec<(String, String)> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture", "--test-threads", "1"])
        .env(FOLDER, folder)
        .env("SEED", seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        let sent = |line: String| {
            let mut words = line.strip_prefix("sent ")?.strip_suffix('.')?.split(' ').map(str::to_owned);
            Some((words.next()?, words.next()?))
        };
        output.lines().map_while(Result::ok).filter_map(sent).collect()
    });
    std::thread::sleep(time);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_ne!(status.code(), Some(101), "the child panicked before it was killed; run it by hand");
    reader.join().unwrap()
}

/// The process that is killed. Without a folder it has nothing to do: it is run by the test above.
#[test]
fn child() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let ledger = Ledger::open(&place(Path::new(&folder)), Options::default()).unwrap();
    if ledger.granted(SCOPE).unwrap().is_none() {
        ledger.grant_scope(SCOPE, budget(BUDGET)).unwrap();
    }
    let seed: u64 = env::var("SEED").unwrap().parse().unwrap();
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let ledger = &ledger;
            threads.spawn(move || serve(ledger, seed.wrapping_add(thread << 40)));
        }
    });
}

/// Makes requests for ever. There are few ids, so that lives meet the requests of those before them.
fn serve(ledger: &Ledger, mut state: u64) {
    loop {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let id = format!("r{}", (state >> 33) % 1000);
        let answer = match ledger.charge(ask("ada", &id, Some(&id))) {
            Ok(Charged::Fresh(receipt)) => {
                let answer = format!("{state:x}");
                ledger.record(receipt, answer.as_bytes()).unwrap();
                answer
            }
            Ok(Charged::Repeat(repeated)) => String::from_utf8(repeated.answer).unwrap(),
            Err(ChargeError::Spent { .. } | ChargeError::InFlight { .. } | ChargeError::Exhausted { .. }) => {
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        // One write, so that a line is sent as a whole or recognised as torn.
        std::io::stdout().write_all(format!("sent {id} {answer}.\n").as_bytes()).unwrap();
    }
}
