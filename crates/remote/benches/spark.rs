//! How long a bounded question takes on Spark beside an ordinary GROUP BY, with one executor and with two.
//!
//! `POINTILLIST_SPARK_HOME=… cargo xtask bench spark [ROWS]`. The rows are made by Spark: ten
//! of each person, in a thousand groups by a hash. Everything runs on this machine, each executor with one core; the time is
//! Spark's and the wire's, so that the profile of this program does not matter.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use pointillist_catalog::Catalog;
use pointillist_engine::ChoiceKey;
use pointillist_lowering::{Dialect, lower};
use pointillist_query::{Options, plan};
use pointillist_remote::spark::{Cluster, TableName, Times};
use pointillist_spark::{Address, Operation, Session, SessionOptions};
use pointillist_testkit::spark::{SparkOptions, SparkServer};

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
key = { type = "integer" }
value = { type = "integer", lower = 0, upper = 100 }
"#;
const QUESTION: &str = "SELECT key, COUNT(*), SUM(value) FROM rows GROUP BY key";
const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds words of its own, which are no numbers.
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let rows: u64 = numbers.next().unwrap_or(50_000_000);
    let partitions: u64 = numbers.next().unwrap_or(16);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("rows").display().to_string();
    println!("{rows} rows, {} people, 1,000 groups, at most 4 groups a person; {RUNS} runs each", rows / 10);
    for executors in [1, 2] {
        let settings = vec![("spark.sql.shuffle.partitions", partitions.to_string())];
        let options = SparkOptions { executors, memory_mb: 4096, settings };
        let Some(server) = SparkServer::start_with(options) else { return Ok(()) };
        let address = Address::parse(&server.url())?;
        let owner = Session::open(&address, None, SessionOptions::default())?;
        if !Path::new(&path).exists() {
            generate(&owner, rows, &path)?;
        }
        measure(&owner, &address, &path, executors)?;
    }
    Ok(())
}

fn generate(owner: &Session, rows: u64, path: &str) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let people = rows / 10;
    let select = format!(
        "SELECT id % {people} AS owner, CAST(pmod(hash(id), 1000) AS BIGINT) AS key, pmod(xxhash64(id), 100) AS value \
         FROM range(0, {rows}, 1, 16)"
    );
    owner.command(&format!("INSERT OVERWRITE DIRECTORY '{path}' USING parquet {select}"), &[])?;
    println!("made in {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn measure(owner: &Session, address: &Address, path: &str, executors: usize) -> Result<(), Box<dyn Error>> {
    let table = TableName::from_path(&["parquet".to_owned(), path.to_owned()])?;
    let raw = format!("SELECT key, count(*), sum(value) FROM parquet.`{path}` GROUP BY key");
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        owner.query(&Operation::new()?, &raw, &[], &mut |_| ())?;
        times.push(begun.elapsed().as_secs_f64());
    }
    println!("{executors} executors, raw GROUP BY: {times:.1?} s");
    let catalog = Catalog::parse(CATALOG)?;
    let plan = plan(&catalog, QUESTION, &Options::default())?;
    let cluster = Cluster::new(address.clone(), "scale", None, false);
    let session = cluster.begin(&[table], &Times::default())?;
    let tables = BTreeMap::from([("rows".to_owned(), session.tables()[0].stored())]);
    let statement = lower(Dialect::Spark, &tables, &plan.aggregation, &ChoiceKey::from_system()?)?;
    let begun = Instant::now();
    session.prepare(&statement)?;
    println!("{executors} executors, prepared in {:.1} s", begun.elapsed().as_secs_f64());
    let mut times = Vec::new();
    let mut groups = 0;
    for _ in 0..RUNS {
        let begun = Instant::now();
        groups = session.run(&statement)?.len();
        times.push(begun.elapsed().as_secs_f64());
    }
    println!("{executors} executors, bounded: {times:.1?} s ({groups} groups)");
    if std::env::var_os("POINTILLIST_SHOW").is_some() {
        println!("{}", statement.text);
    }
    Ok(())
}
