//! The words of analysts and owners: SQL, catalogs, metadata of others.

use pointillist_catalog::{Catalog, smartnoise};
use pointillist_query::{Options, Statement, statement, strip_explain};

use super::driver::{Target, fuzz};

pub const CATALOG: &str = r#"
[scope.people]
budget = { epsilon = 4.0, delta = 1e-9 }

[scope.towns]
budget = { epsilon = 1.0 }
model = "pure"

[table.t]
scope = "people"
source = "t.csv"
privacy_unit = "id"
max_groups = 3
max_contributions = 2
version = "1"

[table.t.columns]
x   = { type = "decimal", lower = -10, upper = 10, step = 0.5 }
n   = { type = "integer", lower = 0, upper = 50, nullable = false }
key = { type = "text", public_keys = ["a", "b"] }
w   = { type = "text" }
day = { type = "date", lower = "2020-01-01", upper = "2020-12-31" }
at  = { type = "timestamp" }
yes = { type = "boolean", name = "Yes!" }

[table.open]
public = true
source = "open.csv"

[graph.g]
scope = "towns"
source = "g.txt"
privacy = "node"
first_line = "names"

[analyst.ana]
shares = { people = { rho = 0.05, delta = 1e-10 } }

[ledger]
anchor = "/elsewhere/anchor"

[service]
quantum_ms = 100
"#;

const SQL: [&str; 12] = [
    "SELECT key, count(*) AS n, avg(x) FROM t WHERE n > 3 AND w LIKE 'a%' GROUP BY key HAVING count(*) > 5 ORDER BY 2 DESC LIMIT 3",
    "EXPLAIN SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5, max_groups = 2) sum(x * 2 + n) FROM t",
    "SELECT w, count(distinct id) FROM t GROUP BY w",
    "WITH a AS (SELECT x AS y, n FROM t WHERE yes) SELECT floor(n / 10), stddev_samp(y) FROM a GROUP BY 1",
    "SELECT date_trunc('month', day), count(*) FILTER (WHERE at IS NULL) FROM t GROUP BY 1",
    "SELECT 100.0 * sum(CASE WHEN n > 5 THEN 1 ELSE 0 END) / count(*) FROM t",
    "SELECT * FROM graph_triangles('g')",
    "SELECT value, upper FROM graph_degrees('g', 'x')",
    "SELECT count(*) FROM (SELECT coalesce(w, 'none') AS k FROM t) s WHERE k IN ('a', 'none') -- why",
    "SELECT extract(year FROM day), var_pop(cast(w AS integer)) FROM t GROUP BY 1;",
    "SELECT count(*) FROM t WHERE day BETWEEN date '2020-01-01' AND date '2020-01-01' + interval '1 month'",
    "SELECT \"key\", width_bucket(x, -10, 10, 5), count(*) FROM t GROUP BY 1, 2",
];

const WORDS: [&str; 40] = [
    "SELECT ",
    " FROM t ",
    " WHERE ",
    " GROUP BY ",
    "(",
    ")",
    "((((((((",
    "'",
    "\"",
    "--",
    "/*",
    "*/",
    ";",
    "$$",
    "E'\\'",
    "U&'",
    "NOT ",
    " AND ",
    " OR ",
    " + ",
    " - ",
    " * ",
    " / ",
    " % ",
    "::",
    "CASE WHEN ",
    " END ",
    "NULL",
    "1e400",
    "-9223372036854775808",
    "0.1",
    " UNION ",
    " JOIN ",
    " OVER ()",
    "count(*)",
    "sum(",
    "EXISTS (",
    "\u{202e}",
    "\0",
    "é",
];

/// Specification: whatever is typed is answered by a plan or a refusal, the same one each time, and quickly.
#[test]
fn sql() {
    let catalog = Catalog::parse(CATALOG).expect("the catalog is well formed");
    let read = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let sql = strip_explain(&text).unwrap_or(&text);
        let words = |outcome: Result<Statement, pointillist_query::Refusal>| match outcome {
            Ok(statement) => format!("{statement:?}"),
            Err(refusal) => format!("{refusal:?}"),
        };
        let once = words(statement(&catalog, sql, &Options::default()));
        assert_eq!(once, words(statement(&catalog, sql, &Options::default())));
    };
    let seeds = SQL.iter().map(|sql| sql.as_bytes().to_vec()).collect();
    fuzz(&Target { name: "sql", seeds, words: &WORDS, inputs: 3_000, read: &read });
}

/// Specification: a catalog is read or refused with a place; one that is read can be written and read again as the same.
#[test]
fn catalog() {
    let read = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(catalog) = Catalog::parse(&text) {
            let again = Catalog::parse(&catalog.to_toml());
            assert_eq!(again.expect("what we write we can read"), catalog);
        }
    };
    let words = [
        "[table.t]\n",
        "[scope.s]\n",
        "=",
        "{",
        "}",
        "lower = ",
        "public_keys = [",
        "1e-9",
        "\"row\"",
        "\"\"\"",
        "#",
        "\\u0000",
        "nan",
        "-inf",
    ];
    fuzz(&Target { name: "catalog", seeds: vec![CATALOG.into()], words: &words, inputs: 4_000, read: &read });
}

/// Specification: metadata of SmartNoise become a catalog or a refusal.
#[test]
fn smartnoise_metadata() {
    let yaml = "Database:\n  s:\n    t:\n      row_privacy: False\n      max_ids: 2\n      rows: 100\n      id:\n        type: int\n        private_id: True\n      x:\n        type: float\n        lower: 0.0\n        upper: 10.0\n      k:\n        type: string\n        cardinality: 4\n";
    let read = |bytes: &[u8]| {
        let _ = smartnoise::import(&String::from_utf8_lossy(bytes));
    };
    let words = ["&a ", "*a", "- ", ": ", "!!map", "|\n", "private_id: True\n", "\t", "[[[[[["];
    fuzz(&Target { name: "smartnoise", seeds: vec![yaml.into()], words: &words, inputs: 4_000, read: &read });
}
