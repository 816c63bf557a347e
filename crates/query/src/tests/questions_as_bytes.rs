//! The encoding of questions: stable, and different for different questions.

use std::collections::BTreeMap;

use super::accepted::ACCEPTED;
use super::fixture::{catalog, options, plan};
use crate::canonical;

#[test]
fn different_questions_have_different_bytes() {
    let mut seen: BTreeMap<Vec<u8>, (&str, String)> = BTreeMap::new();
    for (sql, _) in ACCEPTED {
        let plan = plan(sql);
        let text = plan.to_string();
        let bytes = canonical(&plan);
        assert_eq!(bytes, canonical(&super::fixture::plan(sql)), "{sql} is not stable");
        if let Some((other, other_text)) = seen.insert(bytes, (sql, text.clone())) {
            // Two ways to write one question are one question.
            assert_eq!(text, other_text, "{sql}\n{other}");
        }
    }
    assert!(seen.len() > ACCEPTED.len() - 8);
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
