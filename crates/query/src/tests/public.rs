//! Statements over public tables alone, and those that are not.

use pointillist_plan::Owner;

use super::fixture::{catalog, options};
use crate::{Refusal, Statement, statement};

fn asked(sql: &str) -> Result<Statement, Refusal> {
    statement(&catalog(), sql, &options(&[("rho", "0.1")]))
}

/// Specification: everything that released rows can be put through works on public ones, and their leaves are nobody's.
#[test]
fn public_tables_alone_are_free() {
    for sql in [
        "SELECT * FROM hospitals",
        "SELECT COUNT(*) FROM hospitals",
        "SELECT region, COUNT(*), AVG(age) FROM hospitals GROUP BY region HAVING COUNT(*) > 1 ORDER BY 2 DESC LIMIT 3",
        "SELECT COUNT(*) FROM wards w JOIN hospitals h ON w.city = h.region",
        "SELECT w.city FROM wards w LEFT JOIN hospitals h ON w.city = h.region WHERE h.region IS NULL",
        "SELECT region, ROW_NUMBER() OVER (PARTITION BY region ORDER BY age) AS place FROM hospitals",
        "SELECT DISTINCT region FROM public.hospitals UNION SELECT city FROM wards",
        "SELECT region FROM hospitals WHERE region IN (SELECT city FROM wards)",
        "SELECT region, (SELECT MAX(age) FROM hospitals) AS oldest FROM hospitals",
        "WITH visits AS (SELECT * FROM hospitals) SELECT COUNT(*) FROM visits",
        "SELECT region, COUNT(*) FROM hospitals GROUP BY ROLLUP (region)",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) COUNT(*) FROM hospitals",
    ] {
        match asked(sql) {
            Ok(Statement::Public(public)) => {
                let scans = public.relation().scans();
                assert!(!scans.is_empty() && scans.iter().all(|scan| scan.owner == Owner::Nobody), "{sql}");
            }
            other => panic!("{sql}: {other:?}"),
        }
    }
}

/// Specification: a table of people, wherever it is named, is enough for the statement to be about people.
#[test]
fn a_statement_with_people_is_never_free() {
    for sql in [
        "SELECT COUNT(*) FROM visits",
        "SELECT COUNT(*) FROM visits v JOIN hospitals h ON v.region = h.region",
        "SELECT h.region FROM hospitals h, visits v",
        "SELECT h.region FROM hospitals h LEFT JOIN visits v ON v.region = h.region",
        "SELECT region FROM hospitals WHERE region IN (SELECT region FROM visits)",
        "SELECT region FROM hospitals h WHERE EXISTS (SELECT 1 FROM visits v WHERE v.region = h.region)",
        "SELECT region FROM hospitals h WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.region = h.region)",
        "SELECT region, (SELECT COUNT(*) FROM visits) AS n FROM hospitals",
        "SELECT region, (SELECT MAX(age) FROM visits) AS n FROM hospitals",
        "SELECT region FROM hospitals WHERE age > (SELECT AVG(age) FROM visits)",
        "SELECT region FROM hospitals UNION ALL SELECT region FROM visits",
        "SELECT region FROM hospitals EXCEPT SELECT region FROM visits",
        "SELECT region FROM (SELECT region FROM visits) AS hospitals",
        "WITH hospitals AS (SELECT * FROM visits) SELECT region FROM hospitals",
        "WITH v AS (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) SELECT h.region, n FROM hospitals h JOIN v ON v.region = h.region",
        "SELECT region FROM hospitals ORDER BY (SELECT COUNT(*) FROM visits)",
        "SELECT COUNT(*) FILTER (WHERE age > (SELECT MIN(age) FROM visits)) FROM hospitals",
        "SELECT region FROM hospitals GROUP BY region HAVING COUNT(*) > (SELECT COUNT(*) FROM visits)",
        "SELECT COUNT(*) FROM people",
    ] {
        assert!(!matches!(asked(sql), Ok(Statement::Public(_))), "{sql}");
    }
}

/// Specification: what is wrong with a statement over public tables is told, and not that they are public.
#[test]
fn mistakes_about_public_tables_are_named() {
    for (sql, what) in [
        ("SELECT regoin FROM hospitals", "no column `regoin`"),
        ("SELECT region + 1 FROM hospitals", "+"),
        ("SELECT region, COUNT(*) FROM hospitals", "neither a key"),
        ("SELECT * FROM hospitals, nowhere", "no table `nowhere`"),
    ] {
        let refusal = asked(sql).unwrap_err();
        assert!(refusal.message().contains(what), "{sql}: {}", refusal.message());
    }
}
