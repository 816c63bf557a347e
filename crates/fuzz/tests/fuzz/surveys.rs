//! What strangers' devices send: lines that say how answers were randomized, and reports.

use std::str::FromStr;

use pointillist_local::{Collector, Oracle};

use super::driver::{Target, fuzz};

/// Specification: a line is a setting or is refused; one that is taken says itself again.
#[test]
fn survey_line() {
    let seeds = [
        "k-ary-response values=3 epsilon=1",
        "randomized-response gamma=1/4",
        "rappor values=2 epsilon=2",
        "hadamard-response values=100 epsilon=0.5",
        "local-hashing values=1000 epsilon=1",
    ];
    let read = |bytes: &[u8]| {
        if let Ok(oracle) = Oracle::from_str(&String::from_utf8_lossy(bytes)) {
            let again = Oracle::from_str(&oracle.to_string()).expect("our own line");
            assert_eq!(again.to_string(), oracle.to_string());
        }
    };
    let words = [
        "values=",
        "epsilon=",
        "1e-400",
        "999999999999999999999",
        " ",
        "=",
        "gamma=",
        "subset-selection",
        "unary-encoding",
    ];
    fuzz(&Target {
        name: "survey-line",
        seeds: seeds.map(Vec::from).to_vec(),
        words: &words,
        inputs: 4_000,
        read: &read,
    });
}

/// Specification: a report is counted once or refused, whatever it holds.
#[test]
fn report_line() {
    let settings = [
        "k-ary-response values=3 epsilon=1",
        "hadamard-response values=100 epsilon=1/2",
        "local-hashing values=1000 epsilon=1",
        "unary-encoding values=5 epsilon=1",
    ];
    let read = |bytes: &[u8]| {
        let line = String::from_utf8_lossy(bytes);
        for setting in settings {
            let Ok(oracle) = Oracle::from_str(setting) else { continue };
            let mut collector = Collector::new(oracle);
            let taken = collector.absorb_line(&line).is_ok();
            assert_eq!(collector.reports(), u64::from(taken));
            let _ = collector.estimates();
        }
    };
    let seeds = ["1", "0", "2", "01010", "7 1", "123456789 4", "+", "-"];
    fuzz(&Target {
        name: "report-line",
        seeds: seeds.map(Vec::from).to_vec(),
        words: &["-1", "18446744073709551616", " ", "1,2", "\u{1d7d8}"],
        inputs: 4_000,
        read: &read,
    });
}
