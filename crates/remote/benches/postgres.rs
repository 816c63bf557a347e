//! How long a bounded question takes in PostgreSQL beside an ordinary GROUP BY of the same server.
//!
//! `cargo xtask bench postgres [ROWS]`; ten million unless said. The server is one of our own in a temporary folder, one process a
//! statement (no parallel workers), with the memory that PostgreSQL gives a session by default for the ordinary question and the
//! settings of ours for the bounded one. The rows are ten a person in a thousand groups by a hash, which is the hardest case: nearly
//! every row is another (person, group). The time is the server's, so that the profile of this program does not matter.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

use pointillist_catalog::Catalog;
use pointillist_engine::ChoiceKey;
use pointillist_lowering::{Dialect, lower};
use pointillist_postgres::{Address, Connection, Limits};
use pointillist_query::{Options, plan};
use pointillist_remote::postgres::{Database, TableName, Times};
use pointillist_testkit::postgres::{PostgresOptions, PostgresServer};

const RUNS: usize = 3;
const CATALOG: &str = r#"
[scope.people]
budget = { rho = 0.5, delta = 1e-9 }
[table.rows]
source = 'rows.parquet'
scope = 'people'
privacy_unit = 'owner'
max_groups = 4
max_contributions = 2
[table.rows.columns]
key = { type = "integer", lower = 0, upper = 999 }
few = { type = "integer", lower = 0, upper = 3 }
word = { type = "text" }
value = { type = "integer", lower = 0, upper = 100 }
[table.named]
source = 'named.parquet'
scope = 'people'
privacy_unit = 'name'
max_groups = 4
max_contributions = 2
[table.named.columns]
key = { type = "integer", lower = 0, upper = 999 }
word = { type = "text" }
value = { type = "integer", lower = 0, upper = 100 }
[table.single]
source = 'single.parquet'
scope = 'people'
privacy_unit = 'row'
[table.single.columns]
key = { type = "integer", lower = 0, upper = 999 }
value = { type = "integer", lower = 0, upper = 100 }
"#;

/// What is asked, of which table, the same without privacy, and what everybody must be grouped by who bounds people.
const QUESTIONS: [(&str, &str, &str, &str, &str); 6] = [
    (
        "no groups",
        "rows",
        "SELECT COUNT(*), SUM(value) FROM rows",
        "SELECT count(*), sum(value)::int8 FROM public.rows",
        "owner",
    ),
    (
        "four declared groups, four a person",
        "rows",
        "SELECT few, COUNT(*), SUM(value) FROM rows GROUP BY few",
        "SELECT few, count(*), sum(value)::int8 FROM public.rows GROUP BY few",
        "owner, few",
    ),
    (
        "1,000 groups, four a person",
        "rows",
        "SELECT key, COUNT(*), SUM(value) FROM rows GROUP BY key",
        "SELECT key, count(*), sum(value)::int8 FROM public.rows GROUP BY key",
        "owner, key",
    ),
    (
        "1,000 texts, four a person",
        "rows",
        "SELECT word, COUNT(*), SUM(value) FROM rows GROUP BY word",
        "SELECT word, count(*), sum(value)::int8 FROM public.rows GROUP BY word",
        "owner, word",
    ),
    (
        "1,000 groups, people by texts",
        "named",
        "SELECT key, COUNT(*), SUM(value) FROM named GROUP BY key",
        "SELECT key, count(*), sum(value)::int8 FROM public.named GROUP BY key",
        "name, key",
    ),
    (
        "1,000 groups, one row a person",
        "single",
        "SELECT key, COUNT(*), SUM(value) FROM single GROUP BY key",
        "SELECT key, count(*), sum(value)::int8 FROM public.single GROUP BY key",
        "key",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let rows: u64 = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10_000_000);
    let settings = vec![
        ("shared_buffers", "2GB".to_owned()),
        ("max_wal_size", "8GB".to_owned()),
        ("max_parallel_workers_per_gather", "0".to_owned()),
    ];
    let Some(server) = PostgresServer::start_with(PostgresOptions { settings, ..PostgresOptions::default() })
    else {
        println!("SKIPPED: PostgreSQL is not installed");
        return Ok(());
    };
    let url = server.new_database("bench");
    let address = Address::parse(&url)?;
    let begun = Instant::now();
    fill(&server, address.database(), rows);
    println!(
        "{rows} rows, {} people, made in {:.0} s; best of {RUNS}\n",
        rows / 10,
        begun.elapsed().as_secs_f64()
    );
    println!(
        "| question | raw s | floor s: grouped by person and key | bounded s | against raw | against the floor | planned s |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (what, table, question, raw, keys) in QUESTIONS {
        let limits = Limits { answer_timeout: Duration::from_secs(3600), ..Limits::default() };
        let connection = Connection::open(&address, None, &limits)?;
        let raw = best(|| connection.query(raw, &[]).map(|groups| groups.len()).map_err(Into::into))?;
        // With the memory of the bounded question: the server has to know each person's part of each group, in whatever way.
        connection.query("SELECT set_config('work_mem', '65536', false)", &[])?;
        let floor = format!(
            "SELECT count(*) FROM (SELECT {keys}, count(*), sum(value) FROM public.{table} GROUP BY {keys}) AS parts"
        );
        let floor = best(|| connection.query(&floor, &[]).map(|groups| groups.len()).map_err(Into::into))?;
        let (bounded, planned) = bounded(&address, table, question)?;
        let (to_raw, to_floor) = (bounded / raw, bounded / floor);
        println!(
            "| {what} | {raw:.2} | {floor:.2} | {bounded:.2} | {to_raw:.1} | {to_floor:.1} | {planned:.3} |"
        );
    }
    Ok(())
}

fn fill(server: &PostgresServer, database: &str, rows: u64) {
    let people = rows / 10;
    server.sql(
        database,
        &format!(
            "CREATE TABLE rows AS SELECT (id % {people})::int8 AS owner, (hashint8(id) & 2147483647)::int8 % 1000 AS key, \
             (hashint8(id * 7) & 3)::int8 AS few, 'ward number ' || (hashint8(id) & 2147483647) % 1000 AS word, \
             (hashint8(id * 3) & 2147483647)::int8 % 100 AS value FROM generate_series(1, {rows}::int8) AS id;
             CREATE TABLE named AS SELECT 'person ' || owner AS name, key, word, value FROM rows;
             CREATE TABLE single AS SELECT key, value FROM rows;
             VACUUM ANALYZE rows; VACUUM ANALYZE named; VACUUM ANALYZE single"
        )
        .replace("VACUUM ANALYZE", "ANALYZE"),
    );
}

/// The bounded statement's seconds, and those of looking and planning before anybody pays.
fn bounded(address: &Address, table: &str, question: &str) -> Result<(f64, f64), Box<dyn Error>> {
    let catalog = Catalog::parse(CATALOG)?;
    let plan = plan(&catalog, question, &Options::default())?;
    let begun = Instant::now();
    let database = Database::new(address.clone(), None, false);
    let name = TableName::from_path(&["public".to_owned(), table.to_owned()])?;
    let times = Times { statement: Duration::from_secs(3600), ..Times::default() };
    let session = database.begin(&[name], &times)?;
    let tables = BTreeMap::from([(table.to_owned(), session.tables()[0].stored())]);
    let statement = lower(Dialect::Postgres, &tables, &plan.aggregation, &ChoiceKey::from_system()?)?;
    session.prepare(&statement)?;
    let planned = begun.elapsed().as_secs_f64();
    if std::env::var_os("POINTILLIST_SHOW").is_some() {
        println!("{}", statement.text);
    }
    Ok((best(|| session.run(&statement).map(|groups| groups.len()).map_err(Into::into))?, planned))
}

fn best(mut run: impl FnMut() -> Result<usize, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let begun = Instant::now();
        run()?;
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(best)
}
