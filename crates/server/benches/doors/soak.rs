//! Mixed load for minutes, and the memory of the process every half minute.
//!
//! The first half asks nothing that is new to the record: quotes of ever new statements, repetitions, catalog reads, clients that
//! come and go, through both doors. Nothing may grow then. The second half asks fresh questions as well, and every answer of
//! those is kept for ever: on disk, and in the index of what was answered, so that a repetition finds it. What is printed at the end
//! is how fast memory grows in either half, by least squares over the second part of it: buffers and caches fill up in the first.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::NoTls;

use crate::made_up_home::{Login, MadeUpHome};
use crate::{Work, http_client, next_number, resident_kib};

/// How often memory is looked at.
const STEP: Duration = Duration::from_secs(30);
/// Clients of each kind that keep their connection.
const CLIENTS: usize = 16;
/// What a client reads about tables when it comes.
const CATALOG_READS: [&str; 3] = [
    "SELECT n.nspname, c.relname, c.relkind FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     WHERE c.relkind IN ('r','p','v') AND n.nspname <> 'pg_catalog' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1, 2",
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'visits' ORDER BY ordinal_position",
    "SELECT region FROM visits GROUP BY region ORDER BY region LIMIT 1001",
];

/// What was done so far.
#[derive(Default)]
struct Done {
    explained: AtomicU64,
    repeated: AtomicU64,
    fresh: AtomicU64,
    visits: AtomicU64,
    is_over: AtomicBool,
}

impl Done {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }
}

/// A look at the process.
struct Look {
    seconds: f64,
    kib: f64,
    fresh: f64,
}

pub fn run(
    runtime: &tokio::runtime::Runtime,
    home: &MadeUpHome,
    wire: SocketAddr,
    http: SocketAddr,
    minutes: u64,
) {
    println!(
        "{:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "seconds", "quotes", "repeats", "visits", "fresh", "MiB", "disk MiB"
    );
    for with_fresh in [false, true] {
        let looks = runtime.block_on(half(home, wire, http, minutes * 30, with_fresh));
        let settled = &looks[looks.len() / 2..];
        let rate = slope(settled.iter().map(|look| (look.seconds, look.kib)));
        match with_fresh {
            false => println!("without fresh questions: {:+.1} KiB a minute", rate * 60.0),
            true => {
                let each = slope(settled.iter().map(|look| (look.fresh, look.kib)));
                println!(
                    "with fresh questions: {:+.1} KiB a minute, {:.0} bytes a recorded answer",
                    rate * 60.0,
                    each * 1024.0
                );
            }
        }
    }
}

async fn half(
    home: &MadeUpHome,
    wire: SocketAddr,
    http: SocketAddr,
    seconds: u64,
    with_fresh: bool,
) -> Vec<Look> {
    let done = Arc::new(Done::default());
    let mut tasks = Vec::new();
    for client in 0..CLIENTS {
        let kinds = [Work::Explain, Work::Repeat].into_iter().chain(with_fresh.then_some(Work::Fresh));
        for work in kinds {
            tasks.push(tokio::spawn(stays(wire, home.login(client), work, Arc::clone(&done))));
        }
        tasks.push(tokio::spawn(asks_http(http, home.login(client), Arc::clone(&done))));
    }
    for client in 0..4 {
        tasks.push(tokio::spawn(comes_and_goes(wire, home.login(client), Arc::clone(&done))));
    }
    let (begin, mut looks) = (Instant::now(), Vec::new());
    while begin.elapsed() < Duration::from_secs(seconds) {
        tokio::time::sleep(STEP).await;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (kib, fresh) = (resident_kib(), count(&done.fresh));
        println!(
            "{:>8.0} {:>10} {:>10} {:>10} {fresh:>10} {:>10.1} {:>10.1}",
            begin.elapsed().as_secs_f64(),
            count(&done.explained),
            count(&done.repeated),
            count(&done.visits),
            kib as f64 / 1024.0,
            bytes_below(home.folder()) as f64 / f64::from(1 << 20),
        );
        looks.push(Look { seconds: begin.elapsed().as_secs_f64(), kib: kib as f64, fresh: fresh as f64 });
    }
    done.is_over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("a client does not panic");
    }
    looks
}

async fn connected(wire: SocketAddr, login: &Login) -> (tokio_postgres::Client, tokio::task::JoinHandle<()>) {
    let mut config = tokio_postgres::Config::new();
    config.host(wire.ip().to_string()).port(wire.port());
    config.user(&login.name).password(&login.password).dbname("postgres");
    loop {
        // Of those who are not let in yet a server keeps few from one address.
        if let Ok((client, connection)) = config.connect(NoTls).await {
            let connection = tokio::spawn(async move { connection.await.unwrap_or_default() });
            client
                .batch_execute("SET pointillist.rho = 0.0001; SET client_min_messages = warning")
                .await
                .expect("a price");
            return (client, connection);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// One connection for all of its questions.
async fn stays(wire: SocketAddr, login: Login, work: Work, done: Arc<Done>) {
    let (client, connection) = connected(wire, &login).await;
    while done.goes_on() {
        let (statement, counter) = match work {
            // Another statement every time: whatever is remembered of statements has an end.
            Work::Explain => (format!("EXPLAIN {}", Work::Fresh.statement(next_number())), &done.explained),
            Work::Repeat => (work.statement(0), &done.repeated),
            Work::Fresh => (work.statement(next_number()), &done.fresh),
        };
        client.simple_query(&statement).await.expect("an answer");
        counter.fetch_add(1, Ordering::Relaxed);
    }
    drop(client);
    connection.await.expect("it ends with its client");
}

async fn asks_http(http: SocketAddr, login: Login, done: Arc<Done>) {
    while done.goes_on() {
        // Some requests on a connection, and then another one.
        let asked = http_client::some(http, &login, 50).await;
        done.repeated.fetch_add(asked, Ordering::Relaxed);
    }
}

/// A connection for a look at the catalog.
async fn comes_and_goes(wire: SocketAddr, login: Login, done: Arc<Done>) {
    while done.goes_on() {
        let (client, connection) = connected(wire, &login).await;
        for read in CATALOG_READS {
            client.simple_query(read).await.expect("rows");
        }
        let prepared =
            client.prepare("SELECT count(*) FROM visits WHERE region = ANY($1)").await.expect("a statement");
        drop((prepared, client));
        connection.await.expect("it ends with its client");
        done.visits.fetch_add(1, Ordering::Relaxed);
    }
}

/// The slope of a line through points, by least squares.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = points.clone().count().max(1) as f64;
    let (x, y) = points.clone().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (over, under) = points.fold((0.0, 0.0), |(over, under), point| {
        (over + (point.0 - x) * (point.1 - y), under + (point.0 - x) * (point.0 - x))
    });
    if under > 0.0 { over / under } else { 0.0 }
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}
