//! The encoding of questions: stable, and different for different questions.

use std::collections::BTreeMap;

use pointillist_numbers::Rational;
use pointillist_plan::{canonical, canonical_release, canonical_topic};

use super::fixture::{catalog, options, plan};
use super::sql::answered;

#[test]
fn different_questions_have_different_bytes() {
    let mut seen: BTreeMap<Vec<u8>, (String, String)> = BTreeMap::new();
    let examples = answered();
    for sql in examples.iter().map(|example| example.sql.as_str()) {
        let plan = plan(sql);
        let text = plan.to_string();
        let bytes = canonical(&plan);
        assert_eq!(bytes, canonical(&super::fixture::plan(sql)), "{sql} is not stable");
        if let Some((other, other_text)) = seen.insert(bytes, (sql.to_owned(), text.clone())) {
            // Two ways to write one question are one question.
            assert_eq!(text, other_text, "{sql}\n{other}");
        }
    }
    // Some are written in several ways on purpose.
    assert!(seen.len() > examples.len() - 14);
}

#[test]
fn every_change_of_a_question_changes_its_bytes() {
    let base = "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 3";
    let all = [
        base,
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 19 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age >= 18 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'y' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 OR ward = 'x' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS m FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY 2 LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n DESC LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n NULLS FIRST LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 4",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 3 OFFSET 1",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region LIMIT 3",
        "SELECT COUNT(*) AS n, region FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT sex, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY sex ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM secrets WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region HAVING COUNT(*) > 1 ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward LIKE 'x' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 18 AND ward ILIKE 'x' GROUP BY region ORDER BY n LIMIT 3",
        "SELECT region, COUNT(cost) AS n FROM visits WHERE age > 18 AND ward = 'x' GROUP BY region ORDER BY n LIMIT 3",
    ];
    let encoded: Vec<Vec<u8>> = all.iter().map(|sql| canonical(&plan(sql))).collect();
    for (i, left) in encoded.iter().enumerate() {
        for (j, right) in encoded.iter().enumerate() {
            assert_eq!(left == right, i == j, "{}\n{}", all[i], all[j]);
        }
    }
}

#[test]
fn every_option_changes_the_bytes() {
    let sql = "SELECT ward, SUM(cost) FROM visits GROUP BY ward";
    let all = [
        vec![],
        vec![("rho", "0.1")],
        vec![("rho", "0.11")],
        vec![("epsilon", "0.1")],
        vec![("rho", "0.1"), ("noise", "laplace")],
        vec![("rho", "0.1"), ("delta", "2e-11")],
        vec![("rho", "0.1"), ("max_groups", "3")],
        vec![("rho", "0.1"), ("max_contributions", "3")],
        vec![("error", "100000")],
    ];
    let bytes = |pairs: &[(&str, &str)]| canonical(&crate::plan(&catalog(), sql, &options(pairs)).unwrap());
    let mut encoded: Vec<Vec<u8>> = all.iter().map(|pairs| bytes(pairs)).collect();
    encoded.sort_unstable();
    encoded.dedup();
    assert_eq!(encoded.len(), all.len());
}

/// Neighbouring texts cannot run into each other: lengths come first.
#[test]
fn lists_of_texts_do_not_run_together() {
    let left = plan("SELECT COUNT(*) FROM visits WHERE ward IN ('ab', 'c')");
    let right = plan("SELECT COUNT(*) FROM visits WHERE ward IN ('a', 'bc')");
    assert_ne!(canonical(&left), canonical(&right));
}

/// Specification: what is released does not depend on the order in which it is written; what is asked about it does.
#[test]
fn a_release_is_the_same_in_any_order() {
    for (left, right) in [
        ("SELECT COUNT(*), SUM(cost) FROM visits", "SELECT SUM(cost), COUNT(*) FROM visits"),
        (
            "SELECT region, sex, AVG(age) FROM visits GROUP BY region, sex",
            "SELECT AVG(age), sex FROM visits GROUP BY sex, region ORDER BY 1 LIMIT 2",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE age > 18 AND ward = 'x' AND (smoker OR cost = 5)",
            "SELECT COUNT(*) FROM visits WHERE (5 = cost OR smoker) AND 'x' = ward AND 18 < age AND age > 18",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE ward IN ('a', 'b') AND age + stay > 3",
            "SELECT COUNT(*) FROM visits WHERE stay + age > 3 AND ward IN ('b', 'a', 'b')",
        ),
    ] {
        assert_eq!(canonical_release(&plan(left)), canonical_release(&plan(right)), "{left}\n{right}");
    }
}

/// Specification: a topic is what can be put together: rows, owner and groups. Measures, prices and how many rows of a
/// person count are not part of it; everything else is.
#[test]
fn a_topic_has_all_but_measures_and_prices() {
    let topic = |sql: &str, pairs: &[(&str, &str)]| {
        canonical_topic(&crate::plan(&catalog(), sql, &options(pairs)).unwrap())
    };
    let base = topic("SELECT region, COUNT(*) FROM visits WHERE age > 18 GROUP BY region", &[]);
    for same in [
        "SELECT region, SUM(cost), AVG(age) FROM visits WHERE age > 18 GROUP BY region HAVING COUNT(*) > 3",
        "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE 18 < age GROUP BY region",
    ] {
        assert_eq!(topic(same, &[("rho", "0.3"), ("max_contributions", "3")]), base, "{same}");
    }
    for other in [
        "SELECT region, COUNT(*) FROM visits WHERE age > 19 GROUP BY region",
        "SELECT region, COUNT(*) FROM visits GROUP BY region",
        "SELECT sex, COUNT(*) FROM visits WHERE age > 18 GROUP BY sex",
        "SELECT region, sex, COUNT(*) FROM visits WHERE age > 18 GROUP BY region, sex",
        "SELECT COUNT(*) FROM visits WHERE age > 18",
        "SELECT region, COUNT(*) FROM events WHERE age > 18 GROUP BY region",
    ] {
        assert_ne!(topic(other, &[]), base, "{other}");
    }
    let fewer =
        topic("SELECT region, COUNT(*) FROM visits WHERE age > 18 GROUP BY region", &[("max_groups", "1")]);
    assert_ne!(fewer, base);
    // Another list of public keys is another list of groups.
    let mut longer = catalog();
    let visits = longer.tables.get_mut("visits").unwrap();
    let region = visits.columns.iter_mut().find(|column| column.name == "region").unwrap();
    region.public_keys.as_mut().unwrap().push(pointillist_catalog::Value::Text("centre".to_owned()));
    let sql = "SELECT region, COUNT(*) FROM visits WHERE age > 18 GROUP BY region";
    assert_ne!(canonical_topic(&crate::plan(&longer, sql, &options(&[])).unwrap()), base);
}

/// Specification: the fingerprint of a question is made of what it loses exactly, and not of the price that the ledger
/// rounds it up to: a question that was recorded is found again.
#[test]
fn the_bytes_of_a_release_end_with_its_exact_loss() {
    let plan = crate::plan(&catalog(), "SELECT COUNT(*) FROM visits", &options(&[("rho", "1/3")])).unwrap();
    assert!(plan.price.amount().loss() > Rational::ratio(1, 3));
    let written = |value: &Rational| {
        let parts = [value.numerator().to_be_bytes(), value.denominator().to_be_bytes()];
        let parts = parts.map(|bytes| [&(bytes.len() as u64).to_be_bytes(), &bytes[..]].concat());
        [vec![0], parts.concat()].concat()
    };
    let loss = [vec![0], written(&Rational::ratio(1, 3)), written(&Rational::zero())].concat();
    assert!(canonical_release(&plan).ends_with(&loss));
}
