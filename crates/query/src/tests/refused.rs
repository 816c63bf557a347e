//! Questions that are not answered: which SQLSTATE, and a hint that helps.

use pointillist_errors::Explained;

use super::fixture::{options, try_plan};

/// Statement, SQLSTATE, a word of the message, a word of the hint.
pub(super) const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("SELECT * FROM visits", "0A000", "single rows", "COUNT"),
    ("SELECT cost FROM visits", "0A000", "cost", "GROUP BY"),
    ("SELECT cost, COUNT(*) FROM visits", "0A000", "`cost` is neither a key", "add cost to GROUP BY"),
    ("SELECT region, cost FROM visits GROUP BY region", "0A000", "`cost`", "GROUP BY"),
    ("SELECT COUNT(*) FROM visits ORDER BY cost", "0A000", "`cost`", "GROUP BY"),
    ("SELECT 1 FROM visits", "0A000", "single rows", "COUNT"),
    ("TABLE visits", "0A000", "TABLE", "SELECT"),
    ("SELECT MIN(cost) FROM visits", "0A000", "MIN", "FILTER"),
    ("SELECT MAX(cost) FROM visits", "0A000", "MAX", "FILTER"),
    ("SELECT MEDIAN(cost) FROM visits", "0A000", "MEDIAN", "width_bucket"),
    ("SELECT MODE() WITHIN GROUP (ORDER BY cost) FROM visits", "0A000", "MODE", "COUNT"),
    (
        "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost) FROM visits",
        "0A000",
        "PERCENTILE_CONT",
        "histogram",
    ),
    ("SELECT CORR(cost, age) FROM visits", "0A000", "CORR", "AVG"),
    ("SELECT string_agg(ward, ',') FROM visits", "0A000", "STRING_AGG", "COUNT"),
    ("SELECT array_agg(ward) FROM visits", "0A000", "ARRAY_AGG", "COUNT"),
    ("SELECT row_to_json(visits) FROM visits", "0A000", "ROW_TO_JSON", "COUNT"),
    ("SELECT row_number() OVER () FROM visits", "0A000", "window", "GROUP BY"),
    ("SELECT COUNT(*) OVER (PARTITION BY ward) FROM visits", "0A000", "window", "GROUP BY"),
    ("SELECT DISTINCT ON (ward) cost FROM visits", "0A000", "DISTINCT ON", "GROUP BY"),
    ("SELECT COUNT(DISTINCT ward) FROM visits", "0A000", "counts people", "patient_id"),
    ("SELECT COUNT(DISTINCT age + 1) FROM visits", "0A000", "counts people", "patient_id"),
    ("SELECT SUM(DISTINCT age) FROM visits", "0A000", "SUM(DISTINCT", "SUM(x)"),
    ("SELECT COUNT(DISTINCT ward) FROM events", "0A000", "another person", "COUNT(*)"),
    (
        "SELECT COUNT(*) FROM visits WHERE patient_id = 9001",
        "0A000",
        "`patient_id` says whose row",
        "COUNT(DISTINCT patient_id)",
    ),
    (
        "SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id",
        "0A000",
        "`patient_id`",
        "COUNT(DISTINCT",
    ),
    (
        "SELECT pupil, COUNT(*) FROM marks GROUP BY pupil",
        "0A000",
        "group of their own",
        "COUNT(DISTINCT pupil)",
    ),
    ("SELECT DISTINCT pupil FROM marks", "0A000", "group of their own", "leave `pupil` out"),
    ("SELECT COUNT(*) FROM marks GROUP BY region, pupil", "0A000", "group of their own", "leave `pupil` out"),
    (
        "SELECT COUNT(*) FROM marks GROUP BY CAST(pupil AS text)",
        "0A000",
        "group of their own",
        "leave `pupil` out",
    ),
    (
        "SELECT COUNT(*) FROM marks GROUP BY 1 + COALESCE(pupil, 0)",
        "0A000",
        "group of their own",
        "leave `pupil` out",
    ),
    ("SELECT SUM(patient_id) FROM visits", "0A000", "`patient_id`", "COUNT(DISTINCT"),
    ("SELECT generate_series(1, 9) FROM visits", "0A000", "generate_series", "the functions are"),
    ("SELECT COUNT(*) FROM generate_series(1, 9)", "0A000", "function in FROM", "catalog"),
    ("SELECT COUNT(*) FROM read_csv('x.csv')", "0A000", "function in FROM", "catalog"),
    ("SELECT COUNT(*) FROM 'x.csv'", "42P01", "x.csv", "tables are"),
    ("SELECT pg_sleep(10), COUNT(*) FROM visits", "0A000", "pg_sleep", "functions"),
    (
        "SELECT COUNT(*) FROM visits WHERE set_config('a', 'b', false) = 'b'",
        "0A000",
        "set_config",
        "functions",
    ),
    ("SELECT current_setting('x'), COUNT(*) FROM visits", "0A000", "current_setting", "functions"),
    ("SELECT COUNT(*) FROM visits WHERE random() < 0.5", "0A000", "random", "noise"),
    ("SELECT COUNT(*) FROM visits WHERE seen < now()", "0A000", "now", "write the date"),
    ("SELECT COUNT(*) FROM visits WHERE day < current_date", "0A000", "current_date", "write the date"),
    ("SELECT version(), COUNT(*) FROM visits", "0A000", "version", "functions"),
    (
        "SELECT COUNT(*) FROM visits WHERE pg_catalog.lower(ward) = 'x'",
        "0A000",
        "pg_catalog.lower",
        "functions",
    ),
    ("SELECT COUNT(*) FROM visits WHERE flor(cost) = 1", "0A000", "flor", "did you mean `floor`?"),
    ("SELECT COUNT(*) FROM visits WHERE regexp_like(ward, 'x')", "0A000", "regexp_like", "functions"),
    ("SELECT COUNT(*) FROM visits WHERE ward ~ 'x'", "0A000", "`~`", "LIKE"),
    ("SELECT COUNT(*) FROM visits WHERE ward SIMILAR TO 'x'", "0A000", "regular expression", "LIKE"),
    ("COPY visits TO 'x.csv'", "0A000", "COPY", "SELECT"),
    ("CREATE TABLE x (a int)", "0A000", "CREATE", "owner"),
    ("INSERT INTO visits VALUES (1)", "0A000", "INSERT", "SELECT"),
    ("UPDATE visits SET cost = 1", "0A000", "UPDATE", "SELECT"),
    ("DELETE FROM visits", "0A000", "DELETE", "SELECT"),
    ("DROP TABLE visits", "0A000", "DROP", "SELECT"),
    ("ATTACH 'x.db'", "0A000", "ATTACH", "SELECT"),
    ("EXPLAIN ANALYZE SELECT COUNT(*) FROM visits", "0A000", "EXPLAIN", "SELECT"),
    ("SET a = 1", "0A000", "SET", "SELECT"),
    ("VALUES (1)", "0A000", "VALUES", "SELECT"),
    ("", "42601", "no statement", "SELECT"),
    (";", "0A000", "is not answered", "SELECT"),
    ("SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits", "42601", "ends before", "one statement"),
    ("SELECT COUNT(* FROM visits", "42601", "not SQL", "check"),
    ("SELECT 'open FROM visits", "42601", "not SQL", "check"),
    (
        "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM loose)",
        "0A000",
        "IN (SELECT",
        "inner question",
    ),
    ("SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM loose)", "0A000", "EXISTS", "inner question"),
    (
        "SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)",
        "0A000",
        "scalar subquery",
        "inner question",
    ),
    ("SELECT COUNT(*) FROM visits WHERE age = ANY(ARRAY[1,2])", "0A000", "ANY", "IN with a list"),
    ("WITH RECURSIVE r AS (SELECT 1) SELECT COUNT(*) FROM r", "0A000", "RECURSIVE", "plain WITH"),
    (
        "WITH d AS (DELETE FROM visits RETURNING *) SELECT COUNT(*) FROM visits",
        "0A000",
        "anything but a SELECT",
        "SELECT",
    ),
    ("SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM visits", "0A000", "UNION", "combine"),
    ("SELECT COUNT(*) FROM visits EXCEPT SELECT 1", "0A000", "EXCEPT", "combine"),
    ("SELECT COUNT(*) FROM visits, LATERAL (SELECT 1) x", "0A000", "join", "one table"),
    ("SELECT COUNT(*) FROM LATERAL (SELECT age FROM visits) x", "0A000", "LATERAL", "plain subquery"),
    ("SELECT COUNT(*) FROM visits CROSS JOIN events", "0A000", "joins are not answered yet", "one table"),
    ("SELECT COUNT(*) FROM visits a JOIN visits b ON a.age = b.age", "0A000", "joins", "one table"),
    ("SELECT COUNT(*) FROM visits, events", "0A000", "joins", "one table"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 10) x", "0A000", "LIMIT", "outermost"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY cost) x", "0A000", "ORDER BY", "outermost"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT ward FROM visits) x", "0A000", "DISTINCT", "aggregate outside"),
    (
        "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM visits GROUP BY ward) x",
        "0A000",
        "below the outermost",
        "aggregate outside",
    ),
    ("SELECT SUM(COUNT(*)) FROM visits", "0A000", "COUNT cannot stand here", "HAVING"),
    ("SELECT COUNT(*) FROM visits WHERE COUNT(*) > 1", "0A000", "COUNT cannot stand here", "HAVING"),
    ("SELECT COUNT(*) FROM visits GROUP BY COUNT(*)", "0A000", "COUNT cannot stand here", "HAVING"),
    ("SELECT COUNT(*) FROM visits TABLESAMPLE BERNOULLI (10)", "0A000", "TABLESAMPLE", "leave it out"),
    ("SELECT COUNT(*) FROM visits GROUP BY ROLLUP (region)", "0A000", "ROLLUP", "each set"),
    (
        "SELECT region, COUNT(*) FROM visits GROUP BY GROUPING SETS ((region), ())",
        "0A000",
        "GROUPING SETS",
        "each set",
    ),
    ("SELECT COUNT(*) FROM visits FOR UPDATE", "0A000", "FOR", "SELECT"),
    ("SELECT COUNT(*) INTO x FROM visits", "0A000", "SELECT INTO", "SELECT"),
    ("SELECT COUNT(*) FROM visits WINDOW w AS (ORDER BY cost)", "0A000", "WINDOW", "SELECT"),
    ("SELECT COUNT(*)", "0A000", "without FROM", "FROM"),
    ("SELECT region FROM visits GROUP BY region", "0A000", "public", "COUNT(*)"),
    ("SELECT COUNT(*) FROM hospitals", "0A000", "public", "file"),
    ("SELECT COUNT(*) FROM prescriptions", "0A000", "links", "privacy unit"),
    ("SELECT COUNT(*) FROM contacts", "42P01", "graph", "graph_edges('contacts')"),
    ("SELECT COUNT(*) FROM visit", "42P01", "visit", "did you mean `visits`?"),
    ("SELECT COUNT(*) FROM pg_catalog.pg_class", "42P01", "pg_catalog.pg_class", "tables are"),
    ("SELECT COUNT(*) FROM visits WHERE coast > 1", "42703", "coast", "did you mean `cost`?"),
    ("SELECT COUNT(*) FROM visits v WHERE visits.cost > 1", "42703", "visits.cost", "cost"),
    ("SELECT SUM(weight) FROM visits", "0A000", "no public bounds", "LEAST(GREATEST(weight, 0), 1000)"),
    ("SELECT AVG(stay * 2) FROM visits", "0A000", "no public bounds", "`stay`"),
    ("SELECT SUM(1 / cost) FROM visits", "0A000", "no public bounds", "clamp"),
    ("SELECT SUM(smoker) FROM visits", "42804", "SUM takes numbers", "FILTER"),
    ("SELECT SUM(ward) FROM visits", "42804", "SUM takes numbers", "cast"),
    ("SELECT COUNT(*) FROM visits WHERE ward", "42804", "WHERE", "CAST"),
    ("SELECT COUNT(*) FROM visits WHERE age = ward", "42804", "mixes", "CAST"),
    ("SELECT COUNT(*) FROM visits WHERE day = '2021-02-30'", "22023", "2021-02-30", "'2026-12-31'"),
    ("SELECT COUNT(*) FROM visits WHERE cost > 'NaN'::float8", "22023", "NaN", "3.5"),
    ("SELECT COUNT(*) FROM visits WHERE cost > 1e999", "22023", "1e999", "1e308"),
    ("SELECT COUNT(*) FROM visits WHERE cost > 'Infinity'", "22023", "Infinity", "3.5"),
    ("SELECT COUNT(*) FROM visits WHERE day + interval '1 hour' > day", "22023", "1 hour", "INTERVAL"),
    ("SELECT COUNT(*) FROM visits WHERE interval '1 day' = interval '1 day'", "0A000", "INTERVAL", "day +"),
    ("SELECT COUNT(*) FROM visits WHERE date_part('epoch', day) = 1", "0A000", "epoch", "parts"),
    ("SELECT COUNT(*) FROM visits WHERE ward LIKE ward", "0A000", "constant pattern", "quotes"),
    ("SELECT COUNT(*) FROM visits WHERE ward = $1", "0A000", "$1", "value"),
    ("SELECT COUNT(*) FROM visits WHERE ward::bytea = 'x'", "0A000", "BYTEA", "text"),
    ("SELECT COUNT(*) FROM visits LIMIT -1", "22023", "LIMIT", "LIMIT 10"),
    ("SELECT COUNT(*) FROM visits LIMIT (SELECT 1)", "22023", "LIMIT", "LIMIT 10"),
    ("SELECT region, COUNT(*) FROM visits GROUP BY 3", "22023", "names no column", "1 to 2"),
    ("SELECT COUNT(*) FROM loose", "22023", "how many rows", "max_contributions"),
    (
        "SELECT ward, COUNT(DISTINCT patient_id) FROM loose GROUP BY ward",
        "22023",
        "how many groups",
        "max_groups",
    ),
    ("SELECT ward, COUNT(*) FROM marks GROUP BY ward", "0A000", "pure", "public_keys"),
    ("SELECT ward, COUNT(*) FROM secrets GROUP BY ward", "0A000", "no delta", "public_keys"),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1, rho = 1) COUNT(*) FROM visits",
        "22023",
        "epsilon and rho",
        "keep one",
    ),
    ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) COUNT(*) FROM marks", "22023", "pure", "epsilon"),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (noise = gaussian) COUNT(*) FROM marks",
        "22023",
        "Gaussian",
        "laplace",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (delta = 1e-9) COUNT(*) FROM marks",
        "22023",
        "no delta",
        "leave",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (error = 10) AVG(age) FROM visits",
        "22023",
        "AVG(age)",
        "SUM and COUNT",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1e-40) COUNT(*) FROM visits",
        "22023",
        "too small",
        "at least",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1e9) COUNT(*) FROM visits",
        "22023",
        "too large",
        "at most",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (seed = 1) COUNT(*) FROM visits",
        "22023",
        "seed",
        "options are",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY * FROM visits) x",
        "0A000",
        "two SELECTs",
        "once",
    ),
];

#[test]
fn these_questions_are_refused_with_a_way_out() {
    let mut complaints = Vec::new();
    for (sql, state, message, hint) in REFUSED {
        match try_plan(sql) {
            Ok(plan) => complaints.push(format!("{sql}\n  is answered: {plan}")),
            Err(refusal) => {
                let fits = refusal.sqlstate() == *state
                    && refusal.message().contains(message)
                    && refusal.hint().contains(hint);
                if !fits {
                    complaints.push(format!("{sql}\n  {} {refusal}", refusal.sqlstate()));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(REFUSED.len() >= 60);
}

#[test]
fn a_refusal_reads_as_message_and_hint() {
    let refusal = try_plan("SELECT MAX(cost) FROM visits").unwrap_err();
    assert_eq!(refusal.explanation().text(), format!("{}\nhint: {}", refusal.message(), refusal.hint()));
    assert!(!refusal.hint().is_empty());
}

#[test]
fn options_from_outside_are_checked_as_well() {
    let both = options(&[("epsilon", "1"), ("rho", "1")]);
    let refusal = crate::plan(&super::fixture::catalog(), "SELECT COUNT(*) FROM visits", &both).unwrap_err();
    assert_eq!(refusal.sqlstate(), "22023");
}
