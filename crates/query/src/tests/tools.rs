//! The SQL that tools of other people write, statement by statement: what each gets, in a line or two.

use pointillist_errors::Explained;
use pointillist_plan::{PrivatePlan, StatementPlan};

use super::fixture::catalog;
use super::sql::check;
use crate::{Options, Statement, statement};

/// What becomes of a statement: its columns, what it releases, and what it costs.
fn said(sql: &str) -> String {
    // Tools write \r\n at the ends of lines; a file of ours would lose them.
    let sql = sql.replace("\\r", "\r");
    match statement(&catalog(), &sql, &Options::default()) {
        Ok(Statement::Rows(plan)) => answered(&plan),
        Ok(Statement::Public(public)) => {
            let columns = public.outer().columns.iter();
            let columns: Vec<String> =
                columns.map(|column| format!("{} {}", column.name, column.kind.sql_name())).collect();
            let rows = public.lists().iter().map(|list| list.rows.len()).sum::<usize>();
            format!("FREE {}\n{rows} declared rows, before conditions and limits", columns.join(", "))
        }
        Ok(_) => "SOMETHING ELSE".to_owned(),
        Err(refusal) => format!("REFUSED {} {}", refusal.sqlstate(), refusal.explanation().text()),
    }
}

fn answered(plan: &StatementPlan) -> String {
    let columns: Vec<String> = match (plan.only(), plan.outer()) {
        (Some(only), _) => only
            .answer
            .columns
            .iter()
            .map(|column| format!("{} {}", column.name, column.kind.sql_name()))
            .collect(),
        (None, Some(outer)) => {
            outer.columns.iter().map(|column| format!("{} {}", column.name, column.kind.sql_name())).collect()
        }
        (None, None) => Vec::new(),
    };
    let release = |part: &PrivatePlan| {
        let aggregates: Vec<&str> = part.answer.aggregates.iter().map(|one| one.name.as_str()).collect();
        let keys = match &part.aggregation.domain {
            Some(groups) => format!("{} public groups", groups.len()),
            None => "groups that are earned".to_owned(),
        };
        format!("releases {} in {keys}", aggregates.join(", "))
    };
    let mut lines = vec![format!("ANSWERED {} for {}", columns.join(", "), plan.price())];
    lines.extend(plan.releases().into_iter().map(|part| release(&plan.parts()[part])));
    lines.join("\n")
}

#[test]
fn tools_get_what_they_ask_for_or_are_told_why_not() {
    check("tools", said);
}

/// Specification: a statement that keeps no row has the columns of the question without that, and no price.
#[test]
fn probes_have_the_columns_of_their_question() {
    let columns = |sql: &str| match statement(&catalog(), sql, &Options::default()) {
        Ok(Statement::Rows(plan)) => match (plan.only(), plan.outer()) {
            (Some(only), _) => only.answer.columns.iter().map(|one| (one.name.clone(), one.kind)).collect(),
            (None, outer) => outer.unwrap().columns.iter().map(|one| (one.name.clone(), one.kind)).collect(),
        },
        Ok(Statement::Public(public)) => {
            public.outer().columns.iter().map(|one| (one.name.clone(), one.kind)).collect::<Vec<_>>()
        }
        other => panic!("{sql}: {other:?}"),
    };
    for sql in [
        "SELECT region, COUNT(*) AS n, AVG(cost) FROM visits GROUP BY region",
        "SELECT region, RANK() OVER (ORDER BY COUNT(*)) AS place FROM visits GROUP BY region",
        "SELECT COUNT(*) FROM visits",
        "SELECT region, COUNT(*) FROM visits GROUP BY ROLLUP (region)",
        "SELECT SUM(n) FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) q",
        "SELECT DISTINCT region FROM visits",
    ] {
        for probe in [format!("{sql} LIMIT 0"), format!("SELECT * FROM ({sql}) q WHERE 1 = 0")] {
            assert_eq!(columns(&probe), columns(sql), "{probe}");
            let asked = statement(&catalog(), &probe, &Options::default());
            let is_free = matches!(asked, Ok(Statement::Public(public)) if public.tables().is_empty());
            assert!(is_free, "{probe}");
        }
    }
    // What is refused for anything but its single rows is refused without them, too.
    for sql in [
        "SELECT nothing FROM visits LIMIT 0",
        "SELECT unheard_of(region) FROM visits LIMIT 0",
        "SELECT * FROM nowhere LIMIT 0",
    ] {
        assert!(statement(&catalog(), sql, &Options::default()).is_err(), "{sql}");
    }
    // Neither the hidden unit nor a link is a column.
    let all = columns("SELECT * FROM visits LIMIT 0");
    assert!(all.iter().all(|(name, _)| name != "patient_id" && name != "id"), "{all:?}");
}

/// Specification: keys are free only where the owner has declared every one of them, and nothing else is shown.
#[test]
fn only_declared_keys_are_listed_for_free() {
    let is_free = |sql: &str| match statement(&catalog(), sql, &Options::default()) {
        Ok(Statement::Public(public)) => public.relation().tables().is_empty(),
        _ => false,
    };
    for sql in [
        "SELECT DISTINCT region FROM visits",
        "SELECT DISTINCT sex, region FROM visits ORDER BY 2",
        "SELECT smoker FROM visits GROUP BY smoker",
        "SELECT DISTINCT date_trunc('year', day) FROM visits",
        "SELECT region FROM visits UNION SELECT 'none' FROM visits GROUP BY 1",
    ] {
        let expected = !sql.contains("UNION");
        assert_eq!(is_free(sql), expected, "{sql}");
    }
    for sql in [
        "SELECT DISTINCT ward FROM visits",
        "SELECT DISTINCT region, ward FROM visits",
        "SELECT region, COUNT(*) FROM visits GROUP BY region",
        "SELECT region FROM visits GROUP BY region HAVING COUNT(*) > 10",
        "SELECT region FROM visits GROUP BY region ORDER BY COUNT(*)",
        "SELECT DISTINCT region FROM visits WHERE region IN (SELECT region FROM visits GROUP BY region HAVING COUNT(*) > 5)",
        "SELECT k.region, (SELECT COUNT(*) FROM visits) FROM (SELECT DISTINCT region FROM visits) k",
        "SELECT region FROM visits",
        "SELECT DISTINCT patient_id FROM visits",
        // Nothing here can pay for a key that must be earned, and being refused makes nothing free.
        "SELECT DISTINCT ward FROM secrets",
        "SELECT region, ward FROM secrets GROUP BY 1, 2",
    ] {
        assert!(!is_free(sql), "{sql}");
    }
}
