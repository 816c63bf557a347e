//! Questions about tables with periods: where the condition stands, and what is refused.

use pointillist_catalog::Catalog;
use pointillist_errors::Explained;
use pointillist_plan::{Relation, canonical, canonical_release, canonical_topic};

use super::fixture::options;
use super::sql::check;
use crate::{Options, Statement, plan, statement};

const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 0.5, delta = 2e-9 }
[scope.staff]
budget = { rho = 0.5, delta = 2e-9 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient_id"
max_groups = 8
max_contributions = 20
size = 4000
periods = { column = "day", every = "month" }
[table.visits.columns]
day = { type = "date", lower = "2025-11-10", upper = "2026-02-20" }
region = { type = "text", public_keys = ["north", "south"] }
cost = { type = "integer", lower = 0, upper = 100 }

[table.labs]
scope = "patients"
source = "labs.csv"
privacy_unit = "patient_id"
max_groups = 8
max_contributions = 20
periods = { column = "at", every = "month" }
[table.labs.columns]
at = { type = "timestamp", lower = "2026-01-01T00:00:00", upper = "2026-12-31T23:59:59" }
value = { type = "integer", lower = 0, upper = 9 }

[table.hospitals]
public = true
source = "hospitals.csv"
[table.hospitals.columns]
region = { type = "text" }
beds = { type = "integer", lower = 0, upper = 900 }

[table.nurses]
scope = "staff"
source = "nurses.csv"
privacy_unit = "row"

[graph.contacts]
scope = "staff"
source = "contacts.csv"
privacy = "node"
"#;

fn catalog() -> Catalog {
    Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_question_about_a_period_reads_its_rows_alone() {
    check("periods", |sql| match statement(&catalog(), sql, &Options::default()) {
        Ok(Statement::Rows(plan)) => {
            format!("{plan}paid by {}", plan.scope())
        }
        Ok(Statement::Graph(question)) => format!("paid by {}", question.scope),
        Ok(Statement::Training(question)) => format!("paid by {}", question.rows.scope),
        Ok(Statement::Evaluation(question)) => format!("paid by {}", question.rows.scope),
        Ok(Statement::Synthesis(question)) => format!("paid by {}", question.rows.scope),
        Ok(Statement::Public(public)) => public.to_string(),
        Err(refusal) => format!("{} {}", refusal.sqlstate(), refusal.explanation().text()),
    });
}

/// Specification: the same words about two periods are different questions in every way in which questions are compared.
#[test]
fn the_period_is_part_of_the_question() {
    let sql = "SELECT region, count(*) FROM visits GROUP BY region";
    let joined = "SELECT count(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id";
    for sql in [sql, joined] {
        let [mut one, mut other] = ["2026-01", "2026-02"].map(|period| {
            let price = options(&[("rho", "0.01"), ("period", period)]);
            plan(&catalog(), sql, &price).unwrap_or_else(|refusal| panic!("{refusal}"))
        });
        // Not by the budget alone: the rows are others.
        one.scope = "patients".to_owned();
        other.scope = "patients".to_owned();
        assert_ne!(canonical_topic(&one), canonical_topic(&other));
        assert_ne!(canonical_release(&one), canonical_release(&other));
        assert_ne!(canonical(&one), canonical(&other));
        other.aggregation = one.aggregation.clone();
        assert_eq!(canonical_topic(&one), canonical_topic(&other));
    }
}

/// Specification: every scan of people's rows has the condition, wherever it stands, and nothing else has.
#[test]
fn every_private_scan_has_the_condition() {
    for sql in [
        "SELECT count(*) FROM visits",
        "SELECT count(*) FROM visits v, visits w WHERE v.patient_id = w.patient_id",
        "SELECT sum(n) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) p WHERE n < 5",
        "WITH a AS (SELECT patient_id FROM visits), b AS (SELECT patient_id FROM labs) \
         SELECT count(*) FROM a JOIN b ON a.patient_id = b.patient_id",
        "SELECT count(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM labs WHERE value > 3)",
        "SELECT beds, count(*) FROM visits JOIN hospitals ON visits.region = hospitals.region GROUP BY beds",
        "SELECT (SELECT count(*) FROM visits) / (SELECT count(*) FROM labs) AS share",
        "SELECT count(*) FROM (SELECT patient_id FROM visits UNION ALL SELECT patient_id FROM labs) u",
    ] {
        let price = options(&[("rho", "0.01"), ("period", "2026-01"), ("max_groups", "3")]);
        let planned = statement(&catalog(), sql, &price);
        let Statement::Rows(plan) = planned.unwrap_or_else(|refusal| panic!("{sql}: {refusal}")) else {
            panic!("{sql} is about rows")
        };
        assert_eq!(plan.scope(), "patients@2026-01");
        for part in plan.parts() {
            assert!(!part.aggregation.relation.scans().is_empty());
            for scan in part.aggregation.relation.scans() {
                assert_eq!(scan.filter.is_some(), scan.table != "hospitals", "{sql}");
            }
        }
    }
}

/// Specification: what a declared size makes of a wanted error is about the period, and days outside of it are no keys.
#[test]
fn a_period_has_its_own_facts() {
    let price = options(&[("error", "5%"), ("period", "2025-11")]);
    let plan = plan(&catalog(), "SELECT day, count(*) FROM visits GROUP BY day", &price).unwrap();
    // The column begins on the tenth of November.
    assert_eq!(plan.aggregation.domain.as_ref().map(Vec::len), Some(21));
    assert!(matches!(plan.aggregation.relation, Relation::Table(_)));
    let days = CATALOG.replace("every = \"month\"", "every = \"day\"").replace("2026-12-31T", "2026-02-28T");
    let days = Catalog::parse(&days).unwrap_or_else(|error| panic!("{error}"));
    let price = options(&[("rho", "0.01"), ("period", "2026-01-31")]);
    let one = crate::plan(&days, "SELECT day, count(*) FROM visits GROUP BY day", &price).unwrap();
    assert_eq!(one.aggregation.domain.as_ref().map(Vec::len), Some(1));
}
