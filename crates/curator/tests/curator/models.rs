//! Models as analysts meet them: paid once, the same again for nothing, every kind of them, closed to what would tell.

use pointillist_catalog::Value;
use pointillist_curator::{Ask, AskError, Mechanism, Paid, Reply};
use pointillist_learn::{Label, Prediction};
use pointillist_query::Options;

use crate::clinic::{Clinic, TARGET, target_rows, visits};

const OLD: &str = "SELECT * FROM learn('logistic', 'SELECT age, region, age > 50 AS old FROM people', 'old', 'lambda = 0.5')";

fn priced(analyst: &str, sql: &str, name: &str, price: &str) -> Ask {
    let mut options = Options::default();
    options.set(name, price).unwrap();
    Ask { options, ..Ask::new(sql, analyst) }
}

fn value(reply: &Reply, feature: &str) -> f64 {
    let row = reply.answer.rows.iter().find(|row| row.values[1] == Some(Value::Text(feature.to_owned())));
    match row.and_then(|row| row.values[2].clone()) {
        Some(Value::Number(value)) => value,
        other => panic!("{feature}: {other:?}"),
    }
}

/// Specification: with a large price the model says of rows what is true of them; the same question is free and gives the very
/// same numbers; whoever has a share pays for what somebody else has paid.
#[test]
fn a_model_is_paid_once_and_says_what_is_so() {
    let clinic = Clinic::new(&visits(100));
    let quote = clinic.curator.quote(&priced("ana", OLD, "rho", "5")).unwrap();
    assert!(!quote.is_free && quote.fits());
    let first = clinic.curator.ask(&priced("ana", OLD, "rho", "5")).unwrap();
    assert_eq!((first.paid, first.price), (Paid::InFull, quote.price));
    assert!(value(&first, "age") > 3.0, "older people are old");
    let release = first.answer.columns[2].release.as_ref().unwrap();
    assert!(matches!(release.mechanism, Mechanism::Model("Gaussian objective perturbation")));
    let model = first.model.clone().expect("a model");
    let said = |age: i64| model.predict(&[Some(Label::Integer(age)), Some(Label::Text("north".to_owned()))]);
    for (age, class) in [(5, "false"), (85, "true")] {
        let Prediction::Class { class: said, probability } = said(age) else { panic!("a class") };
        assert!(said == class && probability > 0.5, "{age}: {said} {probability}");
    }
    let second = clinic.curator.ask(&priced("ana", OLD, "rho", "5")).unwrap();
    assert_eq!((second.paid, &second.model), (Paid::Nothing, &first.model));
    assert!(clinic.curator.quote(&priced("ana", OLD, "rho", "5")).unwrap().is_free);
    let other = clinic.curator.ask(&priced("ben", OLD, "rho", "5")).unwrap();
    assert_eq!((other.paid, &other.model), (Paid::InFull, &first.model));
    let dearer = clinic.curator.ask(&priced("ana", OLD, "rho", "6")).unwrap();
    assert_ne!(dearer.model, first.model, "another price is another question");
}

/// Specification: every kind of model is answered, described as it is answered, and recorded so that it can be given again.
#[test]
fn every_kind_of_model_is_answered() {
    let clinic = Clinic::new(&(visits(60) + &target_rows()));
    for sql in [
        "SELECT * FROM learn('logistic', 'SELECT cost, region, flag FROM visits', 'flag')",
        "SELECT * FROM learn('logistic', 'SELECT cost, region, flag FROM visits', 'flag', 'method = output')",
        "SELECT * FROM learn('logistic', 'SELECT cost, region, flag FROM visits', 'flag', 'method = descent')",
        "SELECT * FROM learn('svm', 'SELECT cost, age, flag FROM visits', 'flag')",
        "SELECT * FROM learn('softmax', 'SELECT cost, age, region FROM visits', 'region', 'steps = 10')",
        "SELECT * FROM learn('linear', 'SELECT age, region, cost FROM visits', 'cost')",
        "SELECT * FROM learn('linear', 'SELECT age, day, cost FROM visits', 'cost', 'method = descent, steps = 5')",
        "SELECT feature, value FROM learn('bayes', 'SELECT cost, flag, region FROM visits', 'region')",
        "SELECT * FROM learn('additive', 'SELECT cost, region, flag FROM visits', 'flag', 'bins = 4, steps = 2')",
        "SELECT * FROM learn('additive', 'SELECT region, flag, cost FROM visits', 'cost')",
        "SELECT * FROM learn('clusters', 'SELECT cost, age FROM visits', NULL, 'clusters = 2')",
        "SELECT * FROM learn('moments', 'SELECT cost, age FROM visits WHERE region <> ''west''')",
    ] {
        let reply = clinic.ask(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(reply.model.is_some() && !reply.answer.rows.is_empty(), "{sql}");
        let again = clinic.ask(sql).unwrap();
        assert_eq!((again.paid, &again.answer.rows), (Paid::Nothing, &reply.answer.rows), "{sql}");
    }
}

/// Specification: what is wrong with a question is said before anything is paid, and is the same whatever the rows are.
#[test]
fn refusals_cost_nothing_and_tell_nothing() {
    let ordinary = Clinic::new(&visits(30));
    let hostile = Clinic::new(&(visits(30) + &target_rows()));
    for sql in [
        "SELECT * FROM learn('oracle', 'SELECT age, flag FROM visits', 'flag')",
        "SELECT * FROM learn('logistic', 'SELECT age, cost FROM visits', 'cost')",
        "SELECT * FROM learn('logistic', 'SELECT age, flag FROM visits', 'nobody')",
        "SELECT * FROM learn('logistic', 'SELECT ratio, flag FROM visits', 'flag')",
        "SELECT * FROM learn('logistic', 'SELECT name, flag FROM visits', 'flag')",
        "SELECT * FROM learn('logistic', 'SELECT age, flag FROM visits')",
        "SELECT * FROM learn('moments', 'SELECT age, flag FROM visits', 'flag')",
        "SELECT * FROM learn('logistic', 'SELECT age, flag FROM visits', 'flag', 'lambda = -1')",
        "SELECT * FROM learn('logistic', 'SELECT age, flag FROM visits', 'flag', 'lamda = 1')",
        "SELECT * FROM learn('logistic', 'SELECT age, flag FROM visits; DROP TABLE visits', 'flag')",
        "SELECT * FROM learn('logistic', 'SELECT max(age), flag FROM visits GROUP BY flag', 'flag')",
        "SELECT value FROM learn('logistic', 'SELECT age, flag FROM visits', 'flag') WHERE value > 0",
        "SELECT * FROM learn(age, 'SELECT age, flag FROM visits', 'flag')",
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
        assert_eq!(refusals[0], refusals[1], "{sql}");
        assert!(!refusals[0].contains(&TARGET.to_string()), "{sql}");
    }
}
