//! Everybody at the edge of a budget at once, through every door; security test 3.

use std::sync::atomic::{AtomicUsize, Ordering};

use pointillist_server::Limits;
use serde_json::json;

use crate::fixture::{CATALOG, Site};
use crate::wire_client::{WireClient, bind, execute, parse, sync};

/// What the budget holds, in questions.
const QUESTIONS: usize = 20;
const ROUNDS: usize = 4;

/// Specification: a budget for exactly k questions gives exactly k answers to clients that race for it, whoever of them gets there
/// first, and everybody else is told that the budget is spent. Nothing here is random: which answers are given is, not how many.
#[test]
fn a_budget_for_so_many_questions_gives_so_many_answers() {
    let catalog = CATALOG
        .replace("budget = { rho = 1,", "budget = { rho = 0.2,")
        .replace("rho = 0.4, delta = 2e-10", "rho = 0.12, delta = 2e-10")
        .replace("rho = 0.1, delta = 2e-10", "rho = 0.08, delta = 2e-10")
        .replace("quantum_ms = 100", "quantum_ms = 20");
    for round in 0..ROUNDS {
        let site = Site::of(&catalog, 100, Limits::default());
        let (number, answers) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for client in 0..10 {
                let (site, number, answers) = (&site, &number, &answers);
                let who = ["ana", "ben"][client % 2];
                scope.spawn(move || {
                    let given = match client / 2 {
                        0 | 1 => simple(site, who, number),
                        2 | 3 => pipelined(site, who, number),
                        _ => over_http(site, who, number),
                    };
                    answers.fetch_add(given, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(answers.into_inner(), QUESTIONS, "round {round}");
        assert_eq!((site.spent("ana"), site.spent("ben")), ("0.12".to_owned(), "0.08".to_owned()));
    }
}

/// Another question every time.
fn statement(number: &AtomicUsize) -> String {
    let number = number.fetch_add(1, Ordering::SeqCst);
    format!("SELECT count(*) FROM visits WHERE cost > {} AND region <> '{number}'", number % 100)
}

fn is_spent(replies: &[String]) -> bool {
    let error = replies.iter().find(|reply| reply.starts_with("E "));
    assert!(error.is_none_or(|error| error.starts_with("E 53400 ")), "{replies:?}");
    error.is_some()
}

fn rows(replies: &[String]) -> usize {
    replies.iter().filter(|reply| reply.starts_with("D ")).count()
}

fn simple(site: &Site, who: &str, number: &AtomicUsize) -> usize {
    let (mut client, mut given) = (site.wire(who), 0);
    loop {
        let replies = client.ask(&statement(number));
        given += rows(&replies);
        if is_spent(&replies) {
            return given;
        }
    }
}

/// Three questions in one piece, each with a Sync of its own.
fn pipelined(site: &Site, who: &str, number: &AtomicUsize) -> usize {
    let (mut client, mut given): (WireClient, usize) = (site.wire(who), 0);
    loop {
        for _ in 0..3 {
            client.send(&[parse("", &statement(number)), bind("", ""), execute("", 0), sync()]);
        }
        let replies: Vec<String> = (0..3).flat_map(|_| client.replies()).collect();
        given += rows(&replies);
        if is_spent(&replies) {
            return given;
        }
    }
}

fn over_http(site: &Site, who: &str, number: &AtomicUsize) -> usize {
    let mut given = 0;
    loop {
        let reply = site.post(who, "/v1/query", &json!({ "sql": statement(number), "rho": "0.01" }));
        match reply.status {
            200 => given += 1,
            status => {
                assert_eq!(status, 402, "{}", reply.text());
                return given;
            }
        }
    }
}
