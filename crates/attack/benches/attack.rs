//! How long attacks take, on one machine in one run. Times are of the day, as a person waits.
//!
//! The floor of a reconstruction is one pass over its questions, packed in bits.

use std::time::{Duration, Instant};

use pointillist_attack::anonymity::{fewest_stars_for_two, mondrian};
use pointillist_attack::linkage::{link, uniqueness};
use pointillist_attack::reconstruction::{Answers, Method, Norm, Queries, SecretOracle, attack};
use pointillist_attack::records::Records;
use pointillist_noise::{BitSource, SystemBits, with_system_bits};
use pointillist_privacy::{Epsilon, Spend};

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    with_system_bits(|bits| {
        reconstruction(bits);
        tables(bits);
    })
    .expect("the operating system has random bits");
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1}", 1e3 * duration.as_secs_f64())
}

fn reconstruction(bits: &mut SystemBits) {
    println!("| people | questions | answers | method | ms | floor: one pass, ms | bits recovered |");
    println!("| ---: | ---: | --- | --- | ---: | ---: | ---: |");
    let private = || Answers::Private(Spend::Pure(Epsilon::parse("1").expect("a price")));
    for (people, method) in [
        (128, Method::LinearProgram(Norm::Sum)),
        (256, Method::LinearProgram(Norm::Sum)),
        (1024, Method::LeastSquares),
        (4096, Method::LeastSquares),
        (16_384, Method::LeastSquares),
    ] {
        let questions = 4 * people;
        let secret: Vec<bool> = (0..people).map(|_| bits.coin()).collect();
        for answers in [Answers::ErrorUpTo(0.25 * (people as f64).sqrt()), private()] {
            let queries = Queries::random(people, questions, bits).expect("a few questions");
            let words: Vec<u64> = (0..people.div_ceil(64)).map(|_| bits.word()).collect();
            let (sum, floor) = timed(|| queries.subsets().map(|subset| subset.overlap(&words)).sum::<u64>());
            assert!(sum > 0, "a pass over the questions");
            let (recovered, taken) = timed(|| {
                let mut oracle = SecretOracle::new(&secret, &answers, questions, bits).expect("a publisher");
                let found = attack(people, questions, method, &mut oracle, bits).expect("an attack");
                found.recovery(&secret).expect("as many bits").fraction()
            });
            println!(
                "| {people} | {questions} | {answers} | {method} | {} | {} | {:.2} % |",
                milliseconds(taken),
                milliseconds(floor),
                100.0 * recovered
            );
        }
    }
    println!();
}

/// People with a year of birth, a sex, a postal code and an illness.
fn people(rows: usize, bits: &mut SystemBits) -> Records {
    let mut text = String::from("born,sex,zip,illness\n");
    for _ in 0..rows {
        let (born, sex, zip, illness) = (bits.take(6), bits.take(1), bits.take(9), bits.take(3));
        text.push_str(&format!("{},{sex},{},{illness}\n", 1940 + born, 10_000 + zip));
    }
    Records::from_csv(&text).expect("a table")
}

fn tables(bits: &mut SystemBits) {
    println!("| rows | what | ms | million rows/s |");
    println!("| ---: | --- | ---: | ---: |");
    let known = ["born", "sex", "zip"];
    for rows in [200, 500, 1000] {
        let table = people(rows, bits);
        let (found, taken) = timed(|| fewest_stars_for_two(&table, &[0, 1, 2]));
        let what = format!("fewest stars for k = 2, exactly: {}", found.expect("two rows or more").stars);
        println!(
            "| {rows} | {what} | {} | {:.4} |",
            milliseconds(taken),
            rows as f64 / 1e6 / taken.as_secs_f64()
        );
    }
    for rows in [10_000, 100_000, 1_000_000] {
        let (one, other) = (people(rows, bits), people(rows, bits));
        let report = |what: &str, taken: Duration| {
            let speed = rows as f64 / 1e6 / taken.as_secs_f64();
            println!("| {rows} | {what} | {} | {speed:.2} |", milliseconds(taken));
        };
        report("unique on every subset of three columns", timed(|| uniqueness(&one, &known)).1);
        report("linked with as long a list", timed(|| link(&one, &other, &known)).1);
        report("Mondrian, k = 5", timed(|| mondrian(&one, &known, 5)).1);
    }
    println!();
}
