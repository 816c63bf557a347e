//! Statements that compute something from what is released: exact where the noise is nil, charged once, and free again.

use std::fmt::Write;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::prelude::SessionContext;
use pointillist_catalog::Value;
use pointillist_curator::{OWNER, Paid, QuoteSubject, Reply};
use pointillist_privacy::Price;

use crate::clinic::{Clinic, ask};

/// Every row is another person, and a price of ρ = 20,000 leaves counts and sums without noise.
const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 1e6, delta = 1e-6 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "row"
[table.visits.columns]
region = { type = "text", public_keys = ["north", "south", "east", "west"], nullable = false }
sex = { type = "text", public_keys = ["f", "m"], nullable = false }
month = { type = "integer", lower = 1, upper = 6, nullable = false }
cost = { type = "integer", lower = 0, upper = 10, nullable = false }

[table.towns]
public = true
source = "towns.csv"
[table.towns.columns]
region = { type = "text" }
town = { type = "text" }
beds = { type = "integer" }

[analyst.ana]
shares = { patients = { rho = 1e5, delta = 5e-7 } }
"#;

const TOWNS: [(&str, &str, i64); 5] = [
    ("north", "Oslo", 10),
    ("north", "Turku", 20),
    ("south", "Rome", 40),
    ("east", "Riga", 5),
    ("sea", "Atlantis", 1),
];

struct Visit {
    region: &'static str,
    sex: &'static str,
    month: i64,
    cost: i64,
}

fn visits() -> Vec<Visit> {
    let visit = |number: i64| Visit {
        region: ["north", "south", "east", "west", "north", "east"][(number % 6) as usize],
        sex: ["f", "m", "m"][(number / 6 % 3) as usize],
        month: 1 + (number / 7) % 6,
        cost: (7 * number) % 11,
    };
    (0..500).map(visit).collect()
}

fn clinic() -> Clinic {
    let mut text = String::from("region,sex,month,cost\n");
    for Visit { region, sex, month, cost } in visits() {
        writeln!(text, "{region},{sex},{month},{cost}").unwrap();
    }
    let mut towns = String::from("region,town,beds\n");
    for (region, town, beds) in TOWNS {
        writeln!(towns, "{region},{town},{beds}").unwrap();
    }
    let clinic = Clinic::with_catalog(CATALOG, &text);
    std::fs::write(clinic.folder.path().join("towns.csv"), towns).unwrap();
    clinic
}

/// The exact answer, cell by cell as text.
fn exact(sql: &str) -> Vec<Vec<String>> {
    let texts = |texts: Vec<&str>| Arc::new(StringArray::from(texts)) as ArrayRef;
    let numbers = |numbers: Vec<i64>| Arc::new(Int64Array::from(numbers)) as ArrayRef;
    let rows = visits();
    let visits = RecordBatch::try_from_iter([
        ("region", texts(rows.iter().map(|row| row.region).collect())),
        ("sex", texts(rows.iter().map(|row| row.sex).collect())),
        ("month", numbers(rows.iter().map(|row| row.month).collect())),
        ("cost", numbers(rows.iter().map(|row| row.cost).collect())),
    ]);
    let towns = RecordBatch::try_from_iter([
        ("region", texts(TOWNS.iter().map(|town| town.0).collect())),
        ("town", texts(TOWNS.iter().map(|town| town.1).collect())),
        ("beds", numbers(TOWNS.iter().map(|town| town.2).collect())),
    ]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let context = SessionContext::new();
        context.register_batch("visits", visits.unwrap()).unwrap();
        context.register_batch("towns", towns.unwrap()).unwrap();
        let batches = context.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}")).collect().await;
        let mut cells = Vec::new();
        for batch in batches.unwrap_or_else(|error| panic!("{sql}: {error}")) {
            let options = FormatOptions::default().with_null("NULL");
            let columns: Vec<ArrayFormatter<'_>> = batch
                .columns()
                .iter()
                .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
                .collect();
            for row in 0..batch.num_rows() {
                cells.push(columns.iter().map(|column| number(&column.value(row).to_string())).collect());
            }
        }
        cells
    })
}

/// Numbers in one way of writing.
fn number(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) => format!("{number:.3}"),
        Err(_) => text.to_owned(),
    }
}

fn shown(reply: &Reply) -> Vec<Vec<String>> {
    let cell = |value: &Option<Value>| match value {
        None => "NULL".to_owned(),
        Some(Value::Boolean(value)) => value.to_string(),
        Some(Value::Integer(value)) => format!("{:.3}", *value as f64),
        Some(Value::Number(value)) => format!("{value:.3}"),
        Some(Value::Text(text)) => number(text),
        Some(other) => panic!("{other:?}"),
    };
    reply.answer.rows.iter().map(|row| row.values.iter().map(cell).collect()).collect()
}

/// Statements, in the words of both; those that end with ORDER BY are compared in order.
const STATEMENTS: [&str; 44] = [
    "SELECT (SELECT COUNT(*) FROM visits WHERE sex = 'f') AS women, (SELECT SUM(cost) FROM visits) AS cost",
    "SELECT region, CAST(COUNT(*) AS DOUBLE) / (SELECT COUNT(*) FROM visits) AS share FROM visits GROUP BY region",
    "SELECT * FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q ORDER BY n, region",
    "SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q WHERE n > 90 ORDER BY region",
    "SELECT COUNT(*) FROM (SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY region, sex) AS q WHERE n > 50",
    "SELECT SUM(n), AVG(n), MIN(n), MAX(n) FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q",
    "SELECT region, n, CAST(n AS DOUBLE) / SUM(n) OVER () AS share FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q",
    "SELECT region, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM visits GROUP BY region",
    "SELECT region, COUNT(*) AS n, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM visits GROUP BY region ORDER BY COUNT(*) DESC, region",
    "SELECT region, sex, COUNT(*) AS n, SUM(COUNT(*)) OVER (PARTITION BY region) AS whole FROM visits GROUP BY region, sex",
    "SELECT month, SUM(cost) AS s, SUM(SUM(cost)) OVER (ORDER BY month) AS running FROM visits GROUP BY month ORDER BY month",
    "WITH m AS (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) SELECT month, n, n - LAG(n) OVER (ORDER BY month) AS more FROM m ORDER BY month",
    "WITH m AS (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) SELECT month, LEAD(n, 2, 0) OVER (ORDER BY month) AS later, FIRST_VALUE(n) OVER (ORDER BY month) AS f FROM m",
    "WITH m AS (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) SELECT month, AVG(n) OVER (ORDER BY month ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smooth FROM m",
    "WITH m AS (SELECT month, COUNT(*) AS n FROM visits GROUP BY month) SELECT month, NTILE(2) OVER (ORDER BY month) AS half, DENSE_RANK() OVER (ORDER BY n > 80) AS d FROM m",
    "SELECT region, sex, n FROM (SELECT region, sex, COUNT(*) AS n, ROW_NUMBER() OVER (PARTITION BY region ORDER BY COUNT(*) DESC, sex) AS r FROM visits GROUP BY region, sex) AS q WHERE r = 1",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM visits WHERE sex = 'f' GROUP BY region), b AS (SELECT region, COUNT(*) AS n FROM visits WHERE sex = 'm' GROUP BY region) SELECT a.region, a.n - b.n AS d FROM a JOIN b ON a.region = b.region",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM visits WHERE sex = 'f' GROUP BY region), b AS (SELECT region, SUM(cost) AS s FROM visits GROUP BY region) SELECT region, n, s FROM a JOIN b USING (region) WHERE s > 500 ORDER BY s DESC",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) SELECT x.region, y.region FROM a AS x JOIN a AS y ON x.n < y.n",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) SELECT region, n FROM a WHERE n > (SELECT AVG(n) FROM a)",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) SELECT region FROM a WHERE region IN (SELECT region FROM a WHERE n > 90)",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) SELECT region FROM a WHERE region NOT IN (SELECT region FROM a WHERE n > 90)",
    "WITH a AS (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) SELECT region FROM a WHERE EXISTS (SELECT 1 FROM a AS b WHERE b.n > a.n + 50)",
    "SELECT 'all' AS what, COUNT(*) AS n FROM visits UNION ALL SELECT 'women', COUNT(*) FROM visits WHERE sex = 'f'",
    "SELECT region AS k, COUNT(*) AS n FROM visits GROUP BY region UNION SELECT sex, COUNT(*) FROM visits GROUP BY sex ORDER BY n DESC, k",
    "SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS a WHERE n > 10 EXCEPT SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS b WHERE n > 90",
    "SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS a WHERE n > 10 INTERSECT SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS b WHERE n > 90",
    "SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY ROLLUP (region, sex)",
    "SELECT region, sex, SUM(cost) AS s FROM visits GROUP BY CUBE (region, sex)",
    "SELECT region, sex, COUNT(*) AS n, GROUPING(region) AS g FROM visits GROUP BY GROUPING SETS ((region), (sex), ())",
    "SELECT region, month, COUNT(*) AS n FROM visits GROUP BY region, ROLLUP (month) HAVING COUNT(*) > 20",
    "SELECT size, COUNT(*) AS n FROM (SELECT CASE WHEN n > 90 THEN 'large' ELSE 'small' END AS size FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q) AS p GROUP BY size",
    "SELECT DISTINCT n > 90 AS large FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q",
    "SELECT town, n FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q JOIN towns ON towns.region = q.region",
    "SELECT town, n FROM towns LEFT JOIN (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q ON towns.region = q.region",
    "SELECT q.region, n, beds, CAST(n AS DOUBLE) / beds AS each FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q JOIN (SELECT region, SUM(beds) AS beds FROM towns GROUP BY region) AS b ON q.region = b.region",
    "SELECT region, n FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region) AS q WHERE region IN (SELECT region FROM towns WHERE beds > 8)",
    "SELECT MAX(s) - MIN(s) AS spread FROM (SELECT month, SUM(cost) AS s FROM visits GROUP BY month) AS q",
    "SELECT region, COUNT(*) FILTER (WHERE n > 40) AS many FROM (SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY region, sex) AS q GROUP BY region",
    "SELECT region, SUM(n) AS n FROM (SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY region, sex) AS q GROUP BY region HAVING SUM(n) > 90 ORDER BY region",
    "SELECT * FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC, region LIMIT 2) AS q ORDER BY region",
    "SELECT SUM(n) AS top FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC, region LIMIT 2) AS q",
    "WITH a AS (SELECT region, sex, AVG(cost) AS m FROM visits GROUP BY region, sex) SELECT f.region, f.m - g.m AS gap FROM a AS f JOIN a AS g ON f.region = g.region AND f.sex = 'f' AND g.sex = 'm'",
    "SELECT a.n AS women, b.n AS all_of_them, CAST(a.n AS DOUBLE) / b.n AS share FROM (SELECT COUNT(*) AS n FROM visits WHERE sex = 'f') AS a CROSS JOIN (SELECT COUNT(*) AS n FROM visits) AS b",
];

/// Specification: at a price that leaves no noise, what is computed from released numbers is what SQL means.
#[test]
fn what_is_computed_from_released_numbers_is_what_sql_means() {
    let clinic = clinic();
    for sql in STATEMENTS {
        let mut priced = ask(OWNER, sql, None);
        priced.options.set("rho", "20000").unwrap();
        let reply = clinic.curator.ask(&priced).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let (mut here, mut there) = (shown(&reply), exact(sql));
        if !sql.rsplit(')').next().unwrap().contains("ORDER BY") {
            here.sort();
            there.sort();
        }
        assert!(here.len() == there.len() && !here.is_empty(), "{sql}: {here:?} {there:?}");
        for (here, there) in here.iter().flatten().zip(there.iter().flatten()) {
            let alike = match (here.parse::<f64>(), there.parse::<f64>()) {
                // Means are rounded to a grid, and have a little noise in any case.
                (Ok(here), Ok(there)) => (here - there).abs() < 0.01,
                _ => here == there,
            };
            assert!(alike, "{sql}: {here} is not {there}");
        }
    }
}

fn spent(clinic: &Clinic) -> u128 {
    clinic.curator.ledger().balance("patients").unwrap().unwrap().spent.loss_units
}

/// 10²⁴ units are one.
const UNIT: u128 = 1_000_000_000_000_000_000_000_000;

fn asked(clinic: &Clinic, analyst: &str, rho: &str, sql: &str) -> Reply {
    let mut ask = ask(analyst, sql, None);
    ask.options.set("rho", rho).unwrap();
    clinic.curator.ask(&ask).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

const BOTH: &str = "WITH a AS (SELECT region, COUNT(*) AS n FROM visits WHERE sex = 'f' GROUP BY region), \
     b AS (SELECT region, COUNT(*) AS n FROM visits WHERE sex = 'm' GROUP BY region) \
     SELECT a.region, a.n - b.n AS d FROM a JOIN b ON a.region = b.region";

/// Specification: several releases are one charge of the whole price; the same statement again, and any other that computes
/// something else from the same releases, is free and shows the same numbers.
#[test]
fn a_statement_of_two_releases_is_charged_once() {
    let clinic = clinic();
    let reply = asked(&clinic, OWNER, "2", BOTH);
    assert_eq!((reply.paid, spent(&clinic)), (Paid::InFull, 2 * UNIT));
    let again = asked(&clinic, OWNER, "2", BOTH);
    assert_eq!((again.paid, spent(&clinic)), (Paid::Nothing, 2 * UNIT));
    assert_eq!(reply.answer.rows, again.answer.rows);
    assert_eq!(reply.price, again.price);
    let turned = BOTH.replace("a.n - b.n", "b.n - a.n").replace("FROM a JOIN b", "FROM b JOIN a");
    let turned = asked(&clinic, OWNER, "2", &turned);
    assert_eq!((turned.paid, spent(&clinic)), (Paid::Nothing, 2 * UNIT));
    let number = |value: &Option<Value>| match value {
        Some(Value::Integer(value)) => *value,
        other => panic!("{other:?}"),
    };
    for row in &reply.answer.rows {
        let same = turned.answer.rows.iter().find(|other| other.values[0] == row.values[0]).unwrap();
        assert_eq!(number(&row.values[1]), -number(&same.values[1]));
    }
}

/// Specification: a release that the asker holds is not bought again: a statement of one release and what is computed from
/// it costs what the release costs, once, and in a statement of two only the other is charged.
#[test]
fn what_is_held_is_not_bought_again() {
    let clinic = clinic();
    let women = "SELECT region, COUNT(*) AS n FROM visits WHERE sex = 'f' GROUP BY region";
    assert_eq!(asked(&clinic, OWNER, "1", women).paid, Paid::InFull);
    assert_eq!(spent(&clinic), UNIT);
    let shares = format!(
        "SELECT region, n, CAST(n AS DOUBLE PRECISION) / SUM(n) OVER () AS share FROM ({women}) AS q"
    );
    assert_eq!(asked(&clinic, OWNER, "1", &shares).paid, Paid::Nothing);
    let mut quoted = ask(OWNER, BOTH, None);
    quoted.options.set("rho", "2").unwrap();
    let quote = clinic.curator.quote(&quoted).unwrap();
    let reply = asked(&clinic, OWNER, "2", BOTH);
    assert_eq!((reply.paid, spent(&clinic)), (Paid::InFull, 2 * UNIT));
    assert_eq!((quote.price, quote.is_free), (reply.price, false));
    assert_eq!(reply.price.amount().loss_units, UNIT);
    let QuoteSubject::Statement(statement) = &quote.subject else { panic!("two releases") };
    assert_eq!(statement.releases.len(), 2);
    let all: Vec<Price> = statement.releases.iter().map(|release| release.price).collect();
    assert!(all.iter().all(|price| price.amount().loss_units == UNIT));
    // Both are held now, each on its own.
    let men = women.replace("'f'", "'m'");
    assert_eq!(asked(&clinic, OWNER, "1", &men).paid, Paid::Nothing);
    assert_eq!(asked(&clinic, OWNER, "2", BOTH).paid, Paid::Nothing);
    assert_eq!(spent(&clinic), 2 * UNIT);
    // What others hold is not the asker's.
    assert_eq!(asked(&clinic, "ana", "1", women).paid, Paid::InFull);
}

/// Specification: a statement that only shows, filters and orders the groups of one release is that question.
#[test]
fn a_wrapper_is_the_question_that_it_wraps() {
    let clinic = clinic();
    let inner = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region";
    let bought = asked(&clinic, OWNER, "0.5", &format!("{inner} ORDER BY n"));
    let wrapped = asked(&clinic, OWNER, "0.5", &format!("SELECT * FROM ({inner}) AS q ORDER BY n"));
    assert_eq!((wrapped.paid, wrapped.answer), (Paid::Nothing, bought.answer));
}
