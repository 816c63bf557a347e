//! What the time of a reply tells through the wire: whole quanta; and where their number is fixed, nothing.
//!
//! Security test 13, method H7, as small as a suite can have it. Pairs of the same statement go to D and to D′ on connections that
//! stay open, one after the other, in an order that alternates as the Thue–Morse sequence does, so that a drift is the same for
//! both. Compared is what the clock leaves visible: whole quanta. The number of quanta is fixed here (`quanta`), as for an owner
//! who promises more than "no difference below the quantum": without it, work that takes longer than a quantum shows.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pointillist_server::{Limits, LogTarget};

use crate::fixture::{CATALOG, Site};
use crate::wire_client::WireClient;

const QUANTUM: Duration = Duration::from_millis(50);
/// Of a debug build, beside others that build: more than questions about a few hundred rows take.
const QUANTA: u32 = 4;
const PAIRS: u32 = 40;
/// Charged, and not answered.
const LATE: &str = "E 58030 ";
/// For each kind of statement, of five, in each of two tests.
const FALSE_ALARM: f64 = 1e-10;

/// Statements of one kind, by the number of the pair.
type Kind = (&'static str, fn(u32) -> String);

/// A key that is rare, a unit with many rows, work for one row's sake; something that was asked before; something that nobody can pay.
const KINDS: [Kind; 5] = [
    ("rare key", |pair| {
        format!("SELECT region, count(*) FROM visits WHERE cost <> {pair}.5 GROUP BY region")
    }),
    ("heavy unit", |pair| format!("SELECT sum(cost), avg(cost) FROM visits WHERE cost <> {pair}.5")),
    ("work for one row", |pair| {
        let work = "region LIKE '%w%e%s%t%' OR ".repeat(30);
        format!(
            "SELECT count(*) FROM visits WHERE CASE WHEN cost = 100 THEN {work} cost <> {pair}.5 ELSE cost > {pair} END"
        )
    }),
    ("asked before", |_| "SELECT count(*) FROM visits".to_owned()),
    ("refused", |pair| {
        format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.9) count(*) FROM visits WHERE cost > {pair}"
        )
    }),
];

/// Specification: answers that are new, or asked before, and refusals by the budget leave when the fixed number of quanta has passed,
/// none earlier, and D and D′ alike. False alarm: 5e-10 (sign tests of pairs whose numbers of quanta differ: whatever else runs
/// delays both alike). Power: of a D′ that takes a quantum more in all pairs but one, all.
#[test]
fn neighbours_are_answered_at_the_same_moment() {
    compare(false);
}

/// The same beside two threads that never rest. False alarm: 5e-10.
#[test]
fn neighbours_are_answered_at_the_same_moment_on_a_busy_host() {
    compare(true);
}

/// Specification: on the clock of a server that fixes no number, whatever is charged, free or refused waits for a quantum.
#[test]
fn nothing_leaves_before_a_quantum_has_passed() {
    let site = Site::of(&CATALOG.replace("quantum_ms = 100", "quantum_ms = 50"), 200, Limits::default());
    let mut ana = site.wire("ana");
    for (name, statement) in KINDS {
        for number in 0..5 {
            let taken = time(&mut ana, &statement(number));
            assert!(taken >= QUANTUM, "{name}: a reply left after {taken:?}");
        }
    }
}

fn compare(busy: bool) {
    let catalog = CATALOG.replace("quantum_ms = 100", &format!("quantum_ms = 50\nquanta = {QUANTA}"));
    let neighbours = [Site::of(&catalog, 300, Limits::default()), with_one_patient_more(&catalog)];
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..if busy { 2 } else { 0 } {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let neighbours = &neighbours;
        let kinds: Vec<_> =
            KINDS.map(|kind| scope.spawn(move || measured(neighbours, kind))).into_iter().collect();
        let measured: Vec<_> = kinds.into_iter().map(|kind| kind.join()).collect();
        over.store(true, Ordering::Relaxed);
        for ((name, _), times) in KINDS.iter().zip(measured) {
            judge(name, &times.expect("replies came"));
        }
    });
}

/// D′: somebody with as many rows as everybody else together, a region of their own, and a cost that nobody else has.
fn with_one_patient_more(catalog: &str) -> Site {
    let mut site = Site::of(catalog, 300, Limits::default());
    drop(site.running.take());
    let visits = OpenOptions::new().append(true).open(site.folder.path().join("visits.csv"));
    let rows = "1000000,west,100\n".repeat(300);
    visits.and_then(|mut visits| visits.write_all(rows.as_bytes())).expect("written");
    site.open(Limits::default(), LogTarget::Nowhere);
    site
}

/// How long each reply of each pair took, D first.
fn measured(neighbours: &[Site; 2], (_, statement): Kind) -> Vec<[Duration; 2]> {
    let mut clients = [&neighbours[0], &neighbours[1]].map(|site| site.wire("ana"));
    for client in &mut clients {
        client.ask("SET pointillist.rho = 0.001");
        // The first question reads the table.
        client.ask("SELECT count(*) FROM visits");
        client.ask("SELECT count(*) FROM visits");
    }
    let pair = |pair: u32| {
        let sql = statement(pair);
        let mut times = [Duration::ZERO; 2];
        let first = usize::from(pair.count_ones() % 2 == 1);
        for side in [first, 1 - first] {
            times[side] = time(&mut clients[side], &sql);
        }
        times
    };
    (0..PAIRS).map(pair).collect()
}

fn time(client: &mut WireClient, sql: &str) -> Duration {
    let begin = Instant::now();
    let replies = client.ask(sql);
    let taken = begin.elapsed();
    // Whoever is too late is told so when everybody else is answered.
    let is_reply =
        |reply: &String| ["C SELECT", "E 53400 ", LATE].iter().any(|words| reply.starts_with(words));
    assert!(replies.iter().any(is_reply), "{sql}: {replies:?}");
    taken
}

fn judge(name: &str, times: &[[Duration; 2]]) {
    for taken in times.iter().flatten() {
        assert!(*taken >= QUANTUM * QUANTA, "{name}: a reply left after {taken:?}");
    }
    let quanta = |taken: Duration| taken.as_nanos() / QUANTUM.as_nanos();
    let later = times.iter().filter(|[d, other]| quanta(*d) < quanta(*other)).count();
    let earlier = times.iter().filter(|[d, other]| quanta(*d) > quanta(*other)).count();
    let median = |side: usize| {
        let mut side: Vec<Duration> = times.iter().map(|pair| pair[side]).collect();
        side.sort_unstable();
        side[side.len() / 2]
    };
    println!(
        "{name}: D {:?}, D′ {:?}; D′ is later {later} times, earlier {earlier} times",
        median(0),
        median(1)
    );
    let chance = sign_test(later, earlier);
    assert!(
        chance > FALSE_ALARM,
        "{name}: D′ is later {later} times and earlier {earlier} times: {chance:e}"
    );
}

/// The chance of pairs that differ so one-sidedly or more, where either side is as likely: two-sided, exact but for rounding.
fn sign_test(later: usize, earlier: usize) -> f64 {
    let count = later + earlier;
    let mut term = 0.5_f64.powi(i32::try_from(count).expect("few pairs"));
    let mut tail = 0.0;
    for k in 0..=later.min(earlier) {
        tail += term;
        term *= (count - k) as f64 / (k + 1) as f64;
    }
    (2.0 * tail).min(1.0)
}

/// Specification: the test above would find a D′ that is a quantum later, and is calm where the two are alike.
#[test]
fn a_quantum_more_is_found() {
    assert!(sign_test(40, 0) < FALSE_ALARM && sign_test(1, 39) < FALSE_ALARM);
    assert!(sign_test(20, 20) > 0.5 && sign_test(0, 0) >= 1.0 && sign_test(30, 10) > FALSE_ALARM);
    assert!((sign_test(2, 1) - 1.0).abs() < 1e-12 && (sign_test(3, 0) - 0.25).abs() < 1e-12);
}
