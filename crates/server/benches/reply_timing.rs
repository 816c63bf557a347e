//! What the time of a reply tells about one person: pairs of neighbours through the wire, on an idle and on a busy machine.
//!
//! Two servers hold D and D′: somebody with as many rows as everybody else together, a key and a value of their own. Pairs of the
//! same statement go to both, one after the other, in an order that alternates as the Thue–Morse sequence does, on connections
//! that stay open. Compared are whole latencies, not quanta: Mann–Whitney's rank sum, χ² over ten buckets of equal size, and the
//! rank correlation of a reply's time with its noise, each at 1e-6. What is said beside them is the shift of one side that these
//! tests would have found in the same numbers.
//!
//! `--pairs 5000` · `--connections 32`

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pointillist_access::{Access, Password, Role};
use pointillist_curator::Home;
use pointillist_server::{LogTarget, Running, ServerOptions};
use tokio_postgres::{Client, SimpleQueryMessage};

/// Two-sided, of one test: |z| of a normal deviate.
const Z_AT_1E_6: f64 = 4.891_638;
const PEOPLE: usize = 500;
const BUCKETS: usize = 10;

/// Statements of one kind, by a number that is another one every time.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 6] = [
    ("rare key", |number| {
        format!("SELECT region, count(*) FROM visits WHERE cost <> {number}.5 GROUP BY region")
    }),
    ("heavy unit", |number| format!("SELECT sum(cost), avg(cost) FROM visits WHERE cost <> {number}.5")),
    ("work for one row", |number| {
        let work = "region LIKE '%w%e%s%t%' OR ".repeat(30);
        format!(
            "SELECT count(*) FROM visits WHERE CASE WHEN cost = 100 THEN {work} cost <> {number}.5 ELSE cost > 0 END"
        )
    }),
    ("asked before", |_| "SELECT count(*) FROM visits".to_owned()),
    ("refused by the budget", |number| {
        format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1000000) count(*) FROM visits WHERE cost > {number}"
        )
    }),
    ("failed: the file is gone", |number| format!("SELECT count(*) FROM gone WHERE cost <> {number}.5")),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if words.iter().any(|word| word == "--test") {
        return;
    }
    let number = |name: &str, otherwise: usize| {
        let at = words.iter().position(|word| word == name);
        at.and_then(|at| words.get(at + 1)?.parse().ok()).unwrap_or(otherwise)
    };
    let (pairs, connections) = (number("--pairs", 5_000), number("--connections", 32));
    let neighbours = [Neighbour::new(false), Neighbour::new(true)];
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    println!(
        "{pairs} pairs a line on {connections} connections; a quantum is 100 ms; two-sided at 1e-6 (|z| > {Z_AT_1E_6:.2})"
    );
    println!(
        "{:>26} {:>6} {:>10} {:>10} {:>8} {:>8} {:>8} {:>16}",
        "kind", "host", "D ms", "D′ ms", "ranks z", "χ² z", "noise z", "found from"
    );
    for busy in [false, true] {
        let over = Arc::new(AtomicBool::new(false));
        let threads: Vec<_> = (0..if busy { 2 } else { 0 })
            .map(|_| {
                let over = Arc::clone(&over);
                std::thread::spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                })
            })
            .collect();
        for (at, kind) in KINDS.into_iter().enumerate() {
            let first = (usize::from(busy) * KINDS.len() + at) * pairs;
            let measured = runtime.block_on(measure(&neighbours, kind, first, pairs, connections));
            print_line(kind.0, busy, &measured);
        }
        over.store(true, Ordering::Relaxed);
        threads.into_iter().for_each(|thread| thread.join().expect("it only spins"));
    }
    drop(runtime);
    for neighbour in neighbours {
        neighbour.running.stop();
    }
}

/// What one reply took in milliseconds, and the number that it said first.
type Measured = (f64, f64);

fn print_line(name: &str, busy: bool, measured: &[[Measured; 2]]) {
    let side = |side: usize| -> Vec<f64> { measured.iter().map(|pair| pair[side].0).collect() };
    let (d, other) = (side(0), side(1));
    let (ranks, buckets) = (rank_sum_z(&d, &other), buckets_z(&d, &other));
    let numbers: Vec<f64> = measured.iter().map(|pair| pair[0].1).collect();
    let centre = median(&numbers);
    let noise: Vec<f64> = numbers.iter().map(|number| (number - centre).abs()).collect();
    let correlation = rank_correlation_z(&d, &noise);
    // The least shift, by doubling, that would have been found.
    let mut shift = 0.001;
    let found = |shift: f64| {
        let moved: Vec<f64> = other.iter().map(|taken| taken + shift).collect();
        rank_sum_z(&d, &moved).abs() > Z_AT_1E_6 || buckets_z(&d, &moved).abs() > Z_AT_1E_6
    };
    while !found(shift) && shift < 1e4 {
        shift *= 1.25;
    }
    let alike = [ranks, buckets, correlation].iter().all(|z| z.abs() <= Z_AT_1E_6);
    println!(
        "{name:>26} {:>6} {:>10.3} {:>10.3} {ranks:>8.2} {buckets:>8.2} {correlation:>8.2} {:>13.3} ms {}",
        if busy { "busy" } else { "idle" },
        median(&d),
        median(&other),
        shift,
        if alike { "alike" } else { "DIFFERENT" }
    );
}

struct Neighbour {
    running: Running,
    password: String,
    _folder: tempfile::TempDir,
}

impl Neighbour {
    fn new(with_one_more: bool) -> Self {
        let folder = tempfile::tempdir_in(".").expect("a folder");
        let mut rows = String::from("id,region,cost\n");
        for person in 0..PEOPLE {
            let region = ["north", "south"][person % 2];
            writeln!(rows, "{person},{region},{}", person % 100).expect("a string grows");
        }
        if with_one_more {
            rows.push_str(&"1000000,west,100\n".repeat(PEOPLE));
        }
        std::fs::write(folder.path().join("visits.csv"), &rows).expect("a file");
        std::fs::write(folder.path().join("gone.csv"), &rows).expect("a file");
        let mut catalog = String::from("[scope.people]\nbudget = { rho = 1000000, delta = 1e-9 }\n");
        for table in ["visits", "gone"] {
            writeln!(
                catalog,
                "[table.{table}]\nscope = \"people\"\nsource = \"{table}.csv\"\nprivacy_unit = \"id\"\nmax_groups = 1\n\
                 max_contributions = 3\n[table.{table}.columns]\n\
                 region = {{ type = \"text\", public_keys = [\"north\", \"south\"] }}\n\
                 cost = {{ type = \"integer\", lower = 0, upper = 100 }}"
            )
            .expect("a string grows");
        }
        catalog.push_str("[analyst.ana]\nshares = { people = { rho = 100000 } }\n");
        std::fs::write(folder.path().join("pointillist.toml"), catalog).expect("a file");
        let (mut access, password) =
            (Access::new().expect("random bits"), Password::made().expect("random bits"));
        access.add("ana", Role::Analyst, Some(&password)).expect("a new person");
        let home = Home::open(&folder.path().join("pointillist.toml")).expect("a catalog");
        let options = ServerOptions {
            postgres: Some("127.0.0.1:0".parse().expect("an address")),
            database: "postgres".to_owned(),
            log: LogTarget::Nowhere,
            ..ServerOptions::default()
        };
        let running = Running::start(home, access, options).expect("a server");
        std::fs::remove_file(folder.path().join("gone.csv")).expect("it was there");
        Self { running, password: password.text().to_owned(), _folder: folder }
    }

    fn address(&self) -> SocketAddr {
        self.running.addresses().postgres.expect("it is open")
    }
}

async fn measure(
    neighbours: &[Neighbour; 2],
    (_, statement): Kind,
    first: usize,
    pairs: usize,
    connections: usize,
) -> Vec<[Measured; 2]> {
    let mut tasks = Vec::new();
    for connection in 0..connections {
        let mut clients = Vec::new();
        for neighbour in neighbours {
            clients.push(connect(neighbour).await);
        }
        tasks.push(tokio::spawn(async move {
            let mut taken = Vec::new();
            for number in (connection..pairs).step_by(connections) {
                let sql = statement(first + number);
                let mut pair = [(0.0, 0.0); 2];
                let begins_with = ((number / connections).count_ones() % 2) as usize;
                for side in [begins_with, 1 - begins_with] {
                    pair[side] = timed(&clients[side], &sql).await;
                }
                taken.push(pair);
            }
            taken
        }));
    }
    let mut measured = Vec::new();
    for task in tasks {
        measured.extend(task.await.expect("a client does not panic"));
    }
    measured
}

async fn connect(neighbour: &Neighbour) -> Client {
    let (address, mut config) = (neighbour.address(), tokio_postgres::Config::new());
    config.host(address.ip().to_string()).port(address.port());
    config.user("ana").password(&neighbour.password).dbname("postgres");
    let (client, connection) = config.connect(tokio_postgres::NoTls).await.expect("the server lets us in");
    tokio::spawn(connection);
    client.batch_execute("SET pointillist.rho = 0.001").await.expect("a price");
    client.simple_query("SELECT count(*) FROM visits").await.expect("an answer");
    client
}

/// Refusals and failures count as replies.
async fn timed(client: &Client, sql: &str) -> Measured {
    let begin = Instant::now();
    let reply = client.simple_query(sql).await;
    let taken: Duration = begin.elapsed();
    let number = reply.ok().and_then(|messages| {
        messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(row.len() - 1)?.parse().ok(),
            _ => None,
        })
    });
    (taken.as_secs_f64() * 1e3, number.unwrap_or(0.0))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// The rank of each value, ties shared.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    while begin < order.len() {
        let end = (begin..order.len()).find(|at| values[order[*at]] != values[order[begin]]);
        let end = end.unwrap_or(order.len());
        order[begin..end].iter().for_each(|at| ranks[*at] = (begin + end + 1) as f64 / 2.0);
        begin = end;
    }
    ranks
}

/// Mann–Whitney's statistic as a normal deviate: positive where the other side is later.
fn rank_sum_z(d: &[f64], other: &[f64]) -> f64 {
    let all: Vec<f64> = d.iter().chain(other).copied().collect();
    let (n, m) = (d.len() as f64, other.len() as f64);
    let sum: f64 = ranks(&all)[d.len()..].iter().sum();
    (sum - m * (n + m + 1.0) / 2.0) / (n * m * (n + m + 1.0) / 12.0).sqrt()
}

/// χ² of two samples over buckets that hold equally many of both together, as a normal deviate (Wilson and Hilferty).
fn buckets_z(d: &[f64], other: &[f64]) -> f64 {
    let mut all: Vec<f64> = d.iter().chain(other).copied().collect();
    all.sort_by(f64::total_cmp);
    let ends: Vec<f64> = (1..BUCKETS).map(|bucket| all[all.len() * bucket / BUCKETS]).collect();
    let counts = |side: &[f64]| {
        let mut counts = [0.0_f64; BUCKETS];
        side.iter().for_each(|value| counts[ends.partition_point(|end| end <= value)] += 1.0);
        counts
    };
    let (a, b) = (counts(d), counts(other));
    let square: f64 =
        a.iter().zip(b).filter(|(a, b)| **a + b > 0.0).map(|(a, b)| (a - b).powi(2) / (a + b)).sum();
    let freedom = (BUCKETS - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    ((square / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// Spearman's correlation as a normal deviate.
fn rank_correlation_z(times: &[f64], noise: &[f64]) -> f64 {
    let (a, b) = (ranks(times), ranks(noise));
    let mean = (a.len() + 1) as f64 / 2.0;
    let product: f64 = a.iter().zip(&b).map(|(a, b)| (a - mean) * (b - mean)).sum();
    let square = |ranks: &[f64]| ranks.iter().map(|rank| (rank - mean).powi(2)).sum::<f64>();
    let scale = (square(&a) * square(&b)).sqrt();
    if scale == 0.0 { 0.0 } else { product / scale * (a.len() as f64 - 1.0).sqrt() }
}
