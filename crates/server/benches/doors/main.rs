//! Questions a second and how long they take, through both doors on loopback, beside what the ledger alone does on the same disk.
//!
//! One process is server and clients, so that both share the machine's cores: what is measured is a lower bound on the server.
//! Three kinds of work: `explain` (a quote: parse, plan, price; nothing durable), `repeat` (an answer that the asker holds) and
//! `fresh` (a question that nobody has asked: a durable charge before a small file is read, a durable record after). Replies to
//! questions leave on the clock of 100 ms, so that `n` clients get at most `10 n` of them a second.
//!
//! `--clients 1,16,128,1000` · `--seconds 10` · `--only wire,fresh` (doors and work) · `--soak 10` is mixed load for so many
//! minutes instead, with the memory of the process (`soak.rs`); `cargo xtask bench doors-soak` is that.

mod http_client;
mod ledger_alone;
mod made_up_home;
mod percentiles;
mod soak;
mod wire_client;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use made_up_home::MadeUpHome;
use percentiles::Percentiles;

/// What a client does again and again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Explain,
    Repeat,
    Fresh,
}

impl Work {
    const ALL: [Self; 3] = [Self::Explain, Self::Repeat, Self::Fresh];

    fn name(self) -> &'static str {
        match self {
            Self::Explain => "explain",
            Self::Repeat => "repeat",
            Self::Fresh => "fresh",
        }
    }

    /// The next statement; `number` is another one every time.
    fn statement(self, number: u64) -> String {
        match self {
            Self::Explain => "EXPLAIN SELECT region, count(*) FROM visits GROUP BY region".to_owned(),
            Self::Repeat => "SELECT region, count(*) FROM visits GROUP BY region".to_owned(),
            Self::Fresh => format!(
                "SELECT count(*) FROM visits WHERE cost > {}.{:06}",
                number / 1_000_000,
                number % 1_000_000
            ),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    Wire,
    Http,
}

impl Door {
    fn name(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Http => "http",
        }
    }
}

/// Numbers of statements, in all doors and rounds: no fresh question is asked twice.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

fn next_number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

struct Arguments {
    clients: Vec<usize>,
    seconds: u64,
    soak_minutes: u64,
    /// Doors and kinds of work, by their names; none means all.
    only: Vec<String>,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if words.iter().any(|word| word == "--test") {
        return;
    }
    let Some(arguments) = arguments(&words) else {
        println!(
            "usage: --clients 1,16,128,1000 --seconds 10 --only wire,http,explain,repeat,fresh --soak MINUTES"
        );
        return;
    };
    let home = MadeUpHome::new();
    if arguments.soak_minutes == 0 {
        ledger_alone::print(home.folder());
    }
    let server = home.serve();
    let addresses = server.addresses();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    if arguments.soak_minutes > 0 {
        let wire = addresses.postgres.expect("it is open");
        let http = addresses.http.expect("it is open");
        soak::run(&runtime, &home, wire, http, arguments.soak_minutes);
        drop(runtime);
        return server.stop();
    }
    println!(
        "{:>8} {:>8} {:>8} {:>12} {:>10} {:>10} {:>9}",
        "door", "work", "clients", "a second", "p50 ms", "p99 ms", "MiB"
    );
    for (door, address) in [(Door::Wire, addresses.postgres), (Door::Http, addresses.http)] {
        let address = address.expect("both doors are open");
        let is_wanted =
            |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
        for work in Work::ALL.into_iter().filter(|work| is_wanted(work.name()) && is_wanted(door.name())) {
            for clients in &arguments.clients {
                let seconds = Duration::from_secs(arguments.seconds);
                print_line(&runtime, &home, door, address, work, *clients, seconds);
            }
        }
    }
    drop(runtime);
    server.stop();
}

fn arguments(words: &[String]) -> Option<Arguments> {
    let mut found =
        Arguments { clients: vec![1, 16, 128, 1_000], seconds: 10, soak_minutes: 0, only: Vec::new() };
    let mut words = words.iter().filter(|word| *word != "--bench");
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--clients" => {
                found.clients = value.split(',').map(|number| number.parse().ok()).collect::<Option<_>>()?
            }
            "--seconds" => found.seconds = value.parse().ok()?,
            "--only" => found.only = value.split(',').map(str::to_owned).collect(),
            "--soak" => found.soak_minutes = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(found)
}

fn print_line(
    runtime: &tokio::runtime::Runtime,
    home: &MadeUpHome,
    door: Door,
    address: SocketAddr,
    work: Work,
    clients: usize,
    seconds: Duration,
) {
    let (taken, elapsed) = runtime.block_on(measure(home, door, address, work, clients, seconds));
    let name = door.name();
    let each = Percentiles::of(taken);
    println!(
        "{name:>8} {:>8} {clients:>8} {:>12.0} {:>10.1} {:>10.1} {:>9}",
        work.name(),
        each.count as f64 / elapsed.as_secs_f64(),
        each.p50_ms,
        each.p99_ms,
        resident_kib() / 1024,
    );
}

/// Lets so many clients ask for so long; gives how long every reply took, and how long it was in all.
async fn measure(
    home: &MadeUpHome,
    door: Door,
    address: SocketAddr,
    work: Work,
    clients: usize,
    seconds: Duration,
) -> (Vec<Duration>, Duration) {
    let barrier = Arc::new(tokio::sync::Barrier::new(clients + 1));
    // So many log in at once: of those who are not let in yet, a server keeps few from one address.
    let entrance = Arc::new(tokio::sync::Semaphore::new(16));
    let mut tasks = Vec::new();
    for client in 0..clients {
        let (login, barrier, entrance) = (home.login(client), Arc::clone(&barrier), Arc::clone(&entrance));
        tasks.push(tokio::spawn(async move {
            match door {
                Door::Wire => wire_client::run(address, &login, work, &entrance, &barrier, seconds).await,
                Door::Http => http_client::run(address, &login, work, &barrier, seconds).await,
            }
        }));
    }
    barrier.wait().await;
    let begin = Instant::now();
    let mut taken = Vec::new();
    for task in tasks {
        taken.extend(task.await.expect("a client does not panic"));
    }
    (taken, begin.elapsed())
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or_default()
}
