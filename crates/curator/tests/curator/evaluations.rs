//! What public models are worth on private rows, as analysts ask for it: priced, paid once, closed to what would tell.

use std::sync::Arc;

use pointillist_catalog::{Catalog, Value};
use pointillist_curator::{Ask, AskError, Mechanism, Paid, Reply};
use pointillist_learn::Model;
use pointillist_query::Options;

use crate::clinic::{CATALOG, Clinic, TARGET, reopen, target_rows, visits};

const TRAIN: &str =
    "SELECT * FROM learn('logistic', 'SELECT cost, region, flag FROM visits', 'flag', 'lambda = 50')";
const ROWS: &str = "SELECT cost, region, flag FROM visits";

/// A clinic that knows a model of its visits by the name `flag`.
fn clinic(visits: &str) -> Clinic {
    let clinic = Clinic::new(visits);
    let model = clinic.ask(TRAIN).unwrap().model.expect("a model");
    with_model(clinic, model)
}

/// The same clinic, its ledger kept, with this model in the place of another.
fn with_model(clinic: Clinic, model: Arc<Model>) -> Clinic {
    let Clinic { folder, curator } = clinic;
    drop(curator);
    let mut catalog = Catalog::parse(CATALOG).unwrap();
    catalog.models.insert("flag".to_owned(), model);
    let curator = reopen(folder.path(), catalog);
    Clinic { folder, curator }
}

fn priced(analyst: &str, sql: &str, rho: &str) -> Ask {
    let mut options = Options::default();
    options.set("rho", rho).unwrap();
    Ask { options, ..Ask::new(sql, analyst) }
}

fn value(reply: &Reply, part: &str) -> f64 {
    let row = reply.answer.rows.iter().find(|row| row.values[1] == Some(Value::Text(part.to_owned())));
    match row.and_then(|row| row.values[2].clone()) {
        Some(Value::Number(value)) => value,
        other => panic!("{part}: {other:?}"),
    }
}

/// Specification: a measure is priced as it is charged, free for who has paid, paid by who has a share, and another question when
/// another model has the name. Counts add up to the rows that are used, of a person at most four, to the noise of ρ = 5: σ = 4/√10
/// for each of two, so that 25 rows are ten deviations.
#[test]
fn a_measure_is_charged_like_any_question() {
    let clinic = clinic(&visits(100));
    let sql = format!("SELECT * FROM evaluate('flag', '{ROWS}')");
    let quote = clinic.curator.quote(&priced("ana", &sql, "5")).unwrap();
    let first = clinic.curator.ask(&priced("ana", &sql, "5")).unwrap();
    assert_eq!((first.paid, first.price), (Paid::InFull, quote.price));
    let release = first.answer.columns[2].release.as_ref().unwrap();
    assert!(matches!(release.mechanism, Mechanism::Model("noisy counts of rows")));
    let rows: i64 = (1..=100).map(|patient| 1 + patient % 3).sum();
    assert!((value(&first, "right") + value(&first, "wrong") - rows as f64).abs() < 25.0);
    let again = clinic.curator.ask(&priced("ana", &sql, "5")).unwrap();
    assert_eq!((again.paid, &again.answer.rows), (Paid::Nothing, &first.answer.rows));
    let other = clinic.curator.ask(&priced("ben", &sql, "5")).unwrap();
    assert_eq!((other.paid, &other.answer.rows), (Paid::InFull, &first.answer.rows));
    // The name is no part of the question, the model is.
    let model = clinic.ask(&TRAIN.replace("50", "40")).unwrap().model.expect("a model");
    let clinic = with_model(clinic, model);
    assert_eq!(clinic.curator.ask(&priced("ana", &sql, "5")).unwrap().paid, Paid::InFull);
}

/// Specification: every measure is answered as it was described, also of rows that are made to stumble over.
#[test]
fn every_measure_is_answered_whatever_rows_hold() {
    let clinic = clinic(&(visits(60) + &target_rows()));
    for measure in ["accuracy", "confusion", "auc", "calibration"] {
        for columns in ["*", "value, part"] {
            let sql = format!("SELECT {columns} FROM evaluate('flag', '{ROWS}', '{measure}')");
            let reply = clinic.ask(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
            assert!(reply.model.is_none() && !reply.answer.rows.is_empty());
        }
    }
}

/// Specification: what is wrong is said before anything is paid, and is the same whatever the rows are.
#[test]
fn refusals_cost_nothing_and_tell_nothing() {
    let (ordinary, hostile) = (clinic(&visits(30)), clinic(&(visits(30) + &target_rows())));
    for sql in [
        "SELECT * FROM evaluate('flags', 'SELECT cost, region, flag FROM visits')",
        "SELECT * FROM evaluate('flag', 'SELECT cost, region FROM visits')",
        "SELECT * FROM evaluate('flag', 'SELECT cost, region, flag, age FROM visits')",
        "SELECT * FROM evaluate('flag', 'SELECT name AS cost, region, flag FROM visits')",
        "SELECT * FROM evaluate('flag', 'SELECT patient AS cost, region, flag FROM visits')",
        "SELECT * FROM evaluate('flag', 'SELECT cost, region, flag FROM visits', 'r2')",
        "SELECT * FROM evaluate('flag', 'SELECT cost, region, flag FROM visits', 'luck')",
        "SELECT * FROM evaluate('flag', 'SELECT cost, region, flag FROM visits LIMIT 1')",
        "SELECT value FROM evaluate('flag', 'SELECT cost, region, flag FROM visits') WHERE value > 0",
        "SELECT * FROM evaluate(flag, 'SELECT cost, region, flag FROM visits')",
        "SELECT predict('flag', cost) AS said, count(*) FROM visits GROUP BY 1",
        "SELECT predict('nobody') AS said, count(*) FROM visits GROUP BY 1",
    ] {
        let refusals = [&ordinary, &hostile].map(|clinic| {
            let before = format!("{:?}", clinic.curator.ledger().balance("patients").unwrap());
            let error = clinic.ask(sql).map(|_| ()).expect_err(sql);
            assert!(matches!(error, AskError::Refused(_)), "{sql}: {error}");
            assert_eq!(
                before,
                format!("{:?}", clinic.curator.ledger().balance("patients").unwrap()),
                "{sql}"
            );
            error.to_string()
        });
        assert!(!refusals[0].contains(&TARGET.to_string()), "{sql}");
        assert_eq!(refusals[0], refusals[1], "{sql}");
    }
}

/// Specification: a tuned model is one payment of the price that was named, and says which value was kept.
#[test]
fn a_tuned_model_costs_what_was_named() {
    let clinic = Clinic::new(&visits(60));
    let sql = "SELECT * FROM learn('logistic', 'SELECT cost, region, flag FROM visits', 'flag', 'tune = lambda 100 1000')";
    let quote = clinic.curator.quote(&priced("ana", sql, "2")).unwrap();
    assert!(quote.lines().iter().any(|line| line.text.contains("a run has")), "{:?}", quote.lines());
    let reply = clinic.curator.ask(&priced("ana", sql, "2")).unwrap();
    let plain = clinic.curator.quote(&priced("ana", TRAIN, "2")).unwrap();
    assert_eq!((reply.price, reply.price), (quote.price, plain.price));
    let model = reply.model.clone().expect("a model");
    assert!(matches!(model.recipe().lambda, Some(100.0 | 1000.0)), "{:?}", model.recipe());
    let again = clinic.curator.ask(&priced("ana", sql, "2")).unwrap();
    assert_eq!((again.paid, again.model), (Paid::Nothing, Some(model)));
}
