//! Replies that wait for their moment without a thread.

use std::time::{Duration, Instant};

use pointillist_curator::{OWNER, Paid, ReplyClock};

use crate::clinic::{CATALOG, ask, open, visits};

const SQL: &str = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.5) count(*) FROM visits";

/// Specification: until its moment a reply leaves no answer in the ledger, and it cannot be had; then it is as any other.
#[test]
fn nothing_of_a_pending_reply_shows_before_its_moment() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    let quantum = Duration::from_millis(900);
    let curator = open(folder.path(), CATALOG, ReplyClock { quantum: Some(quantum), quanta: None });
    let arrived = Instant::now();
    let pending = curator.ask_until(&ask(OWNER, SQL, None)).unwrap();
    assert!(pending.due() >= arrived + quantum);
    let unreleased = || curator.ledger().balance("patients").unwrap().unwrap().unreleased.loss_units;
    assert!(unreleased() > 0, "charged, and no answer is recorded");
    let due = pending.due();
    let reply = pending.collect().unwrap();
    assert!(Instant::now() >= due && reply.paid == Paid::InFull);
    assert_eq!(unreleased(), 0);
}

/// Specification: an asker who hangs up opens no gap: their answer is recorded at its moment, and whoever asks the same
/// waits until then.
#[test]
fn a_reply_that_nobody_collects_is_recorded_at_its_moment() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    let quantum = Duration::from_millis(900);
    let curator = open(folder.path(), CATALOG, ReplyClock { quantum: Some(quantum), quanta: None });
    let pending = curator.ask_until(&ask(OWNER, SQL, None)).unwrap();
    let due = pending.due();
    drop(pending);
    let again = curator.ask_until(&ask(OWNER, SQL, None)).unwrap();
    assert!(Instant::now() >= due, "the same question waited for the first");
    assert_eq!(again.collect().unwrap().paid, Paid::Nothing, "the answer was recorded");
}

/// Specification: while a question is on its way, a quote about it waits: in that time what its asker holds would tell
/// whether somebody else had asked before. And who may ask nothing is told nothing about what is left.
#[test]
fn a_quote_waits_for_what_its_asker_has_on_its_way() {
    let quantum = Duration::from_millis(900);
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.01) count(*) FROM visits";
    for asked_by_ben in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
        let curator = open(folder.path(), CATALOG, ReplyClock { quantum: Some(quantum), quanta: None });
        if asked_by_ben {
            curator.ask(&ask("ben", sql, None)).unwrap();
        }
        let pending = curator.ask_until(&ask("ana", sql, None)).unwrap();
        let due = pending.due();
        let quote = curator.quote(&ask("ana", sql, None)).unwrap();
        assert!(Instant::now() >= due && quote.is_free, "ben had asked: {asked_by_ben}");
        pending.collect().unwrap();
        assert!(curator.too_expensive(&ask("mallory", sql, None)).is_none());
    }
}
