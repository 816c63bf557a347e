//! Replies that wait for their moment without a thread.

use std::time::{Duration, Instant};

use std::sync::mpsc;

use pointillist_curator::{Ask, AskError, Curator, Executed, OWNER, Paid, ReplyClock};
use tempfile::TempDir;

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

const QUANTUM: Duration = Duration::from_millis(900);

fn clocked() -> (TempDir, Curator) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    let curator = open(folder.path(), CATALOG, ReplyClock { quantum: Some(QUANTUM), quanta: None });
    (folder, curator)
}

/// Specification: an asker who was given an answer is given it again and again beside each other, on the clock.
#[test]
fn repetitions_by_their_asker_do_not_wait_for_each_other() {
    let (_folder, curator) = clocked();
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.01) count(*) FROM visits";
    let first = curator.ask(&ask("ana", sql, None)).unwrap();
    let begin = Instant::now();
    let pending: Vec<_> = (0..6).map(|_| curator.ask_until(&ask("ana", sql, None)).unwrap()).collect();
    assert!(begin.elapsed() < QUANTUM, "none waited for another's moment");
    for pending in pending {
        let due = pending.due();
        let reply = pending.collect().unwrap();
        assert!(due >= begin + QUANTUM && Instant::now() >= due, "they leave on the clock");
        assert_eq!((reply.paid, &reply.answer.rows), (Paid::Nothing, &first.answer.rows));
    }
}

/// Specification: an answer that another asker pays for from their share is on its way for them until it has left, as a
/// new one would be; whoever holds it already does not see that somebody asks.
#[test]
fn a_payment_from_a_share_is_on_its_way_for_its_asker_and_for_nobody_who_holds_the_answer() {
    let (_folder, curator) = clocked();
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.01) count(*) FROM visits";
    curator.ask(&ask("ana", sql, None)).unwrap();
    let bens = curator.ask_until(&ask("ben", sql, None)).unwrap();
    let anas = curator.ask_until(&ask("ana", sql, None)).unwrap();
    assert!(Instant::now() < bens.due(), "ana does not wait for ben");
    let again = curator.ask_until(&ask("ben", sql, None)).unwrap();
    assert!(Instant::now() >= bens.due(), "ben waits for what is on its way to him");
    assert_eq!(bens.collect().unwrap().paid, Paid::InFull);
    assert_eq!(anas.collect().unwrap().paid, Paid::Nothing);
    assert_eq!(again.collect().unwrap().paid, Paid::Nothing);
}

fn then(curator: &Curator, ask: Ask) -> mpsc::Receiver<(Instant, Result<Executed, AskError>)> {
    let (sender, receiver) = mpsc::channel();
    curator.execute_then(ask, move |executed| sender.send((Instant::now(), executed)).unwrap());
    receiver
}

/// Specification: the thread that asks is free before the reply leaves; what is free and what is refused comes at once,
/// what is charged at its moment; a caller that panics takes nobody else's reply along.
#[test]
fn a_reply_calls_back_at_its_moment() {
    let (_folder, curator) = clocked();
    let begin = Instant::now();
    curator.execute_then(ask("ben", SQL, None), |_| panic!("a caller"));
    let list = then(&curator, ask("ana", "SHOW TABLES", None)).try_recv().unwrap().1;
    assert!(matches!(list, Ok(Executed::List(_))));
    let quote = then(&curator, ask("ana", "EXPLAIN SELECT count(*) FROM people", None));
    assert!(matches!(quote.try_recv().unwrap().1, Ok(Executed::Quote(_))));
    assert!(then(&curator, ask("ana", "SELECT name FROM visits", None)).try_recv().unwrap().1.is_err());
    let about = |age: u64| then(&curator, ask(OWNER, &format!("{SQL} WHERE age > {age}"), None));
    let waiting = [31, 32, 33].map(about);
    let free_at = Instant::now();
    assert!(waiting[0].try_recv().is_err());
    for waiting in waiting {
        let (at, executed) = waiting.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(at >= begin + QUANTUM && at >= free_at);
        let Ok(Executed::Answer(reply)) = executed else { panic!("no answer") };
        assert_eq!(reply.paid, Paid::InFull);
    }
}
