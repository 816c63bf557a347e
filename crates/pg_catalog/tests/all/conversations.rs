//! What clients send, and what they are told here.
//!
//! A file begins with lines after `#` that say where its statements are from: captured on the wire of PostgreSQL 15, or written
//! from a description of what a client asks for, in words of our own. An entry is a title after `==`, the statement, its parameters (`$1 = …`), a line `----`, and the answer: names and types of
//! the columns, the rows, how many. `{visits}` stands for the oid of a table. `POINTILLIST_UPDATE=1` writes the answers anew;
//! read what changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use pointillist_pg_catalog::{Outcome, Route, SystemCatalog, encode_binary, route};

use crate::fixture::{CATALOG, ask, catalog, lines};

/// Longer answers are shown by their first rows.
const ROWS_SHOWN: usize = 12;

struct Entry {
    title: String,
    sql: String,
    parameters: Vec<Option<String>>,
    answer: String,
}

fn path(client: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/conversations/{client}.txt"))
}

/// Where the statements of a file are from, and its entries.
fn parts(text: &str) -> (&str, &str) {
    let end = text.find("== ").unwrap_or(text.len());
    text.split_at(end)
}

fn read(text: &str) -> Vec<Entry> {
    let (_, text) = parts(text);
    let blocks = text.split("\n== ").map(|block| block.strip_prefix("== ").unwrap_or(block));
    blocks.filter(|block| !block.trim().is_empty()).map(entry).collect()
}

fn entry(block: &str) -> Entry {
    let (title, rest) = block.split_once('\n').expect("a title");
    let (question, answer) = rest.split_once("\n----").expect("a line of dashes");
    let is_parameter = |line: &&str| {
        line.strip_prefix('$')
            .and_then(|rest| rest.split_once(" = "))
            .is_some_and(|(number, _)| number.parse::<u8>().is_ok())
    };
    let (parameters, sql): (Vec<&str>, Vec<&str>) = question.lines().partition(is_parameter);
    let value = |line: &str| {
        line.split_once(" = ").map(|(_, value)| value.to_owned()).filter(|value| value != "NULL")
    };
    Entry {
        title: title.to_owned(),
        sql: sql.join("\n"),
        parameters: parameters.into_iter().map(value).collect(),
        answer: answer.trim().to_owned(),
    }
}

fn written(entry: &Entry, answer: &str) -> String {
    let parameter = |(index, value): (usize, &Option<String>)| {
        format!("${} = {}\n", index + 1, value.as_deref().unwrap_or("NULL"))
    };
    let parameters: String = entry.parameters.iter().enumerate().map(parameter).collect();
    format!("== {}\n{}\n{parameters}----\n{answer}\n", entry.title, entry.sql)
}

/// The oids of declared tables, by their placeholders.
fn oids(system: &SystemCatalog) -> BTreeMap<String, String> {
    let sql = "SELECT '{' || relname || '}', oid FROM pg_class WHERE relnamespace = 2200";
    let outcome = ask(system, sql, &[]).unwrap_or_else(|error| panic!("{error}"));
    let pair = |line: String| line.split_once('|').map(|(name, oid)| (name.to_owned(), oid.to_owned()));
    lines(&outcome).into_iter().filter_map(pair).collect()
}

fn with_oids(text: &str, oids: &BTreeMap<String, String>) -> String {
    oids.iter().fold(text.to_owned(), |text, (name, oid)| text.replace(name, oid))
}

fn without_oids(text: &str, oids: &BTreeMap<String, String>) -> String {
    oids.iter().fold(text.to_owned(), |text, (name, oid)| text.replace(oid, name))
}

fn answer(system: &SystemCatalog, oids: &BTreeMap<String, String>, entry: &Entry) -> String {
    let sql = with_oids(&entry.sql, oids);
    match route(system, &sql) {
        Ok(Route::System) => {}
        other => return format!("not for the system catalog: {other:?}"),
    }
    let parameters: Vec<Option<String>> =
        entry.parameters.iter().map(|value| value.as_ref().map(|value| with_oids(value, oids))).collect();
    match ask(system, &sql, &parameters) {
        Ok(outcome) => without_oids(&shown(&outcome), oids),
        Err(error) => format!("{}: {}", error.sqlstate, error.message),
    }
}

fn shown(outcome: &Outcome) -> String {
    let head: Vec<String> =
        outcome.columns.iter().map(|(name, kind)| format!("{name} {}", kind.name())).collect();
    let rows = lines(outcome);
    let mut text = vec![head.join(", ")];
    text.extend(rows.iter().take(ROWS_SHOWN).cloned());
    if rows.len() > ROWS_SHOWN {
        text.push("…".to_owned());
    }
    text.push(format!("({} rows)", rows.len()));
    for row in &outcome.rows {
        for (value, (name, kind)) in row.iter().zip(&outcome.columns) {
            let is_sent = value.is_null() || encode_binary(value, *kind).is_some();
            assert!(is_sent, "{name} cannot be sent in binary: {value:?} {kind:?}");
        }
    }
    text.join("\n")
}

fn check(client: &str) {
    let system = SystemCatalog::new(&catalog(CATALOG), "shop");
    let oids = oids(&system);
    let text = fs::read_to_string(path(client)).unwrap_or_else(|error| panic!("{client}: {error}"));
    let entries = read(&text);
    assert!(!entries.is_empty(), "{client} says nothing");
    let answers: Vec<String> = entries.iter().map(|entry| answer(&system, &oids, entry)).collect();
    if std::env::var_os("POINTILLIST_UPDATE").is_some() {
        let blocks: Vec<String> =
            entries.iter().zip(&answers).map(|(entry, answer)| written(entry, answer)).collect();
        fs::write(path(client), format!("{}{}", parts(&text).0, blocks.join("\n")))
            .expect("the file can be written");
    }
    let mut wrong = Vec::new();
    for (entry, answer) in entries.iter().zip(&answers) {
        if *answer != entry.answer {
            wrong.push(format!(
                "== {}\n{}\nexpected:\n{}\ngot:\n{answer}",
                entry.title, entry.sql, entry.answer
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), entries.len(), wrong.join("\n\n"));
}

macro_rules! conversations {
    ($($client:ident),* $(,)?) => {
        $(#[test]
        fn $client() {
            check(stringify!($client));
        })*

        #[test]
        fn every_file_is_a_test() {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
            let files = fs::read_dir(folder).expect("conversations").count();
            assert_eq!(files, [$(stringify!($client)),*].len());
        }
    };
}

conversations!(
    adbc, asyncpg, dbeaver, duckdb, grafana, metabase, npgsql, pgcli, pgjdbc, postgresjs, power_bi, psql,
    psqlodbc, psycopg, sqlalchemy, sqlx, superset,
);

/// Specification: no statement of the corpus is refused; refusals would be written into the files like answers.
#[test]
fn no_client_is_refused() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
    for file in fs::read_dir(folder).expect("conversations") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("text");
        let from = parts(&text).0;
        assert!(
            ["# Captured", "# Not captured", "# Written"].iter().any(|words| from.starts_with(words)),
            "{text}"
        );
        for entry in read(&text) {
            let last = entry.answer.lines().last().unwrap_or_default();
            assert!(last.ends_with(" rows)"), "== {}\n{}\n{}", entry.title, entry.sql, entry.answer);
        }
    }
}
