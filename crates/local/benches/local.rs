//! How many answers a second each method of the local model randomizes, and how many reports a second are
//! collected, on one thread, with the secure generator. Times are processor time, which a busy machine does
//! not stretch much.
//!
//! `randomize` ends in a report, `to line` in its text, `from line` begins with the text and ends in the
//! counters. A survey runs `to line` on the respondents' side and `from line` on the collector's.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pointillist_local::{Collector, MeanCollector, MeanOracle, Oracle, PrefixTree, TreeCollector};
use pointillist_noise::{SystemBits, with_system_bits};

const LONG_ENOUGH: Duration = Duration::from_millis(200);

const ORACLES: [&str; 16] = [
    "randomized-response gamma=1/4",
    "randomized-response epsilon=1",
    "k-ary-response values=4 epsilon=1",
    "k-ary-response values=1000 epsilon=1",
    "unary-encoding values=16 epsilon=1",
    "unary-encoding values=1024 epsilon=1",
    "symmetric-unary-encoding values=1024 epsilon=1",
    "local-hashing values=16 epsilon=1",
    "local-hashing values=1024 epsilon=1",
    "local-hashing values=65536 epsilon=1",
    "hadamard-response values=1024 epsilon=1",
    "subset-selection values=16 epsilon=1",
    "subset-selection values=1024 epsilon=1",
    "subset-selection values=1024 epsilon=4",
    "rappor values=1024 f=0.5 p=0.5 q=0.75",
    "rappor values=1024 f=0.5 p=0.5 q=0.75 blocks=2 width=64",
];

const MEANS: [&str; 2] = [
    "sign-mean lower=0 upper=100 steps=1000 epsilon=1",
    "window-mean lower=0 upper=100 steps=1000 epsilon=3",
];

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    println!(
        "| method | randomize, million/s | to line, million/s | from line, million/s | all estimates, ms |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    with_system_bits(|bits| {
        ORACLES.iter().for_each(|line| frequency(line, bits));
        MEANS.iter().for_each(|line| mean(line, bits));
        tree(bits);
    })
    .expect("the operating system has random bits");
}

/// How long this thread has been on a processor so far; the time of day where the system does not say.
fn spent(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// How long a piece of work takes.
fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    let before = spent(start);
    work();
    spent(start) - before
}

/// Millions of calls a second, over at least a fifth of a second: processor time is counted in steps of
/// milliseconds.
fn millions(mut call: impl FnMut(usize)) -> f64 {
    let mut calls = 1000;
    loop {
        let took = timed(|| (0..calls).for_each(&mut call));
        if took >= LONG_ENOUGH {
            return calls as f64 / took.as_secs_f64() / 1e6;
        }
        calls *= 2;
    }
}

fn row(name: &str, figures: [f64; 3], estimates: Duration) {
    let [randomize, to_line, from_line] = figures;
    let milliseconds = estimates.as_secs_f64() * 1e3;
    println!("| {name} | {randomize:.2} | {to_line:.2} | {from_line:.2} | {milliseconds:.2} |");
}

fn frequency(setting: &str, bits: &mut SystemBits) {
    let oracle: Oracle = setting.parse().expect("a valid setting");
    let values = oracle.values();
    let answers: Vec<u64> = (0..1 << 12).map(|index| index * 2_654_435_761 % values).collect();
    let randomize = millions(|index| {
        black_box(oracle.randomize(answers[index % answers.len()], bits).expect("an answer"));
    });
    let mut line = String::new();
    let to_line = millions(|index| {
        line.clear();
        oracle.randomize(answers[index % answers.len()], bits).expect("an answer").write(&mut line);
        black_box(&line);
    });
    let lines: Vec<String> = (0..2000)
        .map(|index| oracle.randomize(answers[index], bits).expect("an answer").to_string())
        .collect();
    let mut collector = Collector::new(oracle);
    let from_line = millions(|index| {
        collector.absorb_line(&lines[index % lines.len()]).expect("a report");
    });
    let estimates = timed(|| {
        black_box(collector.estimates());
    });
    row(setting, [randomize, to_line, from_line], estimates);
}

fn mean(setting: &str, bits: &mut SystemBits) {
    let oracle: MeanOracle = setting.parse().expect("a valid setting");
    let randomize = millions(|index| {
        black_box(oracle.randomize(index as u64 % 1001, bits).expect("an answer"));
    });
    let mut line = String::new();
    let to_line = millions(|index| {
        line.clear();
        oracle.randomize(index as u64 % 1001, bits).expect("an answer").write(&mut line);
        black_box(&line);
    });
    let lines: Vec<String> =
        (0..2000).map(|step| oracle.randomize(step % 1001, bits).expect("an answer").to_string()).collect();
    let mut collector = MeanCollector::new(oracle);
    let from_line = millions(|index| collector.absorb_line(&lines[index % lines.len()]).expect("a report"));
    let estimates = timed(|| {
        black_box(collector.estimate());
    });
    row(setting, [randomize, to_line, from_line], estimates);
}

/// Half of the people hold one of ten words, the others hold words of their own.
fn tree(bits: &mut SystemBits) {
    let setting = "prefix-tree alphabet=abcdefghijklmnopqrstuvwxyz length=6 stride=2 epsilon=3";
    let tree: PrefixTree = setting.parse().expect("a valid setting");
    let words: Vec<String> = (0..4000u64)
        .map(|index| {
            let seed = if index % 2 == 0 { index / 2 % 10 } else { index };
            let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (0..6).map(|place| char::from(b'a' + (mixed >> (10 * place) & 1023) as u8 % 26)).collect()
        })
        .collect();
    let calls = 200_000;
    let randomize = millions(|index| {
        black_box(tree.randomize(&words[index % words.len()], bits).expect("an answer"));
    });
    let to_line = millions(|index| {
        black_box(tree.randomize(&words[index % words.len()], bits).expect("an answer").to_string());
    });
    let lines: Vec<String> = (0..calls)
        .map(|index| tree.randomize(&words[index % words.len()], bits).expect("an answer").to_string())
        .collect();
    let mut collector = TreeCollector::new(tree.clone());
    let absorbed = timed(|| lines.iter().for_each(|line| collector.absorb_line(line).expect("a report")));
    let from_line = calls as f64 / absorbed.as_secs_f64() / 1e6;
    let share = collector.least_share(0.05);
    let searched =
        timed(|| drop(black_box(collector.search(share, 0.05).expect("a share that can be searched"))));
    row(setting, [randomize, to_line, from_line], searched);
}
