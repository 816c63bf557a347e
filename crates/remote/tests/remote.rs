//! Questions at servers that hold their rows, where those servers are installed.

#[path = "remote/aggregations.rs"]
mod aggregations;
#[path = "remote/cells.rs"]
mod cells;
#[path = "remote/chance.rs"]
mod chance;
#[path = "remote/differential.rs"]
mod differential;
#[path = "remote/neighbours.rs"]
mod neighbours;
#[path = "remote/postgres_failures.rs"]
mod postgres_failures;
#[path = "remote/postgres_preflight.rs"]
mod postgres_preflight;
#[path = "remote/postgres_sessions.rs"]
mod postgres_sessions;
#[path = "remote/spark_failures.rs"]
mod spark_failures;
#[path = "remote/spark_preflight.rs"]
mod spark_preflight;
#[path = "remote/spark_questions.rs"]
mod spark_questions;
#[path = "remote/spark_worlds.rs"]
mod spark_worlds;
#[path = "remote/sql_questions.rs"]
mod sql_questions;
#[path = "remote/trees.rs"]
mod trees;
#[path = "remote/world.rs"]
mod world;

use pointillist_lowering::{Dialect, Parameter, Statement, StatementTable};
use pointillist_plan::Type;
use pointillist_postgres::Address;
use pointillist_remote::postgres::{Database, TableName};

fn database(url: &str) -> Database {
    Database::new(Address::parse(url).unwrap(), None, false)
}

fn trusting(url: &str) -> Database {
    Database::new(Address::parse(url).unwrap(), None, true)
}

fn name(table: &str) -> TableName {
    let (schema, name) = table.split_once('.').unwrap_or(("public", table));
    TableName::from_path(&[schema.to_owned(), name.to_owned()]).unwrap()
}

/// A statement as the lowering makes them: keys, people, totals.
fn statement(text: &str, keys: &[Type], measures: usize, columns: &[&str]) -> Statement {
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    Statement {
        dialect: Dialect::Postgres,
        text: text.to_owned(),
        parameters: Vec::<Parameter>::new(),
        keys: keys.to_vec(),
        measures,
        tables: vec![StatementTable { path: vec!["public".to_owned(), "stays".to_owned()], columns }],
    }
}
