//! Twin runs: the same session with and without one person differs in noised cells only.

use pointillist_curator::{AskError, Reply};
use pointillist_errors::Explained;

use crate::clinic::{CANARY, Clinic, target_rows, visits};

/// A session of questions, good and bad; `None` of the earned keys is anywhere near its threshold.
const SESSION: [&str; 27] = [
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) count(*) FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) region, count(*) AS n FROM visits GROUP BY region",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.2) region, sum(cost), avg(cost) FROM visits GROUP BY region ORDER BY region",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 2) ward, count(DISTINCT patient) FROM visits GROUP BY ward ORDER BY ward",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 2) name, count(*) FROM visits GROUP BY name",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) stddev(age), var_pop(cost) FROM visits WHERE region = 'north'",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) CASE WHEN age < 40 THEN 'young' ELSE 'old' END AS band, count(*) FROM visits GROUP BY 1",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) count(*) FROM visits WHERE patient = 9001",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) sum(1.0 * patient / (patient - 9001)) FROM visits",
    "SELECT * FROM visits",
    "SELECT name FROM visits WHERE patient = 9001",
    "SELECT mode(age) FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) max(age) FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.2) region, median(cost), quantile(cost, 0.9), count(DISTINCT ward) FROM visits GROUP BY region",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.2) corr(cost, age), regr_slope(cost, age) FROM visits",
    "SELECT count(*) FROM visits WHERE name IN (SELECT name FROM visits)",
    "SELECT count(*) FROM nowhere",
    "SELEC count(*) FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1000) count(*) FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5) count(*), avg(age) FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (error = 30) region, count(*) FROM visits GROUP BY region",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1, noise = laplace) flag, count(*) FROM visits GROUP BY flag",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) date_trunc('month', day) AS m, count(*) FROM visits GROUP BY 1 ORDER BY 1",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) count(*) FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) count(ratio), count(code) FROM visits WHERE ratio < 0",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) region, age, count(*) FROM people GROUP BY region, age ORDER BY region, age LIMIT 7",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) count(*) FILTER (WHERE name LIKE 'Zoe%') FROM visits",
];

/// Everything that may be seen of an outcome, but for the noised cells.
pub fn shape(outcome: &Result<Reply, AskError>) -> String {
    match outcome {
        Err(error) => format!("{} {}", error.kind().sqlstate(), error.explanation().text()),
        Ok(reply) => {
            let keys = reply.answer.rows.iter().map(|row| {
                let keys = reply.answer.columns.iter().zip(&row.values);
                let keys = keys
                    .filter(|(column, _)| matches!(column.role, pointillist_plan::Role::Key(_)))
                    .map(|(_, value)| value);
                format!("{:?} {}", keys.collect::<Vec<_>>(), row.values.len())
            });
            // That a mean is noise is said of its noised cells, and so with them.
            let of_cells = |note: &&String| note.ends_with(": the answer is noise");
            let notes: Vec<&String> = reply.answer.notes.iter().filter(|note| !of_cells(note)).collect();
            format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                reply.answer.columns,
                keys.collect::<Vec<_>>(),
                notes,
                reply.price,
                reply.paid,
                (reply.receipt.seq, &reply.receipt.scope, &reply.receipt.analyst),
                (reply.left, reply.more),
            )
        }
    }
}

/// Specification: one person's rows change nothing that an analyst sees but noised cells, and not one byte of the
/// ledger's records. Keys that are earned are either far above their threshold (the wards, about 200 people at
/// σ < 1) or far below (names, one person): the shown set differs with probability below 1e-9.
#[test]
fn a_session_with_and_without_a_person_looks_the_same() {
    let with = Clinic::new(&(visits(600) + &target_rows()));
    let without = Clinic::new(&visits(600));
    let mut answered = 0;
    for sql in SESSION {
        let (here, there) = (with.ask_as("ana", sql), without.ask_as("ana", sql));
        let seen = shape(&here);
        assert_eq!(seen, shape(&there), "{sql}");
        assert!(!format!("{seen} {here:?}").contains(CANARY), "{sql}");
        answered += usize::from(here.is_ok());
    }
    assert!(answered >= 15, "{answered} of {} questions were answered", SESSION.len());
    let bytes = |clinic: &Clinic| clinic.curator.ledger().public_bytes().unwrap();
    assert_eq!(bytes(&with), bytes(&without));
    assert!(bytes(&with).len() > 1000, "the ledger has records to compare");
}

/// The test above has power: true answers would differ, by the target's rows.
#[test]
fn noise_is_what_hides_the_person() {
    let with = Clinic::new(&(visits(600) + &target_rows()));
    let without = Clinic::new(&visits(600));
    // At this price the noise of a count has σ ≈ 0.1: one more row shows, but for one run in 1e20.
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 49, max_contributions = 1) count(*) FROM visits WHERE patient = 9001";
    let count = |clinic: &Clinic| format!("{:?}", clinic.ask(sql).unwrap().answer.rows[0].values[0]);
    assert_ne!(count(&with), count(&without));
}
