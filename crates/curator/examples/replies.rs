//! How many replies leave in a second: threads that ask, and a clock on which everything that is ready leaves.
//!
//! ```text
//! cargo run --release -p pointillist-curator --example replies -- [FOLDER] [REPLIES] [THREADS]
//! ```
//!
//! The first table is of new questions: each is charged, computed over a small table, and recorded, durably, twice written
//! and synced in groups. The second is of the same questions, asked again by whoever holds their answers: nothing is
//! written. Threads ask and do not wait for the clock ([`Curator::execute_then`]).

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use pointillist_catalog::Catalog;
use pointillist_curator::{Ask, Curator, Executed, OWNER, Paid, ReplyClock, Settings};

const CATALOG: &str = r#"
[scope.people]
budget = { rho = 1000, delta = 1e-6 }
[table.people]
scope = "people"
source = "people.csv"
privacy_unit = "row"
[table.people.columns]
age = { type = "integer", lower = 0, upper = 120 }
"#;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let folder = arguments.first().map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let number = |at: usize, otherwise: usize| {
        arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (replies, threads) = (number(1, 2_000), number(2, 16));
    let rows: String = (0..100).map(|age| format!("{age}\n")).collect();
    std::fs::write(folder.join("people.csv"), format!("age\n{rows}")).expect("a file");
    let catalog = Catalog::parse(CATALOG).expect("a catalog");
    let settings = Settings { reply_clock: ReplyClock::SERVER, ..Settings::beside(&folder) };
    let curator = Curator::open(&folder, catalog, settings).expect("a curator");
    println!("{replies} replies, {threads} threads");
    println!("| what | replies a second | asked in | slowest reply | processor, ms a reply |");
    for (what, paid) in [("new", Paid::InFull), ("held", Paid::Nothing), ("held", Paid::Nothing)] {
        let before = processor_ticks();
        let (asked, all, slowest) = run(&curator, replies, threads, paid);
        let rate = replies as f64 / all.as_secs_f64();
        let processor = (processor_ticks() - before) * 10.0 / replies as f64;
        println!("| {what} | {rate:.0} | {asked:.2?} | {slowest:.2?} | {processor:.2} |");
    }
}

/// Asks all questions: until the last was asked, until the last reply had left, and the longest that one took.
fn run(curator: &Curator, replies: usize, threads: usize, paid: Paid) -> (Duration, Duration, Duration) {
    let (next, begin) = (AtomicUsize::new(0), Instant::now());
    let (sender, left) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let sender = sender.clone();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= replies {
                        return;
                    }
                    let (sender, asked) = (sender.clone(), Instant::now());
                    curator.execute_then(question(number), move |executed| {
                        let Ok(Executed::Answer(reply)) = executed else { panic!("{executed:?}") };
                        assert_eq!(reply.paid, paid);
                        let _ = sender.send(asked.elapsed());
                    });
                }
            });
        }
    });
    let asked = begin.elapsed();
    drop(sender);
    let slowest = left.iter().take(replies).max().unwrap_or_default();
    (asked, begin.elapsed(), slowest)
}

/// A question of its own for every number.
fn question(number: usize) -> Ask {
    let sql =
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.0001) count(*) FROM people WHERE age * 1000 >";
    Ask::new(format!("{sql} {number}"), OWNER)
}

/// Hundredths of a second that this process has had of the processors: a busy machine makes them no more. Linux only.
fn processor_ticks() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum()
}
