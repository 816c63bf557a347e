//! The life of questions: paid once, repeated for free, refused in words.

use std::time::{Duration, Instant};

use pointillist_catalog::{Catalog, Value};
use pointillist_curator::{AskError, OWNER, Paid, ReplyClock, StartError};
use pointillist_errors::{Explained, Kind};

use crate::clinic::{CATALOG, Clinic, ask, open, visits};

const BY_REGION: &str = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.5) region, count(*) AS n, avg(cost) AS c FROM visits GROUP BY region";

fn spent(clinic: &Clinic) -> u128 {
    clinic.curator.ledger().balance("patients").unwrap().unwrap().spent.loss_units
}

/// Specification: answers are near the truth. False alarm: at ρ = 0.5 over three measures, noise on a count of 3
/// groups with 4 rows each has σ = 12; the test allows 12 σ, below 1e-30 a cell.
#[test]
fn answers_are_near_the_truth_and_inside_their_range() {
    let clinic = Clinic::new(&visits(3000));
    let reply = clinic.ask(BY_REGION).unwrap();
    assert_eq!(reply.answer.rows.len(), 4);
    for row in &reply.answer.rows {
        let Some(Value::Integer(count)) = row.values[1] else { panic!("a count is an integer") };
        assert!((count - 1500).abs() < 160, "{count}");
        let Some(Value::Number(mean)) = row.values[2] else { panic!("a mean is a number") };
        let (low, high) = row.intervals[2].unwrap();
        assert!(low <= mean && mean <= high && (100.0..220.0).contains(&mean), "{low} {mean} {high}");
    }
    assert_eq!(reply.paid, Paid::InFull);
    assert!(reply.more > 0);
}

#[test]
fn the_same_numbers_cost_nothing_again_whatever_is_computed_from_them() {
    let clinic = Clinic::new(&visits(300));
    let first = clinic.ask(BY_REGION).unwrap();
    let after = spent(&clinic);
    let again = clinic.ask(BY_REGION).unwrap();
    assert_eq!(first.answer, again.answer);
    assert_eq!((again.paid, spent(&clinic)), (Paid::Nothing, after));
    // Another order, another name, arithmetic, HAVING: the same released numbers.
    let other = BY_REGION.replace("count(*) AS n", "2 * count(*) AS twice")
        + " HAVING count(*) > -1000000 ORDER BY 2 DESC";
    let other = clinic.ask(&other).unwrap();
    assert_eq!((other.paid, spent(&clinic)), (Paid::Nothing, after));
    let sum = |reply: &pointillist_curator::Reply| -> i64 {
        reply
            .answer
            .rows
            .iter()
            .map(|row| match row.values[1] {
                Some(Value::Integer(n)) => n,
                _ => panic!(),
            })
            .sum()
    };
    assert_eq!(sum(&other), 2 * sum(&first));
    // A smaller price is answered by what was bought; a larger one is another answer.
    assert_eq!(clinic.ask(&BY_REGION.replace("0.5", "0.25")).unwrap().paid, Paid::Nothing);
    assert_eq!(clinic.ask(&BY_REGION.replace("0.5", "0.75")).unwrap().paid, Paid::InFull);
}

#[test]
fn another_analyst_pays_from_their_share_and_not_from_the_scope() {
    let clinic = Clinic::new(&visits(300));
    let first = clinic.ask_as("ana", BY_REGION).unwrap();
    let after = spent(&clinic);
    let second = clinic.ask_as("ben", BY_REGION).unwrap();
    assert_eq!((second.paid, spent(&clinic)), (Paid::InFull, after));
    assert!(!second.receipt.hash.is_empty(), "the payment has a record of its own");
    assert_eq!(first.answer, second.answer);
    assert!(second.left.spent.loss_units > 0);
}

#[test]
fn a_request_id_means_one_request() {
    let clinic = Clinic::new(&visits(300));
    let first = clinic.curator.ask(&ask(OWNER, BY_REGION, Some("r1"))).unwrap();
    let again = clinic.curator.ask(&ask(OWNER, BY_REGION, Some("r1"))).unwrap();
    assert_eq!(first.answer, again.answer);
    let other = clinic.curator.ask(&ask(OWNER, "SELECT count(*) FROM visits", Some("r1"))).unwrap_err();
    assert!(matches!(other, AskError::NotCharged(_)), "{other}");
    assert!(other.explanation().text().contains("use a new id"), "{other}");
}

#[test]
fn strangers_and_closed_populations_are_refused_uncharged() {
    let clinic = Clinic::new(&visits(300));
    let stranger = clinic.ask_as("eve", BY_REGION).unwrap_err();
    assert_eq!(
        stranger.explanation().text(),
        "there is no analyst `eve`\nhint: ask the owner to declare [analyst.eve]"
    );
    let missing = Clinic::new(&visits(3));
    std::fs::remove_file(missing.folder.path().join("visits.csv")).unwrap();
    let unavailable = missing.ask(BY_REGION).unwrap_err();
    assert!(matches!(unavailable, AskError::Unavailable { .. }), "{unavailable}");
    assert_eq!((spent(&clinic), spent(&missing)), (0, 0));
}

#[test]
fn a_budget_that_is_spent_says_what_is_left() {
    let clinic = Clinic::with_catalog(&CATALOG.replace("rho = 50", "rho = 0.6"), &visits(300));
    clinic.ask(BY_REGION).unwrap();
    let refused =
        clinic.ask("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.2) count(*) FROM visits").unwrap_err();
    assert_eq!(refused.kind().sqlstate(), "53400");
    assert!(refused.to_string().contains("0.1") && refused.hint().is_some(), "{refused}");
    clinic.ask("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) count(*) FROM visits").unwrap();
}

#[test]
fn malformed_rows_are_counted_nowhere() {
    let damaged = visits(300) + "not,enough\n\"unbalanced,quote\n";
    let clinic = Clinic::new(&damaged);
    let reply =
        clinic.ask("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 40) count(*) FROM visits").unwrap();
    let Some(Value::Integer(count)) = reply.answer.rows[0].values[0] else { panic!() };
    // σ = 4/√80 = 0.45: within 5 of the truth, but for one run in 1e27.
    assert!((count - 600).abs() <= 5, "{count}");
}

/// Timing is a public function here: a reply never leaves before its quantum.
#[test]
fn replies_leave_on_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    let quantum = Duration::from_millis(400);
    let curator = open(folder.path(), CATALOG, ReplyClock { quantum: Some(quantum), quanta: None });
    let started = Instant::now();
    curator.ask(&ask(OWNER, "SELECT count(*) FROM visits", None)).unwrap();
    assert!(started.elapsed() >= quantum);
}

/// Isolation: what somebody else was given comes no sooner than it came to them; and their own again comes at once.
#[test]
fn an_answer_that_others_hold_takes_as_long_as_it_took_them() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), visits(60_000)).unwrap();
    let quantum = Some(Duration::from_millis(1));
    let curator = open(folder.path(), CATALOG, ReplyClock { quantum, quanta: None });
    let sql =
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.5) region, sum(age) FROM visits GROUP BY region";
    let takes = |analyst: &str| {
        let begin = Instant::now();
        let pending = curator.ask_until(&ask(analyst, sql, None)).unwrap();
        let due = pending.due() - begin;
        pending.collect().unwrap();
        due
    };
    let (first, copy, again) = (takes("ana"), takes("ben"), takes("ana"));
    assert!(copy + Duration::from_millis(2) >= first, "{copy:?} after {first:?}");
    assert!(again < first, "{again:?} after {first:?}: nothing was computed");
}

/// A question that is not answered in time fails at that time, charged; asked again it is free.
#[test]
fn late_answers_are_withheld() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    let schedule =
        ReplyClock { quantum: Some(Duration::from_nanos(1)), quanta: std::num::NonZeroU32::new(1) };
    let curator = open(folder.path(), CATALOG, schedule);
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.5) count(*) FROM visits";
    let late = curator.ask(&ask(OWNER, sql, None)).unwrap_err();
    assert!(matches!(late, AskError::Failed), "{late}");
    let balance = curator.ledger().balance("patients").unwrap().unwrap();
    assert_eq!(balance.spent.loss().to_string(), "0.5");
}

/// Specification: whatever is asked, the value shown lies in its own interval; sample variances and whole-number
/// arithmetic have intervals of their own.
#[test]
fn values_lie_in_their_intervals() {
    let clinic = Clinic::new(&visits(300));
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 30) region, count(*), sum(age), avg(age), var_pop(age), \
               var_samp(age), stddev_pop(age), stddev_samp(age), sum(CAST(region = 'north' AS int)), \
               (count(*) / 7) * 7, count(*) * 9223372036854775807, 1.0 * sum(age) / count(*), -count(*) + 3 \
               FROM people GROUP BY region";
    let reply = clinic.ask(sql).unwrap();
    for row in &reply.answer.rows {
        for ((value, interval), column) in
            row.values.iter().zip(&row.intervals).zip(&reply.answer.columns).skip(1)
        {
            let value = match value {
                Some(Value::Integer(value)) => *value as f64,
                Some(Value::Number(value)) => *value,
                Some(other) => panic!("{other:?}"),
                // Divided by a count of zero: the west is empty.
                None => continue,
            };
            let Some((low, high)) = interval else { continue };
            assert!(low <= &value && &value <= high, "{}: {value} in [{low}, {high}]", column.name);
        }
        assert!(row.intervals[1..9].iter().all(Option::is_some));
    }
}

/// While a question is on its way, the same question from elsewhere waits for its moment: nobody can watch it finish.
#[test]
fn the_same_question_waits_until_the_first_reply_has_left() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    let quantum = Duration::from_millis(700);
    let curator = open(folder.path(), CATALOG, ReplyClock { quantum: Some(quantum), quanta: None });
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.5) count(*) FROM visits";
    let replies = std::thread::scope(|scope| {
        let asking = [0, 1, 2].map(|_| scope.spawn(|| curator.ask(&ask(OWNER, sql, Some("same"))).unwrap()));
        asking.map(|asking| asking.join().unwrap())
    });
    assert!(
        replies
            .iter()
            .all(|reply| reply.answer == replies[0].answer && reply.receipt.seq == replies[0].receipt.seq)
    );
    assert_eq!(replies.iter().filter(|reply| reply.paid == Paid::InFull).count(), 1);
    assert_eq!(curator.ledger().balance("patients").unwrap().unwrap().spent.loss().to_string(), "0.5");
}

/// A population under a new name is a new budget, and nobody gets one by editing a file.
#[test]
fn a_renamed_scope_is_not_granted_quietly() {
    let clinic = Clinic::new(&visits(30));
    clinic.ask(BY_REGION).unwrap();
    let Clinic { folder, curator } = clinic;
    drop(curator);
    let renamed = CATALOG.replace("patients", "folk");
    let catalog = Catalog::parse(&renamed).unwrap();
    let ledger =
        pointillist_ledger::Ledger::open(&crate::clinic::place(folder.path()), Default::default()).unwrap();
    let settings = pointillist_curator::Settings::beside(folder.path());
    let refused = pointillist_curator::Curator::with_ledger(folder.path(), catalog, ledger, settings);
    let refused = refused.err().expect("a refusal");
    assert!(
        refused.to_string().contains("scope `folk`") && refused.kind() == Kind::BudgetChanged,
        "{refused}"
    );
}

/// Specification: a new version of the data is a new question, paid for from the same budget; a catalog with
/// another budget does not take a ledger over.
#[test]
fn another_catalog_may_bring_new_versions_and_no_new_budgets() {
    let Clinic { folder, curator } = Clinic::new(&visits(30));
    let first = curator.ask(&ask(OWNER, BY_REGION, None)).unwrap();
    let mut catalog = curator.catalog().clone();
    catalog.tables.get_mut("visits").unwrap().version = "later".to_owned();
    let clinic = Clinic { folder, curator: curator.redeclared(catalog).unwrap() };
    let second = clinic.ask(BY_REGION).unwrap();
    assert_eq!((first.paid, second.paid), (Paid::InFull, Paid::InFull));
    assert_eq!(spent(&clinic), 10u128.pow(24));
    let richer = Catalog::parse(&CATALOG.replace("rho = 50", "rho = 51")).unwrap();
    assert!(matches!(clinic.curator.redeclared(richer), Err(StartError::BudgetChanged { .. })));
}
