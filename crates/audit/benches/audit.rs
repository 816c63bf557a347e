//! How long audits take beside the drawing of their releases, on one machine in one run. Times are of the day, as a person
//! waits.

use std::time::{Duration, Instant};

use pointillist_audit::{Settings, Side, audit, mechanisms};
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_privacy::Epsilon;

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    with_system_bits(audits).expect("the operating system has random bits");
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1}", 1e3 * duration.as_secs_f64())
}

fn audits(bits: &mut SystemBits) {
    println!("| audited, 20,000 releases a side | ms | floor: the releases alone, ms | measured | claimed |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let epsilon = Epsilon::parse("1").expect("a price");
    let wanted =
        ["geometric", "Gaussian (ρ)", "histogram over public keys (ε)", "report noisy max (general)"];
    for mut subject in mechanisms(&epsilon).expect("every mechanism") {
        if !wanted.contains(&subject.name()) {
            continue;
        }
        let (found, taken) = timed(|| audit(subject.as_mut(), &Settings::new(20_000), bits, &mut |_, _| ()));
        let found = found.expect("an audit");
        let releases = 20_000 + if found.pairs > 1 { found.pairs * 2_000 } else { 0 };
        let ((), floor) = timed(|| {
            for _ in 0..releases {
                for side in [Side::Left, Side::Right] {
                    subject.release(0, side, bits).expect("a release");
                }
            }
        });
        let closest = found.closest().expect("a guarantee");
        println!(
            "| {} | {} | {} | {} ≥ {:.3} | {:.3} |",
            found.subject,
            milliseconds(taken),
            milliseconds(floor),
            closest.measure.symbol(),
            closest.lower,
            closest.measure.claimed()
        );
    }
}
